// Comparison and selection (PTX ISA 9.7.5, 9.7.6): setp, set, selp, slct. All results are exact.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <algorithm>
#include <cmath>

namespace lanescope::core::emulator {

namespace {

enum class Compare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

/// True if one of the two numbers is a NaN. Then neither is less than the other.
template <class T> bool isUnordered(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isunordered(a, b);
  else
    return false;
}

template <Compare Op, class T> bool holds(T a, T b) {
  bool unordered = isUnordered(a, b);
  switch (Op) {
  case Compare::Eq: return a == b;
  case Compare::Ne: return !unordered && a != b;
  case Compare::Lt: return a < b;
  case Compare::Le: return a <= b;
  case Compare::Gt: return a > b;
  case Compare::Ge: return a >= b;
  case Compare::Equ: return unordered || a == b;
  case Compare::Neu: return a != b;
  case Compare::Ltu: return !(a >= b);
  case Compare::Leu: return !(a > b);
  case Compare::Gtu: return !(a <= b);
  case Compare::Geu: return !(a < b);
  case Compare::Num: return !unordered;
  case Compare::Nan: return unordered;
  }
  return false;
}

// Converts lanes of type T to comparable values.
struct Plain {
  template <class T> static T value(T v) { return v; }
};
struct Flush {
  static float value(float v) { return flushed(v); }
};
struct HalfF16 {
  static float value(uint16_t v) { return widenF16(v); }
};
struct HalfBf16 {
  static float value(uint16_t v) { return widenBf16(v); }
};
struct HalfFlush {
  static float value(uint16_t v) { return (v & 0x7C00) == 0 ? 0.0f : widenF16(v); }
};

template <Compare Op, class T, class Read> uint32_t compareLanes(Warp &warp, const Instr &i) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  alignas(32) uint8_t flags[kLanes];
  for (int l = 0; l < kLanes; ++l)
    flags[l] = holds<Op>(Read::value(a[l]), Read::value(b[l]));
  return packBits(flags);
}

enum SetpSub : uint8_t { kCombineAnd = 1, kCombineOr = 2, kCombineXor = 3, kNegateC = 4 };

uint32_t combine(Warp &warp, const Instr &i, uint32_t bits) {
  if ((i.sub & 3) == 0)
    return bits;
  uint32_t c = warp.predicate(i.c);
  if (i.sub & kNegateC)
    c = ~c;
  return (i.sub & 3) == kCombineAnd ? bits & c : (i.sub & 3) == kCombineOr ? bits | c : bits ^ c;
}

template <Compare Op, class T, class Read> Step setp(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t bits = compareLanes<Op, T, Read>(warp, i);
  if (i.d2 != kNone)
    commitPredicate(warp, i.d2, combine(warp, i, ~bits), mask);
  commitPredicate(warp, i.d, combine(warp, i, bits), mask);
  return Step::Next;
}

template <class D> void selectValue(Warp &warp, const Instr &i, uint32_t bits, uint32_t mask) {
  alignas(32) D out[kLanes];
  for (int l = 0; l < kLanes; ++l)
    out[l] = bits >> l & 1 ? static_cast<D>(i.imm) : D(0);
  commit(warp, i.d, out, mask);
}

template <Compare Op, class T, class Read> Step setValue(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t bits = combine(warp, i, compareLanes<Op, T, Read>(warp, i));
  if (i.access == 2) // the result has two bytes
    selectValue<uint16_t>(warp, i, bits, mask);
  else
    selectValue<uint32_t>(warp, i, bits, mask);
  return Step::Next;
}

// Reads one of the two halves in a register. setp writes a predicate for each half, and set writes a half for each.
template <class Read, bool High> struct HalfOf {
  static float value(uint32_t v) { return Read::value(static_cast<uint16_t>(High ? v >> 16 : v)); }
};
template <Compare Op, class Read> Step setpPacked(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t low = compareLanes<Op, uint32_t, HalfOf<Read, false>>(warp, i);
  uint32_t high = compareLanes<Op, uint32_t, HalfOf<Read, true>>(warp, i);
  commitPredicate(warp, i.d2, combine(warp, i, high), mask);
  commitPredicate(warp, i.d, combine(warp, i, low), mask);
  return Step::Next;
}
template <Compare Op, class Read> Step setPacked(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t low = combine(warp, i, compareLanes<Op, uint32_t, HalfOf<Read, false>>(warp, i));
  uint32_t high = combine(warp, i, compareLanes<Op, uint32_t, HalfOf<Read, true>>(warp, i));
  alignas(32) uint32_t out[kLanes];
  auto one = static_cast<uint32_t>(i.imm);
  for (int l = 0; l < kLanes; ++l)
    out[l] = (low >> l & 1 ? one : 0) | (high >> l & 1 ? one << 16 : 0);
  commit(warp, i.d, out, mask);
  return Step::Next;
}

template <class T, class Read, bool IsSet, bool Packed = false> Handler pickCompare(Compare op) {
  auto make = []<Compare Op>() -> Handler {
    if constexpr (Packed)
      return IsSet ? &setPacked<Op, Read> : &setpPacked<Op, Read>;
    else
      return IsSet ? &setValue<Op, T, Read> : &setp<Op, T, Read>;
  };
  switch (op) {
  case Compare::Eq: return make.template operator()<Compare::Eq>();
  case Compare::Ne: return make.template operator()<Compare::Ne>();
  case Compare::Lt: return make.template operator()<Compare::Lt>();
  case Compare::Le: return make.template operator()<Compare::Le>();
  case Compare::Gt: return make.template operator()<Compare::Gt>();
  case Compare::Ge: return make.template operator()<Compare::Ge>();
  case Compare::Equ: return make.template operator()<Compare::Equ>();
  case Compare::Neu: return make.template operator()<Compare::Neu>();
  case Compare::Ltu: return make.template operator()<Compare::Ltu>();
  case Compare::Leu: return make.template operator()<Compare::Leu>();
  case Compare::Gtu: return make.template operator()<Compare::Gtu>();
  case Compare::Geu: return make.template operator()<Compare::Geu>();
  case Compare::Num: return make.template operator()<Compare::Num>();
  case Compare::Nan: return make.template operator()<Compare::Nan>();
  }
  return nullptr;
}

template <bool IsSet> Handler compareHandler(Type type, Compare op, bool ftz) {
  if (type.isF32())
    return ftz ? pickCompare<float, Flush, IsSet>(op) : pickCompare<float, Plain, IsSet>(op);
  if (ftz && !type.isF16() && !type.isF16x2())
    return nullptr;
  if (type.isF64())
    return pickCompare<double, Plain, IsSet>(op);
  if (type.isF16())
    return ftz ? pickCompare<uint16_t, HalfFlush, IsSet>(op) : pickCompare<uint16_t, HalfF16, IsSet>(op);
  if (type.isF16x2())
    return ftz ? pickCompare<uint32_t, HalfFlush, IsSet, true>(op) : pickCompare<uint32_t, HalfF16, IsSet, true>(op);
  if (type.isBf16x2())
    return pickCompare<uint32_t, HalfBf16, IsSet, true>(op);
  if (type.isBf16())
    return pickCompare<uint16_t, HalfBf16, IsSet>(op);
  if (!type.isInteger() || type.packed)
    return nullptr;
  if (type.isSigned())
    return type.bits == 16   ? pickCompare<int16_t, Plain, IsSet>(op)
           : type.bits == 32 ? pickCompare<int32_t, Plain, IsSet>(op)
           : type.bits == 64 ? pickCompare<int64_t, Plain, IsSet>(op)
                             : nullptr;
  return type.bits == 16   ? pickCompare<uint16_t, Plain, IsSet>(op)
         : type.bits == 32 ? pickCompare<uint32_t, Plain, IsSet>(op)
         : type.bits == 64 ? pickCompare<uint64_t, Plain, IsSet>(op)
                           : nullptr;
}

struct CompareName {
  std::string_view name;
  Compare op;
};
constexpr CompareName kCompares[] = {
    {"eq", Compare::Eq},   {"ne", Compare::Ne},   {"lt", Compare::Lt},   {"le", Compare::Le},   {"gt", Compare::Gt},
    {"ge", Compare::Ge},   {"lo", Compare::Lt},   {"ls", Compare::Le},   {"hi", Compare::Gt},   {"hs", Compare::Ge},
    {"equ", Compare::Equ}, {"neu", Compare::Neu}, {"ltu", Compare::Ltu}, {"leu", Compare::Leu}, {"gtu", Compare::Gtu},
    {"geu", Compare::Geu}, {"num", Compare::Num}, {"nan", Compare::Nan},
};

template <bool IsSet> bool decodeCompare(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  const CompareName *found = nullptr;
  for (const CompareName &compare : kCompares)
    if (!found && mods.take(compare.name))
      found = &compare;
  std::string_view boolean = mods.takeOne({"and", "or", "xor"});
  bool ftz = mods.take("ftz");
  Type result;
  if (IsSet)
    result = mods.takeType();
  Type type = mods.takeType();
  if (!found)
    return false;
  i.run = compareHandler<IsSet>(type, found->op, ftz);
  if (!i.run)
    return false;
  i.sub = boolean == "and" ? kCombineAnd : boolean == "or" ? kCombineOr : boolean == "xor" ? kCombineXor : 0;
  if (!d.finish(mods, boolean.empty() ? 3 : 4))
    return false;
  const Operand &to = d.operand(0);
  if (IsSet) {
    bool half = type.bits == 16 && !type.isInteger(); // a result of 16 bits is an integer only if halves are compared
    bool good = type.packed
                    ? (result.packed && result.kind == type.kind) || (result.isInteger() && result.bits == 32)
                    : !result.packed && (result.bits == 32 || (result.bits == 16 && (half || !result.isInteger())));
    if (!good || result.kind == TypeKind::Bits ||
        !(result.isInteger() || result.kind == TypeKind::Float || result.kind == TypeKind::BFloat))
      return false;
    i.d = d.dest(to, result);
    i.access = result.bits / 8;
    i.imm = result.isInteger()                   ? (type.packed ? 0xFFFFu : kAllLanes)
            : result.kind == TypeKind::BFloat    ? 0x3F80u
            : result.packed || result.bits == 16 ? 0x3C00u
                                                 : 0x3F800000u;
  } else if (to.kind == Operand::Kind::Pair && type.bits == 16 && !type.isInteger()) {
    return d.fail(Message("`{instruction}` writes one predicate", d.current().opcode));
  } else if (to.kind == Operand::Kind::Pair) {
    i.d = d.predicateDest(to.parts[0]);
    i.d2 = d.predicateDest(to.parts[1]);
  } else {
    i.d = d.predicateDest(to);
    if (type.packed) // only the comparison of the lower halves is written
      i.d2 = d.scratch(1);
  }
  i.a = d.source(d.operand(1), type);
  i.b = d.source(d.operand(2), type);
  if (!boolean.empty()) {
    bool negated = false;
    i.c = d.predicate(d.operand(3), negated);
    if (negated)
      i.sub |= kNegateC;
  }
  return !d.failed();
}

template <class T> Step select(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t p = warp.predicate(i.c);
  if (i.sub)
    p = ~p;
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  alignas(32) T out[kLanes];
  for (int l = 0; l < kLanes; ++l)
    out[l] = p >> l & 1 ? a[l] : b[l];
  commit(warp, i.d, out, mask);
  return Step::Next;
}

bool decodeSelp(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.bits < 16 || !d.finish(mods, 4))
    return false;
  i.run = type.bits == 16 ? &select<uint16_t> : type.bits == 32 ? &select<uint32_t> : &select<uint64_t>;
  i.d = d.dest(d.operand(0), type);
  i.a = d.source(d.operand(1), type);
  i.b = d.source(d.operand(2), type);
  bool negated = false;
  i.c = d.predicate(d.operand(3), negated);
  i.sub = negated;
  return !d.failed();
}

