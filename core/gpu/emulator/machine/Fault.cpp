#include "core/gpu/emulator/machine/Fault.h"

#include "core/gpu/emulator/machine/Block.h"
#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

Step fault(Warp &warp, const Instr &instr, std::string kind, std::string message, uint32_t lane,
           std::vector<Note> notes) {
  Block &block = *warp.block;
  if (block.fault)
    return Step::Fault;
  std::string who = text(block.name(), ", warp ", warp.id);
  if (lane != kNone)
    who += text(", lane ", lane, " (thread ", warp.id * 32 + lane, ")");
  notes.insert(notes.begin(), Note{Span{block.grid->program->module.source,
                                        block.grid->program->function->instructions[instr.source].begin,
                                        block.grid->program->function->instructions[instr.source].end},
                                   text("in ", who, ", at this instruction of the PTX")});
  block.fault =
      Diagnostic{Severity::Error, std::move(kind), block.grid->spanOf(instr), std::move(message), std::move(notes)};
  return Step::Fault;
}

} // namespace lanescope::core::emulator
