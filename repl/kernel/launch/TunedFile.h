// What `tune` found, kept in a file from session to session: which configuration of a kernel was the fastest, by GPU
// and sizes.
//
//   {"format": 1, "entries": [{"kernel": "matmul", "gpu": "NVIDIA H200", "sizes": [4096, 4096, 4096],
//                              "time_us": 175.9, "configuration": {"group": 16}}]}
//
// A file that is damaged counts as empty. What cannot be written is an error, since somebody waited for it.
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
  Value configuration; // a dict of str to None, bool, int, float or str
};

/// Whether a configuration can be remembered: a dict as above.
bool canRemember(const Value &configuration);
std::vector<TunedEntry> readTuned(const std::filesystem::path &file);
/// Puts `entry` in the place of one for the same kernel, GPU and sizes. Errors: kind "unwritable-file".
Result<void> rememberTuned(const std::filesystem::path &file, TunedEntry entry);
/// How far sizes are from others: the sum of |log2(a / b)|; infinite where the numbers of sizes differ or one is not
/// positive.
double sizeDistance(const std::vector<int64_t> &a, const std::vector<int64_t> &b);

} // namespace lanescope::repl
