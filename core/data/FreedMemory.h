// Allocator settings for programs that create and drop tables of megabytes: element maps, pictures, images.
//
// glibc returns freed blocks of that size to the system, and the next table pays a page fault for each 4 KiB. For a map
// of 1024 x 1024, that costs twenty times the work of filling it. Call it once, at a program's start.
#pragma once

#include <malloc.h>

namespace lanescope::core {

/// Keeps up to 256 MiB of freed memory, in blocks of up to 32 MiB, for reuse. False if the C library refuses.
inline bool keepFreedMemory() {
  return mallopt(M_MMAP_THRESHOLD, 32 << 20) == 1 && mallopt(M_TRIM_THRESHOLD, 256 << 20) == 1;
}

} // namespace lanescope::core
