// The registers of a block that `setmaxnreg` moves between its warpgroups (PTX ISA, `setmaxnreg`). Amounts are
// registers of a thread times warps.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

/// `setmaxnreg.inc` and `.dec`, with the count in Instr::imm. Blocked: the warp sleeps until other warps give registers
/// back, and then asks again. Faults if no warp can ever give enough, or if the warps of a warpgroup do not execute the
/// same instruction.
Step takeRegisters(Warp &warp, const Instr &i, uint32_t mask);
Step giveRegisters(Warp &warp, const Instr &i, uint32_t mask);
/// The warp has ended. It keeps its registers and gives no more back. Returns false after a fault.
bool registersAfterExit(Warp &warp);

} // namespace lanescope::core::emulator
