// The sources that PTX of any compiler names in `.file` and `.loc` (PTX ISA, "Debugging Directives"): findings are told
// at their lines.
//
//   module.sources = lineSources(module);   // ["", "k.cu", "common.cuh"]
//
// A file is looked for under its own name and beside the PTX. One that is not there keeps its name and has empty lines,
// so that places in it have a line. Places in a module of MLIR that is not there stay in the PTX.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"

#include <vector>

namespace lanescope::core::emulator {

/// By the number of `.file`; null where no `.loc` names the file, and for a module of MLIR that is not there.
std::vector<SourceRef> lineSources(const Module &module);

} // namespace lanescope::core::emulator
