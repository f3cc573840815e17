// Integer arithmetic, logic, shifts and bit fields (PTX ISA 9.7.1, 9.7.2, 9.7.8). All exact.
#include "core/emulator/CostModel.h"
#include "core/emulator/Decoder.h"
#include "core/emulator/Lanes.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

namespace lanescope::core::emulator {

namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;

template <auto F, class T> constexpr Handler same2() { return &binary<F, T, T, T>; }
template <auto F, class T> constexpr Handler same3() { return &ternary<F, T, T, T, T>; }

template <auto F> Handler unsigned2(int bits) {
  return bits == 16 ? same2<F, uint16_t>() : bits == 32 ? same2<F, uint32_t>() : same2<F, uint64_t>();
}
template <auto F> Handler signed2(int bits) {
  return bits == 16 ? same2<F, int16_t>() : bits == 32 ? same2<F, int32_t>() : same2<F, int64_t>();
}
template <auto F> Handler unary1(int bits) {
  return bits == 16   ? &unary<F, uint16_t, uint16_t>
         : bits == 32 ? &unary<F, uint32_t, uint32_t>
                      : &unary<F, uint64_t, uint64_t>;
}

constexpr auto kAdd = [](auto a, auto b) { return a + b; };
constexpr auto kSub = [](auto a, auto b) { return a - b; };
constexpr auto kMulLo = [](auto a, auto b) {
  using Wide = std::conditional_t<sizeof(a) <= 4, uint32_t, uint64_t>;
  return static_cast<Wide>(a) * static_cast<Wide>(b);
};
constexpr auto kMulHi = [](auto a, auto b) {
  using T = decltype(a);
  if constexpr (sizeof(T) == 8) {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> 64);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> (8 * sizeof(T)));
  }
};
constexpr auto kDiv = [](auto a, auto b) {
  using T = decltype(a);
  if (b == 0)
    return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return static_cast<T>(Unsigned<T>(0) - Unsigned<T>(a));
  return static_cast<T>(a / b);
};
constexpr auto kRem = [](auto a, auto b) {
  using T = decltype(a);
  if (b == 0)
    return a;
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return T(0);
  return static_cast<T>(a % b);
};
constexpr auto kMin = [](auto a, auto b) { return b < a ? b : a; };
constexpr auto kMax = [](auto a, auto b) { return a < b ? b : a; };
constexpr auto kAnd = [](auto a, auto b) { return a & b; };
constexpr auto kOr = [](auto a, auto b) { return a | b; };
constexpr auto kXor = [](auto a, auto b) { return a ^ b; };

int64_t saturate32(int64_t v) { return std::clamp<int64_t>(v, INT32_MIN, INT32_MAX); }

template <auto F> Handler halves2(bool isSigned) {
  auto wrap = []<class H>(H) {
    return &binary<[](uint32_t a, uint32_t b) {
      auto low = static_cast<uint16_t>(F(static_cast<H>(a), static_cast<H>(b)));
      auto high = static_cast<uint16_t>(F(static_cast<H>(a >> 16), static_cast<H>(b >> 16)));
      return static_cast<uint32_t>(low) | static_cast<uint32_t>(high) << 16;
    },
                   uint32_t, uint32_t, uint32_t>;
  };
  return isSigned ? wrap(int16_t{}) : wrap(uint16_t{});
}

bool binaryOperands(Decoder &d, const Modifiers &mods, Type type, Instr &i) {
  if (!d.finish(mods, 3))
    return false;
  i.d = d.dest(d.operand(0), type.bits);
  i.a = d.source(d.operand(1), type);
  i.b = d.source(d.operand(2), type);
  if (type.bits == 64)
    i.cost = cost::kWideArithmetic;
  return !d.failed();
}

// --- carries: one carry flag per lane, in a predicate slot that all carry instructions share -----------------------

enum CarrySub : uint8_t { kSetCarry = 1, kUseCarry = 2 };

