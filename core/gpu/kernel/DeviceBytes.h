// Host arrays to and from the bytes that a kernel sees: the same, but that elements of 4 bits lie two to a byte there,
// and those of 2 bits four, the first in the lowest bits.
#pragma once

#include "core/data/Array.h"

namespace lanescope::core {

/// Whether several elements lie in a byte there.
bool isPacked(Dtype dtype);
/// Bytes of a device buffer of that type and shape.
uint64_t deviceBytes(Dtype dtype, const Shape &shape);
std::vector<std::byte> toDevice(const Array &array);
/// `bytes` holds deviceBytes(dtype, shape) bytes.
Array fromDevice(Dtype dtype, const Shape &shape, std::vector<std::byte> bytes);

} // namespace lanescope::core
