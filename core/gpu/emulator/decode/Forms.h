// Which modifiers of an instruction go together, and for which targets: the syntax blocks of the PTX ISA as a table,
// for the instructions whose decoders take modifiers one by one. ptxas takes most modifiers in any order; so does this.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lanescope::core::emulator {

/// Why ptxas refuses an opcode ("atom.inc.s32") for a target ("sm_90a"), with the form that comes nearest; empty: it
/// takes it, or the table does not hold the instruction.
std::optional<std::string> formProblem(std::string_view opcode, std::string_view target);

} // namespace lanescope::core::emulator
