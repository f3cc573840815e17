// Shared by the tests of Triton's attributes: reading texts, computing places and comparing them.
#pragma once

#include "layouts/AddressMap.h"
#include "layouts/ElementMap.h"
#include "layouts/notation/triton/Triton.h"
#include "layouts/SharedMemory.h"
#include "layouts/TmemMap.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lanescope::layouts {

inline Result<Layout> parse(const std::string &text) {
  Scanner in(Source::make("t", text));
  Result<Layout> layout = parseTriton(in, nullptr);
  if (layout && !in.atEnd())
    return in.expected("the end of the layout");
  return layout;
}

inline Placement placed(const Layout &layout, const Shape &shape, int bitwidth = 16) {
  Result<Placement> map = placement(layout, shape, bitwidth);
  EXPECT_TRUE(map) << render(map.error());
  return *map;
}

inline bool same(const Placement &a, const Placement &b) {
  if (const auto *map = std::get_if<ElementMap>(&a))
    return map->threads() == std::get<ElementMap>(b).threads() &&
           std::ranges::equal(map->elements(), std::get<ElementMap>(b).elements());
  if (const auto *map = std::get_if<AddressMap>(&a))
    return std::ranges::equal(map->offsets(), std::get<AddressMap>(b).offsets());
  return std::ranges::equal(std::get<TmemMap>(a).elements(), std::get<TmemMap>(b).elements());
}

} // namespace lanescope::layouts
