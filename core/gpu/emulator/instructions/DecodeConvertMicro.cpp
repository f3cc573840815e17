// Forms of cvt that sm_100 added (PTX ISA, "cvt"): floats of 4 and 6 bits, powers of two (ue8m0), scaled fixed-point
// numbers (s2f6), and stochastic rounding of f32 to 16, 8, 6 and 4 bits. All results are exact, except those of
// stochastic rounding. The ISA defines which random bits are used. The names of the forms suggest that they are added
// below the last bit, and that the sum is truncated.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lanescope::core::emulator {

namespace {

enum class Micro : uint8_t { E4M3, E5M2, E2M3, E3M2, E2M1, UE8M0, S2F6, F16, BF16 };

/// A format with a sign bit. `largest`: its largest finite value. `nan`: the code for NaN; in formats without a NaN, it
/// is the code of the largest value.
struct Format {
  int exponentBits, fractionBits, bias;
  double largest;
  uint32_t nan;

  int bits() const { return 1 + exponentBits + fractionBits; }
};
constexpr Format kFormats[] = {{4, 3, 7, 448, 0x7F},
                               {5, 2, 15, 57344, 0x7F},
                               {2, 3, 1, 7.5, 0x1F},
                               {3, 2, 3, 28, 0x1F},
                               {2, 1, 1, 6, 0x07},
                               {},
                               {},
                               {5, 10, 15, 65504, 0x7FFF},
                               {8, 7, 127, 0x1.FEp127, 0x7FFF}};
const Format &formatOf(Micro type) { return kFormats[static_cast<int>(type)]; }

enum MicroSub : uint8_t { kMicroRelu = 1, kMicroSatfinite = 2, kMicroUp = 4 };

/// The code of a value that has been rounded to a multiple of the format's unit. The value is at most one step above
/// the largest one.
uint32_t codeOf(const Format &format, double magnitude, bool negative) {
  uint32_t code = 0;
  if (magnitude != 0) {
    int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
    auto significand = static_cast<uint32_t>(std::ldexp(magnitude, format.fractionBits - exponent));
    code = significand + (static_cast<uint32_t>(exponent + format.bias - 1) << format.fractionBits);
  }
  return code | static_cast<uint32_t>(negative) << (format.bits() - 1);
}

/// `fraction`: the part of a unit that is added before truncation. If it is negative, rounds to nearest, ties to even.
uint32_t encodeMicro(Micro type, float value, double fraction, uint8_t sub) {
  const Format &format = formatOf(type);
  if (value != value)
    return format.nan;
  if ((sub & kMicroRelu) && std::signbit(value))
    return 0;
  double magnitude = std::fabs(static_cast<double>(value));
  if (std::isfinite(magnitude) && magnitude != 0) {
    double unit = std::ldexp(1.0, std::max(std::ilogb(magnitude), 1 - format.bias) - format.fractionBits);
    magnitude = (fraction < 0 ? std::nearbyint(magnitude / unit) : std::floor(magnitude / unit + fraction)) * unit;
  }
  if (magnitude > format.largest) {
    if ((type == Micro::F16 || type == Micro::BF16) && !(sub & kMicroSatfinite))
      return (type == Micro::F16 ? 0x7C00u : 0x7F80u) | static_cast<uint32_t>(std::signbit(value)) << 15;
    magnitude = format.largest;
  }
  return codeOf(format, magnitude, std::signbit(value));
}

float decodeMicro(Micro type, uint32_t code) {
  const Format &format = formatOf(type);
  uint32_t fraction = code & ((1u << format.fractionBits) - 1);
  auto exponent = static_cast<int>(code >> format.fractionBits & ((1u << format.exponentBits) - 1));
  float value = std::ldexp(static_cast<float>(fraction | (exponent ? 1u << format.fractionBits : 0)),
                           std::max(exponent, 1) - format.bias - format.fractionBits);
  return code >> (format.bits() - 1) & 1 ? -value : value;
}

/// The largest power of two that is not above the magnitude or, with kMicroUp, the smallest that is not below it.
uint32_t encodePower(float value, uint8_t sub) {
  uint32_t bits = std::bit_cast<uint32_t>(value) & 0x7FFFFFFFu, exponent = bits >> 23, fraction = bits & 0x7FFFFFu;
  if (bits > 0x7F800000u)
    return 0xFF;
  // 2^-127, code 0, is a subnormal number of f32: 0x400000.
  bool above = exponent ? fraction != 0 : fraction > 0x400000u;
  uint32_t code = exponent + ((sub & kMicroUp) && above && exponent < 0xFF);
  return (sub & kMicroSatfinite) && code == 0xFF ? 0xFE : code;
}
uint16_t powerToBf16(uint32_t code) {
  return code == 0xFF ? kNanF16 : code == 0 ? uint16_t{0x0040} : static_cast<uint16_t>(code << 7);
}
double powerOf(uint32_t code) { return code == 0xFF ? std::nan("") : std::ldexp(1.0, static_cast<int>(code) - 127); }

/// value / scale as a number in two's complement, in units of 1/64.
uint32_t encodeFixed(float value, uint32_t scale, uint8_t sub) {
  double units = static_cast<double>(value) / powerOf(scale) * 64;
  if (units != units)
    return 0x7F;
  units = std::clamp(std::nearbyint(units), sub & kMicroRelu ? 0.0 : -128.0, 127.0);
  return static_cast<uint32_t>(static_cast<int>(units)) & 0xFF;
}
uint16_t fixedToBf16(uint32_t code, uint32_t scale, uint8_t sub) {
  double value = static_cast<int8_t>(code) / 64.0 * powerOf(scale);
  if (value != value)
    return kNanF16;
  if ((sub & kMicroRelu) && value < 0)
    value = 0;
  auto half = narrowBf16(toFloatOdd(value));
  return (sub & kMicroSatfinite) && (half & 0x7FFF) == 0x7F80 ? static_cast<uint16_t>(half - 1) : half;
}

/// Half n of a register that holds two f16 or bf16.
float halfOf(uint32_t bits, int n, bool isF16) {
  auto half = static_cast<uint16_t>(bits >> 16 * n);
  return isF16 ? widenF16(half) : widenBf16(half);
}

// --- two values ------------------------------------------------------------------------------------------------------

/// The source of the two values: F16 is f16x2, BF16 is bf16x2, and Floats is two f32.
enum class From : uint8_t { Floats, F16, BF16 };

/// a: the upper value, or both values. b: the lower value if the values are f32. c: the scales of s2f6.
template <Micro To, From Source> Step narrowTwo(Warp &warp, const Instr &i, uint32_t mask) {
  constexpr int kShift = To == Micro::E2M1 ? 4 : 8;
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = Source == From::Floats ? warp.reg<uint32_t>(i.b) : nullptr;
  const uint16_t *scales = i.c == kNone ? nullptr : warp.reg<uint16_t>(i.c);
  alignas(32) uint16_t out[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    auto one = [&](int n) -> uint32_t {
      float value =
          Source == From::Floats ? std::bit_cast<float>(n ? a[l] : b[l]) : halfOf(a[l], n, Source == From::F16);
      if constexpr (To == Micro::UE8M0)
        return encodePower(value, i.sub);
      else if constexpr (To == Micro::S2F6)
        return encodeFixed(value, scales ? scales[l] >> 8 * n & 0xFF : 127, i.sub);
      else
        return encodeMicro(To, value, -1, i.sub);
    };
    out[l] = static_cast<uint16_t>(one(0) | one(1) << kShift);
  }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

/// Converts two values to f16x2. Those in ue8m0 and s2f6 are converted to bf16x2.
template <Micro Source> Step widenTwo(Warp &warp, const Instr &i, uint32_t mask) {
  constexpr int kShift = Source == Micro::E2M1 ? 4 : 8;
  const uint16_t *a = warp.reg<uint16_t>(i.a), *scales = i.c == kNone ? nullptr : warp.reg<uint16_t>(i.c);
  alignas(32) uint32_t out[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    auto one = [&](int n) -> uint32_t {
      uint32_t code = a[l] >> kShift * n & ((1u << kShift) - 1);
      if constexpr (Source == Micro::UE8M0)
        return powerToBf16(code);
      if constexpr (Source == Micro::S2F6)
        return fixedToBf16(code, scales ? scales[l] >> 8 * n & 0xFF : 127, i.sub);
      float value = decodeMicro(Source, code);
      return (i.sub & kMicroRelu) && std::signbit(value) ? 0u : narrowF16(value);
    };
    out[l] = one(0) | one(1) << 16;
  }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

// --- stochastic rounding ---------------------------------------------------------------------------------------------

/// list: a, b (and e, f). b: the random bits. "two 16-bit values are provided from rbits …"
template <Micro To, int Count> Step roundAtRandom(Warp &warp, const Instr &i, uint32_t mask) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list, *random = warp.reg<uint32_t>(i.b);
  constexpr int kShift = Count == 2 ? 16 : To == Micro::E2M1 ? 4 : 8;
  alignas(32) uint32_t out[kLanes] = {};
  for (int l = 0; l < kLanes; ++l)
    for (int n = 0; n < Count; ++n) { // the last value is in the lowest bits
      int place = Count - 1 - n;
      double fraction;
      if constexpr (To == Micro::F16)
        fraction = std::ldexp(random[l] >> 16 * place & 0x1FFF, -13);
      else if constexpr (To == Micro::E2M1)
        fraction = std::ldexp(random[l] >> (place % 2 * 16 + place / 2 * 8) & 0xFF, -8);
      else
        fraction = std::ldexp(random[l] >> 16 * (Count == 2 ? place : place / 2) & 0xFFFF, -16);
      out[l] |= encodeMicro(To, warp.reg<float>(slots[n])[l], fraction, i.sub) << kShift * place;
    }
  if constexpr (Count == 4 && To == Micro::E2M1) {
    alignas(32) uint16_t narrow[kLanes];
    std::copy_n(out, kLanes, narrow);
    commit(warp, i.d, narrow, mask);
  } else {
    commit(warp, i.d, out, mask);
  }
  return Step::Next;
}

bool decodeRandom(Decoder &d, Modifiers &mods, Instr &i) {
  struct Form {
    std::string_view name;
    Handler run;
    uint32_t count, bits;
  };
  static constexpr Form kForms[] = {
      {"f16x2", &roundAtRandom<Micro::F16, 2>, 2, 32},   {"bf16x2", &roundAtRandom<Micro::BF16, 2>, 2, 32},
      {"e4m3x4", &roundAtRandom<Micro::E4M3, 4>, 4, 32}, {"e5m2x4", &roundAtRandom<Micro::E5M2, 4>, 4, 32},
      {"e2m3x4", &roundAtRandom<Micro::E2M3, 4>, 4, 32}, {"e3m2x4", &roundAtRandom<Micro::E3M2, 4>, 4, 32},
      {"e2m1x4", &roundAtRandom<Micro::E2M1, 4>, 4, 16}};
  const Form *found = nullptr;
  for (const Form &form : kForms)
    if (!found && mods.take(form.name))
      found = &form;
  if (!found || !mods.takeType().isF32() || (found->count == 4 && !(i.sub & kMicroSatfinite)) ||
      !d.finish(mods, found->count == 4 ? 3 : 4))
    return false;
  std::string_view target = d.program().module->target;
  if (target != "sm_100a" && target != "sm_103a")
    return d.fail(Message("stochastic rounding is for `.target sm_100a` and `sm_103a`, and this is `{}`", target));
  Type f32{TypeKind::Float, 32, false, "f32"};
  i.d = d.dest(d.operand(0), found->bits);
  i.run = found->run;
  d.approximate();
  if (found->count == 4) {
    i.b = d.source(d.operand(2), 32);
    return d.sourceList(d.operand(1), f32, i) && (i.listSize == 4 || d.fail("four values are expected in `{ }`"));
  }
  i.b = d.source(d.operand(3), 32);
  i.list = static_cast<uint32_t>(d.program().lists.size());
  i.listSize = 2;
  for (size_t n = 1; n <= 2; ++n)
    d.program().lists.push_back(d.source(d.operand(n), f32));
  return !d.failed();
}

// --- decoding --------------------------------------------------------------------------------------------------------

struct TypeName {
  std::string_view name;
  Micro type;
};
constexpr TypeName kTypeNames[] = {{"e2m3x2", Micro::E2M3},
                                   {"e3m2x2", Micro::E3M2},
                                   {"e2m1x2", Micro::E2M1},
                                   {"ue8m0x2", Micro::UE8M0},
                                   {"s2f6x2", Micro::S2F6}};

template <Micro To> Handler narrowFrom(From from) {
  return from == From::Floats ? &narrowTwo<To, From::Floats>
         : from == From::F16  ? &narrowTwo<To, From::F16>
                              : &narrowTwo<To, From::BF16>;
}
Handler narrowHandler(Micro to, From from) {
  switch (to) {
  case Micro::E2M3: return narrowFrom<Micro::E2M3>(from);
  case Micro::E3M2: return narrowFrom<Micro::E3M2>(from);
  case Micro::E2M1: return narrowFrom<Micro::E2M1>(from);
  case Micro::UE8M0: return narrowFrom<Micro::UE8M0>(from);
  default: return narrowFrom<Micro::S2F6>(from);
  }
}
Handler widenHandler(Micro from) {
  switch (from) {
  case Micro::E2M3: return &widenTwo<Micro::E2M3>;
  case Micro::E3M2: return &widenTwo<Micro::E3M2>;
  case Micro::E2M1: return &widenTwo<Micro::E2M1>;
  case Micro::UE8M0: return &widenTwo<Micro::UE8M0>;
  default: return &widenTwo<Micro::S2F6>;
  }
}

/// The register bits of the narrow side. `.b8` registers have 16 bits here.
constexpr uint32_t kNarrowBits = 16;

bool decodeMicroCvt(Decoder &d, Modifiers &mods, const Instruction &instruction, Instr &i) {
  std::string_view opcode = instruction.opcode;
  auto says = [&](std::string_view part) { return opcode.find(part) != std::string_view::npos; };
  bool random = says(".rs.");
  const TypeName *narrow = nullptr;
  for (const TypeName &name : kTypeNames)
    if (mods.has({name.name}))
      narrow = &name;
  if (!random && !narrow)
    return false;
  std::string_view mode = mods.takeOne({"rn", "rz", "rp", "rs"});
  bool relu = mods.take("relu"), saturates = mods.take("satfinite"), scaled = mods.take("scaled::n2::ue8m0");
  i.sub =
      static_cast<uint8_t>((relu ? kMicroRelu : 0) | (saturates ? kMicroSatfinite : 0) | (mode == "rp" ? kMicroUp : 0));
  if (random)
    return mode == "rs" && decodeRandom(d, mods, i);
  // Finds out which side is narrow. The types come in the order d, a.
  size_t at = opcode.find(narrow->name);
  bool toNarrow = opcode.find('.', at) != std::string_view::npos;
  mods.take(narrow->name);
  Type other = mods.takeType();
  bool power = narrow->type == Micro::UE8M0, fixed = narrow->type == Micro::S2F6;
  bool fits = toNarrow ? other.isF32() || other.isBf16x2() || (other.isF16x2() && !power && !fixed)
                       : (power || fixed ? other.isBf16x2() : other.isF16x2());
  bool legalMode = power && toNarrow ? mode == "rz" || mode == "rp" : mode == "rn";
  // Conversions to narrow types need `.satfinite`, except those to powers of two. Among the conversions from narrow
  // types, only those from fixed-point numbers may have it.
  bool legalSaturation = toNarrow ? saturates || power : !saturates || fixed;
  if (!fits || !legalMode || !legalSaturation || (scaled && !fixed) || (relu && power) ||
      !d.requireTarget(100, "this conversion"))
    return false;
  if (!hasOwnFeatures(d.program().module->target))
    return d.fail(
        Message("`{instruction}` is for `.target sm_100a` and others that end in `a` or `f`, and this is `{}`", opcode,
                d.program().module->target));
  size_t sources = toNarrow && other.isF32() ? 2 : 1;
  if (!d.finish(mods, 1 + sources + scaled))
    return false;
  From from = other.isF32() ? From::Floats : other.isF16x2() ? From::F16 : From::BF16;
  i.run = toNarrow ? narrowHandler(narrow->type, from) : widenHandler(narrow->type);
  i.d = d.dest(d.operand(0), toNarrow ? kNarrowBits : 32);
  i.a = toNarrow ? d.source(d.operand(1), 32) : d.source(d.operand(1), kNarrowBits);
  if (sources == 2)
    i.b = d.source(d.operand(2), 32);
  if (scaled)
    i.c = d.source(d.operand(1 + sources), 16);
  return !d.failed();
}

} // namespace

const Family &convertMicroFamily() {
  static const Family family{{"cvt", &decodeMicroCvt}};
  return family;
}

} // namespace lanescope::core::emulator
