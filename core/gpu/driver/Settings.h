// The options that `lanescope cuda` gives to the driver library in the program. They travel in one variable of the
// environment, so that programs which the program starts have them, too.
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
  std::string gpu = "h100"; // a name of GpuModels.h
  uint32_t devices = 1;     // how many GPUs of that kind
  uint64_t seed = 0;        // chooses the schedule
  uint32_t seeds = 1;       // schedules that each launch is tried with, from `seed` on
  bool fast = false, strict = false, keepGoing = false, colour = false;
  std::vector<std::string> strictRules;
  uint32_t threads = 0;   // host threads; 0: one per core
  double timeLimit = 600; // seconds that one launch may take
  std::string journal;    // a file that gets a line for each launch and finding; empty: none
};

std::string toText(const Settings &settings);
/// Settings that `text` does not name keep their defaults; a part that is not understood is passed over.
Settings settingsFromText(std::string_view text);
Settings settingsFromEnvironment();

} // namespace lanescope::core::driver
