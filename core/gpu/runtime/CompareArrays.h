// Compares two arrays: bit for bit, or by units in the last place.
#pragma once

#include "core/data/Array.h"

namespace lanescope::core {

struct Comparison {
  int64_t different = 0; // elements that differ by more than allowed
  std::string message; // "3 of 4096 elements differ, the first at (0, 5): 1.5 where 2 is expected"; empty if none does
  bool same() const { return message.empty(); }
};

/// `ulps`: with 0 the bits must be equal (so −0 differs from 0, and NaNs by their payloads). Above 0, floats may be
/// that many representable values apart, integers may differ by that much, and NaN equals NaN. Dtypes and shapes must
/// agree.
Comparison compareArrays(const Array &actual, const Array &expected, uint64_t ulps = 0);

} // namespace lanescope::core
