// Finds the file that the running code was loaded from, and from it our other programs.
#pragma once

#include <filesystem>

namespace lanescope::core {

/// The file that this code was loaded from: the program, or the shared object that another program (Python) has loaded.
/// Empty where the system does not say.
std::filesystem::path ownFile();

/// The folder of our programs. Of a program that runs it is the program's own. Of the Python package it is the first
/// `bin` with our worker in it, in the package (a wheel) or a folder around it (a build tree, /usr, an unpacked
/// archive).
std::filesystem::path programFolder();

/// The folder with kernels, samples and fonts of an installed Lanescope: `share/lanescope` beside the folder of our
/// programs. Empty in a build tree.
std::filesystem::path dataFolder();

/// `path` itself, or the installed file of this name: a path that begins with `samples/` or `kernels/`, as in our
/// documents, and names nothing in the working directory.
std::filesystem::path orInstalled(const std::filesystem::path &path);

} // namespace lanescope::core
