// Counts the registers of a function that hold a value which is needed later, at each of its instructions.
//
//   std::vector<uint32_t> live = liveRegisters(function);
//   live[12]       40: 32-bit registers that are live before instruction 12, or that it writes and are live after it
//
// These are PTX's registers, of which there are arbitrarily many. An assembler reuses and moves registers, so its
// number differs. A 64-bit register counts twice, and a predicate does not count. An instruction under a guard may
// leave its results unchanged.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"

#include <functional>

namespace lanescope::core::emulator {

/// Finds the operands of an instruction that are registers which it reads or writes. Calls `use(operand, reads,
/// writes)` for each name; the caller must skip names that are no registers. PTX ISA, "Instruction Operands": the
/// destination comes first, except for instructions without one.
void forEachUse(const Instruction &instruction, const std::function<void(const Operand &, bool, bool)> &use);

/// One count per instruction.
std::vector<uint32_t> liveRegisters(const Function &function);

} // namespace lanescope::core::emulator
