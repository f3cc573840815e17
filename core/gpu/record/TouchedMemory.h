// Restricts a recorded package to the memory that a replay of it accesses (`record --touched`).
//
//   auto touched = keepTouched(folder, 60);
//   touched->kept, touched->all      // bytes of the package's arrays: 8192 of 1073741824
//
// Files keep their sizes, but everything outside of the accessed pages becomes zeros, which take no space on the disk.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <filesystem>

namespace lanescope::core::record {

struct TouchedMemory {
  uint64_t kept = 0, all = 0; // bytes
};

/// Replaces the package. Pages that only the GPU's run has changed are kept, too. Errors: "record": the replay ends
/// with a fault or past the time limit, or it needs other memory than it accessed; the package then stays as it is.
/// Other errors are those of reading and writing the package.
Result<TouchedMemory> keepTouched(const std::filesystem::path &package, double timeLimit);

} // namespace lanescope::core::record
