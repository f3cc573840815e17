#include "core/gpu/emulator/decode/FlowGraph.h"

namespace lanescope::core::emulator {

namespace {

/// Adds the edges to the exit. Lanes do not wait for lanes that leave at a guarded `ret`, so such a `ret` is no edge.
/// An exception is code with no other way out, like a loop that ends only there.
void addExits(FlowGraph &graph, const std::vector<uint32_t> &guarded) {
  auto exit = static_cast<uint32_t>(graph.successors.size() - 1);
  std::vector<std::vector<uint32_t>> predecessors = graph.predecessors();
  std::vector<bool> reaches(exit + 1);
  std::vector<uint32_t> open{exit};
  reaches[exit] = true;
  while (!open.empty()) {
    uint32_t block = open.back();
    open.pop_back();
    for (uint32_t before : predecessors[block])
      if (!reaches[before]) {
        reaches[before] = true;
        open.push_back(before);
      }
  }
  for (uint32_t block : guarded)
    if (!reaches[block])
      graph.successors[block].push_back(exit);
}

} // namespace

std::vector<std::vector<uint32_t>> FlowGraph::predecessors() const {
  std::vector<std::vector<uint32_t>> out(successors.size());
  for (uint32_t block = 0; block < successors.size(); ++block)
    for (uint32_t next : successors[block])
      out[next].push_back(block);
  return out;
}

FlowGraph FlowGraph::of(const Program &program) {
  const std::vector<Instr> &code = program.code;
  std::vector<bool> leader(code.size() + 1);
  leader[0] = true;
  for (size_t pc = 0; pc < code.size(); ++pc) {
    const Instr &i = code[pc];
    if (i.target != kNone) {
      leader[i.target] = true;
      leader[pc + 1] = true;
      if (i.indexed) // the targets are in the list
        for (uint32_t t = 0; t < i.listSize; ++t)
          leader[program.lists[i.list + t]] = true;
    } else if (i.ends) {
      leader[pc + 1] = true;
    }
  }
  FlowGraph graph;
  std::vector<uint32_t> blockOf(code.size());
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    if (leader[pc])
      graph.start.push_back(pc);
    blockOf[pc] = static_cast<uint32_t>(graph.start.size() - 1);
  }
  auto exit = static_cast<uint32_t>(graph.start.size());
  graph.start.push_back(static_cast<uint32_t>(code.size()));
  graph.successors.resize(exit + 1);
  std::vector<uint32_t> guardedEnds;
  for (uint32_t block = 0; block < exit; ++block) {
    uint32_t last = graph.start[block + 1] - 1;
    const Instr &i = code[last];
    bool always = i.guard == kNone;
    auto &out = graph.successors[block];
    bool ends = i.ends;
    if (i.target != kNone) {
      if (i.indexed)
        for (uint32_t t = 0; t < i.listSize; ++t)
          out.push_back(blockOf[program.lists[i.list + t]]);
      else
        out.push_back(blockOf[i.target]);
    }
    if ((ends && always) || last + 1 == code.size())
      out.push_back(exit);
    else if (ends)
      guardedEnds.push_back(block);
    if (!((i.target != kNone || ends) && always) && last + 1 < code.size())
      out.push_back(blockOf[last + 1]);
  }
  addExits(graph, guardedEnds);
  return graph;
}

} // namespace lanescope::core::emulator
