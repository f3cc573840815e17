// The results of `tune`, kept in a file from session to session: the fastest configuration of a kernel, by GPU and
// sizes.
//
//   {"format": 1, "entries": [{"kernel": "matmul", "gpu": "NVIDIA H200", "sizes": [4096, 4096, 4096],
//                              "time_us": 175.9, "configuration": {"group": 16}}]}
//
// A damaged file counts as empty. A failed write is an error, because the user waited for the result.
#pragma once

#include "repl/lang/values/Value.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::repl {

struct TunedEntry {
  std::string kernel, gpu;
  std::vector<int64_t> sizes;
  double timeUs = 0;
  Value configuration; // a dict; its keys are strings, and its values are None, bool, int, float or str
};

/// True if a configuration can be stored: a dict with values of the types above.
bool canRemember(const Value &configuration);
std::vector<TunedEntry> readTuned(const std::filesystem::path &file);
/// Stores `entry`, replacing an entry for the same kernel, GPU and sizes. Errors: kind "unwritable-file".
Result<void> rememberTuned(const std::filesystem::path &file, TunedEntry entry);
/// The distance between sizes: the sum of |log2(a / b)|; infinite if the numbers of sizes differ or one is not
/// positive.
double sizeDistance(const std::vector<int64_t> &a, const std::vector<int64_t> &b);

} // namespace lanescope::repl