template <class T, bool Subtract> Step addCarry(Warp &warp, const Instr &i, uint32_t mask) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  uint32_t carryIn = i.sub & kUseCarry ? warp.predicate(i.e) : 0, carryOut = 0;
  alignas(32) T out[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    T carry = carryIn >> l & 1;
    T first = Subtract ? static_cast<T>(a[l] - b[l]) : static_cast<T>(a[l] + b[l]);
    bool over = Subtract ? a[l] < b[l] : first < a[l];
    T second = Subtract ? static_cast<T>(first - carry) : static_cast<T>(first + carry);
    over |= Subtract ? first < carry : second < first;
    out[l] = second;
    carryOut |= static_cast<uint32_t>(over) << l;
  }
  commit(warp, i.d, out, mask);
  if (i.sub & kSetCarry)
    commitPredicate(warp, i.e, carryOut, mask);
  return Step::Next;
}

template <class T, bool High> Step madCarry(Warp &warp, const Instr &i, uint32_t mask) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  const auto *c = warp.reg<Unsigned<T>>(i.c);
  uint32_t carryIn = i.sub & kUseCarry ? warp.predicate(i.e) : 0, carryOut = 0;
  using U = Unsigned<T>;
  alignas(32) U out[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    U product = High ? static_cast<U>(kMulHi(a[l], b[l])) : static_cast<U>(kMulLo(a[l], b[l]));
    U first = product + c[l];
    U carry = carryIn >> l & 1;
    U second = first + carry;
    out[l] = second;
    carryOut |= static_cast<uint32_t>(first < product || second < first) << l;
  }
  commit(warp, i.d, out, mask);
  if (i.sub & kSetCarry)
    commitPredicate(warp, i.e, carryOut, mask);
  return Step::Next;
}

bool carryAddition(Decoder &d, Modifiers &mods, Instr &i, bool subtract, bool useCarry) {
  bool setCarry = mods.take("cc");
  Type type = mods.takeType();
  if (!type.isInteger() || type.bits < 32 || (!setCarry && !useCarry))
    return false;
  i.run = type.bits == 32 ? (subtract ? &addCarry<uint32_t, true> : &addCarry<uint32_t, false>)
                          : (subtract ? &addCarry<uint64_t, true> : &addCarry<uint64_t, false>);
  i.sub = (setCarry ? kSetCarry : 0) | (useCarry ? kUseCarry : 0);
  i.e = d.carrySlot();
  return binaryOperands(d, mods, type, i);
}

// --- decoding ------------------------------------------------------------------------------------------------------

template <bool Subtract> bool decodeAddSub(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Modifiers again = mods;
  if (again.take("cc"))
    return carryAddition(d, mods, i, Subtract, false);
  bool saturating = mods.take("sat");
  Type type = mods.takeType();
  if (!type.isInteger() || type.bits < 16 || (saturating && !(type.isSigned() && type.bits == 32)))
    return false;
  if (saturating)
    i.run = &binary<[](int32_t a, int32_t b) { return saturate32(Subtract ? int64_t(a) - b : int64_t(a) + b); },
                    int32_t, int32_t, int32_t>;
  else if (type.packed)
    i.run = Subtract ? halves2<kSub>(false) : halves2<kAdd>(false);
  else
    i.run = Subtract ? unsigned2<kSub>(type.bits) : unsigned2<kAdd>(type.bits);
  return binaryOperands(d, mods, type, i);
}

template <bool Subtract> bool decodeCarry(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  return carryAddition(d, mods, i, Subtract, true);
}

template <auto F> bool decodeSignMatters(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (!type.isInteger() || type.kind == TypeKind::Bits || type.bits < 16)
    return false;
  if (type.packed)
    i.run = halves2<F>(type.isSigned());
  else
    i.run = type.isSigned() ? signed2<F>(type.bits) : unsigned2<F>(type.bits);
  return binaryOperands(d, mods, type, i);
}

template <auto F> bool decodeDivision(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (!type.isInteger() || type.kind == TypeKind::Bits || type.bits < 16 || type.packed)
    return false;
  i.run = type.isSigned() ? signed2<F>(type.bits) : unsigned2<F>(type.bits);
  bool ok = binaryOperands(d, mods, type, i);
  i.cost = cost::kDivision;
  return ok;
}

template <class T, class W> constexpr Handler mulWide() {
  return &binary<[](T a, T b) { return static_cast<W>(a) * static_cast<W>(b); }, W, T, T>;
}
template <class T, class W> constexpr Handler madWide() {
  return &ternary<[](T a, T b, W c) {
    return static_cast<Unsigned<W>>(static_cast<W>(a) * static_cast<W>(b)) + static_cast<Unsigned<W>>(c);
  },
                  W, T, T, W>;
}

