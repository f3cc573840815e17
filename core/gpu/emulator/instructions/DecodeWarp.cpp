// Instructions across the lanes of a warp (PTX ISA 9.7.9.6, 9.7.13): shfl, vote, match, redux, elect, activemask. All
// live lanes of the member mask must execute such an instruction together. Otherwise it is reported as divergence. All
// results are exact.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"
#include "core/gpu/emulator/sync/LaneMeeting.h"
#include "core/gpu/emulator/sync/WarpSync.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

enum class Shuffle : uint8_t { Up, Down, Bfly, Idx };

/// Returns the lane that lane l reads, according to l's own amount and clamp. `ok`: that lane is in l's segment.
/// Otherwise l keeps its value.
template <Shuffle Mode> uint32_t sourceOf(uint32_t l, uint32_t b, uint32_t c, bool &ok) {
  uint32_t clamp = c & 31, segment = c >> 8 & 31, amount = b & 31;
  uint32_t most = (l & segment) | (clamp & ~segment & 31), least = l & segment;
  uint32_t from = 0;
  switch (Mode) {
  case Shuffle::Up:
    from = l - amount;
    ok = static_cast<int32_t>(from) >= static_cast<int32_t>(most);
    break;
  case Shuffle::Down:
    from = l + amount;
    ok = from <= most;
    break;
  case Shuffle::Bfly:
    from = l ^ amount;
    ok = from <= most;
    break;
  case Shuffle::Idx:
    from = least | (amount & ~segment & 31);
    ok = from <= most;
    break;
  }
  return ok ? from : l;
}

template <Shuffle Mode> Step shuffle(Warp &warp, const Instr &i, uint32_t mask) {
  if (std::optional<Step> done = byMembers(warp, i, mask, i.e))
    return *done;
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b), *c = warp.reg<uint32_t>(i.c);
  alignas(32) uint32_t out[kLanes], from[kLanes];
  uint32_t inside = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    bool ok = false;
    from[l] = sourceOf<Mode>(l, b[l], c[l], ok);
    out[l] = a[from[l]];
    inside |= static_cast<uint32_t>(ok) << l;
  }
  if (mask != kAllLanes)
    tellOutsiders(warp, i, mask, from, out);
  commit(warp, i.d, out, mask);
  if (i.d2 != kNone)
    commitPredicate(warp, i.d2, inside, mask);
  return Step::Next;
}

/// A shuffle with constant amount and clamp. The program's lists have the lanes to read, and imm marks those that are
/// inside the segment.
Step shuffleFixed(Warp &warp, const Instr &i, uint32_t mask) {
  if (std::optional<Step> done = byMembers(warp, i, mask, i.e))
    return *done;
  const uint32_t *a = warp.reg<uint32_t>(i.a), *from = warp.block->grid->program->lists.data() + i.list;
  alignas(32) uint32_t out[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l)
    out[l] = a[from[l]];
  if (mask != kAllLanes)
    tellOutsiders(warp, i, mask, from, out);
  commit(warp, i.d, out, mask);
  if (i.d2 != kNone)
    commitPredicate(warp, i.d2, static_cast<uint32_t>(i.imm), mask);
  return Step::Next;
}

/// bfly by the constant `imm`, over the whole warp. Low is the value of its two lowest bits. It swaps groups of four
/// lanes, and lanes within each group.
template <uint32_t Low> Step butterfly(Warp &warp, const Instr &i, uint32_t mask) {
  if (std::optional<Step> done = byMembers(warp, i, mask, i.e))
    return *done;
  const uint32_t *a = warp.reg<uint32_t>(i.a);
  alignas(32) uint32_t out[kLanes];
  auto groups = static_cast<uint32_t>(i.imm) >> 2;
  for (uint32_t g = 0; g < kLanes / 4; ++g) {
    const uint32_t *from = a + 4 * (g ^ groups);
    uint32_t four[4] = {from[0 ^ Low], from[1 ^ Low], from[2 ^ Low], from[3 ^ Low]};
    std::memcpy(out + 4 * g, four, sizeof four);
  }
  if (mask != kAllLanes) {
    uint32_t sources[kLanes];
    for (uint32_t l = 0; l < kLanes; ++l)
      sources[l] = l ^ static_cast<uint32_t>(i.imm);
    tellOutsiders(warp, i, mask, sources, out);
  }
  commit(warp, i.d, out, mask);
  if (i.d2 != kNone)
    commitPredicate(warp, i.d2, kAllLanes, mask);
  return Step::Next;
}

