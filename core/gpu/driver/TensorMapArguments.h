// Converts the arguments of cuTensorMapEncodeTiled and …Im2col to a launch description's form.
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

/// The API lists dimensions innermost first, a launch description outermost first. Returns false for a null pointer or
/// a value that the API does not define. The rules of descriptors are not checked here
/// (core/gpu/kernel/TensorMapCheck.h).
bool tiledMap(const TensorShape &shape, const uint32_t *box, TensorMapSpec &out);
bool im2colMap(const TensorShape &shape, const Im2colArguments &how, TensorMapSpec &out);

} // namespace lanescope::core::driver
