// Handlers of integer instructions by the width of their type, shared by DecodeInteger.cpp and DecodeBits.cpp:
// `unsigned2<[](auto a, auto b) { return a + b; }>(32)` adds 32 lanes of u32.
#pragma once

#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <type_traits>

namespace lanescope::core::emulator {

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

template <auto F> Handler signed3(int bits) {
  return bits == 16 ? same3<F, int16_t>() : bits == 32 ? same3<F, int32_t>() : same3<F, int64_t>();
}
template <auto F> Handler unsigned3(int bits) {
  return bits == 16 ? same3<F, uint16_t>() : bits == 32 ? same3<F, uint32_t>() : same3<F, uint64_t>();
}

/// Decodes operands d, a, b of the instruction's type.
inline bool binaryOperands(Decoder &d, const Modifiers &mods, Type type, Instr &i) {
  if (!d.finish(mods, 3))
    return false;
  i.d = d.dest(d.operand(0), type);
  i.a = d.source(d.operand(1), type);
  i.b = d.source(d.operand(2), type);
  if (type.bits == 64)
    i.cost = cost::kWideArithmetic;
  return !d.failed();
}

/// Decodes operands d, a.
inline bool unaryOperands(Decoder &d, const Modifiers &mods, Type type, uint32_t resultBits, Instr &i) {
  if (!d.finish(mods, 2))
    return false;
  i.d = d.dest(d.operand(0), resultBits);
  i.a = d.source(d.operand(1), type);
  return !d.failed();
}

} // namespace lanescope::core::emulator
