// f32 and f64 arithmetic (PTX ISA 9.7.3): add, sub, mul, fma, div, rcp and sqrt in every rounding mode, min, max, neg,
// abs, copysign. DecodeApproximate.cpp has the `.approx` and `.full` forms.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/instructions/FloatHandlers.h"
#include "core/gpu/emulator/instructions/Rounding.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/numbers/RoundedArithmetic.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace lanescope::core::emulator {

namespace {

constexpr auto kAdd = [](auto a, auto b) { return a + b; };
constexpr auto kSub = [](auto a, auto b) { return a - b; };
constexpr auto kMul = [](auto a, auto b) { return a * b; };
constexpr auto kDiv = [](auto a, auto b) { return a / b; };
constexpr auto kFma = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
constexpr auto kSqrt = [](auto a) { return std::sqrt(a); };
constexpr auto kRcp = [](auto a) { return decltype(a)(1) / a; };

// The same operations in a directed mode. All have three parameters.
constexpr auto kAddIn = [](const auto &in, auto a, auto b, auto) { return in.add(a, b); };
constexpr auto kSubIn = [](const auto &in, auto a, auto b, auto) { return in.subtract(a, b); };
constexpr auto kMulIn = [](const auto &in, auto a, auto b, auto) { return in.multiply(a, b); };
constexpr auto kDivIn = [](const auto &in, auto a, auto b, auto) { return in.divide(a, b); };
constexpr auto kFmaIn = [](const auto &in, auto a, auto b, auto c) { return in.fma(a, b, c); };
constexpr auto kSqrtIn = [](const auto &in, auto a, auto, auto) { return in.squareRoot(a); };
constexpr auto kRcpIn = [](const auto &in, auto a, auto, auto) { return in.divide(decltype(a)(1), a); };

template <bool Ftz> float in(float v) { return Ftz ? flushed(v) : v; }
template <bool Ftz, bool Sat> float result(float v) {
  v = canonical(v);
  if (Ftz)
    v = flushed(v);
  if (Sat)
    v = v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f; // NaN becomes +0
  return v;
}

struct F32Modes {
  bool ftz = false, sat = false;
  Rounding rounding = Rounding::Nearest;
};

/// Handles the default mode. NaN results are rare, so they are made canonical afterwards.
template <auto F> [[gnu::always_inline]] inline Step plainLanes(Warp &warp, const Instr &i, uint32_t mask) {
  const float *a = warp.reg<float>(i.a), *b = warp.reg<float>(i.b);
  alignas(32) float room[kLanes];
  float *out = mask == kAllLanes ? warp.reg<float>(i.d) : room;
  int odd = 0;
  LANESCOPE_OVER_LANES
  for (int l = 0; l < kLanes; ++l) {
    float v = F(a[l], b[l]);
    odd |= v != v ? -1 : 0;
    out[l] = v;
  }
  if (odd) [[unlikely]]
    for (int l = 0; l < kLanes; ++l)
      out[l] = canonical(out[l]);
  if (mask != kAllLanes)
    commit(warp, i.d, out, mask);
  return Step::Next;
}
template <auto F> Step plainF32(Warp &warp, const Instr &i, uint32_t mask) { return plainLanes<F>(warp, i, mask); }
#if defined(__x86_64__)
template <auto F> __attribute__((target("avx2"))) Step plainF32Wide(Warp &warp, const Instr &i, uint32_t mask) {
  return plainLanes<F>(warp, i, mask);
}
#endif

template <auto F> Handler binaryF32(const F32Modes &modes) {
  auto pick = []<bool Ftz, bool Sat>() -> Handler {
    if constexpr (!Ftz && !Sat) {
#if defined(__x86_64__)
      if (__builtin_cpu_supports("avx2"))
        return &plainF32Wide<F>;
#endif
      return &plainF32<F>;
    }
    return &binary<[](float a, float b) {
      a = in<Ftz>(a);
      b = in<Ftz>(b);
      float v = F(a, b);
      if constexpr (Ftz && std::is_same_v<std::remove_const_t<decltype(F)>, std::remove_const_t<decltype(kMul)>>)
        v = flushedFrom(static_cast<double>(a) * b, v);
      return result<Ftz, Sat>(v);
    },
                   float, float, float>;
  };
  return modes.ftz ? (modes.sat ? pick.template operator()<true, true>() : pick.template operator()<true, false>())
                   : (modes.sat ? pick.template operator()<false, true>() : pick.template operator()<false, false>());
}
template <auto F> Handler unaryF32(const F32Modes &modes) {
  return modes.ftz ? &unary<[](float a) { return result<true, false>(F(in<true>(a))); }, float, float>
                   : &unary<[](float a) { return result<false, false>(F(a)); }, float, float>;
}
enum DirectedSub : uint8_t { kModeMask = 7, kFlush = 8, kSaturate = 16 };

uint8_t directedSub(const F32Modes &modes) {
  return static_cast<uint8_t>(static_cast<uint8_t>(modes.rounding) | (modes.ftz ? kFlush : 0) |
                              (modes.sat ? kSaturate : 0));
}

template <auto F, class T, int Sources> Step directed(Warp &warp, const Instr &i, uint32_t mask) {
  const T *sources[3] = {warp.reg<T>(i.a), Sources > 1 ? warp.reg<T>(i.b) : nullptr,
                         Sources > 2 ? warp.reg<T>(i.c) : nullptr};
  alignas(32) T out[kLanes];
  {
    RoundedArithmetic arithmetic(static_cast<Rounding>(i.sub & kModeMask));
    for (int l = 0; l < kLanes; ++l) {
      T in[3] = {};
      for (int n = 0; n < Sources; ++n) {
        in[n] = sources[n][l];
        if constexpr (sizeof(T) == 4)
          in[n] = i.sub & kFlush ? flushed(in[n]) : in[n];
      }
      out[l] = F(arithmetic, in[0], in[1], in[2]);
    }
  }
  if constexpr (sizeof(T) == 4)
    for (T &v : out) {
      v = canonical(v);
      v = i.sub & kFlush ? flushed(v) : v;
      if (i.sub & kSaturate)
        v = v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f;
    }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

/// Sets the handler for directed rounding. Returns false if the type or the modes do not fit.
template <auto F, int Sources> bool useDirected(Type type, const F32Modes &modes, Instr &i) {
  if (type.isF64() && !modes.ftz && !modes.sat)
    i.run = &directed<F, double, Sources>;
  else if (type.isF32())
    i.run = &directed<F, float, Sources>;
  else
    return false;
  i.sub = directedSub(modes);
  return true;
}

template <bool IsMax, class T> T minMax(T a, T b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  if (a == b) // +0 is greater than -0
    return std::signbit(a) == IsMax ? b : a;
  return (a < b) != IsMax ? a : b;
}
template <bool IsMax> constexpr auto kMinMax = [](auto a, auto b) { return minMax<IsMax>(a, b); };
template <bool IsMax>
constexpr auto kMinMaxNan = [](auto a, auto b) {
  return std::isunordered(a, b) ? std::numeric_limits<decltype(a)>::quiet_NaN() : minMax<IsMax>(a, b);
};

bool operands(Decoder &d, const Modifiers &mods, Type type, size_t sources, Instr &i) {
  if (!d.finish(mods, sources + 1))
    return false;
  i.d = d.dest(d.operand(0), type);
  i.a = d.source(d.operand(1), type);
  if (sources > 1)
    i.b = d.source(d.operand(2), type);
  if (sources > 2)
    i.c = d.source(d.operand(3), type);
  if (type.bits == 64)
    i.cost = std::max<uint16_t>(i.cost, cost::kWideArithmetic);
  return !d.failed();
}

// --- fused multiply-add --------------------------------------------------------------------------------------------

template <class T> T signedAs(T value, bool negates) { return negates ? -value : value; }

/// Flushes results that are subnormal before rounding. They are rare (flushedFrom()).
template <class Exact> [[gnu::always_inline]] inline void flushFrom(float *out, Exact exact) {
  constexpr float kLeast = 0x1p-126f;
  int odd = 0;
  for (int l = 0; l < kLanes; ++l)
    odd |= std::fabs(out[l]) == kLeast ? -1 : 0;
  if (odd) [[unlikely]]
    for (int l = 0; l < kLanes; ++l)
      out[l] = flushedFrom(exact(l), out[l]);
}

/// The operands that a handler negates.
struct FmaSigns {
  bool product, addend;
};
template <bool Ftz, bool Sat>
[[gnu::always_inline]] inline void finishFma(Warp &warp, const Instr &i, FmaSigns signs, float *out) {
  if (Ftz)
    flushFrom(out, [&](int l) {
      double x = signedAs(in<Ftz>(warp.reg<float>(i.a)[l]), signs.product), y = in<Ftz>(warp.reg<float>(i.b)[l]);
      return x * y + signedAs(in<Ftz>(warp.reg<float>(i.c)[l]), signs.addend);
    });
  for (int l = 0; l < kLanes; ++l)
    out[l] = result<Ftz, Sat>(out[l]);
}

/// `Signs`: applies the signs in Instr::sub.
template <bool Ftz, bool Sat, bool Signs> Step fmaPortable(Warp &warp, const Instr &i, uint32_t mask) {
  const float *a = warp.reg<float>(i.a), *b = warp.reg<float>(i.b), *c = warp.reg<float>(i.c);
  FmaSigns signs{Signs && i.sub & kNegatesProduct, Signs && i.sub & kNegatesAddend};
  alignas(32) float out[kLanes];
  for (int l = 0; l < kLanes; ++l)
    out[l] = std::fma(signedAs(in<Ftz>(a[l]), signs.product), in<Ftz>(b[l]), signedAs(in<Ftz>(c[l]), signs.addend));
  finishFma<Ftz, Sat>(warp, i, signs, out);
  commit(warp, i.d, out, mask);
  return Step::Next;
}

#if defined(__x86_64__)
template <bool Ftz, bool Sat, bool Signs>
__attribute__((target("avx2,fma"))) Step fmaHardware(Warp &warp, const Instr &i, uint32_t mask) {
  const float *a = warp.reg<float>(i.a), *b = warp.reg<float>(i.b), *c = warp.reg<float>(i.c);
  FmaSigns signs{Signs && i.sub & kNegatesProduct, Signs && i.sub & kNegatesAddend};
  alignas(32) float out[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    float x = Ftz ? flushed(a[l]) : a[l], y = Ftz ? flushed(b[l]) : b[l], z = Ftz ? flushed(c[l]) : c[l];
    out[l] = __builtin_fmaf(signs.product ? -x : x, y, signs.addend ? -z : z);
  }
  finishFma<Ftz, Sat>(warp, i, signs, out);
  commit(warp, i.d, out, mask);
  return Step::Next;
}
#endif

template <bool Ftz, bool Sat, bool Signs> Handler fmaHandler() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
    return &fmaHardware<Ftz, Sat, Signs>;
#endif
  return &fmaPortable<Ftz, Sat, Signs>;
}

template <bool Signs> Handler fmaF32(const F32Modes &modes) {
  return modes.ftz ? (modes.sat ? fmaHandler<true, true, Signs>() : fmaHandler<true, false, Signs>())
                   : (modes.sat ? fmaHandler<false, true, Signs>() : fmaHandler<false, false, Signs>());
}

Step fusedF64(Warp &warp, const Instr &i, uint32_t mask) {
  const double *a = warp.reg<double>(i.a), *b = warp.reg<double>(i.b), *c = warp.reg<double>(i.c);
  alignas(32) double out[kLanes];
  for (int l = 0; l < kLanes; ++l)
    out[l] = std::fma(signedAs(a[l], i.sub & kNegatesProduct), b[l], signedAs(c[l], i.sub & kNegatesAddend));
  commit(warp, i.d, out, mask);
  return Step::Next;
}

/// The role of an operation in a fused multiply-add.
enum class Fuses : uint8_t { Not, Product, Sum, Difference };

template <auto F, auto FIn, Fuses Part>
bool decodeArithmetic(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  F32Modes modes;
  bool rounded = mods.has({"rn", "rz", "rm", "rp"});
  modes.rounding = takeRounding(mods);
  modes.ftz = mods.take("ftz");
  modes.sat = mods.take("sat");
  Type type = mods.takeType();
  if (modes.rounding != Rounding::Nearest) {
    if (!useDirected<FIn, 2>(type, modes, i))
      return false;
  } else if (type.isF64() && !modes.ftz && !modes.sat) {
    i.run = &binary<F, double, double, double>;
  } else if (type.isF32()) {
    i.run = binaryF32<F>(modes);
  } else {
    return false;
  }
  if (bool product = Part == Fuses::Product; !rounded && Part != Fuses::Not && !(product && modes.sat))
    d.mayFuse({fusedFormatOf(type.bits, modes.ftz),
               product        ? nullptr
               : type.isF64() ? &fusedF64
                              : fmaF32<true>(modes),
               Part == Fuses::Difference, modes.sat});
  return operands(d, mods, type, 2, i);
}

bool decodeFma(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  F32Modes modes;
  modes.rounding = takeRounding(mods);
  modes.ftz = mods.take("ftz");
  modes.sat = mods.take("sat");
  Type type = mods.takeType();
  if (modes.rounding != Rounding::Nearest) {
    if (!useDirected<kFmaIn, 3>(type, modes, i))
      return false;
  } else if (type.isF64() && !modes.ftz && !modes.sat) {
    i.run = &ternary<kFma, double, double, double, double>;
  } else if (type.isF32()) {
    i.run = fmaF32<false>(modes);
  } else {
    return false;
  }
  return operands(d, mods, type, 3, i);
}

// --- division, roots -----------------------------------------------------------------------------------------------

bool decodeDiv(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  F32Modes modes;
  bool rounded = mods.has({"rn", "rz", "rm", "rp"});
  modes.rounding = takeRounding(mods);
  modes.ftz = mods.take("ftz");
  Type type = mods.takeType();
  if (!rounded || !(type.isF32() || (type.isF64() && !modes.ftz)))
    return false;
  if (modes.rounding != Rounding::Nearest)
    useDirected<kDivIn, 2>(type, modes, i);
  else
    i.run = type.isF64() ? &binary<kDiv, double, double, double> : binaryF32<kDiv>(modes);
  i.cost = cost::kDivision;
  return operands(d, mods, type, 2, i);
}

/// Decodes sqrt and rcp.
template <auto F, auto FIn> bool decodeRoot(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  F32Modes modes;
  bool rounded = mods.has({"rn", "rz", "rm", "rp"});
  modes.rounding = takeRounding(mods);
  modes.ftz = mods.take("ftz");
  Type type = mods.takeType();
  if (!rounded || !(type.isF32() || (type.isF64() && !modes.ftz)))
    return false;
  if (modes.rounding != Rounding::Nearest)
    useDirected<FIn, 1>(type, modes, i);
  else
    i.run = type.isF64() ? &unary<F, double, double> : unaryF32<F>(modes);
  i.cost = cost::kDivision;
  return operands(d, mods, type, 1, i);
}

// --- comparisons that select, signs --------------------------------------------------------------------------------

/// Compares the magnitudes. The result has the sign of the product.
template <auto F>
constexpr auto kXorSign = [](float a, float b) {
  float v = F(std::fabs(a), std::fabs(b));
  return std::signbit(a) != std::signbit(b) && v == v ? -v : v;
};

/// Forms with three inputs, on sm_100 (PTX ISA, "min", "max": three inputs).
template <bool IsMax, bool Ftz, bool Nan, bool Abs>
constexpr auto kOfThree = [](float a, float b, float c) {
  auto made = [](float v) {
    v = Ftz ? flushed(v) : v;
    return Abs ? std::fabs(v) : v;
  };
  constexpr auto kPick = Nan ? +[](float x, float y) { return kMinMaxNan<IsMax>(x, y); }
                             : +[](float x, float y) { return minMax<IsMax>(x, y); };
  return canonical(kPick(kPick(made(a), made(b)), made(c)));
};
template <bool IsMax, bool Ftz, bool Nan> Handler ofThree(bool abs) {
  return abs ? &ternary<kOfThree<IsMax, Ftz, Nan, true>, float, float, float, float>
             : &ternary<kOfThree<IsMax, Ftz, Nan, false>, float, float, float, float>;
}

template <bool IsMax> bool decodeMinMax(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  F32Modes modes;
  modes.ftz = mods.take("ftz");
  bool nan = mods.take("NaN"), xorSign = mods.take("xorsign"), three = d.operandCount() == 4;
  bool abs = mods.take("abs");
  if ((xorSign && !abs) || (abs && !xorSign && !three) || (three && xorSign))
    return false;
  Type type = mods.takeType();
  if (three) {
    if (!type.isF32() || !d.requireTarget(100, "a minimum or maximum of three"))
      return false;
    i.run = modes.ftz ? (nan ? ofThree<IsMax, true, true>(abs) : ofThree<IsMax, true, false>(abs))
                      : (nan ? ofThree<IsMax, false, true>(abs) : ofThree<IsMax, false, false>(abs));
    return operands(d, mods, type, 3, i);
  }
  if (type.isF64() && !modes.ftz && !nan && !xorSign)
    i.run = &binary<kMinMax<IsMax>, double, double, double>;
  else if (type.isF32() && xorSign)
    i.run = nan ? binaryF32<kXorSign<kMinMaxNan<IsMax>>>(modes) : binaryF32<kXorSign<kMinMax<IsMax>>>(modes);
  else if (type.isF32())
    i.run = nan ? binaryF32<kMinMaxNan<IsMax>>(modes) : binaryF32<kMinMax<IsMax>>(modes);
  else
    return false;
  return operands(d, mods, type, 2, i);
}

/// ptxas replaces `neg` and `abs` by sums. So a NaN of f32 becomes the canonical NaN, and a NaN of f64 becomes quiet
/// and keeps its sign.
bool decodeSign(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  constexpr uint64_t kSign = 1ull << 63, kInfinity = 0x7FFull << 52, kQuiet = 1ull << 51;
  bool isNeg = mods.root() == "neg", ftz = mods.take("ftz");
  Type type = mods.takeType();
  if (type.isF64() && !ftz)
    i.run =
        isNeg
            ? &unary<[](uint64_t a) { return (a & ~kSign) > kInfinity ? a | kQuiet : a ^ kSign; }, uint64_t, uint64_t>
            : &unary<[](uint64_t a) { return (a & ~kSign) > kInfinity ? a | kQuiet : a & ~kSign; }, uint64_t, uint64_t>;
  else if (type.isF32() && ftz)
    i.run = isNeg ? &unary<[](float a) { return canonical(-flushed(a)); }, float, float>
                  : &unary<[](float a) { return canonical(std::fabs(flushed(a))); }, float, float>;
  else if (type.isF32())
    i.run = isNeg ? &unary<[](float a) { return canonical(-a); }, float, float>
                  : &unary<[](float a) { return canonical(std::fabs(a)); }, float, float>;
  else
    return false;
  return operands(d, mods, type, 1, i);
}

bool decodeCopysign(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.isF32()) // copysign.f32 d, a, b: the sign of a, the magnitude of b
    i.run = &binary<[](uint32_t a, uint32_t b) { return (a & 0x80000000u) | (b & 0x7FFFFFFFu); }, uint32_t, uint32_t,
                    uint32_t>;
  else if (type.isF64())
    i.run = &binary<[](uint64_t a, uint64_t b) { return (a & (1ull << 63)) | (b & ~(1ull << 63)); }, uint64_t, uint64_t,
                    uint64_t>;
  else
    return false;
  return operands(d, mods, type, 2, i);
}

} // namespace

Handler productF32(bool ftz) { return binaryF32<kMul>({.ftz = ftz}); }

const Family &floatFamily() {
  static const Family family{
      {"add", &decodeArithmetic<kAdd, kAddIn, Fuses::Sum>},
      {"sub", &decodeArithmetic<kSub, kSubIn, Fuses::Difference>},
      {"mul", &decodeArithmetic<kMul, kMulIn, Fuses::Product>},
      {"fma", &decodeFma},
      {"mad", &decodeFma},
      {"div", &decodeDiv},
      {"sqrt", &decodeRoot<kSqrt, kSqrtIn>},
      {"rcp", &decodeRoot<kRcp, kRcpIn>},
      {"min", &decodeMinMax<false>},
      {"max", &decodeMinMax<true>},
      {"neg", &decodeSign},
      {"abs", &decodeSign},
      {"copysign", &decodeCopysign},
  };
  return family;
}

} // namespace lanescope::core::emulator
