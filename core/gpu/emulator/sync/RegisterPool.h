// The registers of a block that `setmaxnreg` moves between its warpgroups (PTX ISA, `setmaxnreg`). Amounts are in
// registers of a thread, multiplied by the number of warps.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

/// Executes `setmaxnreg.inc` or `.dec`, with the count in Instr::imm. Blocked: the warp sleeps until other warps give
/// registers back, and then repeats its request. Faults if the other warps can never give enough registers, or if the
/// warps of a warpgroup do not execute the same instruction.
Step takeRegisters(Warp &warp, const Instr &i, uint32_t mask);
Step giveRegisters(Warp &warp, const Instr &i, uint32_t mask);
/// The warp has ended. It keeps its registers and gives none back. Returns false after a fault.
bool registersAfterExit(Warp &warp);

} // namespace lanescope::core::emulator
