// Shared by the tests of CuTe's layouts: reading texts, random layouts, and an independent slow evaluator.
#pragma once

#include "layouts/cute/Algebra.h"
#include "layouts/notation/cute/Cute.h"

#include <gtest/gtest.h>

#include <random>

namespace lanescope::layouts::cute {

inline CuteLayout read(std::string_view text) {
  Result<CuteLayout> layout = readCute(text);
  EXPECT_TRUE(layout) << text << "\n" << (layout ? "" : render(layout.error()));
  return layout ? *layout : CuteLayout(Layout{IntTuple(1), IntTuple(0)});
}
inline Layout plain(std::string_view text) {
  return read(text).parts().plain.value_or(Layout{IntTuple(1), IntTuple(0)});
}
inline Tiler tiler(std::string_view text) {
  Result<Tiler> tile = readCuteTile(text);
  EXPECT_TRUE(tile) << text << "\n" << (tile ? "" : render(tile.error()));
  return tile.value_or(Tiler());
}
/// The result's text without static marks, or the error's message.
inline std::string shown(const Result<Layout> &layout) {
  return layout ? dslText(*layout) : "error: " + layout.error()[0].message;
}

/// layout(index) by recursion over the modes; the code under test uses flat modes.
inline int64_t slowValue(const IntTuple &shape, const IntTuple &stride, int64_t index) {
  if (!shape.isTuple)
    return index * stride.leaf.value;
  int64_t sum = 0;
  for (size_t i = 0; i < shape.items.size(); ++i) {
    int64_t size = productOf(shape.items[i]);
    sum += slowValue(shape.items[i], stride.items[i], i + 1 == shape.items.size() ? index : index % size);
    index /= size;
  }
  return sum;
}
inline int64_t slowValue(const Layout &layout, int64_t index) { return slowValue(layout.shape, layout.stride, index); }

using Random = std::mt19937_64;
inline int64_t pick(Random &random, std::initializer_list<int64_t> values) {
  return values.begin()[random() % values.size()];
}

inline IntTuple randomShape(Random &random, int depth) {
  if (depth == 0 || random() % 2)
    return IntTuple(pick(random, {1, 2, 2, 3, 4, 4, 5, 6, 8, 16}), random() % 2 == 0);
  std::vector<IntTuple> items(1 + random() % 3);
  for (IntTuple &item : items)
    item = randomShape(random, depth - 1);
  return IntTuple::of(std::move(items));
}

/// A random layout with compact strides in a random order. If `loose`, some strides have gaps and some are 0.
inline Layout randomLayout(Random &random, bool loose = true, int depth = 2) {
  Layout layout{randomShape(random, depth), {}};
  layout.stride = layout.shape;
  std::vector<IntTuple *> sizes, strides;
  auto collect = [](auto &&self, IntTuple &tuple, std::vector<IntTuple *> &out) -> void {
    if (!tuple.isTuple)
      out.push_back(&tuple);
    for (IntTuple &item : tuple.items)
      self(self, item, out);
  };
  collect(collect, layout.shape, sizes);
  collect(collect, layout.stride, strides);
  std::vector<size_t> order(sizes.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  int64_t step = 1;
  for (size_t i : order) {
    strides[i]->leaf.isStatic = random() % 2 == 0;
    strides[i]->leaf.value = loose && random() % 10 == 0 ? 0 : step;
    step *= sizes[i]->leaf.value * (loose ? pick(random, {1, 1, 1, 2, 3}) : 1);
  }
  return layout;
}

} // namespace lanescope::layouts::cute
