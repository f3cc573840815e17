// `lanescope emulate` for recorded launches (core/gpu/record).
#pragma once

#include "app/lanescope/Common.h"
#include "core/gpu/emulator/Emulator.h"

#include <filesystem>
#include <vector>

namespace lanescope::app {

/// Packages of recorded launches in a folder, by name.
std::vector<std::filesystem::path> recordedIn(const std::filesystem::path &folder);
/// Replays each and prints a line: exact, close, atomics, different, fault, refused. The exit status is 0 where all are
/// as recorded.
int emulatePackages(const std::vector<std::filesystem::path> &packages, core::EmulatorOptions options);

} // namespace lanescope::app
