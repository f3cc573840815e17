// Compares the replay of a recorded launch with the GPU's result.
//
//   auto verdict = compareRecorded(folder, ptx, launch, arrays, result->outputs);
//   verdict->grade    // Exact, Close (within tolerances), Atomics (floats are added in any order), Different
#pragma once

#include "core/data/Array.h"
#include "core/gpu/kernel/Launch.h"

#include <filesystem>
#include <span>
#include <string>

namespace lanescope::core::record {

enum class ReplayGrade : uint8_t { Exact, Close, Atomics, Different, Unknown };
const char *name(ReplayGrade grade);

struct ReplayVerdict {
  ReplayGrade grade = ReplayGrade::Unknown;
  std::string words; // "3 buffers are bit-equal", "17 of 4096 f32 of `out` differ …"
};

/// True for a folder that is a package with a recorded launch.
bool isRecorded(const std::filesystem::path &folder);
/// For a replay that is not the GPU's: a warning if the recorder found the package's PTX by the kernel's name alone.
/// Empty: there is no such reason.
std::string ptxByNameWords(const std::filesystem::path &folder);
/// `inputs` and `outputs` hold the contents of launch.buffers() before and after the replay. `part`: only some blocks
/// ran, and only the elements that they have changed are compared. Errors: those of reading the package.
Result<ReplayVerdict> compareRecorded(const std::filesystem::path &folder, const SourceRef &ptx, const Launch &launch,
                                      std::span<const Array> inputs, std::span<const Array> outputs, bool part = false);

} // namespace lanescope::core::record
