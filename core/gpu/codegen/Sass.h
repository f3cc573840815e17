// Machine code as a stage like any other, made on request.
//
//   Result<Stage> sass = disassembled(stages);       // after a successful compilation
#pragma once

#include "core/gpu/codegen/KernelStages.h"

namespace lanescope::core {

/// Assembles the kernel's PTX and disassembles the result. The disassembler reports the PTX line of each instruction
/// (`LineOrigin::before`). The instruction's origin is that line's, or the compiler if the assembler added it. Origins
/// are empty if the PTX's are.
///
/// Errors: the compilation's own; those of core/gpu/codegen/Assembler.h.
Result<Stage> disassembled(const KernelStages &stages);

/// Splits the output of `nvdisasm -g -gp`: the text without the lines that name PTX lines, and for each remaining line
/// the PTX line that it comes from; 0 for other text.
struct Disassembly {
  std::string text;
  std::vector<uint32_t> ptxLines;
};
Disassembly splitDisassembly(std::string_view printed);

} // namespace lanescope::core
