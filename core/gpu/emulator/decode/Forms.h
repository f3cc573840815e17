// The valid combinations of an instruction's modifiers, and the targets that have them. This is a table of the syntax
// blocks in the PTX ISA, for instructions whose decoders take modifiers one by one. Like ptxas, it accepts most
// modifiers in any order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lanescope::core::emulator {

/// Returns why ptxas rejects an opcode ("atom.inc.s32") for a target ("sm_90a"), with the nearest valid form. Returns
/// nothing if ptxas accepts the opcode, or if the table does not have the instruction.
std::optional<std::string> formProblem(std::string_view opcode, std::string_view target);

} // namespace lanescope::core::emulator
