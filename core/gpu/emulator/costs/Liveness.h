// How many registers of a function hold a value that is needed later, at each of its instructions.
//
//   std::vector<uint32_t> live = liveRegisters(function);
//   live[12]       40: registers of 32 bits that are live before instruction 12, or written by it and live behind it
//
// Registers are PTX's, of which there is no end; an assembler reuses and moves them, so its number is another one. What
// has 64 bits counts twice, a predicate not at all. An instruction under a guard may leave its results as they were.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"

#include <functional>

namespace lanescope::core::emulator {

/// Which of an instruction's operands are registers that it reads or writes. `use(operand, reads, writes)` is called
/// for each name; what is no register is the caller's to leave out. PTX ISA, "Instruction Operands": the destination
/// comes first, but for instructions that have none.
void forEachUse(const Instruction &instruction, const std::function<void(const Operand &, bool, bool)> &use);

/// By instruction.
std::vector<uint32_t> liveRegisters(const Function &function);

} // namespace lanescope::core::emulator
