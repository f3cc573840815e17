// Host arrays to and from the bytes that a kernel sees: the same, but that i4, u4 and f4 elements lie two to a byte
// there, the even one in the low half.
#pragma once

#include "core/data/Array.h"

namespace lanescope::core {

/// Bytes of a device buffer of that type and shape.
uint64_t deviceBytes(Dtype dtype, const Shape &shape);
std::vector<std::byte> toDevice(const Array &array);
/// `bytes` holds deviceBytes(dtype, shape) bytes.
Array fromDevice(Dtype dtype, const Shape &shape, std::vector<std::byte> bytes);

} // namespace lanescope::core
