// The allocator's settings for programs that make and drop tables of megabytes: element maps, pictures, images.
//
// glibc gives freed blocks of that size back to the system, and the next table pays a page fault for each 4 KiB: for a
// map of 1024 x 1024 twenty times the work of filling it. Called once, at a program's start.
#pragma once

#include <malloc.h>

namespace lanescope::core {

/// Keeps up to 256 MiB of freed memory, in blocks of up to 32 MiB, for the next one. False where the C library refuses.
inline bool keepFreedMemory() {
  return mallopt(M_MMAP_THRESHOLD, 32 << 20) == 1 && mallopt(M_TRIM_THRESHOLD, 256 << 20) == 1;
}

} // namespace lanescope::core