template <class T, class C, bool Flush = false> Step selectBySign(Warp &warp, const Instr &i, uint32_t mask) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  const C *c = warp.reg<C>(i.c);
  alignas(32) T out[kLanes];
  for (int l = 0; l < kLanes; ++l)
    if constexpr (Flush)
      out[l] = flushed(c[l]) >= C(0) ? a[l] : b[l];
    else
      out[l] = c[l] >= C(0) ? a[l] : b[l];
  commit(warp, i.d, out, mask);
  return Step::Next;
}

bool decodeSlct(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool flush = mods.take("ftz"); // -0 and negative subnormal values count as 0
  Type type = mods.takeType(), by = mods.takeType();
  if (type.bits < 16 || by.bits != 32 || by.packed || (flush && !by.isF32()) || !d.finish(mods, 4))
    return false;
  if (flush)
    i.run = type.bits == 16   ? &selectBySign<uint16_t, float, true>
            : type.bits == 32 ? &selectBySign<uint32_t, float, true>
                              : &selectBySign<uint64_t, float, true>;
  else if (by.isF32())
    i.run = type.bits == 16   ? &selectBySign<uint16_t, float>
            : type.bits == 32 ? &selectBySign<uint32_t, float>
                              : &selectBySign<uint64_t, float>;
  else
    i.run = type.bits == 16   ? &selectBySign<uint16_t, int32_t>
            : type.bits == 32 ? &selectBySign<uint32_t, int32_t>
                              : &selectBySign<uint64_t, int32_t>;
  i.d = d.dest(d.operand(0), type);
  i.a = d.source(d.operand(1), type);
  i.b = d.source(d.operand(2), type);
  i.c = d.source(d.operand(3), by);
  return !d.failed();
}

