#include "core/gpu/kernel/DeviceBytes.h"

#include <cassert>

namespace lanescope::core {

namespace {

constexpr int kHalfByteBits = 4;

bool isPacked(Dtype dtype) { return layouts::bitwidth(dtype) == kHalfByteBits; }

} // namespace

uint64_t deviceBytes(Dtype dtype, const Shape &shape) {
  auto count = static_cast<uint64_t>(layouts::elementCount(shape));
  return isPacked(dtype) ? (count + 1) / 2 : count * static_cast<uint64_t>(layouts::hostBytes(dtype));
}

std::vector<std::byte> toDevice(const Array &array) {
  if (!isPacked(array.dtype))
    return array.bytes;
  std::vector<std::byte> out(deviceBytes(array.dtype, array.shape));
  for (size_t i = 0; i < array.bytes.size(); ++i)
    out[i / 2] |= (array.bytes[i] & std::byte{15}) << (i % 2 * kHalfByteBits);
  return out;
}

Array fromDevice(Dtype dtype, const Shape &shape, std::vector<std::byte> bytes) {
  assert(bytes.size() == deviceBytes(dtype, shape));
  if (!isPacked(dtype))
    return {dtype, shape, std::move(bytes)};
  Array array = Array::zeros(dtype, shape);
  for (size_t i = 0; i < array.bytes.size(); ++i) {
    std::byte half = (bytes[i / 2] >> (i % 2 * kHalfByteBits)) & std::byte{15};
    if (dtype == Dtype::I4)
      array.setInteger(static_cast<int64_t>(i), std::to_integer<int64_t>(half)); // extends the sign
    else
      array.bytes[i] = half;
  }
  return array;
}

} // namespace lanescope::core
