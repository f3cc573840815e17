// A compiled kernel with its inputs as a folder, NAME.lspkg, to be run later or elsewhere by `lanescope-worker run`:
//
//   kernel.ptx   launch.json   meta.json   x.npy …   expected/out.npy …
//
// launch.json names the files of the buffers; meta.json has the other fields of CompiledKernel. `expected` has the
// expected outputs, if known.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"

#include <filesystem>

namespace lanescope::core {

struct Package {
  CompiledKernel kernel;
  std::vector<Array> inputs;   // in the order of Device::run
  std::vector<Array> expected; // in the order of CompiledKernel::outputs; empty: unknown
  /// Kinds of errors, separated by spaces; the run must give one of them; empty: the run must succeed.
  std::string expectedError;
  std::string expectedPrinted; // text that must be part of the kernel's printed text
};

/// Creates or replaces the folder's files. Buffers of zeros get no file. Errors: "unwritable-file", "package".
Result<void> savePackage(const std::filesystem::path &folder, const Package &package);
/// Errors: "unreadable-file", "package", "launch", "npy".
Result<Package> loadPackage(const std::filesystem::path &folder);

/// Loads the buffers of a launch description from their files: `data`, relative to `folder`, or zeros. `json` is the
/// launch description, which errors about a file point into.
Result<std::vector<Array>> loadBuffers(const Launch &launch, const std::filesystem::path &folder,
                                       const SourceRef &json = nullptr);
/// The place where a launch description names a file; its beginning if it does not name the file.
Span placeOfFile(const SourceRef &json, const std::string &file);
/// True if a file name in a launch description stays in its folder.
bool isPlainRelative(const std::string &name);
/// Saves an output under the launch description's `name` in its folder. The description may come from an untrusted
/// source, so this function replaces only a file of an array and follows no link. Errors: "launch" if the name leads
/// outside or does not end in `.npy`; those of writing.
Result<void> saveOutput(const std::filesystem::path &folder, const std::string &name, const Array &array);

/// A package's `meta.json`: the kernel without its launch and PTX, and the expected results.
std::string packageMeta(const Package &package);
/// Reads `meta.json` into `package`. Errors have places in `source`.
Result<void> readPackageMeta(const SourceRef &source, Package &package);

} // namespace lanescope::core
