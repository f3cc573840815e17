// Finds the file that the running code was loaded from, and from it our other programs.
#pragma once

#include <filesystem>

namespace lanescope::core {

/// The file that this code was loaded from: the program, or the shared object that another program (Python) has loaded.
/// Empty where the system does not say.
std::filesystem::path ownFile();

/// The folder of our programs: the running program's own, or `bin` beside the folder of the Python package.
std::filesystem::path programFolder();

} // namespace lanescope::core
