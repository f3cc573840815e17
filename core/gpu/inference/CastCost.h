// The cost of a layout conversion, in words.
#pragma once

#include "layouts/RegisterLayout.h"

#include <string>

namespace lanescope::core {

/// The cost of a conversion in words: "shuffles: 16 shuffles, 0 byte permutes, 48 selects per thread", or that the cost
/// is not known.
std::string castCost(const layouts::RegisterLayout &from, const layouts::RegisterLayout &to,
                     const layouts::Shape &shape, int bitwidth);

/// The cost of conversions between two layouts that are demanded of one array. The text continues the sentence "convert
/// it with `layout_cast`": "; from `A` to `B` that takes …, from `B` to `A` …", or that there is no such conversion.
/// Without `bothWays`, only from `from` to `to`.
std::string castCosts(const layouts::RegisterLayout &from, const layouts::RegisterLayout &to,
                      const layouts::Shape &shape, int bitwidth, bool bothWays);

} // namespace lanescope::core