bool decodeMul(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view mode = mods.takeOne({"wide", "hi", "lo"});
  Type type = mods.takeType();
  if (!type.isInteger() || type.bits < 16 || type.packed || mode.empty())
    return false;
  bool sign = type.isSigned();
  if (mode == "wide") {
    if (type.bits > 32)
      return false;
    i.run = type.bits == 16 ? (sign ? mulWide<int16_t, int32_t>() : mulWide<uint16_t, uint32_t>())
                            : (sign ? mulWide<int32_t, int64_t>() : mulWide<uint32_t, uint64_t>());
    if (!d.finish(mods, 3))
      return false;
    i.d = d.dest(d.operand(0), type.bits * 2u);
    i.a = d.source(d.operand(1), type);
    i.b = d.source(d.operand(2), type);
    i.cost = cost::kWideArithmetic;
    return !d.failed();
  }
  i.run = mode == "lo" ? unsigned2<kMulLo>(type.bits)
          : sign       ? signed2<kMulHi>(type.bits)
                       : unsigned2<kMulHi>(type.bits);
  return binaryOperands(d, mods, type, i);
}

template <auto Mul>
constexpr auto kThenAdd = [](auto a, auto b, auto c) {
  using U = Unsigned<decltype(a)>;
  return static_cast<U>(static_cast<U>(Mul(a, b)) + static_cast<U>(c));
};
template <auto F> Handler signed3(int bits) {
  return bits == 16 ? same3<F, int16_t>() : bits == 32 ? same3<F, int32_t>() : same3<F, int64_t>();
}
template <auto F> Handler unsigned3(int bits) {
  return bits == 16 ? same3<F, uint16_t>() : bits == 32 ? same3<F, uint32_t>() : same3<F, uint64_t>();
}

bool madOperands(Decoder &d, const Modifiers &mods, Type type, uint32_t wide, Instr &i) {
  if (!d.finish(mods, 4))
    return false;
  i.d = d.dest(d.operand(0), wide);
  i.a = d.source(d.operand(1), type);
  i.b = d.source(d.operand(2), type);
  i.c = d.source(d.operand(3), wide);
  i.cost = cost::kWideArithmetic;
  return !d.failed();
}

template <bool UseCarry> bool decodeMad(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view mode = mods.takeOne({"wide", "hi", "lo"});
  bool setCarry = mods.take("cc");
  bool saturating = mods.take("sat");
  Type type = mods.takeType();
  if (!type.isInteger() || type.bits < 16 || type.packed || mode.empty())
    return false;
  bool sign = type.isSigned();
  if (setCarry || UseCarry) {
    if (mode == "wide" || type.bits < 32)
      return false;
    bool high = mode == "hi";
    if (type.bits == 32)
      i.run = !high ? &madCarry<uint32_t, false> : sign ? &madCarry<int32_t, true> : &madCarry<uint32_t, true>;
    else
      i.run = !high ? &madCarry<uint64_t, false> : sign ? &madCarry<int64_t, true> : &madCarry<uint64_t, true>;
    i.sub = (setCarry ? kSetCarry : 0) | (UseCarry ? kUseCarry : 0);
    i.e = d.carrySlot();
    return madOperands(d, mods, type, type.bits, i);
  }
  if (saturating) {
    if (mode != "hi" || !sign || type.bits != 32)
      return false;
    i.run = &ternary<[](int32_t a, int32_t b, int32_t c) { return saturate32(int64_t(kMulHi(a, b)) + c); }, int32_t,
                     int32_t, int32_t, int32_t>;
    return madOperands(d, mods, type, 32, i);
  }
  if (mode == "wide") {
    if (type.bits > 32)
      return false;
    i.run = type.bits == 16 ? (sign ? madWide<int16_t, int32_t>() : madWide<uint16_t, uint32_t>())
                            : (sign ? madWide<int32_t, int64_t>() : madWide<uint32_t, uint64_t>());
    return madOperands(d, mods, type, type.bits * 2u, i);
  }
  i.run = mode == "lo" ? unsigned3<kThenAdd<kMulLo>>(type.bits)
          : sign       ? signed3<kThenAdd<kMulHi>>(type.bits)
                       : unsigned3<kThenAdd<kMulHi>>(type.bits);
  return madOperands(d, mods, type, type.bits, i);
}

