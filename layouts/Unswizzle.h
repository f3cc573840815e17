// Splits offsets in memory into a swizzle and strides. Private to notation/.
#pragma once

#include "layouts/Affine.h"
#include "layouts/Digits.h"

namespace lanescope::layouts {

struct Unswizzled {
  std::optional<AffineSwizzle> swizzle; // offset = swizzle(strided offset)
  DigitTable table;                     // digits of the strided offsets
};
/// Finds the swizzle with the fewest bits that leaves strided offsets. First it tries to do without a swizzle, then
/// swizzles of up to five bits, with a base of up to seven and a distance of up to eight. Nothing if none fits.
std::optional<Unswizzled> unswizzled(std::span<const int32_t> offsets);

} // namespace lanescope::layouts
