#include "core/gpu/emulator/coverage/Loops.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

struct Edge {
  uint32_t to = 0;
  bool taken = false;
};

std::vector<Edge> after(const Program &program, uint32_t pc) {
  const Instr &instr = program.code[pc];
  std::vector<Edge> edges;
  auto add = [&](uint32_t to, bool taken) {
    if (to < program.code.size())
      edges.push_back({to, taken});
  };
  bool jumps = instr.target != kNone;
  if (instr.indexed)
    for (uint32_t n = 0; n < instr.listSize; ++n)
      add(program.lists[instr.list + n], true);
  else if (jumps)
    add(instr.target, true);
  if ((!jumps && !instr.ends) || instr.guard != kNone)
    add(pc + 1, false);
  return edges;
}

/// The instructions that can reach the latch without passing the header.
std::vector<uint32_t> bodyOf(const std::vector<std::vector<uint32_t>> &before, uint32_t header, uint32_t latch) {
  std::vector<bool> in(before.size());
  in[header] = in[latch] = true;
  std::vector<uint32_t> body{header}, open;
  if (latch != header)
    body.push_back(latch), open.push_back(latch);
  while (!open.empty()) {
    uint32_t pc = open.back();
    open.pop_back();
    for (uint32_t from : before[pc])
      if (!in[from]) {
        in[from] = true;
        body.push_back(from);
        open.push_back(from);
      }
  }
  return body;
}

} // namespace

std::vector<Loop> loopsOf(const Program &program) {
  auto count = static_cast<uint32_t>(program.code.size());
  std::vector<Loop> loops;
  if (count == 0)
    return loops;
  std::vector<std::vector<Edge>> edges(count);
  std::vector<std::vector<uint32_t>> before(count);
  for (uint32_t pc = 0; pc < count; ++pc) {
    edges[pc] = after(program, pc);
    for (const Edge &edge : edges[pc])
      before[edge.to].push_back(pc);
  }
  // A depth-first walk. An edge to an instruction on the current path goes back.
  enum : uint8_t { kNew, kOnTheWay, kDone };
  std::vector<uint8_t> state(count, kNew);
  std::vector<std::pair<uint32_t, size_t>> way{{0, 0}};
  state[0] = kOnTheWay;
  while (!way.empty()) {
    auto &[pc, next] = way.back();
    if (next == edges[pc].size()) {
      state[pc] = kDone;
      way.pop_back();
      continue;
    }
    Edge edge = edges[pc][next++];
    if (state[edge.to] == kOnTheWay)
      loops.push_back({edge.to, pc, edge.taken, {}});
    if (state[edge.to] != kNew)
      continue;
    state[edge.to] = kOnTheWay;
    way.emplace_back(edge.to, 0);
  }
  // If a latch always jumps, the loop's decision is made elsewhere: at the last branch before the latch that can leave
  // the loop.
  for (Loop &loop : loops) {
    loop.body = bodyOf(before, loop.header, loop.latch);
    auto inside = [&](uint32_t pc) { return std::ranges::find(loop.body, pc) != loop.body.end(); };
    auto decides = [&](uint32_t pc) { return program.code[pc].guard != kNone && program.code[pc].target != kNone; };
    for (uint32_t pc = loop.latch; !decides(pc) && pc != loop.header && before[pc].size() == 1;) {
      uint32_t from = before[pc][0];
      if (!inside(from))
        break;
      loop.taken = decides(from) && program.code[from].target == pc;
      loop.latch = pc = from;
    }
  }
  return loops;
}

} // namespace lanescope::core::emulator