bool decodeMul24(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (mods.takeOne({"lo"}).empty())
    return false;
  Type type = mods.takeType();
  if (!type.isInteger() || type.bits != 32)
    return false;
  i.run = type.isSigned() ? &binary<[](uint32_t a, uint32_t b) {
    return static_cast<uint32_t>((static_cast<int32_t>(a << 8) >> 8)) *
           static_cast<uint32_t>(static_cast<int32_t>(b << 8) >> 8);
  },
                                    uint32_t, uint32_t, uint32_t>
                          : &binary<[](uint32_t a, uint32_t b) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); }, uint32_t,
                                    uint32_t, uint32_t>;
  return binaryOperands(d, mods, type, i);
}

// --- logic ---------------------------------------------------------------------------------------------------------

template <auto F> Step predicateBinary(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t a = warp.predicate(i.a), b = warp.predicate(i.b);
  if (i.sub & 1)
    a = ~a;
  if (i.sub & 2)
    b = ~b;
  commitPredicate(warp, i.d, F(a, b), mask);
  return Step::Next;
}

template <auto F> bool decodeLogic(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.kind == TypeKind::Predicate && type.bits == 1) {
    if (!d.finish(mods, 3))
      return false;
    bool na = false, nb = false;
    i.d = d.predicateDest(d.operand(0));
    i.a = d.predicate(d.operand(1), na);
    i.b = d.predicate(d.operand(2), nb);
    i.sub = static_cast<uint8_t>(na | nb << 1);
    i.run = &predicateBinary<F>;
    return !d.failed();
  }
  if (type.kind != TypeKind::Bits || type.bits < 16)
    return false;
  i.run = unsigned2<F>(type.bits);
  return binaryOperands(d, mods, type, i);
}

bool decodeNot(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (!d.finish(mods, 2))
    return false;
  if (type.kind == TypeKind::Predicate && type.bits == 1) {
    bool negated = false;
    i.d = d.predicateDest(d.operand(0));
    i.a = d.predicate(d.operand(1), negated);
    i.sub = negated;
    i.run = [](Warp &warp, const Instr &i, uint32_t mask) {
      uint32_t a = warp.predicate(i.a);
      commitPredicate(warp, i.d, i.sub ? a : ~a, mask);
      return Step::Next;
    };
    return !d.failed();
  }
  if (type.kind != TypeKind::Bits || type.bits < 16)
    return false;
  i.run = unary1<[](auto a) { return ~a; }>(type.bits);
  i.d = d.dest(d.operand(0), type.bits);
  i.a = d.source(d.operand(1), type);
  return !d.failed();
}

bool unaryOperands(Decoder &d, const Modifiers &mods, Type type, uint32_t resultBits, Instr &i) {
  if (!d.finish(mods, 2))
    return false;
  i.d = d.dest(d.operand(0), resultBits);
  i.a = d.source(d.operand(1), type);
  return !d.failed();
}

bool decodeNegAbs(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool isNeg = mods.root() == "neg";
  Type type = mods.takeType();
  if (!type.isSigned() || type.packed || type.bits < 16)
    return false;
  i.run = isNeg ? unary1<[](auto a) { return decltype(a)(0) - a; }>(type.bits) : unary1<[](auto a) {
    using S = std::make_signed_t<decltype(a)>;
    return static_cast<S>(a) < 0 ? static_cast<decltype(a)>(0 - a) : a;
  }>(type.bits);
  return unaryOperands(d, mods, type, type.bits, i);
}

bool decodeCnot(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.kind != TypeKind::Bits || type.bits < 16)
    return false;
  i.run = unary1<[](auto a) { return static_cast<decltype(a)>(a == 0); }>(type.bits);
  return unaryOperands(d, mods, type, type.bits, i);
}

// Shift amounts are u32; amounts of the width or more give 0 (or the sign).
constexpr auto kShl = [](auto a, uint32_t n) {
  using T = decltype(a);
  using W = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  return static_cast<T>(n >= 8 * sizeof(T) ? W(0) : static_cast<W>(a) << (n & (8 * sizeof(W) - 1)));
};
constexpr auto kShr = [](auto a, uint32_t n) {
  using T = decltype(a);
  uint32_t most = 8 * sizeof(T) - 1;
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> (n > most ? most : n));
  else
    return static_cast<T>(n > most ? T(0) : static_cast<T>(a >> (n & most)));
};
template <auto F, class T> constexpr Handler shift() { return &binary<F, T, T, uint32_t>; }

