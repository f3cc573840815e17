// What belongs together in a folder that JAX dumped to: the files of each kernel.
//
//   auto kernels = findDumps("dumps");       // after MOSAIC_GPU_DUMP_TO=dumps
//   (*kernels)[0].name                       "k_7"
//   (*kernels)[0].find(DumpFileKind::Ptx)    "dumps/k_7.ptx"
//
// JAX names files by the module's base name, `<name>_<count>`, and what they are (jaxlib/mosaic/gpu/dump.cc,
// jaxlib/mosaic/gpu/assembly_to_binary.cc, jax/experimental/mosaic/gpu/core.py). Files that are called by what they are
// alone (`before.mlir`, `kernel.ptx`, `launch.json`) belong to the folder's one kernel. Nothing is read here.
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
/// "the module after layout inference", …
std::string_view name(DumpFileKind kind);
std::span<const DumpFileKind> allDumpFileKinds();

struct DumpFiles {
  std::string name; // "k_7"; of a kernel in a folder below, "folder/k_7"
  std::map<DumpFileKind, std::filesystem::path> files;
  const std::filesystem::path *find(DumpFileKind kind) const;
};

/// By name, numbers by their value. `path`: a folder; or one with the start of a name (`dumps/k_7`), for that kernel
/// alone. A folder without dumps whose folders have some gives theirs. Errors (kind "no-dumps"): there is no such
/// folder, it cannot be read, or nothing in it is called as a dump.
Result<std::vector<DumpFiles>> findDumps(const std::filesystem::path &path);

/// The one kernel there. Error (kind "several-kernels"): there are several; it names them.
Result<DumpFiles> findOneDump(const std::filesystem::path &path);

/// Whether findDumps is for it: a folder, or what is no file but may be the start of a name.
bool looksLikeDumps(const std::filesystem::path &path);

} // namespace lanescope::core::dumps
