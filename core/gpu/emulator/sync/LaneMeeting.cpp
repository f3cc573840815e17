#include "core/gpu/emulator/sync/LaneMeeting.h"

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

namespace {

enum class Operand : uint8_t { None, Predicate, Word, Long };

/// The kind of value that each lane gives, and the kind that it gets.
struct Operands {
  Operand gives = Operand::None, gets = Operand::None;
};

Operands operandsOf(std::string_view opcode) {
  if (opcode.starts_with("bar.warp"))
    return {};
  if (opcode.starts_with("elect"))
    return {Operand::None, Operand::Word};
  if (opcode.starts_with("vote"))
    return {Operand::Predicate, opcode.contains("ballot") ? Operand::Word : Operand::Predicate};
  return {opcode.starts_with("match") && opcode.ends_with("64") ? Operand::Long : Operand::Word, Operand::Word};
}

/// Lanes that wait together at one instruction.
struct Waiting {
  size_t split = 0;
  const Instr *instr = nullptr;
  uint32_t mask = 0; // the lanes that execute the instruction
};

uint32_t executing(Warp &warp, const Split &split, const Instr &i) {
  if (i.guard == kNone)
    return split.mask;
  uint32_t p = warp.predicate(i.guard);
  return split.mask & (i.guardNegated ? ~p : p);
}

/// For each lane: the member mask that the lane names, and the value that it gives.
struct Given {
  std::array<uint32_t, kLanes> members{};
  std::array<uint64_t, kLanes> values{};
  uint32_t lanes = 0;
};

uint64_t isNegated(const Instr &i) { return i.sub & kVoteNegated ? 1 : 0; }

uint64_t given(Warp &warp, const Instr &i, Operand kind, uint32_t lane) {
  switch (kind) {
  case Operand::None: return 0;
  case Operand::Predicate: return (warp.predicate(i.a) >> lane & 1) ^ isNegated(i);
  case Operand::Word: return warp.reg<uint32_t>(i.a)[lane];
  case Operand::Long: return warp.reg<uint64_t>(i.a)[lane];
  }
  return 0;
}

/// Saves operand registers of lanes that wait elsewhere, while these lanes take part in an instruction. The destructor
/// restores the registers.
class Kept {
public:
  Kept(Warp &warp, uint32_t lanes) : warp_(warp), lanes_(lanes) {}
  Kept(const Kept &) = delete;
  Kept &operator=(const Kept &) = delete;
  ~Kept() {
    for (size_t n = kept_.size(); n-- > 0;) {
      const One &one = kept_[n];
      if (one.kind == Operand::Predicate)
        commitPredicate(warp_, one.slot, static_cast<uint32_t>(one.values[0]), lanes_);
      else
        forLanes(lanes_, [&](uint32_t l) { set(one.slot, one.kind, l, one.values[l]); });
    }
  }

  void keep(uint32_t slot, Operand kind) {
    if (slot == kNone || kind == Operand::None)
      return;
    One &one = kept_.emplace_back(One{slot, kind, {}});
    if (kind == Operand::Predicate)
      one.values[0] = warp_.predicate(slot);
    else
      forLanes(lanes_, [&](uint32_t l) {
        one.values[l] = kind == Operand::Long ? warp_.reg<uint64_t>(slot)[l] : warp_.reg<uint32_t>(slot)[l];
      });
  }
  void set(uint32_t slot, Operand kind, uint32_t lane, uint64_t value) {
    if (kind == Operand::Predicate)
      commitPredicate(warp_, slot, static_cast<uint32_t>(value << lane), 1u << lane);
    else if (kind == Operand::Long)
      warp_.reg<uint64_t>(slot)[lane] = value;
    else if (kind == Operand::Word)
      warp_.reg<uint32_t>(slot)[lane] = static_cast<uint32_t>(value);
  }

private:
  struct One {
    uint32_t slot = kNone;
    Operand kind = Operand::None;
    std::array<uint64_t, kLanes> values{};
  };
  Warp &warp_;
  uint32_t lanes_;
  std::vector<One> kept_;
};

/// A shuffle's clamp and segment mask that make each lane a segment of its own.
constexpr uint64_t kOwnSegment = 31 << 8 | 31;

/// Executes `one.instr` for its lanes. The lanes of `group` that wait elsewhere take part with the values that they
/// give.
bool execute(Warp &warp, const Waiting &one, uint32_t group, const Given &all, Operands operands) {
  const Instr &i = *one.instr;
  uint32_t others = group & ~one.mask;
  Kept kept(warp, others);
  kept.keep(i.e, Operand::Word);
  kept.keep(i.a, operands.gives);
  kept.keep(i.d, operands.gets);
  kept.keep(i.d2, Operand::Predicate);
  // A lane that waits elsewhere gets its result from its own instruction. In this one it reads its own value.
  bool shuffles = operands.gives == Operand::Word && i.c != kNone && i.b != kNone;
  if (shuffles) {
    kept.keep(i.b, Operand::Word);
    kept.keep(i.c, Operand::Word);
  }
  forLanes(others, [&](uint32_t l) {
    kept.set(i.e, Operand::Word, l, all.members[l]);
    if (operands.gives != Operand::None)
      kept.set(i.a, operands.gives, l,
               operands.gives == Operand::Predicate ? all.values[l] ^ isNegated(i) : all.values[l]);
    if (shuffles) {
      kept.set(i.b, Operand::Word, l, 0);
      kept.set(i.c, Operand::Word, l, kOwnSegment);
    }
  });
  uint32_t current = std::exchange(warp.current, static_cast<uint32_t>(one.split));
  Step step = i.run(warp, i, group);
  warp.current = current;
  return step != Step::Fault;
}

} // namespace

