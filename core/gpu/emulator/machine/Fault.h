// How a run ends early: an error at an instruction, with who executed it.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"
#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// Ends the run with an error at `instr`; `lane` kNone: the whole warp.
Step fault(Warp &warp, const Instr &instr, std::string kind, std::string message, uint32_t lane = kNone,
           std::vector<Note> notes = {});

} // namespace lanescope::core::emulator
