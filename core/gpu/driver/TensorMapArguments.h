// The arguments of cuTensorMapEncodeTiled and …Im2col as a launch description says them.
#pragma once

#include "core/gpu/kernel/Launch.h"

#include <cstdint>

namespace lanescope::core::driver {

struct TensorShape {
  unsigned rank;
  const uint64_t *sizes, *strides;
  const uint32_t *steps;
  int type, interleave, swizzle, fill;
};
struct Im2colArguments {
  const int *lower, *upper;
  uint32_t channels, pixels;
};

/// Innermost dimensions come first in the API, and last in a launch description. False: a null pointer, or a value
/// that the API does not have. The rules of a descriptor are not checked (core/gpu/kernel/TensorMapCheck.h).
bool tiledMap(const TensorShape &shape, const uint32_t *box, TensorMapSpec &out);
bool im2colMap(const TensorShape &shape, const Im2colArguments &how, TensorMapSpec &out);

} // namespace lanescope::core::driver
