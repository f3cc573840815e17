#include "layouts/cute/Atoms.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts::cute {

namespace {

Layout vectorOf(int64_t size) { return {IntTuple(size, true), IntTuple(1, true)}; }

/// `_` becomes the size of one atom times the threads along the mode.
Tiler resolved(const Tiler &permutation, int64_t size) {
  return permutation.kind == Tiler::Kind::Whole ? Tiler::of(vectorOf(size)) : permutation;
}

/// Number of elements that a mode's permutation covers.
int64_t extent(const Tiler &tiler) {
  int64_t size = 1;
  for (const Tiler &mode : tiler.modes)
    size = saturatingMultiply(size, extent(mode));
  return tiler.kind == Tiler::Kind::Layout ? tiler.layout.size() : size;
}

} // namespace

Result<TiledMma::Tile> TiledMma::operand(Operand operand) const {
  if (threads.rank() != 4 || !threads.shape.isTuple)
    return error("cute-rank", lanescope::text("ThrLayoutVMNK `", cppText(threads), "` must have four modes"));
  for (const Layout *layout : {&threads, &atom[operand]})
    if (Result<void> integers = requireIntegers(*layout, "a TiledMMA"); !integers)
      return std::unexpected(std::move(integers.error()));
  const size_t first = operand == B ? 1 : 0, second = operand == C ? 1 : 2;
  auto threadsAlong = [&](size_t mode) { return threads.mode(mode + 1).size(); };
  if (saturatingMultiply(threads.size(), std::max({shape[0], shape[1], shape[2]})) > (int64_t(1) << 24))
    return error("cute-range", "the TiledMMA is too large");
  Tiler tileOfFirst = resolved(permutation[first], shape[first] * threadsAlong(first));
  Tiler tileOfSecond = resolved(permutation[second], shape[second] * threadsAlong(second));
  Tile out;
  out.tile = {extent(tileOfFirst), extent(tileOfSecond)};
  if (saturatingMultiply(out.tile[0], out.tile[1]) > (int64_t(1) << 24))
    return error("cute-range", "the tile of the TiledMMA is too large");

  // The tile, column-major; permuted; cut into atoms; each atom read as (thread, value); the atoms dealt to threads.
  Result<Layout> layout = Layout::compact(IntTuple::of({IntTuple(out.tile[0], true), IntTuple(out.tile[1], true)}));
  if (layout)
    layout = logicalDivide(*layout, Tiler::of({tileOfFirst, tileOfSecond}));
  if (layout)
    layout = zippedDivide(*layout, Tiler::of({Tiler::of(vectorOf(shape[first])), Tiler::of(vectorOf(shape[second]))}));
  if (layout)
    layout = composition(*layout, Tiler::of({Tiler::of(atom[operand]), Tiler::whole()}));
  if (layout)
    layout = zippedDivide(*layout, Tiler::of({Tiler::whole(), Tiler::of({Tiler::of(vectorOf(threadsAlong(first))),
                                                                         Tiler::of(vectorOf(threadsAlong(second)))})}));
  // Now ((ThrV,(ThrFirst,ThrSecond)),(FrgV,(RestFirst,RestSecond))). A does not depend on N's threads, nor B on M's.
  if (layout && operand != C) {
    int64_t m = threadsAlong(0), n = threadsAlong(1);
    Layout spread{IntTuple::of({IntTuple(m, true), IntTuple(n, true)}),
                  IntTuple::of({IntTuple(operand == A ? 1 : 0, true), IntTuple(operand == A ? 0 : 1, true)})};
    layout = composition(
        *layout,
        Tiler::of({Tiler::of({Tiler::whole(), Tiler::of({Tiler::of(spread), Tiler::whole()})}), Tiler::whole()}));
  }
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  // Thread number -> (ThrV,ThrM,ThrN,ThrK).
  Result<Layout> others = complement(threads);
  Result<Layout> inverse = others ? rightInverse(makeLayout({threads, *others})) : others;
  Result<Layout> numbers =
      inverse
          ? composition(makeLayout({vectorOf(threads.size()), Layout{IntTuple(1, true), IntTuple(0, true)}}), *inverse)
          : inverse;
  Result<Layout> result = numbers ? composition(*layout, Tiler::of({Tiler::of(*numbers), Tiler::whole()})) : numbers;
  if (!result)
    return std::unexpected(std::move(result.error()));
  out.layout = *std::move(result);
  return out;
}

} // namespace lanescope::layouts::cute
