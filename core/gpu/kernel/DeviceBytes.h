// Converts host arrays to and from the bytes that a kernel sees. Only narrow elements differ: a byte holds two 4-bit
// elements or four 2-bit elements, the first in the lowest bits.
#pragma once

#include "core/data/Array.h"

namespace lanescope::core {

/// True if a byte on the device holds several elements.
bool isPacked(Dtype dtype);
/// Bytes of a device buffer of that type and shape.
uint64_t deviceBytes(Dtype dtype, const Shape &shape);
Bytes toDevice(const Array &array);
/// `bytes` must have deviceBytes(dtype, shape) bytes.
Array fromDevice(Dtype dtype, const Shape &shape, Bytes bytes);

} // namespace lanescope::core
