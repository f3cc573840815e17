// Finds the file that the running code was loaded from, and from it our other programs.
#pragma once

#include <filesystem>

namespace lanescope::core {

/// The file that contains this code: the program, or the shared object that another program (Python) has loaded. Empty
/// if the system does not report it.
std::filesystem::path ownFile();

/// The folder of our programs. For a running program of ours, its own folder. For the Python package, the first `bin`
/// that contains our worker: in the package (a wheel) or in a folder around it (a build tree, /usr, an unpacked
/// archive).
std::filesystem::path programFolder();

/// The folder with kernels, samples and fonts of an installed Lanescope: `share/lanescope` beside the folder of our
/// programs. Empty in a build tree.
std::filesystem::path dataFolder();

/// Returns `path`, or the installed file for a path that begins with `samples/` or `kernels/`, as in our documents, and
/// does not exist in the working directory.
std::filesystem::path orInstalled(const std::filesystem::path &path);

} // namespace lanescope::core
