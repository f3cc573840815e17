// Which registers an instruction reads and writes, for the rules that follow a value through a program (Guesses.h,
// DiscardedValues.h).
#pragma once

#include "core/gpu/emulator/machine/Program.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

std::string_view opcodeOf(const Program &program, const Instr &i);
/// The slots that the instruction may read, its guard among them.
std::vector<uint32_t> slotsReadBy(const Program &program, const Instr &i);
/// The slots that it may write. A list holds either registers that are read or registers that are written, so a slot of
/// a list may be in both results.
std::vector<uint32_t> slotsWrittenBy(const Program &program, const Instr &i);
/// True if an instruction with this opcode only computes registers of a lane from registers of the same lane.
bool isLaneArithmetic(std::string_view opcode);

} // namespace lanescope::core::emulator
