// The options that `lanescope cuda` passes to the driver library in the program. They are in one environment variable,
// so that programs started by the program get them, too.
//
//   ::setenv(kSettingsVariable, toText(settings).c_str(), 1);      // lanescope cuda
//   Settings settings = settingsFromEnvironment();                 // the library
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core::driver {

inline constexpr char kSettingsVariable[] = "LANESCOPE_CUDA";

struct Settings {
  std::string gpu = "h100"; // a name in GpuModels.h
  uint32_t devices = 1;     // how many GPUs of that kind
  uint64_t seed = 0;        // chooses the schedule
  uint32_t seeds = 1;       // number of schedules to try for each launch, from `seed` on
  bool fast = false, strict = false, keepGoing = false, colour = false;
  std::vector<std::string> strictRules;
  uint32_t threads = 0;   // host threads; 0: one per core
  double timeLimit = 600; // limit for one launch, in seconds
  std::string journal;    // file that receives a line for each launch and finding; empty: none
};

std::string toText(const Settings &settings);
/// Settings that `text` does not contain keep their defaults; a part that is not understood is skipped.
Settings settingsFromText(std::string_view text);
Settings settingsFromEnvironment();

} // namespace lanescope::core::driver
