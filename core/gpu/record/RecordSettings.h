// The options that `lanescope record` passes to the library in the program. They are in one environment variable, so
// that programs started by the program get them, too.
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
  std::string folder;                    // for packages; empty: nothing is recorded
  std::string journal;                   // file that receives a line for each kernel and package
  std::string kernel;                    // a POSIX extended regular expression, searched in names; empty: all kernels
  std::vector<std::string> ptxFolders;   // folders to search for PTX of machine code
  uint64_t launch = 0;                   // number of the only matching launch to record, from 1 on; 0: record all
  uint64_t maxBytes = uint64_t{1} << 30; // limit for the memory in one package, in bytes
  uint64_t most = 1000;                  // limit for the packages of one process
  double timeLimit = 60;                 // seconds to wait for the end of a kernel
  bool every = false;                    // record each launch, not only the first of its kind
  bool list = false;                     // only list launches
  bool arrays = true;                    // false: packages have no contents of memory
  bool paused = false;                   // record nothing until the program asks (Recorder::begin)
};

std::string toText(const RecordSettings &settings);
/// Settings that `text` does not contain stay as in `settings`.
RecordSettings recordSettingsFromText(std::string_view text, RecordSettings settings = {});
RecordSettings recordSettingsFromEnvironment();

} // namespace lanescope::core::record
