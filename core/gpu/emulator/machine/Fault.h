// Reports a finding at an instruction, with the warp that executed the instruction. A fault ends the run. After a
// hazard or a note, the run goes on.
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

/// Makes a finding at `instr`. Its first note names the warp, and its last parameters are those that every finding has:
/// `instruction`, `block`, `warp`, and `lane` and `thread` unless `lane` is kNone, for a finding about the whole warp.
Diagnostic findingAt(const Warp &warp, const Instr &instr, Severity severity, std::string kind, Message message,
                     uint32_t lane = kNone, std::vector<Note> notes = {});

/// Ends the run with an error at `instr`.
Step fault(Warp &warp, const Instr &instr, std::string kind, Message message, uint32_t lane = kNone,
           std::vector<Note> notes = {});

/// Reports a use that the PTX ISA does not promise but kernels rely on (docs/checks.md has the rules and their
/// sources). It is a warning, and the function returns true. In a strict run, it is a fault, and the function returns
/// false.
bool hazard(Warp &warp, const Instr &instr, std::string kind, Message message, uint32_t lane = kNone,
            std::vector<Note> notes = {});

/// True if the run goes on after the block's fault, as `--keep-going` requests. The fault is then cleared and added to
/// the block's findings, once for each kind and place.
bool goesOnAfterFault(Block &block);

/// True if a fault of that kind is an access out of bounds or misaligned.
bool isAccessFault(std::string_view kind);

/// True if the block has not yet reported a finding of this kind for these two instructions. Marks the finding as
/// reported.
bool isNews(Block &block, std::string_view kind, uint32_t pc, uint32_t other = kNone);

} // namespace lanescope::core::emulator