/// Prepares a shuffle with constant amount and clamp. Nearly all shuffles have these.
template <Shuffle Mode> void fixShuffle(Decoder &d, Instr &i) {
  const Operand &amount = d.operand(2), &clamp = d.operand(3);
  if (amount.kind != Operand::Kind::Integer || clamp.kind != Operand::Kind::Integer)
    return;
  uint32_t from[kLanes], inside = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    bool ok = false;
    from[l] = sourceOf<Mode>(l, static_cast<uint32_t>(amount.bits), static_cast<uint32_t>(clamp.bits), ok);
    inside |= static_cast<uint32_t>(ok) << l;
  }
  if (Mode == Shuffle::Bfly && inside == kAllLanes) {
    static constexpr Handler kButterflies[4] = {&butterfly<0>, &butterfly<1>, &butterfly<2>, &butterfly<3>};
    i.imm = amount.bits & 31;
    i.run = kButterflies[amount.bits & 3];
    return;
  }
  std::vector<uint32_t> &lists = d.program().lists;
  i.list = static_cast<uint32_t>(lists.size());
  lists.insert(lists.end(), from, from + kLanes);
  i.imm = inside;
  i.run = &shuffleFixed;
}

bool pairDest(Decoder &d, const Operand &to, uint32_t bits, Instr &i) {
  if (to.kind == Operand::Kind::Pair) {
    i.d = d.dest(to.parts[0], bits);
    i.d2 = d.predicateDest(to.parts[1]);
  } else {
    i.d = d.dest(to, bits);
  }
  return !d.failed();
}

bool decodeShfl(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("sync"))
    return false;
  std::string_view mode = mods.takeOne({"up", "down", "bfly", "idx"});
  if (mode.empty() || mods.takeType().bits != 32 || !d.finish(mods, 5))
    return false;
  auto use = [&]<Shuffle Mode>() {
    i.run = &shuffle<Mode>;
    fixShuffle<Mode>(d, i);
  };
  if (mode == "up")
    use.template operator()<Shuffle::Up>();
  else if (mode == "down")
    use.template operator()<Shuffle::Down>();
  else if (mode == "bfly")
    use.template operator()<Shuffle::Bfly>();
  else
    use.template operator()<Shuffle::Idx>();
  pairDest(d, d.operand(0), 32, i);
  i.a = d.source(d.operand(1), 32);
  i.b = d.source(d.operand(2), 32);
  i.c = d.source(d.operand(3), 32);
  i.e = d.source(d.operand(4), 32);
  i.cost = cost::kShuffle;
  return !d.failed();
}

enum VoteSub : uint8_t { kAll, kAny, kUni, kBallot };

Step vote(Warp &warp, const Instr &i, uint32_t mask) {
  if (std::optional<Step> done = byMembers(warp, i, mask, i.e))
    return *done;
  uint32_t p = warp.predicate(i.a);
  if (i.sub & kVoteNegated)
    p = ~p;
  p &= mask;
  bool result = false;
  switch (i.sub & 7) {
  case kAll: result = p == mask; break;
  case kAny: result = p != 0; break;
  case kUni: result = p == mask || p == 0; break;
  default: {
    alignas(32) uint32_t out[kLanes];
    std::fill_n(out, kLanes, p);
    commit(warp, i.d, out, mask);
    return Step::Next;
  }
  }
  commitPredicate(warp, i.d, result ? kAllLanes : 0, mask);
  return Step::Next;
}

