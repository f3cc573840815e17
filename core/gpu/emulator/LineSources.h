// The source files that the PTX of any compiler names in `.file` and `.loc` (PTX ISA, "Debugging Directives"). Findings
// are reported at their lines.
//
//   module.sources = lineSources(module);   // ["", "k.cu", "common.cuh"]
//
// A file is searched under its own name and in the folder of the PTX. A missing file keeps its name and gets empty
// lines, so that places in it have a line. A missing module of MLIR has no source, so findings in it are reported in
// the PTX.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"

#include <filesystem>
#include <vector>

namespace lanescope::core::emulator {

/// Indexed by the number in `.file`. Null if no `.loc` names the file, and for a missing module of MLIR.
std::vector<SourceRef> lineSources(const Module &module);

/// The files that lineSources() looks for, whether they exist or not. The text is not parsed, only searched for
/// `.file`.
std::vector<std::filesystem::path> sourceFilesOf(const Source &ptx);

} // namespace lanescope::core::emulator
