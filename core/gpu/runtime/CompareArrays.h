// How two arrays differ: bit for bit, or by units in the last place.
#pragma once

#include "core/data/Array.h"

namespace lanescope::core {

struct Comparison {
  int64_t different = 0; // elements further apart than allowed
  std::string message; // "3 of 4096 elements differ, the first at (0, 5): 1.5 where 2 is expected"; empty if none does
  bool same() const { return message.empty(); }
};

/// `ulps`: 0 compares the bits (so −0 differs from 0, and NaNs by their payloads); above, floats may be that many
/// representable values apart, and NaN equals NaN; integers may differ by that much. Dtypes and shapes have to agree.
Comparison compareArrays(const Array &actual, const Array &expected, uint64_t ulps = 0);

} // namespace lanescope::core