bool decodeVote(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("sync"))
    return false;
  std::string_view mode = mods.takeOne({"all", "any", "uni", "ballot"});
  Type type = mods.takeType();
  if (mode.empty() || (mode == "ballot" ? type.bits != 32 : type.bits != 1) || !d.finish(mods, 3))
    return false;
  i.sub = mode == "all" ? kAll : mode == "any" ? kAny : mode == "uni" ? kUni : kBallot;
  i.d = mode == "ballot" ? d.dest(d.operand(0), 32) : d.predicateDest(d.operand(0));
  bool negated = false;
  i.a = d.predicate(d.operand(1), negated);
  if (negated)
    i.sub |= kVoteNegated;
  i.e = d.source(d.operand(2), 32);
  i.run = &vote;
  i.cost = cost::kShuffle;
  return !d.failed();
}

template <class T> Step match(Warp &warp, const Instr &i, uint32_t mask) {
  if (std::optional<Step> done = byMembers(warp, i, mask, i.e))
    return *done;
  const T *a = warp.reg<T>(i.a);
  alignas(32) uint32_t out[kLanes] = {};
  bool all = true;
  forLanes(mask, [&](uint32_t l) {
    forLanes(mask, [&](uint32_t other) { out[l] |= static_cast<uint32_t>(a[l] == a[other]) << other; });
    all &= out[l] == mask;
  });
  if (i.sub) { // match.all
    std::fill_n(out, kLanes, all ? mask : 0);
    if (i.d2 != kNone)
      commitPredicate(warp, i.d2, all ? kAllLanes : 0, mask);
  }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

bool decodeMatch(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view mode = mods.takeOne({"any", "all"});
  if (mode.empty() || !mods.take("sync"))
    return false;
  Type type = mods.takeType();
  if ((type.bits != 32 && type.bits != 64) || !d.finish(mods, 3))
    return false;
  i.sub = mode == "all";
  pairDest(d, d.operand(0), 32, i);
  i.a = d.source(d.operand(1), type);
  i.e = d.source(d.operand(2), 32);
  i.run = type.bits == 32 ? &match<uint32_t> : &match<uint64_t>;
  i.cost = cost::kShuffle * 2;
  return !d.failed();
}

template <class T, auto F> Step reduce(Warp &warp, const Instr &i, uint32_t mask) {
  if (std::optional<Step> done = byMembers(warp, i, mask, i.e))
    return *done;
  const T *a = warp.reg<T>(i.a);
  bool first = true;
  T total{};
  forLanes(mask, [&](uint32_t l) {
    total = first ? a[l] : static_cast<T>(F(total, a[l]));
    first = false;
  });
  alignas(32) T out[kLanes];
  std::fill_n(out, kLanes, total);
  commit(warp, i.d, out, mask);
  return Step::Next;
}

enum ReduxSub : uint8_t { kReduxMax = 1, kReduxAbs = 2, kReduxNan = 4 };

/// PTX ISA, "redux.sync": +0.0 > -0.0. NaNs are ignored. With `.NaN`, they are the result.
Step reduceFloats(Warp &warp, const Instr &i, uint32_t mask) {
  if (std::optional<Step> done = byMembers(warp, i, mask, i.e))
    return *done;
  const uint32_t *a = warp.reg<uint32_t>(i.a);
  bool some = false, nan = false;
  int32_t best = 0;
  forLanes(mask, [&](uint32_t l) {
    uint32_t bits = i.sub & kReduxAbs ? a[l] & 0x7FFFFFFFu : a[l];
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
      nan = true;
      return;
    }
    // Maps the bits to integers that have the same order as the floats.
    auto key = static_cast<int32_t>(bits >> 31 ? bits ^ 0x7FFFFFFFu : bits);
    best = !some ? key : i.sub & kReduxMax ? std::max(best, key) : std::min(best, key);
    some = true;
  });
  auto bits = static_cast<uint32_t>(best);
  alignas(32) uint32_t out[kLanes];
  std::fill_n(out, kLanes, !some || (nan && i.sub & kReduxNan) ? kNanF32 : bits >> 31 ? bits ^ 0x7FFFFFFFu : bits);
  commit(warp, i.d, out, mask);
  return Step::Next;
}

