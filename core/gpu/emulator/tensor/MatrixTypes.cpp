#include "core/gpu/emulator/tensor/MatrixTypes.h"

#include "core/data/Numeric.h"
#include "core/gpu/emulator/numbers/HalfArrays.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

using Table = std::array<float, 256>;
Table tableOf(Dtype dtype) {
  Table table;
  for (uint32_t bits = 0; bits < 256; ++bits)
    table[bits] = static_cast<float>(decodeFloat(dtype, bits));
  return table;
}
/// The values of a type without infinities and NaNs (OCP Microscaling Formats, "Element Data Types").
Table tableOf(int exponentBits, int fractionBits, int bias) {
  Table table;
  for (uint32_t code = 0; code < 256; ++code) {
    uint32_t fraction = code & ((1u << fractionBits) - 1), exponent = code >> fractionBits & ((1u << exponentBits) - 1);
    bool negative = code >> (exponentBits + fractionBits) & 1;
    uint32_t significand = fraction | (exponent ? 1u << fractionBits : 0);
    float value =
        std::ldexp(static_cast<float>(significand), (exponent ? static_cast<int>(exponent) : 1) - bias - fractionBits);
    table[code] = negative ? -value : value;
  }
  return table;
}

template <class T> T at(const uint8_t *bytes, uint32_t n) {
  T value;
  std::memcpy(&value, bytes + n * sizeof(T), sizeof(T));
  return value;
}

} // namespace

const std::array<float, 256> &valuesByCode(MatrixType type) {
  static const Table e4m3 = tableOf(Dtype::F8E4M3FN), e5m2 = tableOf(Dtype::F8E5M2), e3m2 = tableOf(3, 2, 3),
                     e2m3 = tableOf(2, 3, 1), e2m1 = tableOf(2, 1, 1);
  switch (type) {
  case MatrixType::E5M2: return e5m2;
  case MatrixType::E3M2: return e3m2;
  case MatrixType::E2M3: return e2m3;
  case MatrixType::E2M1: return e2m1;
  default: return e4m3;
  }
}

void widen(MatrixType type, const uint8_t *bytes, uint32_t count, float *out) {
  switch (type) {
  case MatrixType::F16:
    if (count % 8 == 0 && reinterpret_cast<uintptr_t>(bytes) % 2 == 0)
      return widenF16(reinterpret_cast<const uint16_t *>(bytes), out, static_cast<int>(count));
    for (uint32_t n = 0; n < count; ++n)
      out[n] = widenF16(at<uint16_t>(bytes, n));
    break;
  case MatrixType::BF16:
    for (uint32_t n = 0; n < count; ++n)
      out[n] = widenBf16(at<uint16_t>(bytes, n));
    break;
  case MatrixType::TF32:
    for (uint32_t n = 0; n < count; ++n)
      out[n] = std::bit_cast<float>(at<uint32_t>(bytes, n) & 0xFFFFE000u);
    break;
  case MatrixType::E4M3:
  case MatrixType::E5M2: {
    const Table &table = valuesByCode(type);
    for (uint32_t n = 0; n < count; ++n)
      out[n] = table[bytes[n]];
    break;
  }
  default: break;
  }
}

void widen(MatrixType type, const uint8_t *bytes, uint32_t count, int32_t *out) {
  switch (type) {
  case MatrixType::S8:
    for (uint32_t n = 0; n < count; ++n)
      out[n] = static_cast<int8_t>(bytes[n]);
    break;
  case MatrixType::U8:
    for (uint32_t n = 0; n < count; ++n)
      out[n] = bytes[n];
    break;
  case MatrixType::S4:
    for (uint32_t n = 0; n < count; ++n)
      out[n] = static_cast<int8_t>(static_cast<uint8_t>(bytes[n / 2] >> (n % 2 * 4) << 4)) >> 4;
    break;
  case MatrixType::U4:
    for (uint32_t n = 0; n < count; ++n)
      out[n] = bytes[n / 2] >> (n % 2 * 4) & 0xF;
    break;
  default: break;
  }
}

} // namespace lanescope::core::emulator
