// Groups the files of a folder that JAX dumped to by kernel.
//
//   auto kernels = findDumps("dumps");       // after MOSAIC_GPU_DUMP_TO=dumps
//   (*kernels)[0].name                       "k_7"
//   (*kernels)[0].find(DumpFileKind::Ptx)    "dumps/k_7.ptx"
//
// JAX's file names consist of the module's base name, `<name>_<count>`, and the kind of file
// (jaxlib/mosaic/gpu/dump.cc, jaxlib/mosaic/gpu/assembly_to_binary.cc, jax/experimental/mosaic/gpu/core.py). Files
// named only by their kind (`before.mlir`, `kernel.ptx`, `launch.json`) belong to the folder's only kernel. This code
// only looks at names; it reads no file's content.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core::dumps {

enum class DumpFileKind { Before, After, Constraints, Resources, Ptx, Ptxas, Sass, SassCtrl, Launch };
/// The kind of file in words: "the module after layout inference", …
std::string_view name(DumpFileKind kind);
std::span<const DumpFileKind> allDumpFileKinds();

struct DumpFiles {
  std::string name; // "k_7"; for a kernel in a subfolder, "folder/k_7"
  std::map<DumpFileKind, std::filesystem::path> files;
  const std::filesystem::path *find(DumpFileKind kind) const;
};

/// The kernels, sorted by name; numbers in names are compared by value. `path`: a folder, or a folder and the beginning
/// of a name (`dumps/k_7`) for only that kernel. If a folder has no dumps, those of its subfolders are returned. Errors
/// (kind "no-dumps"): the folder does not exist or cannot be read, or no file in it has a dump's name.
Result<std::vector<DumpFiles>> findDumps(const std::filesystem::path &path);

/// The only kernel there. Error (kind "several-kernels"): there are several; the message names them.
Result<DumpFiles> findOneDump(const std::filesystem::path &path);

/// True if findDumps can take the path: it is a folder, or there is no such file and it may be the beginning of a name.
bool looksLikeDumps(const std::filesystem::path &path);

} // namespace lanescope::core::dumps