bool decodeRedux(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("sync"))
    return false;
  std::string_view op = mods.takeOne({"add", "min", "max", "and", "or", "xor"});
  Type type = mods.takeType();
  bool floats = type.isF32() && (op == "min" || op == "max");
  if (floats) {
    if (!d.requireTarget(100, "`redux.sync` of `.f32`"))
      return false;
    i.sub = static_cast<uint8_t>((op == "max" ? kReduxMax : 0) | (mods.take("abs") ? kReduxAbs : 0) |
                                 (mods.take("NaN") ? kReduxNan : 0));
  }
  if (op.empty() || !(type.isInteger() || floats) || type.bits != 32 || !d.finish(mods, 3))
    return false;
  if (floats) {
    i.run = &reduceFloats;
  } else if (op == "min" || op == "max") {
    bool isMin = op == "min";
    if (type.isSigned())
      i.run = isMin ? &reduce<int32_t, [](int32_t a, int32_t b) { return std::min(a, b); }>
                    : &reduce<int32_t, [](int32_t a, int32_t b) { return std::max(a, b); }>;
    else
      i.run = isMin ? &reduce<uint32_t, [](uint32_t a, uint32_t b) { return std::min(a, b); }>
                    : &reduce<uint32_t, [](uint32_t a, uint32_t b) { return std::max(a, b); }>;
  } else {
    i.run = op == "add"   ? &reduce<uint32_t, [](uint32_t a, uint32_t b) { return a + b; }>
            : op == "and" ? &reduce<uint32_t, [](uint32_t a, uint32_t b) { return a & b; }>
            : op == "or"  ? &reduce<uint32_t, [](uint32_t a, uint32_t b) { return a | b; }>
                          : &reduce<uint32_t, [](uint32_t a, uint32_t b) { return a ^ b; }>;
  }
  i.d = d.dest(d.operand(0), 32);
  i.a = d.source(d.operand(1), 32);
  i.e = d.source(d.operand(2), 32);
  i.cost = cost::kShuffle * 2;
  return !d.failed();
}

/// Elects the lowest member, as the hardware does.
Step elect(Warp &warp, const Instr &i, uint32_t mask) {
  if (std::optional<Step> done = byMembers(warp, i, mask, i.e))
    return *done;
  auto leader = static_cast<uint32_t>(__builtin_ctz(mask));
  alignas(32) uint32_t out[kLanes];
  std::fill_n(out, kLanes, leader);
  if (i.d != kNone)
    commit(warp, i.d, out, mask);
  commitPredicate(warp, i.d2, 1u << leader, mask);
  return Step::Next;
}

bool decodeElect(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("sync") || !d.finish(mods, 2))
    return false;
  if (d.operand(0).kind != Operand::Kind::Pair)
    return d.fail("`elect.sync` writes a pair `d|p`");
  pairDest(d, d.operand(0), 32, i);
  i.e = d.source(d.operand(1), 32);
  i.run = &elect;
  return !d.failed();
}

bool decodeActivemask(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (mods.takeType().bits != 32 || !d.finish(mods, 1))
    return false;
  i.d = d.dest(d.operand(0), 32);
  i.run = [](Warp &warp, const Instr &i, uint32_t mask) {
    alignas(32) uint32_t out[kLanes];
    std::fill_n(out, kLanes, mask);
    commit(warp, i.d, out, mask);
    return Step::Next;
  };
  return !d.failed();
}

} // namespace

const Family &warpFamily() {
  static const Family family{{"shfl", &decodeShfl},   {"vote", &decodeVote},   {"match", &decodeMatch},
                             {"redux", &decodeRedux}, {"elect", &decodeElect}, {"activemask", &decodeActivemask}};
  return family;
}

} // namespace lanescope::core::emulator