template <class T> Step testp(Warp &warp, const Instr &i, uint32_t mask) {
  const T *a = warp.reg<T>(i.a);
  alignas(32) uint8_t flags[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    int kind = std::fpclassify(a[l]);
    switch (i.sub) {
    case 0: flags[l] = std::isfinite(a[l]); break;
    case 1: flags[l] = kind == FP_INFINITE; break;
    case 2: flags[l] = kind != FP_NAN; break;
    case 3: flags[l] = kind == FP_NAN; break;
    case 4: flags[l] = kind == FP_NORMAL || kind == FP_ZERO; break; // PTX ISA, `testp`: zeros count as normal
    default: flags[l] = kind == FP_SUBNORMAL; break;
    }
  }
  commitPredicate(warp, i.d, packBits(flags), mask);
  return Step::Next;
}

bool decodeTestp(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  static constexpr std::string_view kTests[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  bool found = false;
  for (uint8_t n = 0; n < 6 && !found; ++n)
    if (mods.take(kTests[n])) {
      i.sub = n;
      found = true;
    }
  Type type = mods.takeType();
  if (!found || !(type.isF32() || type.isF64()) || !d.finish(mods, 2))
    return false;
  i.run = type.isF32() ? &testp<float> : &testp<double>;
  i.d = d.predicateDest(d.operand(0));
  i.a = d.source(d.operand(1), type);
  return !d.failed();
}

} // namespace

const Family &compareFamily() {
  static const Family family{{"setp", &decodeCompare<false>},
                             {"set", &decodeCompare<true>},
                             {"selp", &decodeSelp},
                             {"slct", &decodeSlct},
                             {"testp", &decodeTestp}};
  return family;
}

} // namespace lanescope::core::emulator
