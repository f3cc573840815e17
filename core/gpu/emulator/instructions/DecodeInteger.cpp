// Integer arithmetic (PTX ISA 9.7.1, 9.7.2). All results are exact. Logic and bit fields are in DecodeBits.cpp.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/instructions/Integers.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <algorithm>
#include <limits>

namespace lanescope::core::emulator {

namespace {

constexpr auto kIntegerAdd = [](auto a, auto b) { return a + b; };
constexpr auto kIntegerSub = [](auto a, auto b) { return a - b; };
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
constexpr auto kIntegerDiv = [](auto a, auto b) {
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
  if (b == 0) // the ISA does not specify this; it is an H200's result
    return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return T(0);
  return static_cast<T>(a % b);
};
constexpr auto kMin = [](auto a, auto b) { return b < a ? b : a; };
constexpr auto kMax = [](auto a, auto b) { return a < b ? b : a; };
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

// --- carries: one carry flag per lane, in a predicate slot that all carry instructions share -----------------------
//
// Subtraction adds the complement, as in hardware. So the carry flag after a `sub.cc` is clear if the subtraction
// borrowed. A chain of additions only, or of subtractions only, does not depend on this. nvcc's 128-bit division does:
// it uses `addc` to test if a `subc.cc` borrowed.

enum CarrySub : uint8_t { kSetCarry = 1, kUseCarry = 2 };

template <class T, bool Subtract> Step addCarry(Warp &warp, const Instr &i, uint32_t mask) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  uint32_t carryIn = i.sub & kUseCarry ? warp.predicate(i.e) : Subtract ? kAllLanes : 0, carryOut = 0;
  alignas(32) T out[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    auto other = static_cast<T>(Subtract ? ~b[l] : b[l]);
    auto first = static_cast<T>(a[l] + other);
    auto second = static_cast<T>(first + (carryIn >> l & 1));
    out[l] = second;
    carryOut |= static_cast<uint32_t>(first < other || second < first) << l;
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

template <bool Subtract> bool carryAddition(Decoder &d, Modifiers &mods, Instr &i, bool useCarry) {
  bool setCarry = mods.take("cc");
  Type type = mods.takeType();
  if (!type.isInteger() || type.bits < 16 || type.packed || (!setCarry && !useCarry))
    return false;
  i.run = type.bits == 16   ? &addCarry<uint16_t, Subtract>
          : type.bits == 32 ? &addCarry<uint32_t, Subtract>
                            : &addCarry<uint64_t, Subtract>;
  i.sub = (setCarry ? kSetCarry : 0) | (useCarry ? kUseCarry : 0);
  i.e = d.carrySlot();
  return binaryOperands(d, mods, type, i);
}

// --- decoding ------------------------------------------------------------------------------------------------------

template <bool Subtract> bool decodeAddSub(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Modifiers again = mods;
  if (again.take("cc"))
    return carryAddition<Subtract>(d, mods, i, false);
  bool saturating = mods.take("sat");
  Type type = mods.takeType();
  if (!type.isInteger() || type.bits < 16 || (saturating && !(type.isSigned() && type.bits == 32)))
    return false;
  if (saturating)
    i.run = &binary<[](int32_t a, int32_t b) { return saturate32(Subtract ? int64_t(a) - b : int64_t(a) + b); },
                    int32_t, int32_t, int32_t>;
  else if (type.packed)
    i.run = Subtract ? halves2<kIntegerSub>(false) : halves2<kIntegerAdd>(false);
  else
    i.run = Subtract ? unsigned2<kIntegerSub>(type.bits) : unsigned2<kIntegerAdd>(type.bits);
  return binaryOperands(d, mods, type, i);
}

template <bool Subtract> bool decodeCarry(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  return carryAddition<Subtract>(d, mods, i, true);
}

/// Applies F, then replaces a negative result by 0.
template <auto F>
constexpr auto kAtLeastZero = [](auto a, auto b) {
  auto v = static_cast<decltype(a)>(F(a, b));
  return v < 0 ? decltype(v)(0) : v;
};

template <auto F> bool decodeMinMax(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool relu = mods.take("relu");
  Type type = mods.takeType();
  if (!type.isInteger() || type.kind == TypeKind::Bits || type.bits < 16 ||
      (relu && !(type.isSigned() && type.bits == 32)))
    return false;
  if (type.packed)
    i.run = relu ? halves2<kAtLeastZero<F>>(true) : halves2<F>(type.isSigned());
  else if (relu)
    i.run = &binary<kAtLeastZero<F>, int32_t, int32_t, int32_t>;
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
    if (mode == "wide")
      return false;
    bool high = mode == "hi";
    if (type.bits == 16)
      i.run = !high ? &madCarry<uint16_t, false> : sign ? &madCarry<int16_t, true> : &madCarry<uint16_t, true>;
    else if (type.bits == 32)
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

/// mul24, mad24: 24-bit factors; `.hi` takes bits 16 to 47 of the product.
template <bool Signed, bool High>
constexpr auto kMul24 = [](uint32_t a, uint32_t b) {
  // Each branch converts to 64 bits separately. Otherwise their common type would be unsigned, and the sign would be
  // lost.
  auto wide = [](uint32_t v) { return Signed ? int64_t{static_cast<int32_t>(v << 8) >> 8} : int64_t{v & 0xFFFFFF}; };
  int64_t product = wide(a) * wide(b);
  return static_cast<uint32_t>(High ? product >> 16 : product);
};
template <bool Add, bool Signed, bool High> Handler handler24(bool saturating) {
  using S = int32_t;
  if (saturating)
    return &ternary<[](uint32_t a, uint32_t b, S c) {
      return saturate32(int64_t(static_cast<S>(kMul24<Signed, High>(a, b))) + c);
    },
                    S, uint32_t, uint32_t, S>;
  if (Add)
    return &ternary<[](uint32_t a, uint32_t b, uint32_t c) { return kMul24<Signed, High>(a, b) + c; }, uint32_t,
                    uint32_t, uint32_t, uint32_t>;
  return &binary<kMul24<Signed, High>, uint32_t, uint32_t, uint32_t>;
}

template <bool Add> bool decode24(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view mode = mods.takeOne({"lo", "hi"});
  bool saturating = Add && mods.take("sat");
  Type type = mods.takeType();
  if (mode.empty() || !type.isInteger() || type.kind == TypeKind::Bits || type.bits != 32 || type.packed ||
      (saturating && !(type.isSigned() && mode == "hi")))
    return false;
  bool high = mode == "hi";
  i.run = type.isSigned() ? (high ? handler24<Add, true, true>(saturating) : handler24<Add, true, false>(saturating))
                          : (high ? handler24<Add, false, true>(saturating) : handler24<Add, false, false>(saturating));
  return Add ? madOperands(d, mods, type, 32, i) : binaryOperands(d, mods, type, i);
}

/// dp4a: the sum of four products of bytes. dp2a: the sum of two products of a's 16-bit halves with the low or high
/// bytes of b. Sums wrap around.
template <bool SignedA, bool SignedB, int From, int Count>
constexpr auto kDotProduct = [](uint32_t a, uint32_t b, uint32_t c) {
  constexpr int kBits = 32 / Count;
  for (int n = 0; n < Count; ++n) {
    uint32_t x = a >> (n * kBits) << (32 - kBits), y = b >> ((From + n) * 8) << 24;
    uint32_t left = SignedA ? static_cast<uint32_t>(static_cast<int32_t>(x) >> (32 - kBits)) : x >> (32 - kBits);
    c += left * (SignedB ? static_cast<uint32_t>(static_cast<int32_t>(y) >> 24) : y >> 24);
  }
  return c;
};
template <bool SignedA, bool SignedB, int From, int Count> Handler dotProduct() {
  return &ternary<kDotProduct<SignedA, SignedB, From, Count>, uint32_t, uint32_t, uint32_t, uint32_t>;
}
template <int From, int Count> Handler dotProduct(Type a, Type b) {
  return a.isSigned()
             ? (b.isSigned() ? dotProduct<true, true, From, Count>() : dotProduct<true, false, From, Count>())
             : (b.isSigned() ? dotProduct<false, true, From, Count>() : dotProduct<false, false, From, Count>());
}

bool decodeDotProduct(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool four = mods.root() == "dp4a";
  std::string_view half = four ? std::string_view{} : mods.takeOne({"lo", "hi"});
  Type a = mods.takeType(), b = mods.takeType();
  auto good = [](Type t) { return t.isInteger() && t.kind != TypeKind::Bits && t.bits == 32 && !t.packed; };
  if (!good(a) || !good(b) || (!four && half.empty()))
    return false;
  i.run = four ? dotProduct<0, 4>(a, b) : half == "lo" ? dotProduct<0, 2>(a, b) : dotProduct<2, 2>(a, b);
  return madOperands(d, mods, a, 32, i);
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
      {"add", &decodeAddSub<false>},  {"sub", &decodeAddSub<true>}, {"addc", &decodeCarry<false>},
      {"subc", &decodeCarry<true>},   {"mul", &decodeMul},          {"mad", &decodeMad<false>},
      {"madc", &decodeMad<true>},     {"mul24", &decode24<false>},  {"mad24", &decode24<true>},
      {"dp4a", &decodeDotProduct},    {"dp2a", &decodeDotProduct},  {"div", &decodeDivision<kIntegerDiv>},
      {"rem", &decodeDivision<kRem>}, {"min", &decodeMinMax<kMin>}, {"max", &decodeMinMax<kMax>},
      {"neg", &decodeNegAbs},         {"abs", &decodeNegAbs},       {"sad", &decodeSad},
  };
  return family;
}

} // namespace lanescope::core::emulator
