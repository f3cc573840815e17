// What is told of an instruction, with who executed it: a fault ends the run, a hazard or a note is told and the run
// goes on.
//
//   return fault(warp, instr, "race", …);
//   if (isNews(block, "unfenced-overwrite", pc, otherPc) && !hazard(warp, instr, "unfenced-overwrite", …))
//     return false;
#pragma once

#include "core/gpu/emulator/machine/Warp.h"
#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

struct Block;

/// What is said at `instr`, with the warp in a first note; `lane` kNone: the whole warp.
Diagnostic findingAt(const Warp &warp, const Instr &instr, Severity severity, std::string kind, std::string message,
                     uint32_t lane = kNone, std::vector<Note> notes = {});

/// Ends the run with an error at `instr`.
Step fault(Warp &warp, const Instr &instr, std::string kind, std::string message, uint32_t lane = kNone,
           std::vector<Note> notes = {});

/// Tells what the PTX ISA does not promise and kernels in use rely on (docs/checks.md has the rules and what they rest
/// on): a warning, and true; in a strict run a fault, and false.
bool hazard(Warp &warp, const Instr &instr, std::string kind, std::string message, uint32_t lane = kNone,
            std::vector<Note> notes = {});

/// Whether the run goes on after the block's fault, as `--keep-going` asks: the fault is told with the block's
/// findings, once for each kind and place, and the block has none then.
bool goesOnAfterFault(Block &block);

/// Whether a fault of that kind is an access that is outside of what it may use, or misaligned.
bool isAccessFault(std::string_view kind);

/// Whether the block has said nothing of this kind of these two instructions yet; it has then.
bool isNews(Block &block, std::string_view kind, uint32_t pc, uint32_t other = kNone);

} // namespace lanescope::core::emulator
