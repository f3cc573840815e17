// Forms of f32 arithmetic that sm_100 added, exact in every rounding mode:
//
//   fma.rn.f32x2 d, a, b, c      two f32 in one 64-bit register (PTX ISA 9.7.3)
//   add.rn.f32.f16 d, a, c       mixed precision: a (of fma a and b) is f16 or bf16 (PTX ISA 9.7.5)
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/instructions/Rounding.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/numbers/HalfArrays.h"
#include "core/gpu/emulator/numbers/RoundedArithmetic.h"

#include <cmath>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

enum FormSub : uint8_t { kFormMode = 7, kFormFlush = 8, kFormSaturate = 16, kFormBrain = 32 };

/// Sets out[n] = F(a[n], b[n], c[n]), in the modes that `sub` names.
template <auto F> void compute(const float *a, const float *b, const float *c, float *out, int count, uint8_t sub) {
  auto in = [&](float v) { return sub & kFormFlush ? flushed(v) : v; };
  {
    RoundedArithmetic arithmetic(static_cast<Rounding>(sub & kFormMode));
    for (int n = 0; n < count; ++n)
      out[n] = F(arithmetic, in(a[n]), in(b[n]), in(c[n]));
  }
  for (int n = 0; n < count; ++n) {
    float v = in(canonical(out[n]));
    out[n] = !(sub & kFormSaturate) ? v : v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f; // NaN becomes +0
  }
}

/// Treats a warp's operand as an array of 64 floats.
template <auto F, int Sources> Step onPairs(Warp &warp, const Instr &i, uint32_t mask) {
  const float *a = warp.reg<float>(i.a), *b = warp.reg<float>(i.b);
  float values[2 * kLanes];
  compute<F>(a, b, Sources > 2 ? warp.reg<float>(i.c) : b, values, 2 * kLanes, i.sub);
  alignas(32) uint64_t out[kLanes];
  std::memcpy(out, values, sizeof out);
  commit(warp, i.d, out, mask);
  return Step::Next;
}

template <auto F, int Sources> Step onMixed(Warp &warp, const Instr &i, uint32_t mask) {
  auto widen = [&](uint32_t slot, float *to) {
    const uint16_t *halves = warp.reg<uint16_t>(slot);
    i.sub &kFormBrain ? widenBf16(halves, to, kLanes) : widenF16(halves, to, kLanes);
  };
  float a[kLanes], b[kLanes];
  alignas(32) float out[kLanes];
  widen(i.a, a);
  if (Sources > 2)
    widen(i.b, b);
  const float *last = warp.reg<float>(Sources > 2 ? i.c : i.b);
  compute<F>(a, Sources > 2 ? b : last, last, out, kLanes, i.sub);
  commit(warp, i.d, out, mask);
  return Step::Next;
}

template <auto F, int Sources> bool decodeForm(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool rounded = mods.has({"rn", "rz", "rm", "rp"});
  auto sub = static_cast<uint8_t>(takeRounding(mods));
  if (mods.take("ftz"))
    sub |= kFormFlush;
  if (mods.take("sat"))
    sub |= kFormSaturate;
  bool pairs = mods.take("f32x2");
  if (!pairs && d.current().opcode.find(".f32") > d.current().opcode.find("f16")) // the type of the result comes first
    return false;
  std::string_view narrow = !pairs && mods.take("f32") ? mods.takeOne({"f16", "bf16"}) : "";
  if (pairs ? (sub & kFormSaturate) != 0 : narrow.empty() || (sub & kFormFlush))
    return false;
  if (Sources == 3 && !rounded)
    return false;
  if (!d.requireTarget(100, pairs ? "arithmetic on `.f32x2`" : "arithmetic of mixed precision") ||
      !d.finish(mods, Sources + 1))
    return false;
  // A pair is in a register of bits or of an integer.
  const Type pair{TypeKind::Unsigned, 64, false, "f32x2"}, f32{TypeKind::Bits, 32, false, "b32"},
      half{TypeKind::Bits, 16, false, "b16"};
  const Type wide = pairs ? pair : f32, narrower = pairs ? pair : half;
  i.d = d.dest(d.operand(0), wide);
  i.a = d.source(d.operand(1), narrower);
  i.b = d.source(d.operand(2), Sources > 2 ? narrower : wide);
  if (Sources > 2)
    i.c = d.source(d.operand(3), wide);
  i.sub = static_cast<uint8_t>(sub | (narrow == "bf16" ? kFormBrain : 0));
  i.run = pairs ? &onPairs<F, Sources> : &onMixed<F, Sources>;
  return !d.failed();
}

constexpr auto kFormAdd = [](const auto &in, float a, float b, float) { return in.add(a, b); };
constexpr auto kFormSub = [](const auto &in, float a, float b, float) { return in.subtract(a, b); };
constexpr auto kFormMul = [](const auto &in, float a, float b, float) { return in.multiply(a, b); };
constexpr auto kFormFma = [](const auto &in, float a, float b, float c) { return in.fma(a, b, c); };

/// Decodes mul. It has no mixed form.
bool decodeFormMul(Decoder &d, Modifiers &mods, const Instruction &instruction, Instr &i) {
  return mods.has({"f32x2"}) && decodeForm<kFormMul, 2>(d, mods, instruction, i);
}

} // namespace

const Family &floatFormFamily() {
  static const Family family{{"add", &decodeForm<kFormAdd, 2>},
                             {"sub", &decodeForm<kFormSub, 2>},
                             {"mul", &decodeFormMul},
                             {"fma", &decodeForm<kFormFma, 3>}};
  return family;
}

} // namespace lanescope::core::emulator
