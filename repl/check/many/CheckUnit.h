// The units of a check of many kernels: PTX files of folders, and single files. A unit has a name, by which reports are
// sorted and shards are divided, and a key, by which a run knows that an earlier record of it is still right.
//
//   std::vector<CheckUnit> units = LANESCOPE_TRY(checkUnits({"kernels"}, {"--seeds", "4"}, {.number = 1, .of = 2}));
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

/// A share of the units: number 1 to `of`. It depends on the units' names alone.
struct Shard {
  uint32_t number = 1, of = 1;
  bool has(std::string_view unit) const;
};

/// "2/4". Errors: "results".
Result<Shard> parseShard(std::string_view text);

struct CheckUnit {
  std::string name;           // the path, as the user gave it or its folder
  std::filesystem::path path; // the file
  std::string key;            // a hash of the name, the files, the options and the program
  uint64_t bytes = 0;         // the file's size
  // A Python file may read other files, which the key does not know. So it is checked again in each run.
  bool always = false;
};

/// The units of files and folders, sorted by name, each once. `options`: the words of the command line on which the
/// findings depend. Errors: "no-ptx": a folder has no PTX; "unreadable-file": there is no such file.
Result<std::vector<CheckUnit>> checkUnits(const std::vector<std::filesystem::path> &paths,
                                          const std::vector<std::string> &options, Shard shard);

} // namespace lanescope::repl