bool decodeShift(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool left = mods.root() == "shl";
  Type type = mods.takeType();
  if (!type.isInteger() || type.packed || type.bits < 16)
    return false;
  bool sign = type.isSigned();
  if (left)
    i.run = type.bits == 16   ? shift<kShl, uint16_t>()
            : type.bits == 32 ? shift<kShl, uint32_t>()
                              : shift<kShl, uint64_t>();
  else if (sign)
    i.run = type.bits == 16   ? shift<kShr, int16_t>()
            : type.bits == 32 ? shift<kShr, int32_t>()
                              : shift<kShr, int64_t>();
  else
    i.run = type.bits == 16   ? shift<kShr, uint16_t>()
            : type.bits == 32 ? shift<kShr, uint32_t>()
                              : shift<kShr, uint64_t>();
  if (!d.finish(mods, 3))
    return false;
  i.d = d.dest(d.operand(0), type.bits);
  i.a = d.source(d.operand(1), type);
  i.b = d.source(d.operand(2), 32);
  return !d.failed();
}

/// The top (left) or bottom (right) half of [b:a] shifted by c, which is clamped to 32 or wraps at it.
template <bool Left, bool Clamp>
constexpr auto kFunnel = [](uint32_t a, uint32_t b, uint32_t c) {
  c = Clamp ? std::min(c, 32u) : c & 31;
  uint64_t both = static_cast<uint64_t>(b) << 32 | a;
  return static_cast<uint32_t>(Left ? (both << c) >> 32 : both >> c);
};
template <bool Left, bool Clamp> constexpr Handler funnel() {
  return &ternary<kFunnel<Left, Clamp>, uint32_t, uint32_t, uint32_t, uint32_t>;
}

bool decodeFunnel(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view side = mods.takeOne({"l", "r"}), mode = mods.takeOne({"wrap", "clamp"});
  Type type = mods.takeType();
  if (side.empty() || mode.empty() || type.bits != 32 || !d.finish(mods, 4))
    return false;
  bool left = side == "l", clamp = mode == "clamp";
  i.run = left ? (clamp ? funnel<true, true>() : funnel<true, false>())
               : (clamp ? funnel<false, true>() : funnel<false, false>());
  i.d = d.dest(d.operand(0), 32);
  i.a = d.source(d.operand(1), 32);
  i.b = d.source(d.operand(2), 32);
  i.c = d.source(d.operand(3), 32);
  return !d.failed();
}

// --- bit counting and fields ---------------------------------------------------------------------------------------

template <auto F> bool decodeCount(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.bits != 32 && type.bits != 64)
    return false;
  i.run = type.bits == 32 ? &unary<F, uint32_t, uint32_t> : &unary<F, uint32_t, uint64_t>;
  return unaryOperands(d, mods, type, 32, i);
}

bool decodeBrev(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.bits != 32 && type.bits != 64)
    return false;
  constexpr auto kReverse = [](auto a) {
    decltype(a) out = 0;
    for (size_t n = 0; n < 8 * sizeof(a); ++n)
      out |= (a >> n & 1) << (8 * sizeof(a) - 1 - n);
    return out;
  };
  i.run = type.bits == 32 ? &unary<kReverse, uint32_t, uint32_t> : &unary<kReverse, uint64_t, uint64_t>;
  return unaryOperands(d, mods, type, type.bits, i);
}

template <class T, bool ShiftAmount>
constexpr auto kFind = [](T a) {
  using U = Unsigned<T>;
  U bits = static_cast<U>(a);
  if (std::is_signed_v<T> && static_cast<std::make_signed_t<T>>(a) < 0)
    bits = ~bits;
  if (bits == 0)
    return kAllLanes;
  auto top = static_cast<uint32_t>(std::bit_width(bits) - 1);
  return ShiftAmount ? static_cast<uint32_t>(8 * sizeof(T) - 1) - top : top;
};

