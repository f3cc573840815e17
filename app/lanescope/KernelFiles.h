// A kernel's files in a link to the web page.
#pragma once

#include "viz/host/LinkedFiles.h"

#include <filesystem>

namespace lanescope::app {

/// True for a package and for PTX.
bool isKernel(const std::filesystem::path &path);
/// The files from which the page runs the kernel: the PTX, its launch description, its arrays, and the sources that it
/// names, with names relative to their folder. `launch`: the description; empty: the one beside the PTX. Without
/// `arrays`, the arrays are left out. Errors: a file cannot be read; the description is not correct, or names an array
/// outside of its folder.
Result<std::vector<viz::LinkedFile>> kernelFiles(const std::filesystem::path &path, const std::filesystem::path &launch,
                                                 bool arrays);

/// A folder with the files of a link. It is removed when the object goes.
class UnpackedFiles {
public:
  UnpackedFiles() = default;
  ~UnpackedFiles();
  UnpackedFiles(const UnpackedFiles &) = delete;
  UnpackedFiles &operator=(const UnpackedFiles &) = delete;

  /// Writes the files of a kernel. Returns the path of the first PTX file. Errors: there is none; "unwritable-file".
  Result<std::filesystem::path> unpackKernel(const std::vector<viz::LinkedFile> &files);
  /// Writes the files, and returns their paths. Errors: "unwritable-file".
  Result<std::vector<std::filesystem::path>> unpack(const std::vector<viz::LinkedFile> &files);

private:
  std::filesystem::path folder_;
};

} // namespace lanescope::app
