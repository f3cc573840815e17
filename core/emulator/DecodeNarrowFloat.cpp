// f16 and bf16 arithmetic, one value or two packed in 32 bits (PTX ISA 9.7.4). Exact but for ex2 and tanh.
#include "core/emulator/CostModel.h"
#include "core/emulator/Decoder.h"
#include "core/emulator/Lanes.h"
#include "core/emulator/NarrowFloat.h"

#include <cmath>

namespace lanescope::core::emulator {

namespace {

enum class After : uint8_t { Plain, Flush, Saturate, Relu };

template <class Format, After What> uint16_t finishHalf(uint16_t bits) {
  if (What == After::Flush)
    return (bits & Format::kInfinity) == 0 ? bits & 0x8000 : bits;
  if (What == After::Saturate) {
    float v = Format::widen(bits);
    return v > 0.0f ? (v < 1.0f ? bits : Format::narrow(1.0f)) : 0;
  }
  if (What == After::Relu) // negative values and -0 become +0, NaN stays canonical
    return (bits & 0x7FFF) > Format::kInfinity ? kNanF16 : bits & 0x8000 ? 0 : bits;
  return bits;
}

template <class Format, After What> uint16_t inHalf(uint16_t bits) {
  return What == After::Flush && (bits & Format::kInfinity) == 0 ? static_cast<uint16_t>(bits & 0x8000) : bits;
}

template <class Format, After What, auto F> uint16_t half2(uint16_t a, uint16_t b) {
  return finishHalf<Format, What>(
      Format::narrow(F(Format::widen(inHalf<Format, What>(a)), Format::widen(inHalf<Format, What>(b)))));
}

template <class Format, After What> uint16_t halfFma(uint16_t a, uint16_t b, uint16_t c) {
  double product = static_cast<double>(Format::widen(inHalf<Format, What>(a))) *
                   static_cast<double>(Format::widen(inHalf<Format, What>(b)));
  double sum = addToOdd(product, Format::widen(inHalf<Format, What>(c)));
  return finishHalf<Format, What>(Format::narrow(toFloatOdd(sum)));
}

template <auto Half>
constexpr auto kPair1 = [](uint32_t a) {
  return static_cast<uint32_t>(Half(static_cast<uint16_t>(a))) |
         static_cast<uint32_t>(Half(static_cast<uint16_t>(a >> 16))) << 16;
};
template <auto Half>
constexpr auto kPair2 = [](uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(Half(static_cast<uint16_t>(a), static_cast<uint16_t>(b))) |
         static_cast<uint32_t>(Half(static_cast<uint16_t>(a >> 16), static_cast<uint16_t>(b >> 16))) << 16;
};
template <auto Half>
constexpr auto kPair3 = [](uint32_t a, uint32_t b, uint32_t c) {
  return static_cast<uint32_t>(Half(static_cast<uint16_t>(a), static_cast<uint16_t>(b), static_cast<uint16_t>(c))) |
         static_cast<uint32_t>(
             Half(static_cast<uint16_t>(a >> 16), static_cast<uint16_t>(b >> 16), static_cast<uint16_t>(c >> 16)))
             << 16;
};

template <auto Half> Handler handler1(bool packed) {
  return packed ? &unary<kPair1<Half>, uint32_t, uint32_t> : &unary<Half, uint16_t, uint16_t>;
}
template <auto Half> Handler handler2(bool packed) {
  return packed ? &binary<kPair2<Half>, uint32_t, uint32_t, uint32_t> : &binary<Half, uint16_t, uint16_t, uint16_t>;
}
template <auto Half> Handler handler3(bool packed) {
  return packed ? &ternary<kPair3<Half>, uint32_t, uint32_t, uint32_t, uint32_t>
                : &ternary<Half, uint16_t, uint16_t, uint16_t, uint16_t>;
}

bool isHalf(Type type) { return type.isF16() || type.isF16x2() || type.isBf16() || type.isBf16x2(); }

bool operands(Decoder &d, const Modifiers &mods, Type type, size_t sources, Instr &i) {
  if (!d.finish(mods, sources + 1))
    return false;
  i.d = d.dest(d.operand(0), type.bits);
  i.a = d.source(d.operand(1), type);
  if (sources > 1)
    i.b = d.source(d.operand(2), type);
  if (sources > 2)
    i.c = d.source(d.operand(3), type);
  return !d.failed();
}

After takeAfter(Modifiers &mods) {
  if (mods.take("ftz"))
    return After::Flush;
  if (mods.take("sat"))
    return After::Saturate;
  if (mods.take("relu"))
    return After::Relu;
  return After::Plain;
}

template <class Format, auto F> Handler arithmetic(After after, bool packed) {
  switch (after) {
  case After::Flush: return handler2<&half2<Format, After::Flush, F>>(packed);
  case After::Saturate: return handler2<&half2<Format, After::Saturate, F>>(packed);
  default: return handler2<&half2<Format, After::Plain, F>>(packed);
  }
}

template <auto F> bool decodeArithmetic(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  mods.take("rn");
  After after = takeAfter(mods);
  Type type = mods.takeType();
  if (!isHalf(type) || after == After::Relu)
    return false;
  i.run = type.kind == TypeKind::Float ? arithmetic<F16Format, F>(after, type.packed)
                                       : arithmetic<Bf16Format, F>(after, type.packed);
  return operands(d, mods, type, 2, i);
}

template <class Format> Handler fma(After after, bool packed) {
  switch (after) {
  case After::Flush: return handler3<&halfFma<Format, After::Flush>>(packed);
  case After::Saturate: return handler3<&halfFma<Format, After::Saturate>>(packed);
  case After::Relu: return handler3<&halfFma<Format, After::Relu>>(packed);
  default: return handler3<&halfFma<Format, After::Plain>>(packed);
  }
}

bool decodeFma(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  mods.take("rn");
  After after = takeAfter(mods);
  Type type = mods.takeType();
  if (!isHalf(type))
    return false;
  i.run = type.kind == TypeKind::Float ? fma<F16Format>(after, type.packed) : fma<Bf16Format>(after, type.packed);
  return operands(d, mods, type, 3, i);
}

template <class Format, bool IsMax, bool Nan> uint16_t halfMinMax(uint16_t a, uint16_t b) {
  bool nanA = (a & 0x7FFF) > Format::kInfinity, nanB = (b & 0x7FFF) > Format::kInfinity;
  if (Nan ? nanA || nanB : nanA && nanB)
    return kNanF16;
  if (nanA || nanB)
    return nanA ? b : a;
  // Order as sign-magnitude integers, which puts -0 below +0.
  auto key = [](uint16_t v) { return v & 0x8000 ? -static_cast<int>(v & 0x7FFF) - 1 : static_cast<int>(v); };
  return (key(a) < key(b)) != IsMax ? a : b;
}

template <class Format, bool IsMax> Handler minMax(bool nan, bool packed) {
  return nan ? handler2<&halfMinMax<Format, IsMax, true>>(packed) : handler2<&halfMinMax<Format, IsMax, false>>(packed);
}

template <bool IsMax> bool decodeMinMax(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool nan = mods.take("NaN");
  Type type = mods.takeType();
  if (!isHalf(type))
    return false;
  i.run = type.kind == TypeKind::Float ? minMax<F16Format, IsMax>(nan, type.packed)
                                       : minMax<Bf16Format, IsMax>(nan, type.packed);
  return operands(d, mods, type, 2, i);
}

bool decodeSign(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool isNeg = mods.root() == "neg";
  Type type = mods.takeType();
  if (!isHalf(type))
    return false;
  i.run = isNeg ? handler1<[](uint16_t a) { return static_cast<uint16_t>(a ^ 0x8000); }>(type.packed)
                : handler1<[](uint16_t a) { return static_cast<uint16_t>(a & 0x7FFF); }>(type.packed);
  return operands(d, mods, type, 1, i);
}

template <class Format, auto F> uint16_t half1(uint16_t a) { return Format::narrow(F(Format::widen(a))); }

template <auto F> bool decodeSpecial(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("approx"))
    return false;
  bool flush = mods.take("ftz");
  Type type = mods.takeType();
  if (!isHalf(type) || (flush && type.kind == TypeKind::Float))
    return false;
  i.run = type.kind == TypeKind::Float ? handler1<&half1<F16Format, F>>(type.packed)
                                       : handler1<&half1<Bf16Format, F>>(type.packed);
  i.cost = cost::kSpecialFunction;
  d.approximate();
  return operands(d, mods, type, 1, i);
}

} // namespace

const Family &narrowFloatFamily() {
  static const Family family{
      {"add", &decodeArithmetic<[](float a, float b) { return a + b; }>},
      {"sub", &decodeArithmetic<[](float a, float b) { return a - b; }>},
      {"mul", &decodeArithmetic<[](float a, float b) { return a * b; }>},
      {"fma", &decodeFma},
      {"min", &decodeMinMax<false>},
      {"max", &decodeMinMax<true>},
      {"neg", &decodeSign},
      {"abs", &decodeSign},
      {"ex2", &decodeSpecial<[](float a) { return std::exp2(a); }>},
      {"tanh", &decodeSpecial<[](float a) { return std::tanh(a); }>},
  };
  return family;
}

} // namespace lanescope::core::emulator