bool waitsForMembers(std::string_view opcode) {
  constexpr std::array<std::string_view, 6> kRoots{"bar.warp.", "shfl.", "vote.", "match.", "redux.", "elect."};
  return std::ranges::any_of(kRoots, [&](std::string_view root) { return opcode.starts_with(root); });
}

Meeting meetElsewhere(Warp &warp) {
  const Grid &grid = *warp.block->grid;
  const std::vector<Instr> &code = grid.program->code;
  std::string_view opcode = grid.opcodeOf(code[warp.split().pc]);
  if (!waitsForMembers(opcode))
    return Meeting::None;
  std::vector<Waiting> all;
  for (size_t n = 0; n < warp.splits.size(); ++n) {
    const Split &split = warp.splits[n];
    if ((n == warp.current || split.state == SplitState::AtLanes) && grid.opcodeOf(code[split.pc]) == opcode)
      all.push_back({n, &code[split.pc], executing(warp, split, code[split.pc])});
  }
  Operands operands = operandsOf(opcode);
  Given given;
  auto take = [&](const Waiting &one, bool in) { given.lanes = in ? given.lanes | one.mask : given.lanes & ~one.mask; };
  for (const Waiting &one : all) {
    take(one, true);
    forLanes(one.mask, [&](uint32_t l) {
      given.members[l] = warp.reg<uint32_t>(one.instr->e)[l];
      given.values[l] = emulator::given(warp, *one.instr, operands.gives, l);
    });
  }
  // The lanes at this instruction that name the same mask as `lane`. The group is complete if they are all live members
  // of the mask.
  auto groupOf = [&](uint32_t lane) {
    uint32_t group = 0;
    forLanes(given.lanes,
             [&](uint32_t l) { group |= static_cast<uint32_t>(given.members[l] == given.members[lane]) << l; });
    return group;
  };
  auto isComplete = [&](const Waiting &one) {
    bool complete = true;
    forLanes(one.mask, [&](uint32_t l) { complete = complete && groupOf(l) == (given.members[l] & warp.live); });
    return complete;
  };
  for (size_t n = 0; n < all.size();) {
    if (isComplete(all[n])) {
      ++n;
      continue;
    }
    take(all[n], false);
    all.erase(all.begin() + static_cast<ptrdiff_t>(n));
    n = 0;
  }
  if (std::ranges::none_of(all, [&](const Waiting &one) { return one.split == warp.current; }))
    return Meeting::None;
  for (const Waiting &one : all)
    for (uint32_t left = one.mask; left;) {
      uint32_t group = groupOf(static_cast<uint32_t>(__builtin_ctz(left)));
      if (!execute(warp, one, group, given, operands))
        return Meeting::Fault;
      left &= ~group;
    }
  for (const Waiting &one : all) {
    Split &split = warp.splits[one.split];
    split.state = SplitState::Ready;
    ++split.pc;
  }
  warp.runnable = true;
  ++warp.block->effects;
  return Meeting::Done;
}

} // namespace lanescope::core::emulator
