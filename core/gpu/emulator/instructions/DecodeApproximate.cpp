// Instructions of the special function unit: `rcp`, `sqrt`, `rsqrt`, `ex2`, `lg2`, `sin`, `cos`, `tanh` with `.approx`,
// and `div` with `.approx` and `.full` (see the PTX ISA). Results are exact for Hopper GPUs. Blackwell's results are
// not known.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/instructions/FloatHandlers.h"
#include "core/gpu/emulator/instructions/Rounding.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/numbers/Approximations.h"
#include "core/gpu/emulator/numbers/FoldedFunctions.h"
#include "core/gpu/emulator/numbers/SpecialPolynomials.h"

#include <bit>
#include <optional>
#include <type_traits>

namespace lanescope::core::emulator {

namespace {

using namespace approximate;

/// Applies `Usual`, which handles the common arguments, to all lanes at once. If any lane has another argument, applies
/// `Any` to one lane after another.
template <auto Usual, auto Any> [[gnu::always_inline]] inline Step ofLanes(Warp &warp, const Instr &i, uint32_t mask) {
  const float *a = warp.reg<float>(i.a);
  alignas(64) float out[kLanes];
  bool odd = false;
  LANESCOPE_OVER_LANES
  for (int l = 0; l < kLanes; ++l)
    out[l] = Usual(a[l], odd);
  if (odd)
    for (int l = 0; l < kLanes; ++l)
      out[l] = Any(a[l]);
  commit(warp, i.d, out, mask);
  return Step::Next;
}
template <auto Usual, auto Any> Step lanes(Warp &warp, const Instr &i, uint32_t mask) {
  return ofLanes<Usual, Any>(warp, i, mask);
}
#if defined(__x86_64__)
template <auto Usual, auto Any>
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))) Step lanesWide(Warp &warp, const Instr &i,
                                                                             uint32_t mask) {
  return ofLanes<Usual, Any>(warp, i, mask);
}
#endif
template <auto Usual, auto Any> Handler lanesHandler() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return &lanesWide<Usual, Any>;
#endif
  return &lanes<Usual, Any>;
}

struct F16 {
  static float widen(uint16_t half) { return widenF16(half); }
  static uint16_t cut(float x) { return cutToF16(x); }
};
struct Bf16 {
  static float widen(uint16_t half) { return std::bit_cast<float>(static_cast<uint32_t>(half) << 16); }
  static uint16_t cut(float x) { return cutToBf16(x); }
};

template <class Format, auto F> uint16_t ofHalf(uint16_t x) { return Format::cut(F(Format::widen(x))); }
template <class Format, auto F> uint32_t ofHalves(uint32_t x) {
  auto lower = ofHalf<Format, F>(static_cast<uint16_t>(x)), upper = ofHalf<Format, F>(static_cast<uint16_t>(x >> 16));
  return lower | static_cast<uint32_t>(upper) << 16;
}

constexpr auto kReciprocal = [](double x) { return reciprocal(x); };
constexpr auto kInverseRoot = [](double x) { return inverseRoot(x); };

template <auto F> Handler halfHandler(Type type) {
  if (type.isF16())
    return &unary<ofHalf<F16, F>, uint16_t, uint16_t>;
  if (type.isBf16())
    return &unary<ofHalf<Bf16, F>, uint16_t, uint16_t>;
  if (type.isF16x2())
    return &unary<ofHalves<F16, F>, uint32_t, uint32_t>;
  return type.isBf16x2() ? &unary<ofHalves<Bf16, F>, uint32_t, uint32_t> : nullptr;
}

bool finish(Decoder &d, const Modifiers &mods, Type type, size_t sources, Instr &i) {
  if (!d.finish(mods, sources + 1))
    return false;
  i.d = d.dest(d.operand(0), type);
  i.a = d.source(d.operand(1), type);
  if (sources > 1)
    i.b = d.source(d.operand(2), type);
  i.cost = cost::kSpecialFunction;
  if (!d.program().machine->knownFunctions)
    d.approximate();
  return !d.failed();
}

/// A special function of a constant. ptxas computes some of these itself, and leaves the others to the unit.
template <auto Exact, bool Ftz, auto Approximate> float ofConstant(float x) {
  std::optional<float> folded = Exact(Ftz ? flushed(x) : x);
  return folded ? (Ftz ? flushed(*folded) : *folded) : Approximate(x);
}

