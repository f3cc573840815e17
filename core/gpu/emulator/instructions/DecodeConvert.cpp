// cvt (PTX ISA 9.7.9.21) between integers, f16, bf16, f32 and f64, in all rounding modes. All results are exact. The
// packed and narrow forms are in DecodeConvertNarrow.cpp.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"
#include "core/gpu/emulator/numbers/RoundedArithmetic.h"

#include <algorithm>
#include <cmath>

namespace lanescope::core::emulator {

namespace {

// One conversion. It reads the source as a 64-bit integer or a double, changes it, and writes it. The general path is a
// loop over lanes; `Instr::imm` holds the variant. Frequent conversions have their own handlers.
struct Conversion {
  Type from, to;
  Rounding rounding = Rounding::Nearest;
  bool toInteger = false; // .rni, .rzi, …: rounds to an integer, also from float to float
  bool ftz = false, sat = false, relu = false, satfinite = false;
};

double roundToInteger(double v, Rounding mode) {
  switch (mode) {
  case Rounding::Zero: return std::trunc(v);
  case Rounding::Down: return std::floor(v);
  case Rounding::Up: return std::ceil(v);
  default: return std::nearbyint(v); // the default mode of <cfenv>, to the nearest even number
  }
}

template <class T> uint64_t saturateFrom(double v, bool fromF64) {
  // A NaN gives 0. If f64 or a 64-bit integer takes part, it gives the "indefinite" value (PTX ISA, cvt, "Notes").
  if (v != v) {
    if (!fromF64 && sizeof(T) < 8)
      return 0;
    return static_cast<uint64_t>(1) << (8 * sizeof(T) - 1);
  }
  constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double kHigh =
      sizeof(T) == 8 ? (std::is_signed_v<T> ? 0x1p63 : 0x1p64) : static_cast<double>(std::numeric_limits<T>::max());
  if (v <= kLow)
    return static_cast<uint64_t>(std::numeric_limits<T>::min());
  if (v >= kHigh)
    return static_cast<uint64_t>(std::numeric_limits<T>::max());
  return static_cast<uint64_t>(static_cast<T>(v));
}

uint64_t floatToInteger(double v, Type to, bool fromF64) {
  bool sign = to.isSigned();
  switch (to.bits) {
  case 8: return sign ? saturateFrom<int8_t>(v, fromF64) : saturateFrom<uint8_t>(v, fromF64);
  case 16: return sign ? saturateFrom<int16_t>(v, fromF64) : saturateFrom<uint16_t>(v, fromF64);
  case 32: return sign ? saturateFrom<int32_t>(v, fromF64) : saturateFrom<uint32_t>(v, fromF64);
  default: return sign ? saturateFrom<int64_t>(v, fromF64) : saturateFrom<uint64_t>(v, fromF64);
  }
}

uint64_t extend(uint64_t bits, Type type) {
  switch (type.bits) {
  case 8: return type.isSigned() ? static_cast<uint64_t>(static_cast<int8_t>(bits)) : bits & 0xFF;
  case 16: return type.isSigned() ? static_cast<uint64_t>(static_cast<int16_t>(bits)) : bits & 0xFFFF;
  case 32: return type.isSigned() ? static_cast<uint64_t>(static_cast<int32_t>(bits)) : bits & 0xFFFFFFFF;
  default: return bits;
  }
}

uint64_t saturateInteger(uint64_t value, Type from, Type to) {
  bool negative = from.isSigned() && static_cast<int64_t>(value) < 0;
  if (to.isSigned()) {
    auto most = static_cast<int64_t>((1ull << (to.bits - 1)) - 1);
    if (negative)
      return static_cast<uint64_t>(std::max(static_cast<int64_t>(value), -most - 1));
    return std::min(value, static_cast<uint64_t>(most));
  }
  uint64_t most = to.bits == 64 ? ~0ull : (1ull << to.bits) - 1;
  return negative ? 0 : std::min(value, most);
}

/// A double that rounds to f32, f16 and bf16 in the same way as the integer does: the integer is rounded to odd at 53
/// bits.
double integerToOdd(uint64_t value, bool isSigned) {
  if (isSigned) {
    auto v = static_cast<int64_t>(value);
    return addToOdd(static_cast<double>(v >> 32) * 0x1p32, static_cast<double>(static_cast<uint32_t>(v)));
  }
  return addToOdd(static_cast<double>(value >> 32) * 0x1p32, static_cast<double>(static_cast<uint32_t>(value)));
}

/// The integer as a double in the rounding mode. Each half of the integer is exact in a double, so their sum is rounded
/// once.
double integerToDouble(uint64_t value, bool isSigned, Rounding mode) {
  double high = isSigned ? static_cast<double>(static_cast<int64_t>(value) >> 32) : static_cast<double>(value >> 32);
  return RoundedArithmetic(mode).add(high * 0x1p32, static_cast<double>(static_cast<uint32_t>(value)));
}

/// Converts a NaN of f64 as an H200 does: it becomes quiet, and keeps its sign and the upper bits of its payload.
uint64_t narrowNan(double v, Type to) {
  auto bits = std::bit_cast<uint64_t>(v);
  uint64_t sign = bits >> 63;
  return to.isF32()   ? sign << 31 | 0x7FC00000 | (bits >> 29 & 0x7FFFFF)
         : to.isF16() ? sign << 15 | 0x7E00 | (bits >> 42 & 0x3FF)
                      : sign << 15 | 0x7FC0 | (bits >> 45 & 0x7F);
}

uint64_t encodeTo(const Conversion &c, double v) {
  if (v != v && c.from.isF64() && !c.to.isF64() && !c.relu && !c.sat)
    return narrowNan(v, c.to);
  if (c.relu && v <= 0)
    v = 0; // also in place of -0
  if (c.sat)
    v = v > 0 ? std::min(v, 1.0) : 0.0;
  if (c.to.isF64())
    return std::bit_cast<uint64_t>(v);
  if (c.to.isF32()) {
    // an H200 keeps the sign and the upper bits of a NaN that is converted from f64
    if (v != v && c.from.isF64() && !c.sat) {
      auto bits = std::bit_cast<uint64_t>(v);
      return static_cast<uint32_t>(bits >> 32 & 0x80000000u) | 0x7FC00000u |
             static_cast<uint32_t>(bits >> 29 & 0x3FFFFFu);
    }
    float f = canonical(toFloat(v, c.rounding));
    return std::bit_cast<uint32_t>(c.ftz ? flushed(f) : f);
  }
  uint16_t half = c.to.isF16() ? toF16(toFloatOdd(v), c.rounding) : toBf16(toFloatOdd(v), c.rounding);
  uint16_t infinity = c.to.isF16() ? F16Format::kInfinity : Bf16Format::kInfinity;
  return c.satfinite && (half & 0x7FFF) == infinity ? half - 1u : half; // the largest number of that sign
}

double decodeFrom(const Conversion &c, uint64_t bits) {
  if (c.from.isF64())
    return std::bit_cast<double>(bits);
  if (c.from.isF32()) {
    auto f = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (c.ftz && c.to.isF64()) // on an H200 a NaN keeps its bits only without `.ftz`
      return canonical(flushed(f));
    return c.ftz && !c.to.isF16() ? flushed(f) : f; // an H200 rounds a subnormal to f16 as if `.ftz` were not there
  }
  return c.from.isF16() ? widenF16(static_cast<uint16_t>(bits)) : widenBf16(static_cast<uint16_t>(bits));
}

uint64_t convertOne(const Conversion &c, uint64_t bits) {
  if (c.from.isInteger()) {
    uint64_t value = extend(bits, c.from);
    if (c.to.isInteger())
      return extend(c.sat ? saturateInteger(value, c.from, c.to) : value, c.to);
    return encodeTo(c, c.to.isF64() ? integerToDouble(value, c.from.isSigned(), c.rounding)
                                    : integerToOdd(value, c.from.isSigned()));
  }
  double v = decodeFrom(c, bits);
  if (c.to.isInteger())
    return extend(floatToInteger(roundToInteger(v, c.rounding), c.to, c.from.isF64()), c.to);
  if (c.toInteger) {
    Conversion exact = c;
    exact.rounding = Rounding::Nearest;
    return encodeTo(exact, roundToInteger(v, c.rounding));
  }
  return encodeTo(c, v);
}

Conversion unpackConversion(const Instr &i) {
  auto type = [](uint64_t code) {
    Type t;
    t.kind = static_cast<TypeKind>(code >> 8 & 0xFF);
    t.bits = static_cast<uint8_t>(code & 0xFF);
    return t;
  };
  Conversion c;
  c.from = type(i.imm);
  c.to = type(i.imm >> 16);
  c.rounding = static_cast<Rounding>(i.imm >> 32 & 0xF);
  c.toInteger = i.imm >> 36 & 1;
  c.ftz = i.imm >> 37 & 1;
  c.sat = i.imm >> 38 & 1;
  c.relu = i.imm >> 39 & 1;
  c.satfinite = i.imm >> 40 & 1;
  return c;
}

uint64_t packConversion(const Conversion &c) {
  auto type = [](Type t) { return static_cast<uint64_t>(t.kind) << 8 | t.bits; };
  return type(c.from) | type(c.to) << 16 | static_cast<uint64_t>(c.rounding) << 32 |
         static_cast<uint64_t>(c.toInteger) << 36 | static_cast<uint64_t>(c.ftz) << 37 |
         static_cast<uint64_t>(c.sat) << 38 | static_cast<uint64_t>(c.relu) << 39 |
         static_cast<uint64_t>(c.satfinite) << 40;
}

template <class From, class To> Step convertLanes(Warp &warp, const Instr &i, uint32_t mask) {
  Conversion c = unpackConversion(i);
  const From *a = warp.reg<From>(i.a);
  alignas(32) To out[kLanes];
  for (int l = 0; l < kLanes; ++l)
    out[l] = static_cast<To>(convertOne(c, a[l]));
  commit(warp, i.d, out, mask);
  return Step::Next;
}

template <class From> Handler toWidth(uint32_t bits) {
  return bits == 16   ? &convertLanes<From, uint16_t>
         : bits == 32 ? &convertLanes<From, uint32_t>
                      : &convertLanes<From, uint64_t>;
}

/// Converts an integer to an integer without saturation. This is a plain cast with the sizes of the registers.
template <class Reg, class From, class To, class Out> constexpr Handler cast() {
  return &unary<[](Reg a) { return static_cast<Out>(static_cast<To>(static_cast<From>(a))); }, Out, Reg>;
}

Handler fastConversion(const Conversion &c, uint32_t fromReg, uint32_t toReg) {
  if (c.from.isInteger() && c.to.isInteger() && !c.sat) {
    if (c.from.bits == 64 && c.to.bits == 32 && toReg == 32)
      return cast<uint64_t, uint64_t, uint32_t, uint32_t>();
    if (c.from.bits == 32 && c.to.bits == 64 && fromReg == 32)
      return c.from.isSigned() ? cast<uint32_t, int32_t, int64_t, uint64_t>()
                               : cast<uint32_t, uint32_t, uint64_t, uint64_t>();
    if (c.from.bits == 32 && c.to.bits == 16 && fromReg == 32 && toReg == 16)
      return cast<uint32_t, uint32_t, uint16_t, uint16_t>();
    if (c.from.bits == 16 && c.to.bits == 32 && fromReg == 16)
      return c.from.isSigned() ? cast<uint16_t, int16_t, int32_t, uint32_t>()
                               : cast<uint16_t, uint16_t, uint32_t, uint32_t>();
    return nullptr;
  }
  if (c.ftz || c.sat || c.relu || c.satfinite || c.toInteger)
    return nullptr;
  bool nearest = c.rounding == Rounding::Nearest;
  if (c.from.isF32() && nearest && toReg == 16)
    return c.to.isF16()    ? &unary<[](float a) { return narrowF16(a); }, uint16_t, float>
           : c.to.isBf16() ? &unary<[](float a) { return narrowBf16(a); }, uint16_t, float>
                           : nullptr;
  if (c.from.isF32() && c.to.isF32() && fromReg == 32)
    return &unary<[](uint32_t a) { return a; }, uint32_t, uint32_t>; // a NaN keeps its bits
  if (c.to.isF32() && fromReg == 16)
    return c.from.isF16()    ? &unary<[](uint16_t a) { return canonical(widenF16(a)); }, float, uint16_t>
           : c.from.isBf16() ? &unary<[](uint16_t a) { return widenBf16(a); }, float, uint16_t> // a NaN keeps its bits
                             : nullptr;
  if (c.from.kind == TypeKind::Signed && c.from.bits == 32 && c.to.isF32() && nearest && fromReg == 32)
    return &unary<[](int32_t a) { return static_cast<float>(a); }, float, int32_t>;
  return nullptr;
}

bool decodeRounding(Modifiers &mods, Conversion &c, bool &given) {
  std::string_view mode = mods.takeOne({"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"});
  given = !mode.empty();
  c.toInteger = mode.size() == 3 && mode[2] == 'i';
  if (mode.size() >= 2)
    c.rounding = mode == "rna"    ? Rounding::NearestAway
                 : mode[1] == 'z' ? Rounding::Zero
                 : mode[1] == 'm' ? Rounding::Down
                 : mode[1] == 'p' ? Rounding::Up
                                  : Rounding::Nearest;
  return true;
}

/// True if type `to` represents every integer of type `from`.
bool holds(Type to, Type from) {
  if (to.isSigned() == from.isSigned())
    return to.bits >= from.bits;
  return to.isSigned() && to.bits > from.bits;
}

/// True if the types allow the modifiers (PTX ISA 9.7.9.21, `cvt`). Follows ptxas.
bool isLegal(const Conversion &c, bool given) {
  bool fromInt = c.from.isInteger(), toInt = c.to.isInteger(), brain = c.from.isBf16() || c.to.isBf16();
  if (c.relu || c.satfinite)
    return c.from.isF32() && (c.to.isF16() || c.to.isBf16()) && given && !c.toInteger && !c.ftz && !c.sat &&
           (c.rounding == Rounding::Nearest || c.rounding == Rounding::Zero);
  if (c.rounding == Rounding::NearestAway || (c.ftz && !c.from.isF32() && !c.to.isF32()) || (c.sat && brain))
    return false;
  if (fromInt && toInt)
    return !given && !(c.sat && holds(c.to, c.from));
  if (fromInt)
    return given && !c.toInteger;
  if (toInt)
    return given && c.toInteger;
  if (c.from.kind == c.to.kind && c.from.bits == c.to.bits)
    return !given || c.toInteger;
  if (c.toInteger)
    return false;
  bool narrows = c.to.bits < c.from.bits;
  return narrows ? given : brain && !(c.from.isF32() || c.from.isF64()) ? true : !given;
}

bool decodeCvt(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (mods.has({"pack"}))
    return false;
  Conversion c;
  bool given = false;
  decodeRounding(mods, c, given);
  c.ftz = mods.take("ftz");
  c.sat = mods.take("sat");
  c.relu = mods.take("relu");
  c.satfinite = mods.take("satfinite");
  c.to = mods.takeType();
  c.from = mods.takeType();
  if (c.from.bits == 0 || c.to.bits == 0 || (c.satfinite && !(c.from.isF32() && (c.to.isF16() || c.to.isBf16()))))
    return false;
  auto plain = [](Type t) {
    return !t.packed && t.bits >= 8 && t.bits <= 64 &&
           ((t.isInteger() && t.kind != TypeKind::Bits) || t.kind == TypeKind::Float || t.kind == TypeKind::BFloat);
  };
  if (!plain(c.from) || !plain(c.to) || !d.finish(mods, 2))
    return false;
  if (!isLegal(c, given))
    return d.fail(Message("`{instruction}` does not exist: its types take other modifiers", d.current().opcode),
                  "unknown-instruction");
  const bool widens = c.from.isBf16() && c.to.isF32() && !given && !c.ftz && !c.sat,
             narrows = c.from.isF32() && c.to.isBf16() && given && !c.ftz &&
                       (c.rounding == Rounding::Nearest || c.rounding == Rounding::Zero);
  if ((c.from.isBf16() || c.to.isBf16()) && !widens && !narrows && !d.requireTarget(90, "this conversion of bf16"))
    return false;
  // ptxas allows bf16 with 8-bit integers only if the integer is in a `.b8` register.
  if ((c.from.isBf16() && c.to.bits == 8 && !d.isByteRegister(d.operand(0))) ||
      (c.to.isBf16() && c.from.bits == 8 && !d.isByteRegister(d.operand(1))))
    return d.fail(Message("`{instruction}` takes an integer of 8 bits in a `.b8` register only", d.current().opcode));
  // Registers may be wider than the types (PTX ISA 9.4.1, operand size exceeding instruction-type size).
  uint32_t fromReg = d.widthOf(d.operand(1)), toReg = d.widthOf(d.operand(0));
  if (fromReg == 0)
    fromReg = std::max<uint32_t>(c.from.bits, 16);
  bool inByte =
      (c.to.bits > 8 && d.isByteRegister(d.operand(0))) || (c.from.bits > 8 && d.isByteRegister(d.operand(1)));
  if (fromReg < c.from.bits || toReg < std::max<uint32_t>(c.to.bits, 1) || inByte)
    return d.fail("a register of `cvt` is narrower than its type");
  if (c.from.isBf16() && fromReg == 64)
    return d.fail(Message("`{instruction}` reads a register of at most 32 bits", d.current().opcode));
  Type writeAs = c.to;
  writeAs.bits = static_cast<uint8_t>(toReg);
  if (c.to.kind == TypeKind::Float && toReg != c.to.bits)
    writeAs.kind = TypeKind::BFloat; // a wider register holds bits, because no register has the type of such numbers
  i.d = d.dest(d.operand(0), writeAs);
  Type readAs = c.from;
  readAs.bits = static_cast<uint8_t>(fromReg);
  i.a = d.source(d.operand(1), readAs);
  i.imm = packConversion(c);
  i.run = fastConversion(c, fromReg, toReg);
  if (!i.run)
    i.run = fromReg == 16   ? toWidth<uint16_t>(toReg)
            : fromReg == 32 ? toWidth<uint32_t>(toReg)
                            : toWidth<uint64_t>(toReg);
  if (c.from.bits == 64 || c.to.bits == 64)
    i.cost = cost::kWideArithmetic;
  return !d.failed();
}

} // namespace

const Family &convertFamily() {
  static const Family family{{"cvt", &decodeCvt}};
  return family;
}

} // namespace lanescope::core::emulator
