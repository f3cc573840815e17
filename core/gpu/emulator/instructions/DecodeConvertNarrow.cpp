// cvt with packed or narrow types (PTX ISA 9.7.9.21): two f32 to f16x2, bf16x2, e4m3x2 or e5m2x2; f16x2 to and from the
// 8-bit formats; tf32; cvt.pack. All results are exact. All forms of sm_90 are here, and sm_100's additions are in
// DecodeConvertMicro.cpp.
#include "core/data/Numeric.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/numbers/HalfArrays.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"
#include "core/gpu/emulator/numbers/Tf32.h"

#include <algorithm>
#include <cmath>

namespace lanescope::core::emulator {

namespace {

enum NarrowSub : uint8_t { kRelu = 1, kSatfinite = 2, kRoundZero = 4, kRoundAway = 8 };

// --- f16x2 and bf16x2 ----------------------------------------------------------------------------------------------

template <class Format> uint32_t toHalf(float v, uint8_t sub) {
  bool zero = sub & kRoundZero;
  uint16_t half;
  if constexpr (std::is_same_v<Format, F16Format>)
    half = zero ? toF16(v, Rounding::Zero) : narrowF16(v);
  else
    half = zero ? toBf16(v, Rounding::Zero) : narrowBf16(v);
  bool nan = (half & 0x7FFF) > Format::kInfinity;
  if ((sub & kRelu) && (half & 0x8000) && !nan)
    return 0;
  return (sub & kSatfinite) && (half & 0x7FFF) == Format::kInfinity ? half - 1u : half;
}

template <class Format> Step packHalves(Warp &warp, const Instr &i, uint32_t mask) {
  const float *high = warp.reg<float>(i.a), *low = warp.reg<float>(i.b);
  alignas(32) uint32_t out[kLanes];
  for (int l = 0; l < kLanes; ++l)
    out[l] = toHalf<Format>(low[l], i.sub) | toHalf<Format>(high[l], i.sub) << 16;
  commit(warp, i.d, out, mask);
  return Step::Next;
}

// The most common form, without branches for speed.
template <void (*Narrow)(const float *, uint16_t *, int)> Step packNearest(Warp &warp, const Instr &i, uint32_t mask) {
  uint16_t high[kLanes], low[kLanes];
  Narrow(warp.reg<float>(i.a), high, kLanes);
  Narrow(warp.reg<float>(i.b), low, kLanes);
  alignas(32) uint32_t out[kLanes];
  for (int l = 0; l < kLanes; ++l)
    out[l] = low[l] | static_cast<uint32_t>(high[l]) << 16;
  commit(warp, i.d, out, mask);
  return Step::Next;
}
constexpr auto kNarrowF16 = [](float v) { return narrowF16(v); };
constexpr auto kNarrowBf16 = [](float v) { return narrowBf16(v); };

bool twoFloats(Decoder &d, const Modifiers &mods, uint32_t bits, Instr &i) {
  if (!d.finish(mods, 3))
    return false;
  Type f32{TypeKind::Float, 32, false, "f32"};
  i.d = d.dest(d.operand(0), bits);
  i.a = d.source(d.operand(1), f32);
  i.b = d.source(d.operand(2), f32);
  return !d.failed();
}

// --- 8-bit formats -------------------------------------------------------------------------------------------------

/// Applies `.relu`, and then PTX's `.satfinite`.
template <Dtype Format> uint32_t toF8(float v, uint8_t sub) {
  if ((sub & kRelu) && v <= 0)
    v = 0;
  return encodeFloat(Format, v) & 0xFF;
}

template <Dtype Format> Step packF8(Warp &warp, const Instr &i, uint32_t mask) {
  const float *high = warp.reg<float>(i.a), *low = warp.reg<float>(i.b);
  alignas(32) uint16_t out[kLanes];
  for (int l = 0; l < kLanes; ++l)
    out[l] = static_cast<uint16_t>(toF8<Format>(low[l], i.sub) | toF8<Format>(high[l], i.sub) << 8);
  commit(warp, i.d, out, mask);
  return Step::Next;
}

constexpr auto kWidenF16 = [](uint16_t v) { return widenF16(v); };
constexpr auto kWidenBf16 = [](uint16_t v) { return widenBf16(v); };
template <Dtype Format, auto Widen> Step halvesToF8(Warp &warp, const Instr &i, uint32_t mask) {
  const uint32_t *a = warp.reg<uint32_t>(i.a);
  alignas(32) uint16_t out[kLanes];
  auto one = [&](uint32_t bits) { return toF8<Format>(Widen(static_cast<uint16_t>(bits)), i.sub); };
  for (int l = 0; l < kLanes; ++l)
    out[l] = static_cast<uint16_t>(one(a[l]) | one(a[l] >> 16) << 8);
  commit(warp, i.d, out, mask);
  return Step::Next;
}

template <Dtype Format, auto Narrow> Step f8ToHalves(Warp &warp, const Instr &i, uint32_t mask) {
  const uint16_t *a = warp.reg<uint16_t>(i.a);
  alignas(32) uint32_t out[kLanes];
  auto half = [&](uint32_t bits) -> uint32_t {
    auto value = static_cast<float>(decodeFloat(Format, bits));
    uint16_t h = Narrow(value);
    bool negative = std::signbit(value) && !std::isnan(value);
    return (i.sub & kRelu) && negative ? 0 : h;
  };
  for (int l = 0; l < kLanes; ++l)
    out[l] = half(a[l] & 0xFF) | half(a[l] >> 8) << 16;
  commit(warp, i.d, out, mask);
  return Step::Next;
}

bool isF8(Type type) { return type.name == "e4m3x2" || type.name == "e5m2x2"; }

bool decodeF8(Decoder &d, const Modifiers &mods, Type to, Type from, Instr &i) {
  if (!d.requireTarget(89, "a conversion of 8-bit floats"))
    return false;
  if (isF8(to) && from.isBf16x2() && !d.requireTarget(100, "conversion of `.bf16x2` to 8-bit floats"))
    return false;
  bool e4m3 = (isF8(to) ? to : from).name == "e4m3x2";
  if (i.sub & (kRoundZero | kRoundAway) || isF8(to) != static_cast<bool>(i.sub & kSatfinite))
    return false;
  if (isF8(to) && from.isF32()) {
    i.run = e4m3 ? &packF8<Dtype::F8E4M3FN> : &packF8<Dtype::F8E5M2>;
    return twoFloats(d, mods, 16, i);
  }
  if (isF8(to) && from.isF16x2())
    i.run = e4m3 ? &halvesToF8<Dtype::F8E4M3FN, kWidenF16> : &halvesToF8<Dtype::F8E5M2, kWidenF16>;
  else if (isF8(to) && from.isBf16x2())
    i.run = e4m3 ? &halvesToF8<Dtype::F8E4M3FN, kWidenBf16> : &halvesToF8<Dtype::F8E5M2, kWidenBf16>;
  else if (isF8(from) && to.isF16x2())
    i.run = e4m3 ? &f8ToHalves<Dtype::F8E4M3FN, kNarrowF16> : &f8ToHalves<Dtype::F8E5M2, kNarrowF16>;
  else if (isF8(from) && to.isBf16x2() && d.requireTarget(100, "conversion of 8-bit floats to `.bf16x2`"))
    i.run = e4m3 ? &f8ToHalves<Dtype::F8E4M3FN, kNarrowBf16> : &f8ToHalves<Dtype::F8E5M2, kNarrowBf16>;
  else
    return false;
  if (!d.finish(mods, 2))
    return false;
  i.d = d.dest(d.operand(0), to);
  i.a = d.source(d.operand(1), from.bits);
  return !d.failed();
}

// --- tf32: binary32 with the 13 lowest bits of the mantissa rounded off ---------------------------------------------

Step toTf32(Warp &warp, const Instr &i, uint32_t mask) {
  const uint32_t *a = warp.reg<uint32_t>(i.a);
  alignas(32) uint32_t out[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    uint32_t v = a[l];
    bool nan = (v & 0x7FFFFFFFu) > 0x7F800000u;
    if (i.sub & kRoundAway) // on an H200, `.rna` of a NaN keeps the bits above the lowest 13
      v = (nan ? v : v + 0x1000u) & 0xFFFFE000u;
    else if (i.sub & kRoundZero && !nan)
      v &= 0xFFFFE000u;
    else
      v = nearestTf32(v);
    if ((i.sub & kRelu) && (v & 0x80000000u) && !nan)
      v = 0;
    if ((i.sub & kSatfinite) && (v & 0x7FFFFFFFu) >= 0x7F800000u)
      v -= 0x2000u;
    out[l] = v;
  }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

// --- cvt.pack ------------------------------------------------------------------------------------------------------

/// cvt.pack.sat.type.s32{.b32} d, a, b{, c}: saturates a and b to `access` bits. The result has b in its lowest bits, a
/// above b, and the lower bits of c above a.
Step packIntegers(Warp &warp, const Instr &i, uint32_t mask) {
  const int32_t *a = warp.reg<int32_t>(i.a), *b = warp.reg<int32_t>(i.b);
  const uint32_t *c = i.c == kNone ? nullptr : warp.reg<uint32_t>(i.c);
  uint32_t bits = i.access, keep = (1u << bits) - 1;
  int32_t least = i.sub ? -(1 << (bits - 1)) : 0, most = static_cast<int32_t>(i.sub ? keep >> 1 : keep);
  alignas(32) uint32_t out[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    uint32_t high = static_cast<uint32_t>(std::clamp(a[l], least, most)) & keep;
    uint32_t low = static_cast<uint32_t>(std::clamp(b[l], least, most)) & keep;
    out[l] = low | high << bits | (c ? c[l] << (2 * bits) : 0);
  }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

bool decodePack(Decoder &d, Modifiers &mods, Instr &i) {
  std::string_view to = mods.takeOne({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  if (!mods.take("sat") || to.empty() || mods.takeType().name != "s32")
    return false;
  bool three = to.size() == 2;
  if ((three && mods.takeType().name != "b32") || !d.finish(mods, three ? 4 : 3))
    return false;
  i.access = three ? static_cast<uint8_t>(to[1] - '0') : 16;
  i.sub = to[0] == 's';
  i.d = d.dest(d.operand(0), 32);
  i.a = d.source(d.operand(1), 32);
  i.b = d.source(d.operand(2), 32);
  if (three)
    i.c = d.source(d.operand(3), 32);
  i.run = &packIntegers;
  return !d.failed();
}

bool decodeNarrowCvt(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (mods.take("pack"))
    return decodePack(d, mods, i);
  std::string_view mode = mods.takeOne({"rn", "rz", "rna"});
  i.sub = static_cast<uint8_t>((mods.take("relu") ? kRelu : 0) | (mods.take("satfinite") ? kSatfinite : 0) |
                               (mode == "rz"    ? kRoundZero
                                : mode == "rna" ? kRoundAway
                                                : 0));
  Type to = mods.takeType(), from = mods.takeType();
  if (to.bits == 0 || from.bits == 0 || mode.empty())
    return false;
  if (isF8(to) || isF8(from))
    return decodeF8(d, mods, to, from, i);
  if (to.name == "tf32") {
    bool legal = mode == "rna" ? !(i.sub & kRelu) : true;
    if (!legal || !from.isF32() || !d.finish(mods, 2))
      return false;
    bool later = mode != "rna" && (i.sub & kSatfinite);
    if ((later && !d.requireTarget(100, "`.satfinite` with this rounding")) ||
        (mode != "rna" && !d.requireTarget(90, "this rounding to tf32")))
      return false;
    i.run = &toTf32;
    i.d = d.dest(d.operand(0), 32);
    i.a = d.source(d.operand(1), from);
    return !d.failed();
  }
  if (!(to.isF16x2() || to.isBf16x2()) || !from.isF32() || mode == "rna")
    return false;
  bool isF16 = to.isF16x2();
  if (i.sub)
    i.run = isF16 ? &packHalves<F16Format> : &packHalves<Bf16Format>;
  else
    i.run = isF16 ? &packNearest<&narrowF16> : &packNearest<&narrowBf16>;
  return twoFloats(d, mods, 32, i);
}

} // namespace

const Family &convertNarrowFamily() {
  static const Family family{{"cvt", &decodeNarrowCvt}};
  return family;
}

} // namespace lanescope::core::emulator
