// The valid combinations of an instruction's modifiers, and their targets: the syntax blocks of the PTX ISA as a table,
// for instructions whose decoders take modifiers one by one. Like ptxas, it accepts most modifiers in any order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lanescope::core::emulator {

/// Returns why ptxas refuses an opcode ("atom.inc.s32") for a target ("sm_90a"), with the nearest valid form; empty if
/// it accepts the opcode, or if the table lacks the instruction.
std::optional<std::string> formProblem(std::string_view opcode, std::string_view target);

} // namespace lanescope::core::emulator
