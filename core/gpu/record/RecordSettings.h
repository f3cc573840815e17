// The options that `lanescope record` gives to the library in the program. They travel in one variable of the
// environment, so that programs which the program starts have them, too.
//
//   ::setenv(kRecordVariable, toText(settings).c_str(), 1);      // lanescope record
//   RecordSettings settings = recordSettingsFromEnvironment();   // the library
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core::record {

inline constexpr char kRecordVariable[] = "LANESCOPE_RECORD";

struct RecordSettings {
  std::string folder;                    // packages go there; empty: nothing is recorded
  std::string journal;                   // a file that gets a line for each kernel and package
  std::string kernel;                    // a POSIX extended regular expression, searched in names; empty: all kernels
  std::vector<std::string> ptxFolders;   // where PTX of machine code is looked for
  uint64_t launch = 0;                   // the matching launch of this number, from 1 on; 0: all
  uint64_t maxBytes = uint64_t{1} << 30; // bytes of memory in one package
  uint64_t most = 1000;                  // packages of one process
  double timeLimit = 60;                 // seconds to wait for the end of a kernel
  bool every = false;                    // each launch, not only the first one of its kind
  bool list = false;                     // nothing is recorded
  bool arrays = true;                    // false: packages are without contents of memory
};

std::string toText(const RecordSettings &settings);
/// Settings that `text` does not name keep their defaults.
RecordSettings recordSettingsFromText(std::string_view text);
RecordSettings recordSettingsFromEnvironment();

} // namespace lanescope::core::record
