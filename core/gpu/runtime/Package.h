// A compiled kernel with its inputs as a folder, NAME.lspkg, to be run later or elsewhere by `lanescope-worker run`:
//
//   kernel.ptx   launch.json   meta.json   x.npy …   expected/out.npy …
//
// launch.json names the files of the buffers, meta.json says the rest of CompiledKernel. `expected` holds what the
// outputs should be, where that is known.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"

#include <filesystem>

namespace lanescope::core {

struct Package {
  CompiledKernel kernel;
  std::vector<Array> inputs;   // as Device::run takes them
  std::vector<Array> expected; // CompiledKernel::outputs order; empty: unknown
  std::string expectedError;   // kinds of error, one of which the run is to give, with spaces between; empty: none
  std::string expectedPrinted; // what the kernel is to print, as part of all that it prints
};

/// Creates or replaces the folder's files. Buffers that are all zeros get no file. Errors: "unwritable-file",
/// "package".
Result<void> savePackage(const std::filesystem::path &folder, const Package &package);
/// Errors: "unreadable-file", "package", "launch", "npy".
Result<Package> loadPackage(const std::filesystem::path &folder);

/// The buffers of a launch description as files give them: `data`, relative to `folder`, or zeros.
/// `json`: the launch description, where what is wrong with a file is told.
Result<std::vector<Array>> loadBuffers(const Launch &launch, const std::filesystem::path &folder,
                                       const SourceRef &json = nullptr);
/// Where a launch description names a file; its begin where it does not.
Span placeOfFile(const SourceRef &json, const std::string &file);
/// Whether a file name that a launch description gives stays in its folder.
bool isPlainRelative(const std::string &name);
/// Saves what a launch description has saved as `name` in its folder. The description may be a stranger's, so nothing
/// but an array's file is replaced, and no link is followed. Errors: "launch" where the name leads elsewhere or does
/// not end in `.npy`; those of writing.
Result<void> saveOutput(const std::filesystem::path &folder, const std::string &name, const Array &array);

/// A package's `meta.json`: the kernel but for its launch and PTX, and what is expected of it.
std::string packageMeta(const Package &package);
/// Reads it back into `package`. Errors point into `source`.
Result<void> readPackageMeta(const SourceRef &source, Package &package);

} // namespace lanescope::core