bool decodeBfind(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool shiftAmount = mods.take("shiftamt");
  Type type = mods.takeType();
  if (!type.isInteger() || type.kind == TypeKind::Bits || type.bits < 32 || type.packed)
    return false;
  auto pick = [&]<class T>(T) -> Handler {
    return shiftAmount ? &unary<kFind<T, true>, uint32_t, T> : &unary<kFind<T, false>, uint32_t, T>;
  };
  i.run = type.bits == 32 ? (type.isSigned() ? pick(int32_t{}) : pick(uint32_t{}))
                          : (type.isSigned() ? pick(int64_t{}) : pick(uint64_t{}));
  return unaryOperands(d, mods, type, 32, i);
}

template <class T>
constexpr auto kExtract = [](T a, uint32_t position, uint32_t length) {
  using U = Unsigned<T>;
  constexpr uint32_t kTop = 8 * sizeof(T) - 1;
  position &= 0xFF;
  length &= 0xFF;
  U bits = position > kTop ? U(0) : static_cast<U>(a) >> position;
  bool sign = false;
  if constexpr (std::is_signed_v<T>) {
    uint32_t at = position + length - 1 < kTop ? position + length - 1 : kTop;
    sign = length != 0 && (static_cast<U>(a) >> at & 1);
  }
  if (length <= kTop) {
    U keep = (U(1) << length) - 1;
    bits = sign ? bits | ~keep : bits & keep;
  }
  // Bits past the top read as the sign.
  if (sign && position + length - 1 > kTop && position > 0)
    bits |= position > kTop ? ~U(0) : ~(~U(0) >> position);
  return bits;
};
template <class T> constexpr Handler extract() { return &ternary<kExtract<T>, Unsigned<T>, T, uint32_t, uint32_t>; }

bool decodeBfe(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (!type.isInteger() || type.kind == TypeKind::Bits || type.bits < 32 || type.packed || !d.finish(mods, 4))
    return false;
  i.run = type.bits == 32 ? (type.isSigned() ? extract<int32_t>() : extract<uint32_t>())
                          : (type.isSigned() ? extract<int64_t>() : extract<uint64_t>());
  i.d = d.dest(d.operand(0), type.bits);
  i.a = d.source(d.operand(1), type);
  i.b = d.source(d.operand(2), 32);
  i.c = d.source(d.operand(3), 32);
  return !d.failed();
}

template <class T> Step insertBits(Warp &warp, const Instr &i, uint32_t mask) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  const uint32_t *position = warp.reg<uint32_t>(i.c), *length = warp.reg<uint32_t>(i.e);
  constexpr uint32_t kBits = 8 * sizeof(T);
  alignas(32) T out[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    uint32_t p = position[l] & 0xFF, n = length[l] & 0xFF;
    T keep = n >= kBits ? ~T(0) : (T(1) << n) - 1;
    T field = p >= kBits ? T(0) : keep << p;
    out[l] = p >= kBits ? b[l] : (b[l] & ~field) | ((a[l] << p) & field);
  }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

bool decodeBfi(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.kind != TypeKind::Bits || type.bits < 32 || !d.finish(mods, 5))
    return false;
  i.run = type.bits == 32 ? &insertBits<uint32_t> : &insertBits<uint64_t>;
  i.d = d.dest(d.operand(0), type.bits);
  i.a = d.source(d.operand(1), type);
  i.b = d.source(d.operand(2), type);
  i.c = d.source(d.operand(3), 32);
  i.e = d.source(d.operand(4), 32);
  return !d.failed();
}

Step lop3(Warp &warp, const Instr &i, uint32_t mask) {
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b), *c = warp.reg<uint32_t>(i.c);
  alignas(32) uint32_t out[kLanes] = {};
  for (uint32_t term = 0; term < 8; ++term) {
    if (!(i.imm >> term & 1))
      continue;
    uint32_t na = term & 4 ? 0 : kAllLanes, nb = term & 2 ? 0 : kAllLanes, nc = term & 1 ? 0 : kAllLanes;
    for (int l = 0; l < kLanes; ++l)
      out[l] |= (a[l] ^ na) & (b[l] ^ nb) & (c[l] ^ nc);
  }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

bool decodeLop3(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.bits != 32 || !d.finish(mods, 5))
    return false;
  i.run = &lop3;
  i.d = d.dest(d.operand(0), 32);
  i.a = d.source(d.operand(1), 32);
  i.b = d.source(d.operand(2), 32);
  i.c = d.source(d.operand(3), 32);
  return d.immediate(d.operand(4), i.imm) && !d.failed();
}

