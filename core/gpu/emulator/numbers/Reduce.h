// The element-wise reductions of copies to global memory (cp.reduce.async.bulk) and of multimem.
#pragma once

#include "layouts/Dtype.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace lanescope::core::emulator {

enum class ReduceOp : uint8_t { None, Add, Min, Max, And, Or, Xor, Inc, Dec };

bool canReduce(ReduceOp op, layouts::Dtype dtype);
/// to[0] = op(to[0], from[0]) for `bytes` bytes of elements.
void reduceInto(ReduceOp op, layouts::Dtype dtype, std::byte *to, const std::byte *from, size_t bytes);
/// out = op of all copies, in their order. Integers and floats are combined in their own type, and 8-bit floats as f16.
/// With `wide`, 16-bit floats are added as f32 and rounded at the end.
void reduceAll(ReduceOp op, layouts::Dtype dtype, bool wide, std::span<const std::byte *const> copies, std::byte *out,
               size_t bytes);

} // namespace lanescope::core::emulator
