// The registers of a block that `setmaxnreg` moves between its warpgroups (PTX ISA, `setmaxnreg`). What is taken and
// given is counted in registers of a thread times warps.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

/// `setmaxnreg.inc` and `.dec`, the count in Instr::imm. Blocked: the warp sleeps until others give registers back, and
/// asks again. A fault where no warp can ever give enough, or where the warps of a warpgroup do not execute the same
/// instruction.
Step takeRegisters(Warp &warp, const Instr &i, uint32_t mask);
Step giveRegisters(Warp &warp, const Instr &i, uint32_t mask);
/// The warp has ended: it keeps its registers, and gives no more back. False after a fault.
bool registersAfterExit(Warp &warp);

} // namespace lanescope::core::emulator
