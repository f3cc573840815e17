// Finds the points at which divergent lanes reconverge: the immediate post-dominators of branches. These are dominators
// in the reversed control-flow graph. The algorithm is that of Lengauer and Tarjan with path compression. It takes O(n
// log n) for n branches, whatever the graph's shape is.
#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/decode/FlowGraph.h"

#include <algorithm>
#include <utility>

namespace lanescope::core::emulator {

namespace {

class PostDominators {
public:
  explicit PostDominators(const FlowGraph &graph) : graph_(graph), blocks_(graph.exit() + 1) {}

  /// Returns each block's immediate post-dominator; kNone for blocks that do not reach the exit, and for the exit.
  std::vector<uint32_t> find() {
    number();
    dominator_.assign(blocks_, kNone);
    std::vector<std::vector<uint32_t>> waiting(
        order_.size()); // by the semidominator's number: the blocks whose dominators are still unknown
    for (uint32_t n = static_cast<uint32_t>(order_.size()); n-- > 1;) {
      uint32_t block = order_[n];
      for (uint32_t next : graph_.successors[block])
        if (number_[next] != kNone)
          semi_[n] = std::min(semi_[n], semi_[least(number_[next])]);
      waiting[semi_[n]].push_back(n);
      ancestor_[n] = parent_[n];
      for (uint32_t each : std::exchange(waiting[parent_[n]], {})) {
        uint32_t best = least(each);
        // Holds numbers of blocks until all of them are known.
        dominator_[order_[each]] = semi_[best] < semi_[each] ? best : parent_[n];
      }
    }
    for (uint32_t n = 1; n < order_.size(); ++n) {
      uint32_t &dominator = dominator_[order_[n]];
      if (dominator != semi_[n])
        dominator = number_[dominator_[order_[dominator]]];
      dominator = order_[dominator];
    }
    return std::move(dominator_);
  }

private:
  /// Numbers the blocks in the order of a depth-first walk that starts at the exit and follows branches backwards. The
  /// walk does not use recursion.
  void number() {
    std::vector<std::vector<uint32_t>> predecessors = graph_.predecessors();
    number_.assign(blocks_, kNone);
    std::vector<std::pair<uint32_t, size_t>> stack;
    auto enter = [&](uint32_t block, uint32_t parent) {
      number_[block] = static_cast<uint32_t>(order_.size());
      order_.push_back(block);
      parent_.push_back(parent);
      stack.push_back({block, 0});
    };
    enter(graph_.exit(), 0);
    while (!stack.empty()) {
      auto &[block, next] = stack.back();
      if (next == predecessors[block].size())
        stack.pop_back();
      else if (uint32_t to = predecessors[block][next++]; number_[to] == kNone)
        enter(to, number_[block]);
    }
    ancestor_.assign(order_.size(), kNone);
    for (uint32_t n = 0; n < order_.size(); ++n) {
      semi_.push_back(n);
      label_.push_back(n);
    }
  }

  /// Returns the number with the smallest semidominator on the path from `n` up to, but without, the root of its tree.
  uint32_t least(uint32_t n) {
    if (ancestor_[n] == kNone)
      return n;
    path_.clear();
    for (uint32_t each = n; ancestor_[ancestor_[each]] != kNone; each = ancestor_[each])
      path_.push_back(each);
    for (size_t k = path_.size(); k-- > 0;) {
      uint32_t each = path_[k], above = ancestor_[each];
      if (semi_[label_[above]] < semi_[label_[each]])
        label_[each] = label_[above];
      ancestor_[each] = ancestor_[above];
    }
    return label_[n];
  }

  const FlowGraph &graph_;
  uint32_t blocks_;
  std::vector<uint32_t> number_, order_;                   // number_: each block's number; order_: each number's block
  std::vector<uint32_t> parent_, semi_, label_, ancestor_; // all by number
  std::vector<uint32_t> dominator_, path_;
};

} // namespace

void linkReconvergence(Program &program) {
  FlowGraph graph = FlowGraph::of(program);
  uint32_t exit = graph.exit();
  std::vector<uint32_t> dominator = PostDominators(graph).find();
  for (uint32_t block = 0; block < exit; ++block) {
    Instr &last = program.code[graph.start[block + 1] - 1];
    if (last.target != kNone)
      last.reconverge = dominator[block] == kNone || dominator[block] == exit ? kNone : graph.start[dominator[block]];
  }
}

} // namespace lanescope::core::emulator
