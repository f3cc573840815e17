// Counts, at each instruction of a function, the registers that hold a value which is needed later.
//
//   std::vector<uint32_t> live = liveRegisters(function);
//   live[12]       40: 32-bit registers that are live before instruction 12, or that it writes and are live after it
//
// These are registers of PTX, which may be arbitrarily many. An assembler reuses and moves registers, so its number
// differs. A 64-bit register counts twice, and a predicate does not count. An instruction under a guard may leave its
// results unchanged, so it does not end the life of the old values.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"

#include <functional>

namespace lanescope::core::emulator {

/// A name among an instruction's operands.
struct NameUse {
  std::string_view name;
  bool reads = false, writes = false;
};
/// Finds the registers that an instruction reads or writes. Calls `visit` for each name. The caller must skip names
/// that are not those of registers. PTX ISA, "Instruction Operands": the destination comes first, except for
/// instructions without a destination.
void forEachUse(const Instruction &instruction, const std::function<void(const NameUse &)> &visit);

/// One count per instruction.
std::vector<uint32_t> liveRegisters(const Function &function);

} // namespace lanescope::core::emulator