/// `Exact`: the function for constants; nullptr if ptxas does not compute it. `Usual`: the function for common
/// arguments, if there is one.
template <auto Exact, auto Flushed, auto Whole, auto Usual = nullptr>
bool decodeF32(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("approx"))
    return false;
  bool ftz = mods.take("ftz");
  Type type = mods.takeType();
  if (!type.isF32())
    return false;
  if constexpr (std::is_null_pointer_v<decltype(Usual)>)
    i.run = ftz ? &unary<Flushed, float, float> : &unary<Whole, float, float>;
  else
    i.run = ftz ? lanesHandler<Usual, Flushed>() : lanesHandler<Usual, Whole>();
  if constexpr (!std::is_null_pointer_v<decltype(Exact)>)
    d.foldsConstant(ftz ? &unary<ofConstant<Exact, true, Flushed>, float, float>
                        : &unary<ofConstant<Exact, false, Whole>, float, float>);
  return finish(d, mods, type, 1, i);
}

/// Decodes `rcp` and `rsqrt` of doubles.
template <auto Flushed, auto Whole> bool decodeF64(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("approx"))
    return false;
  bool ftz = mods.take("ftz");
  Type type = mods.takeType();
  if (!type.isF64() || (!ftz && mods.root() != "rsqrt"))
    return false;
  i.run = ftz ? &unary<Flushed, double, double> : &unary<Whole, double, double>;
  return finish(d, mods, type, 1, i);
}

/// Decodes `ex2` and `tanh` of halves. Only `ex2` of bf16 has `.ftz`.
template <auto F> bool decodeHalves(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("approx"))
    return false;
  bool flushes = mods.take("ftz");
  Type type = mods.takeType();
  i.run = halfHandler<F>(type);
  if (!i.run || (flushes && type.kind == TypeKind::Float))
    return false;
  return finish(d, mods, type, 1, i);
}

/// Computes a sum that is fused with a quotient's product.
template <bool Ftz, bool Full> Step plusQuotient(Warp &warp, const Instr &i, uint32_t mask) {
  const float *a = warp.reg<float>(i.a), *b = warp.reg<float>(i.b), *c = warp.reg<float>(i.c);
  alignas(32) float out[kLanes];
  for (int l = 0; l < kLanes; ++l)
    out[l] = quotientPlus<Ftz, Full>(a[l], b[l], i.sub & kNegatesProduct, i.sub & kNegatesAddend ? -c[l] : c[l]);
  commit(warp, i.d, out, mask);
  return Step::Next;
}

bool decodeDiv(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view which = mods.takeOne({"approx", "full"});
  if (which.empty())
    return false;
  bool ftz = mods.take("ftz"), full = which == "full";
  Type type = mods.takeType();
  if (!type.isF32())
    return false;
  auto use = [&]<bool Ftz, bool Full>() -> Handler {
    i.run = &binary<quotient<Ftz, Full>, float, float, float>;
    return &plusQuotient<Ftz, Full>;
  };
  Handler plus = full ? (ftz ? use.operator()<true, true>() : use.operator()<false, true>())
                      : (ftz ? use.operator()<true, false>() : use.operator()<false, false>());
  if (!finish(d, mods, type, 2, i))
    return false;
  i.cost = cost::kDivision;
  d.mayFuse({.format = fusedFormatOf(type.bits, ftz), .product = productF32(ftz), .quotientPlus = plus});
  return true;
}

} // namespace

const Family &approximateFamily() {
  static const Family family{
      {"div", &decodeDiv},
      {"rcp", &decodeF32<exact::reciprocal, reciprocal<true>, reciprocal<false>, special::usualReciprocal>},
      {"rcp", &decodeF64<kReciprocal, kReciprocal>},
      {"rsqrt", &decodeF32<exact::inverseRoot, inverseRoot<true>, inverseRoot<false>, special::usualInverseRoot>},
      {"rsqrt", &decodeF64<kInverseRoot, refinedInverseRoot>},
      {"sqrt", &decodeF32<exact::root, root<true>, root<false>>},
      {"ex2", &decodeF32<exact::power, power<true>, power<false>, special::usualPower>},
      {"ex2", &decodeHalves<power<true>>},
      {"lg2", &decodeF32<exact::logarithm, logarithm<true>, logarithm<false>>},
      {"sin", &decodeF32<exact::sine, sine, sine>},
      {"cos", &decodeF32<exact::cosine, cosine, cosine>},
      {"tanh", &decodeF32<nullptr, special::hyperbolicTangent, special::hyperbolicTangent>},
      {"tanh", &decodeHalves<special::hyperbolicTangent>},
  };
  return family;
}

} // namespace lanescope::core::emulator
