// Where divergent lanes meet again: immediate post-dominators of branches, by the iterative algorithm of Cooper, Harvey
// and Kennedy on the reversed control-flow graph.
#include "core/gpu/emulator/decode/Decoder.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

struct Graph {
  std::vector<uint32_t> start;                   // first pc of each basic block, then the code's size
  std::vector<std::vector<uint32_t>> successors; // block numbers; the last number is the virtual exit
};

std::vector<std::vector<uint32_t>> predecessorsIn(const Graph &graph) {
  std::vector<std::vector<uint32_t>> predecessors(graph.successors.size());
  for (uint32_t block = 0; block < graph.successors.size(); ++block)
    for (uint32_t next : graph.successors[block])
      predecessors[next].push_back(block);
  return predecessors;
}

/// Lanes that leave at a guarded `ret` are waited for by nobody, so it is no way to the exit; but where there is no
/// other one, as in a loop that ends there alone.
void addExits(Graph &graph, const std::vector<uint32_t> &guarded) {
  auto exit = static_cast<uint32_t>(graph.successors.size() - 1);
  std::vector<std::vector<uint32_t>> predecessors = predecessorsIn(graph);
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

Graph buildGraph(const Program &program) {
  const std::vector<Instr> &code = program.code;
  std::vector<bool> leader(code.size() + 1);
  leader[0] = true;
  for (size_t pc = 0; pc < code.size(); ++pc) {
    const Instr &i = code[pc];
    if (i.target != kNone) {
      leader[i.target] = true;
      leader[pc + 1] = true;
      if (i.indexed) // targets in the list
        for (uint32_t t = 0; t < i.listSize; ++t)
          leader[program.lists[i.list + t]] = true;
    } else if (i.ends) {
      leader[pc + 1] = true;
    }
  }
  Graph graph;
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

} // namespace

void linkReconvergence(Program &program) {
  Graph graph = buildGraph(program);
  auto exit = static_cast<uint32_t>(graph.successors.size() - 1);
  std::vector<std::vector<uint32_t>> predecessors = predecessorsIn(graph);
  // Post-order of the reversed graph from the exit, without recursion.
  std::vector<uint32_t> order;
  std::vector<uint32_t> number(exit + 1, kNone);
  std::vector<std::pair<uint32_t, size_t>> stack{{exit, 0}};
  std::vector<bool> seen(exit + 1);
  seen[exit] = true;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next < predecessors[block].size()) {
      uint32_t to = predecessors[block][next++];
      if (!seen[to]) {
        seen[to] = true;
        stack.push_back({to, 0});
      }
    } else {
      number[block] = static_cast<uint32_t>(order.size());
      order.push_back(block);
      stack.pop_back();
    }
  }
  std::vector<uint32_t> dominator(exit + 1, kNone);
  dominator[exit] = exit;
  auto intersect = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (number[a] < number[b])
        a = dominator[a];
      while (number[b] < number[a])
        b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t n = order.size() - 1; n-- > 0;) {
      uint32_t block = order[n];
      uint32_t best = kNone;
      for (uint32_t next : graph.successors[block])
        if (dominator[next] != kNone)
          best = best == kNone ? next : intersect(best, next);
      if (best != dominator[block]) {
        dominator[block] = best;
        changed = true;
      }
    }
  }
  for (uint32_t block = 0; block < exit; ++block) {
    Instr &last = program.code[graph.start[block + 1] - 1];
    if (last.target != kNone)
      last.reconverge = dominator[block] == kNone || dominator[block] == exit ? kNone : graph.start[dominator[block]];
  }
}

} // namespace lanescope::core::emulator
