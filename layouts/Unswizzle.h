// Splits offsets in memory into a swizzle and strides. Private to notation/.
#pragma once

#include "layouts/Affine.h"
#include "layouts/Digits.h"

namespace lanescope::layouts {

struct Unswizzled {
  std::optional<AffineSwizzle> swizzle; // offset = swizzle(strided offset)
  DigitTable table;                     // digits of the strided offsets
};
/// The swizzle with the fewest bits under which the offsets are strided; no swizzle is tried first. Tries up to five
/// bits, a base of up to seven and a distance of up to eight; nothing if none fits.
std::optional<Unswizzled> unswizzled(std::span<const int32_t> offsets);

} // namespace lanescope::layouts
