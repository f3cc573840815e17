#include "core/data/Array.h"

#include "core/data/Numeric.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace lanescope::core {

static_assert(std::endian::native == std::endian::little, "arrays hold little-endian bytes, as GPUs and .npy files do");

namespace {

template <typename T> T load(const Array &array, int64_t index) {
  assert(index >= 0 && static_cast<size_t>(index + 1) * sizeof(T) <= array.bytes.size());
  T value;
  std::memcpy(&value, array.bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T> void store(Array &array, int64_t index, T value) {
  assert(index >= 0 && static_cast<size_t>(index + 1) * sizeof(T) <= array.bytes.size());
  std::memcpy(array.bytes.data() + index * sizeof(T), &value, sizeof(T));
}

/// Rounds towards zero, like a C cast where that is defined. NaN and values outside i64 give its minimum, as on x86.
int64_t truncated(double value) {
  if (!(value >= -0x1p63 && value < 0x1p63))
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

/// Converts an integer to a double whose last bit is set if bits were cut off. Rounding it further to a narrower float
/// then equals rounding the integer once.
double roundedToOdd(int64_t value) {
  bool negative = value < 0;
  uint64_t magnitude = negative ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (magnitude >> 53) {
    uint64_t cut = magnitude & 0x7FF;
    magnitude = (magnitude & ~uint64_t{0x7FF}) | (cut ? 0x800 : 0);
  }
  auto result = static_cast<double>(magnitude);
  return negative ? -result : result;
}

} // namespace

std::optional<uint64_t> checkedArrayBytes(Dtype dtype, const Shape &shape) {
  uint64_t bytes = static_cast<uint64_t>(layouts::hostBytes(dtype));
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    if (size == 0) {
      empty = true;
      continue;
    }
    if (static_cast<uint64_t>(size) > kMaxArrayBytes / bytes)
      return std::nullopt;
    bytes *= static_cast<uint64_t>(size);
  }
  return empty ? 0 : bytes;
}

Array Array::zeros(Dtype dtype, Shape shape) {
  auto bytes = checkedArrayBytes(dtype, shape);
  assert(bytes && "callers check sizes before they allocate");
  return {dtype, std::move(shape), Bytes(bytes.value_or(0))};
}

double Array::number(int64_t index) const {
  switch (dtype) {
  case Dtype::F64: return load<double>(*this, index);
  case Dtype::F32:
  case Dtype::TF32: return load<float>(*this, index);
  case Dtype::F16: return f16ToF32(load<uint16_t>(*this, index));
  case Dtype::BF16: return bf16ToF32(load<uint16_t>(*this, index));
  case Dtype::F8E4M3FN:
  case Dtype::F8E5M2:
  case Dtype::F8E8M0FNU:
  case Dtype::F6E2M3FN:
  case Dtype::F6E3M2FN:
  case Dtype::F4E2M1FN: return decodeFloat(dtype, load<uint8_t>(*this, index));
  case Dtype::U64: return static_cast<double>(load<uint64_t>(*this, index));
  default: return static_cast<double>(integer(index));
  }
}

int64_t Array::integer(int64_t index) const {
  switch (dtype) {
  case Dtype::I1: return load<uint8_t>(*this, index) != 0;
  case Dtype::I4: return static_cast<int8_t>(load<uint8_t>(*this, index) << 4) >> 4;
  case Dtype::U2: return load<uint8_t>(*this, index) & 3;
  case Dtype::U4: return load<uint8_t>(*this, index) & 15;
  case Dtype::I8: return load<int8_t>(*this, index);
  case Dtype::U8: return load<uint8_t>(*this, index);
  case Dtype::I16: return load<int16_t>(*this, index);
  case Dtype::U16: return load<uint16_t>(*this, index);
  case Dtype::I32: return load<int32_t>(*this, index);
  case Dtype::U32: return load<uint32_t>(*this, index);
  case Dtype::I64:
  case Dtype::U64: return load<int64_t>(*this, index);
  default: return truncated(number(index));
  }
}

void Array::setNumber(int64_t index, double value) {
  switch (dtype) {
  case Dtype::F64: return store(*this, index, value);
  case Dtype::F32: return store(*this, index, static_cast<float>(value));
  case Dtype::TF32: return store(*this, index, encodeFloat(dtype, value));
  case Dtype::F16:
  case Dtype::BF16: return store(*this, index, static_cast<uint16_t>(encodeFloat(dtype, value)));
  case Dtype::F8E4M3FN:
  case Dtype::F8E5M2:
  case Dtype::F8E8M0FNU:
  case Dtype::F6E2M3FN:
  case Dtype::F6E3M2FN:
  case Dtype::F4E2M1FN: return store(*this, index, static_cast<uint8_t>(encodeFloat(dtype, value)));
  case Dtype::I1: return store(*this, index, static_cast<uint8_t>(value != 0));
  case Dtype::U64:
    if (value >= 0x1p63 && value < 0x1p64)
      return store(*this, index, static_cast<uint64_t>(value));
    return setInteger(index, truncated(value));
  default: return setInteger(index, truncated(value));
  }
}

void Array::setInteger(int64_t index, int64_t value) {
  switch (dtype) {
  case Dtype::I1: return store(*this, index, static_cast<uint8_t>(value != 0));
  case Dtype::I4: return store(*this, index, static_cast<int8_t>(static_cast<int8_t>(value << 4) >> 4));
  case Dtype::U2: return store(*this, index, static_cast<uint8_t>(value & 3));
  case Dtype::U4: return store(*this, index, static_cast<uint8_t>(value & 15));
  case Dtype::I8:
  case Dtype::U8: return store(*this, index, static_cast<uint8_t>(value));
  case Dtype::I16:
  case Dtype::U16: return store(*this, index, static_cast<uint16_t>(value));
  case Dtype::I32:
  case Dtype::U32: return store(*this, index, static_cast<uint32_t>(value));
  case Dtype::I64:
  case Dtype::U64: return store(*this, index, value);
  case Dtype::F64: return store(*this, index, static_cast<double>(value));
  case Dtype::F32: return store(*this, index, static_cast<float>(value));
  default: return setNumber(index, roundedToOdd(value));
  }
}

} // namespace lanescope::core
