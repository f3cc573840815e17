#include "core/gpu/emulator/machine/Fault.h"

#include "core/gpu/emulator/machine/Block.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

Diagnostic findingAt(const Warp &warp, const Instr &instr, Severity severity, std::string kind, Message message,
                     uint32_t lane, std::vector<Note> notes) {
  const Block &block = *warp.block;
  std::string who = text(block.name(), ", warp ", warp.id);
  if (lane != kNone)
    who += text(", lane ", lane, " (thread ", warp.id * 32 + lane, ")");
  const Module &module = *block.grid->program->module;
  const Instruction &source = block.grid->program->function->instructions[instr.source];
  notes.insert(notes.begin(), Note{Span{module.source, source.begin, source.end},
                                   text("in ", who, ", at this instruction of the PTX")});
  std::vector<Note> frames = block.grid->framesOf(instr);
  notes.insert(notes.begin() + 1, frames.begin(), frames.end());
  Diagnostic out =
      diagnosed(severity, std::move(kind), block.grid->spanOf(instr), std::move(message), std::move(notes));
  out.parameters.insert(
      out.parameters.end(),
      {{"instruction", std::string(block.grid->opcodeOf(instr))}, {"block", block.name()}, {"warp", int64_t{warp.id}}});
  if (lane != kNone)
    out.parameters.insert(out.parameters.end(), {{"lane", int64_t{lane}}, {"thread", int64_t{warp.id} * 32 + lane}});
  return out;
}

Step fault(Warp &warp, const Instr &instr, std::string kind, Message message, uint32_t lane, std::vector<Note> notes) {
  Block &block = *warp.block;
  if (!block.fault)
    block.fault = findingAt(warp, instr, Severity::Error, std::move(kind), std::move(message), lane, std::move(notes));
  return Step::Fault;
}

bool hazard(Warp &warp, const Instr &instr, std::string kind, Message message, uint32_t lane, std::vector<Note> notes) {
  Block &block = *warp.block;
  if (block.grid->strict) {
    fault(warp, instr, std::move(kind), std::move(message), lane, std::move(notes));
    return false;
  }
  block.findings.push_back(
      findingAt(warp, instr, Severity::Warning, std::move(kind), std::move(message), lane, std::move(notes)));
  return true;
}

bool goesOnAfterFault(Block &block) {
  if (!block.grid->keepGoing || !block.fault)
    return false;
  bool known = std::ranges::any_of(block.findings, [&](const Diagnostic &finding) {
    return finding.kind == block.fault->kind && finding.span.begin == block.fault->span.begin;
  });
  if (!known)
    block.findings.push_back(*std::move(block.fault));
  block.fault.reset();
  return true;
}

bool isAccessFault(std::string_view kind) {
  return kind.ends_with("-out-of-bounds") || kind == "misaligned-access" || kind == "read-only-memory";
}

bool isNews(Block &block, std::string_view kind, uint32_t pc, uint32_t other) {
  Block::Told told{pc, other, kind};
  if (std::ranges::find(block.told, told) != block.told.end())
    return false;
  block.told.push_back(told);
  return true;
}

} // namespace lanescope::core::emulator
