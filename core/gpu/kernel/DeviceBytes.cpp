#include "core/gpu/kernel/DeviceBytes.h"

#include <cassert>

namespace lanescope::core {

namespace {

constexpr unsigned kByteBits = 8;

/// Elements per byte of the device's memory; a truth value takes a whole byte.
unsigned packingOf(Dtype dtype) {
  auto bits = static_cast<unsigned>(layouts::bitwidth(dtype));
  return bits == 1 || bits >= kByteBits ? 1 : kByteBits / bits;
}

} // namespace

bool isPacked(Dtype dtype) { return packingOf(dtype) > 1; }

uint64_t deviceBytes(Dtype dtype, const Shape &shape) {
  auto count = static_cast<uint64_t>(layouts::elementCount(shape));
  unsigned packing = packingOf(dtype);
  return packing > 1 ? (count + packing - 1) / packing : count * static_cast<uint64_t>(layouts::hostBytes(dtype));
}

Bytes toDevice(const Array &array) {
  unsigned packing = packingOf(array.dtype), bits = kByteBits / packing;
  if (packing == 1)
    return ArrayBytes(array.bytes).take();
  Bytes out(deviceBytes(array.dtype, array.shape));
  for (size_t i = 0; i < array.bytes.size(); ++i)
    out[i / packing] |= (array.bytes[i] & std::byte((1u << bits) - 1)) << (i % packing * bits);
  return out;
}

Array fromDevice(Dtype dtype, const Shape &shape, Bytes bytes) {
  assert(bytes.size() == deviceBytes(dtype, shape));
  unsigned packing = packingOf(dtype), bits = kByteBits / packing;
  if (packing == 1)
    return {dtype, shape, std::move(bytes)};
  Array array = Array::zeros(dtype, shape);
  for (size_t i = 0; i < array.bytes.size(); ++i) {
    std::byte element = (bytes[i / packing] >> (i % packing * bits)) & std::byte((1u << bits) - 1);
    if (dtype == Dtype::I4)
      array.setInteger(static_cast<int64_t>(i), std::to_integer<int64_t>(element)); // sign-extended
    else
      array.bytes[i] = element;
  }
  return array;
}

} // namespace lanescope::core
