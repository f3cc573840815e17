// f16 and bf16 arithmetic, for one value or two values packed in 32 bits (PTX ISA 9.7.4). ex2 and tanh are in
// DecodeApproximate.cpp.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/numbers/HalfArrays.h"

#include <cmath>

namespace lanescope::core::emulator {

namespace {

/// Steps around an operation: subnormal inputs and results are flushed, then the result is saturated or gets relu. Bit
/// flags.
enum After : uint8_t { kPlain = 0, kFlush = 1, kSaturate = 2, kRelu = 4 };

// All operations treat a warp's operand as an array of halves: 32 halves, or 64 if each register has two.

template <class Format> uint16_t flushHalf(uint16_t bits) {
  return (bits & Format::kInfinity) == 0 ? bits & 0x8000 : bits;
}

template <class Format, uint8_t What> void finishHalves(uint16_t *halves, int n) {
  if (What == kPlain)
    return;
  for (int k = 0; k < n; ++k) {
    uint16_t bits = halves[k];
    bool nan = (bits & 0x7FFF) > Format::kInfinity;
    if (What & kFlush)
      halves[k] = bits = flushHalf<Format>(bits);
    if (What & kSaturate) // sign-magnitude bits have the same order as the values; NaN becomes +0
      halves[k] = nan || bits & 0x8000 ? 0 : bits < Format::kOne ? bits : Format::kOne;
    else if (What & kRelu) // negative values and -0 become +0
      halves[k] = nan ? kNanF16 : bits & 0x8000 ? 0 : bits;
  }
}

template <class Format, uint8_t What> const uint16_t *prepare(const uint16_t *in, uint16_t *room, int n) {
  if (!(What & kFlush))
    return in;
  for (int k = 0; k < n; ++k)
    room[k] = flushHalf<Format>(in[k]);
  return room;
}

enum class Operation : uint8_t { Add, Subtract, Multiply };

template <class Format, uint8_t What, Operation Op> struct Arithmetic {
  static void run(const uint16_t *a, const uint16_t *b, const uint16_t *, uint16_t *out, int n) {
    uint16_t roomA[64], roomB[64];
    Format::template combine<Op>(prepare<Format, What>(a, roomA, n), prepare<Format, What>(b, roomB, n), out, n);
    finishHalves<Format, What>(out, n);
  }
};

template <class Format, uint8_t What> struct FusedMultiplyAdd {
  static void run(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *out, int n) {
    uint16_t roomA[64], roomB[64], roomC[64];
    Format::fma(prepare<Format, What>(a, roomA, n), prepare<Format, What>(b, roomB, n),
                prepare<Format, What>(c, roomC, n), out, n);
    finishHalves<Format, What>(out, n);
  }
};

/// XorSign: compares the magnitudes, and gives the result the sign of the product.
template <class Format, bool IsMax, bool Nan, bool Flush, bool XorSign> struct MinMax {
  static void run(const uint16_t *a, const uint16_t *b, const uint16_t *, uint16_t *out, int n) {
    uint16_t room[2][64];
    a = prepare<Format, Flush ? kFlush : kPlain>(a, room[0], n);
    b = prepare<Format, Flush ? kFlush : kPlain>(b, room[1], n);
    constexpr uint16_t kKeep = XorSign ? 0x7FFF : 0xFFFF;
    // Compares sign-magnitude integers, in whose order -0 is less than +0.
    auto key = [](uint16_t v) { return v & 0x8000 ? -static_cast<int>(v & 0x7FFF) - 1 : static_cast<int>(v); };
    for (int k = 0; k < n; ++k) {
      bool nanA = (a[k] & 0x7FFF) > Format::kInfinity, nanB = (b[k] & 0x7FFF) > Format::kInfinity;
      uint16_t x = a[k] & kKeep, y = b[k] & kKeep;
      uint16_t picked = (key(x) < key(y)) != IsMax ? x : y;
      picked = nanA ? y : nanB ? x : picked;
      if (XorSign)
        picked |= (a[k] ^ b[k]) & 0x8000;
      out[k] = (Nan ? nanA || nanB : nanA && nanB) ? kNanF16 : picked;
    }
  }
};

/// ptxas replaces `neg` and `abs` by sums. So every NaN becomes the canonical one.
template <class Format, uint16_t And, uint16_t Xor, bool Flush> struct SignBits {
  static void run(const uint16_t *a, const uint16_t *, const uint16_t *, uint16_t *out, int n) {
    for (int k = 0; k < n; ++k) { // only f16 has `.ftz` here
      uint16_t bits = Flush && (a[k] & 0x7C00) == 0 ? a[k] & 0x8000 : a[k];
      bool nan = (bits & 0x7FFF) > Format::kInfinity;
      out[k] = nan ? kNanF16 : static_cast<uint16_t>((bits & And) ^ Xor);
    }
  }
};

template <class Op, class Register> Step overHalves(Warp &warp, const Instr &i, uint32_t mask) {
  auto halves = [&](uint32_t slot) { return slot == kNone ? nullptr : warp.reg<uint16_t>(slot); };
  constexpr int kCount = sizeof(Register) == 4 ? 64 : 32;
  if (mask == kAllLanes) [[likely]] { // operations go element by element, so the result may be one of the operands
    Op::run(halves(i.a), halves(i.b), halves(i.c), halves(i.d), kCount);
    return Step::Next;
  }
  alignas(32) uint16_t out[64];
  Op::run(halves(i.a), halves(i.b), halves(i.c), out, kCount);
  alignas(32) Register whole[kLanes];
  std::memcpy(whole, out, sizeof whole);
  commit(warp, i.d, whole, mask);
  return Step::Next;
}

template <class Op> Handler handler(bool packed) {
  return packed ? &overHalves<Op, uint32_t> : &overHalves<Op, uint16_t>;
}

struct F16 {
  static constexpr uint16_t kInfinity = 0x7C00, kOne = 0x3C00;
  static void widen(const uint16_t *in, float *out, int n) { widenF16(in, out, n); }
  static void narrow(const float *in, uint16_t *out, int n) { narrowF16(in, out, n); }
  template <Operation Op> static void combine(const uint16_t *a, const uint16_t *b, uint16_t *out, int n) {
    if constexpr (Op == Operation::Add)
      addF16(a, b, out, n);
    else if constexpr (Op == Operation::Subtract)
      subtractF16(a, b, out, n);
    else
      multiplyF16(a, b, out, n);
  }
  static void fma(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *out, int n) {
    fmaF16(a, b, c, out, n);
  }
};
struct Bf16 {
  static constexpr uint16_t kInfinity = 0x7F80, kOne = 0x3F80;
  static void widen(const uint16_t *in, float *out, int n) { widenBf16(in, out, n); }
  static void narrow(const float *in, uint16_t *out, int n) { narrowBf16(in, out, n); }
  template <Operation Op> static void combine(const uint16_t *a, const uint16_t *b, uint16_t *out, int n) {
    float x[64], y[64];
    widen(a, x, n);
    widen(b, y, n);
    for (int k = 0; k < n; ++k)
      x[k] = Op == Operation::Add ? x[k] + y[k] : Op == Operation::Subtract ? x[k] - y[k] : x[k] * y[k];
    narrow(x, out, n);
  }
  static void fma(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *out, int n) {
    fmaBf16(a, b, c, out, n);
  }
};

bool isHalf(Type type) { return type.isF16() || type.isF16x2() || type.isBf16() || type.isBf16x2(); }

bool operands(Decoder &d, const Modifiers &mods, Type type, size_t sources, Instr &i) {
  if (!d.finish(mods, sources + 1))
    return false;
  i.d = d.dest(d.operand(0), type);
  i.a = d.source(d.operand(1), type);
  if (sources > 1)
    i.b = d.source(d.operand(2), type);
  if (sources > 2)
    i.c = d.source(d.operand(3), type);
  return !d.failed();
}

uint8_t takeAfter(Modifiers &mods) {
  uint8_t flush = mods.take("ftz") ? kFlush : kPlain;
  return flush | (mods.take("sat") ? kSaturate : mods.take("relu") ? kRelu : kPlain);
}

/// Calls `pick` with `after` as a constant.
template <class F> Handler withAfter(uint8_t after, F pick) {
  switch (after) {
  case kFlush: return pick.template operator()<kFlush>();
  case kSaturate: return pick.template operator()<kSaturate>();
  case kFlush | kSaturate: return pick.template operator()<uint8_t{kFlush | kSaturate}>();
  case kRelu: return pick.template operator()<kRelu>();
  case kFlush | kRelu: return pick.template operator()<uint8_t{kFlush | kRelu}>();
  default: return pick.template operator()<kPlain>();
  }
}

template <class Format, Operation Op> Handler arithmetic(uint8_t after, bool packed) {
  return withAfter(after, [&]<uint8_t What>() { return handler<Arithmetic<Format, What, Op>>(packed); });
}

/// Computes a sum that is fused with a product.
template <class Op, class Register> Step fusedHalves(Warp &warp, const Instr &i, uint32_t mask) {
  constexpr int kCount = sizeof(Register) == 4 ? 64 : 32;
  auto signedAs = [&](uint32_t slot, uint8_t which, uint16_t *room) {
    const uint16_t *halves = warp.reg<uint16_t>(slot);
    for (int k = 0; k < kCount; ++k)
      room[k] = static_cast<uint16_t>(halves[k] ^ (i.sub & which ? 0x8000 : 0));
    return room;
  };
  uint16_t factor[64], addend[64], out[64];
  Op::run(signedAs(i.a, kNegatesProduct, factor), warp.reg<uint16_t>(i.b), signedAs(i.c, kNegatesAddend, addend), out,
          kCount);
  alignas(32) Register whole[kLanes];
  std::memcpy(whole, out, sizeof whole);
  commit(warp, i.d, whole, mask);
  return Step::Next;
}

template <class Format> Handler fused(uint8_t after, bool packed) {
  return withAfter(after, [&]<uint8_t What>() -> Handler {
    return packed ? &fusedHalves<FusedMultiplyAdd<Format, What>, uint32_t>
                  : &fusedHalves<FusedMultiplyAdd<Format, What>, uint16_t>;
  });
}

template <Operation Op> bool decodeArithmetic(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool rounded = mods.take("rn");
  uint8_t after = takeAfter(mods);
  Type type = mods.takeType();
  if (!isHalf(type) || after & kRelu || (after && type.kind != TypeKind::Float))
    return false;
  i.run =
      type.kind == TypeKind::Float ? arithmetic<F16, Op>(after, type.packed) : arithmetic<Bf16, Op>(after, type.packed);
  bool product = Op == Operation::Multiply, half = type.kind == TypeKind::Float;
  if (!rounded && !(product && after & kSaturate)) {
    uint32_t format = 1024u + type.bits * 8u + type.packed * 4u + half * 2u + (after & kFlush ? 1 : 0);
    d.mayFuse({format,
               product ? nullptr
               : half  ? fused<F16>(after, type.packed)
                       : fused<Bf16>(after, type.packed),
               Op == Operation::Subtract});
  }
  return operands(d, mods, type, 2, i);
}

template <class Format> Handler fma(uint8_t after, bool packed) {
  return withAfter(after, [&]<uint8_t What>() { return handler<FusedMultiplyAdd<Format, What>>(packed); });
}

bool decodeFma(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  mods.take("rn");
  uint8_t after = takeAfter(mods);
  Type type = mods.takeType();
  if (!isHalf(type) || (after & ~kRelu && type.kind != TypeKind::Float))
    return false;
  i.run = type.kind == TypeKind::Float ? fma<F16>(after, type.packed) : fma<Bf16>(after, type.packed);
  return operands(d, mods, type, 3, i);
}

struct MinMaxForm {
  bool nan = false, flush = false, xorSign = false;
};

template <class Format, bool IsMax> Handler minMax(const MinMaxForm &form, bool packed) {
  auto pick = [&]<bool Nan, bool Flush>() -> Handler {
    return form.xorSign ? handler<MinMax<Format, IsMax, Nan, Flush, true>>(packed)
                        : handler<MinMax<Format, IsMax, Nan, Flush, false>>(packed);
  };
  return form.nan ? (form.flush ? pick.template operator()<true, true>() : pick.template operator()<true, false>())
                  : (form.flush ? pick.template operator()<false, true>() : pick.template operator()<false, false>());
}

template <bool IsMax> bool decodeMinMax(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  MinMaxForm form{.nan = mods.take("NaN"), .flush = mods.take("ftz"), .xorSign = mods.take("xorsign")};
  if (form.xorSign && !mods.take("abs"))
    return false;
  Type type = mods.takeType();
  if (!isHalf(type) || (form.flush && type.kind != TypeKind::Float))
    return false;
  i.run = type.kind == TypeKind::Float ? minMax<F16, IsMax>(form, type.packed) : minMax<Bf16, IsMax>(form, type.packed);
  return operands(d, mods, type, 2, i);
}

bool decodeSign(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool isNeg = mods.root() == "neg", flush = mods.take("ftz");
  Type type = mods.takeType();
  if (!isHalf(type) || (flush && type.kind != TypeKind::Float))
    return false;
  auto pick = [&]<class Format, bool Flush>() -> Handler {
    return isNeg ? handler<SignBits<Format, 0xFFFF, 0x8000, Flush>>(type.packed)
                 : handler<SignBits<Format, 0x7FFF, 0, Flush>>(type.packed);
  };
  i.run = type.kind != TypeKind::Float ? pick.template operator()<Bf16Format, false>()
          : flush                      ? pick.template operator()<F16Format, true>()
                                       : pick.template operator()<F16Format, false>();
  return operands(d, mods, type, 1, i);
}

} // namespace

const Family &narrowFloatFamily() {
  static const Family family{
      {"add", &decodeArithmetic<Operation::Add>},
      {"sub", &decodeArithmetic<Operation::Subtract>},
      {"mul", &decodeArithmetic<Operation::Multiply>},
      {"fma", &decodeFma},
      {"min", &decodeMinMax<false>},
      {"max", &decodeMinMax<true>},
      {"neg", &decodeSign},
      {"abs", &decodeSign},
  };
  return family;
}

} // namespace lanescope::core::emulator
