// Finds the file that the running code was loaded from, and from it our other programs.
#pragma once

#include <filesystem>

namespace lanescope::core {

/// The file that contains this code: the program, or the shared object that another program (Python) has loaded. Empty
/// if the system does not report it.
std::filesystem::path ownFile();

/// The folder of our programs. If this code runs in one of our programs, it is that program's folder. If it runs in the
/// Python package, it is the first folder `bin` that contains our worker, either in the package (a wheel) or in a
/// folder around it (a build tree, /usr, an unpacked archive).
std::filesystem::path programFolder();

/// One of our shared libraries, in a folder beside that of our programs: `lib/lanescope`, or `lib` in a wheel. If only
/// the worker is installed, in its own folder. Empty if it is in none of them.
std::filesystem::path ownLibrary(const char *name);

/// The file that contains the compiler: the library that `lanescope` loads when it first compiles
/// (liblanescope_compiler.so), or ownFile() if there is none.
std::filesystem::path compilerFile();

/// The folder with kernels, samples and fonts of an installed Lanescope: `share/lanescope`, in the folder that also
/// contains the folder of our programs. Empty in a build tree.
std::filesystem::path dataFolder();

/// Returns `path`. If the path begins with `samples/` or `kernels/`, as our documents write it, and does not exist in
/// the working directory, returns the path of the installed file.
std::filesystem::path orInstalled(const std::filesystem::path &path);

} // namespace lanescope::core
