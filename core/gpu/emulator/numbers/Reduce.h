// Element-wise reductions that copies to global memory can do (cp.reduce.async.bulk).
#pragma once

#include "layouts/Dtype.h"

#include <cstddef>
#include <cstdint>

namespace lanescope::core::emulator {

enum class ReduceOp : uint8_t { None, Add, Min, Max, And, Or, Xor, Inc, Dec };

bool canReduce(ReduceOp op, layouts::Dtype dtype);
/// to[0] = op(to[0], from[0]) for `bytes` bytes of elements.
void reduceInto(ReduceOp op, layouts::Dtype dtype, std::byte *to, const std::byte *from, size_t bytes);

} // namespace lanescope::core::emulator
