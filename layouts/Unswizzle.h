// Offsets in memory taken apart into a swizzle and strides. Private to notation/.
#pragma once

#include "layouts/Affine.h"
#include "layouts/Digits.h"

namespace lanescope::layouts {

struct Unswizzled {
  std::optional<AffineSwizzle> swizzle; // offset = swizzle(strided offset)
  DigitTable table;                     // of the strided offsets
};
/// The swizzle of fewest bits under which the offsets are strided; none is tried first. Nothing when there is none of
/// up to five bits, base up to seven, distance up to eight.
std::optional<Unswizzled> unswizzled(std::span<const int32_t> offsets);

} // namespace lanescope::layouts
