#include "core/gpu/emulator/check/DiscardedValues.h"

#include "core/gpu/emulator/check/RegisterFlow.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

namespace {

/// Follows the values that depend on one load along every path.
class ValueWalk {
public:
  explicit ValueWalk(const Program &program) : program_(program) {}

  bool mayDiscard(uint32_t load) {
    const Instr &i = program_.code[load];
    if (!i.load || !follow(load, slotsWrittenBy(program_, i)))
      return false;
    while (!open_.empty()) {
      auto [pc, slot] = open_.back();
      open_.pop_back();
      if (seen_.size() > kMostSteps || !visit(pc, slot))
        return false;
    }
    return discards_;
  }

private:
  static constexpr size_t kMostSteps = 4096;

  /// `slots` hold such a value after the instruction. Returns false if its successors are unknown.
  bool follow(uint32_t pc, const std::vector<uint32_t> &slots) {
    const Instr &i = program_.code[pc];
    if (i.indexed || opcodeOf(program_, i).starts_with("call"))
      return false;
    bool always = i.guard == kNone;
    auto open = [&](uint32_t next) {
      for (uint32_t slot : slots)
        if (next < program_.code.size() && seen_.emplace(next, slot).second)
          open_.emplace_back(next, slot);
    };
    if (i.target != kNone)
      open(i.target);
    if (!always || (i.target == kNone && !i.ends))
      open(pc + 1);
    return true;
  }

  /// `slot` holds such a value before the instruction. Returns false if the instruction uses the value in a way that
  /// cannot discard it.
  bool visit(uint32_t pc, uint32_t slot) {
    const Instr &i = program_.code[pc];
    std::string_view opcode = opcodeOf(program_, i);
    std::vector<uint32_t> read = slotsReadBy(program_, i), written = slotsWrittenBy(program_, i), next{slot};
    bool reads = std::ranges::find(read, slot) != read.end(), guarded = i.guard != kNone;
    if (reads) {
      bool selects = opcode.starts_with("selp.") && i.c != slot && !guarded;
      bool stores = guarded && i.guard != slot && opcode.starts_with("st.") && i.a != slot;
      if (selects || stores)
        discards_ = true;
      else if (i.guard == slot || i.target != kNone || !isLaneArithmetic(opcode))
        return false;
      else
        next.insert(next.end(), written.begin(), written.end());
    }
    // A list of a store holds registers that it reads.
    bool overwrites = !guarded && !opcode.starts_with("st.") && std::ranges::find(written, slot) != written.end();
    if (overwrites && std::ranges::count(next, slot) < 2)
      std::erase(next, slot);
    return follow(pc, next);
  }

  const Program &program_;
  bool discards_ = false;
  std::set<std::pair<uint32_t, uint32_t>> seen_; // pc and slot
  std::vector<std::pair<uint32_t, uint32_t>> open_;
};

} // namespace

bool mayDiscard(const Program &program, uint32_t load) { return ValueWalk(program).mayDiscard(load); }

} // namespace lanescope::core::emulator
