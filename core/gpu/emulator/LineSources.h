// The sources that any compiler's PTX names in `.file` and `.loc` (PTX ISA, "Debugging Directives"). Findings are
// reported at their lines.
//
//   module.sources = lineSources(module);   // ["", "k.cu", "common.cuh"]
//
// A file is searched under its own name and beside the PTX. A missing file keeps its name and has empty lines, so
// places in it still have a line. Places in a missing module of MLIR stay in the PTX.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"

#include <vector>

namespace lanescope::core::emulator {

/// Indexed by the number of `.file`; null if no `.loc` names the file, and for a missing module of MLIR.
std::vector<SourceRef> lineSources(const Module &module);

} // namespace lanescope::core::emulator
