// `lanescope emulate` for recorded launches (core/gpu/record).
#pragma once

#include "app/lanescope/Common.h"
#include "core/gpu/emulator/Emulator.h"

#include <filesystem>
#include <vector>

namespace lanescope::app {

/// The packages of recorded launches in a folder, sorted by name.
std::vector<std::filesystem::path> recordedIn(const std::filesystem::path &folder);
/// Replays each package and prints a line: exact, close, atomics, not comparable, different, fault, refused. Returns
/// kInputAtFault if a package gets one of the last three, or if Ctrl-C stops the replay before the last package.
int emulatePackages(const std::vector<std::filesystem::path> &packages, core::EmulatorOptions options);

} // namespace lanescope::app
