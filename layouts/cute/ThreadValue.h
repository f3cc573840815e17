// Builds (thread, value) layouts from (size, stride) pairs, as the tables of atoms write them.
//
//   threadValue({{4, 32}, {8, 1}}, {{2, 16}, {2, 8}})  ->  ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))
#pragma once

#include "layouts/cute/StridedLayout.h"

#include <utility>
#include <vector>

namespace lanescope::layouts::cute {

using SizeStrides = std::vector<std::pair<int64_t, int64_t>>;

/// One mode of static integers. Pairs of size 1 are left out, and no pairs give `_1:_0`.
inline Layout modeOf(const SizeStrides &parts) {
  std::vector<IntTuple> sizes, strides;
  for (auto [size, stride] : parts)
    if (size > 1) {
      sizes.emplace_back(size, true);
      strides.emplace_back(stride, true);
    }
  if (sizes.empty())
    return {IntTuple(1, true), IntTuple(0, true)};
  if (sizes.size() == 1)
    return {sizes[0], strides[0]};
  return {IntTuple::of(std::move(sizes)), IntTuple::of(std::move(strides))};
}

inline Layout threadValue(const SizeStrides &threads, const SizeStrides &values) {
  return makeLayout({modeOf(threads), modeOf(values)});
}

} // namespace lanescope::layouts::cute