constexpr auto kPermute = [](uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t out = 0;
  for (int n = 0; n < 4; ++n) {
    uint32_t pick = selector >> (4 * n) & 0xF;
    auto byte = static_cast<uint32_t>(bytes >> (8 * (pick & 7)) & 0xFF);
    if (pick & 8)
      byte = byte & 0x80 ? 0xFF : 0;
    out |= byte << (8 * n);
  }
  return out;
};
// The six modes pick by the two low bits of c (PTX ISA 9.7.8.7, table of prmt modes).
constexpr uint32_t kF4e[4] = {0x3210, 0x4321, 0x5432, 0x6543}, kB4e[4] = {0x5670, 0x6701, 0x7012, 0x0123},
                   kRc8[4] = {0x0000, 0x1111, 0x2222, 0x3333}, kEcl[4] = {0x3210, 0x3211, 0x3222, 0x3333},
                   kEcr[4] = {0x0000, 0x1110, 0x2210, 0x3210}, kRc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};
template <auto Table> constexpr Handler permuteMode() {
  return &ternary<[](uint32_t a, uint32_t b, uint32_t c) { return kPermute(a, b, (*Table)[c & 3]); }, uint32_t,
                  uint32_t, uint32_t, uint32_t>;
}

bool decodePrmt(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view mode = mods.takeOne({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  Type type = mods.takeType();
  if (type.bits != 32 || !d.finish(mods, 4))
    return false;
  i.run = mode.empty()    ? &ternary<kPermute, uint32_t, uint32_t, uint32_t, uint32_t>
          : mode == "f4e" ? permuteMode<&kF4e>()
          : mode == "b4e" ? permuteMode<&kB4e>()
          : mode == "rc8" ? permuteMode<&kRc8>()
          : mode == "ecl" ? permuteMode<&kEcl>()
          : mode == "ecr" ? permuteMode<&kEcr>()
                          : permuteMode<&kRc16>();
  i.d = d.dest(d.operand(0), 32);
  i.a = d.source(d.operand(1), 32);
  i.b = d.source(d.operand(2), 32);
  i.c = d.source(d.operand(3), 32);
  return !d.failed();
}

bool decodeSad(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (!type.isInteger() || type.kind == TypeKind::Bits || type.packed || type.bits < 16)
    return false;
  constexpr auto kSad = [](auto a, auto b, auto c) {
    using U = Unsigned<decltype(a)>;
    return static_cast<U>(static_cast<U>(c) +
                          (a < b ? static_cast<U>(b) - static_cast<U>(a) : static_cast<U>(a) - static_cast<U>(b)));
  };
  i.run = type.isSigned() ? signed3<kSad>(type.bits) : unsigned3<kSad>(type.bits);
  return madOperands(d, mods, type, type.bits, i);
}

} // namespace

const Family &integerFamily() {
  static const Family family{
      {"add", &decodeAddSub<false>},
      {"sub", &decodeAddSub<true>},
      {"addc", &decodeCarry<false>},
      {"subc", &decodeCarry<true>},
      {"mul", &decodeMul},
      {"mad", &decodeMad<false>},
      {"madc", &decodeMad<true>},
      {"mul24", &decodeMul24},
      {"div", &decodeDivision<kDiv>},
      {"rem", &decodeDivision<kRem>},
      {"min", &decodeSignMatters<kMin>},
      {"max", &decodeSignMatters<kMax>},
      {"and", &decodeLogic<kAnd>},
      {"or", &decodeLogic<kOr>},
      {"xor", &decodeLogic<kXor>},
      {"not", &decodeNot},
      {"cnot", &decodeCnot},
      {"neg", &decodeNegAbs},
      {"abs", &decodeNegAbs},
      {"shl", &decodeShift},
      {"shr", &decodeShift},
      {"shf", &decodeFunnel},
      {"brev", &decodeBrev},
      {"bfind", &decodeBfind},
      {"bfe", &decodeBfe},
      {"bfi", &decodeBfi},
      {"lop3", &decodeLop3},
      {"prmt", &decodePrmt},
      {"sad", &decodeSad},
      {"popc", &decodeCount<[](auto a) { return static_cast<uint32_t>(std::popcount(a)); }>},
      {"clz", &decodeCount<[](auto a) { return static_cast<uint32_t>(std::countl_zero(a)); }>},
  };
  return family;
}

} // namespace lanescope::core::emulator
