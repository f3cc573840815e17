// `lanescope emulate` for recorded launches (core/gpu/record).
#pragma once

#include "app/lanescope/Common.h"
#include "core/gpu/emulator/Emulator.h"

#include <filesystem>
#include <vector>

namespace lanescope::app {

/// Packages of recorded launches in a folder, by name.
std::vector<std::filesystem::path> recordedIn(const std::filesystem::path &folder);
/// Replays each and prints a line: exact, close, atomics, not comparable, different, fault, refused. The exit status is
/// kInputAtFault where one is among the last three, or Ctrl-C ends it before the last package.
int emulatePackages(const std::vector<std::filesystem::path> &packages, core::EmulatorOptions options);

} // namespace lanescope::app
