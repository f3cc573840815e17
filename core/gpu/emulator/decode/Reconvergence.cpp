// Where divergent lanes meet again: immediate post-dominators of branches, by the iterative algorithm of Cooper, Harvey
// and Kennedy on the reversed control-flow graph.
#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/decode/FlowGraph.h"

namespace lanescope::core::emulator {

void linkReconvergence(Program &program) {
  FlowGraph graph = FlowGraph::of(program);
  uint32_t exit = graph.exit();
  std::vector<std::vector<uint32_t>> predecessors = graph.predecessors();
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
