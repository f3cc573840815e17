#include "core/gpu/emulator/debug/CodeTable.h"

#include <algorithm>
#include <map>

namespace lanescope::core::emulator {

namespace {

bool isEventOpcode(std::string_view opcode) {
  constexpr std::string_view kRoots[] = {"mbarrier",
                                         "bar.",
                                         "barrier.",
                                         "cp.async",
                                         "cp.reduce.async",
                                         "st.async",
                                         "red.async",
                                         "wgmma",
                                         "tcgen05",
                                         "fence",
                                         "membar",
                                         "atom",
                                         "red.",
                                         "clusterlaunchcontrol",
                                         "setmaxnreg",
                                         "griddepcontrol",
                                         "st.bulk"};
  return std::ranges::any_of(kRoots, [&](std::string_view root) { return opcode.starts_with(root); });
}

} // namespace

CodeTable::CodeTable(const Grid &grid) : grid_(grid) {
  const Program &program = *grid.program;
  const Source &ptx = *program.module->source;
  size_t size = program.code.size();
  std::vector<bool> leads(size + 1);
  auto lead = [&](uint32_t pc) {
    if (pc < size)
      leads[pc] = true;
  };
  lead(0);
  for (uint32_t pc = 0; pc < size; ++pc) {
    const Instr &instr = program.code[pc];
    const Instruction &source = program.function->instructions[instr.source];
    Span place = grid.spanOf(instr);
    bool ofSnippet = grid.snippet && place.source == grid.snippet;
    snippetLines_.push_back(ofSnippet ? grid.snippet->lineColumn(place.begin).line : 0);
    ptxLines_.push_back(ptx.lineColumn(source.begin).line);
    events_.push_back(isEventOpcode(source.opcode));
    if (instr.target != kNone)
      lead(instr.target);
    for (uint32_t n = 0; instr.indexed && n < instr.listSize; ++n)
      lead(program.lists[instr.list + n]);
    if (instr.target != kNone || instr.indexed || instr.ends)
      lead(pc + 1);
  }
  for (const Routine &routine : program.routines)
    lead(routine.begin);
  for (uint32_t pc = 0; pc < size; ++pc) {
    blocks_.push_back(leads[pc] ? pc : blocks_[pc - 1]);
    beginsLine_.push_back(leads[pc] || line(pc) != line(pc - 1));
  }
}

std::vector<uint32_t> CodeTable::entries(uint32_t wanted, bool inSnippet) const {
  std::map<uint32_t, uint32_t> first; // by basic block
  for (uint32_t pc = 0; pc < size(); ++pc)
    if (line(pc, inSnippet) == wanted)
      first.try_emplace(blocks_[pc], pc);
  std::vector<uint32_t> out;
  for (auto [block, pc] : first)
    out.push_back(pc);
  return out;
}

std::vector<uint32_t> CodeTable::lines(bool inSnippet) const {
  std::vector<uint32_t> out = inSnippet ? snippetLines_ : ptxLines_;
  std::erase(out, 0u);
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

CodePlace CodeTable::place(uint32_t pc, uint32_t lanes) const {
  if (pc >= size())
    return {};
  const Instr &instr = grid_.program->code[pc];
  const Instruction &source = grid_.program->function->instructions[instr.source];
  CodePlace place{.pc = pc,
                  .ptx = {grid_.program->module->source, source.begin, source.end},
                  .snippet = {},
                  .ptxLine = ptxLines_[pc],
                  .snippetLine = snippetLines_[pc],
                  .lanes = lanes,
                  .opcode = std::string(source.opcode)};
  if (place.snippetLine)
    place.snippet = grid_.spanOf(instr);
  return place;
}

} // namespace lanescope::core::emulator
