// Machine code as a stage like any other, made when it is asked for.
//
//   Result<Stage> sass = disassembled(stages);       // of a compilation that succeeded
#pragma once

#include "core/gpu/codegen/KernelStages.h"

namespace lanescope::core {

/// Assembles the kernel's PTX and disassembles what comes of it. The line of PTX that each instruction is made from is
/// the disassembler's word (`LineOrigin::before`); it comes from the source as that line does, or else is the
/// compiler's, as what the assembler adds. Origins are empty where the PTX's are.
///
/// Errors: the compilation's own; those of core/gpu/codegen/Assembler.h.
Result<Stage> disassembled(const KernelStages &stages);

/// Splits what nvdisasm prints with `-g -gp`: its text without the lines that name lines of PTX, and for each line that
/// is left the line of PTX that it is made from; 0 for text.
struct Disassembly {
  std::string text;
  std::vector<uint32_t> ptxLines;
};
Disassembly splitDisassembly(std::string_view printed);

} // namespace lanescope::core
