#include "layouts/cute/Atoms.h"

#include <algorithm>

namespace lanescope::layouts::cute {

namespace {

constexpr int64_t kMostElements = int64_t(1) << 24;

/// The two modes among M, N and K that the operand has.
std::pair<size_t, size_t> modesOf(TiledMma::Operand operand) {
  return {operand == TiledMma::B ? 1 : 0, operand == TiledMma::C ? 1 : 2};
}

Layout vectorOf(int64_t size) { return {IntTuple(size, true), IntTuple(1, true)}; }

/// Replaces `_` by the size of one atom times the number of threads along the mode.
Tiler resolved(const Tiler &permutation, int64_t size) {
  return permutation.kind == Tiler::Kind::Whole ? Tiler::of(vectorOf(size)) : permutation;
}

/// The number of elements that a mode's permutation covers.
int64_t extent(const Tiler &tiler) {
  int64_t size = 1;
  for (const Tiler &mode : tiler.modes)
    size = saturatingMultiply(size, extent(mode));
  return tiler.kind == Tiler::Kind::Layout ? tiler.layout.size() : size;
}

} // namespace

Result<std::array<int64_t, 2>> TiledMma::tileOf(Operand operand) const {
  if (threads.rank() != 4 || !threads.shape.isTuple)
    return error("cute-rank", Message("ThrLayoutVMNK `{}` must have four modes", cppText(threads)));
  for (const Layout *layout : {&threads, &atom[operand]})
    if (Result<void> integers = requireIntegers(*layout, "a TiledMMA"); !integers)
      return std::unexpected(std::move(integers.error()));
  auto [first, second] = modesOf(operand);
  if (saturatingMultiply(threads.size(), std::max({shape[0], shape[1], shape[2]})) > kMostElements)
    return error("cute-range", "the TiledMMA is too large");
  std::array<int64_t, 2> out = {extent(along(first)), extent(along(second))};
  if (saturatingMultiply(out[0], out[1]) > kMostElements)
    return error("cute-range", "the tile of the TiledMMA is too large");
  return out;
}

Tiler TiledMma::along(size_t mode) const {
  return resolved(permutation[mode], shape[mode] * threads.mode(mode + 1).size());
}

Result<Layout> TiledMma::threadFragments(Operand operand, const Layout &tensor) const {
  if (Result<std::array<int64_t, 2>> tile = tileOf(operand); !tile)
    return std::unexpected(std::move(tile.error()));
  auto [first, second] = modesOf(operand);
  auto threadsAlong = [&](size_t mode) { return threads.mode(mode + 1).size(); };
  // Permute the tensor, cut it into atoms, read each atom as (thread, value), and deal the atoms to threads.
  Result<Layout> layout = logicalDivide(tensor, Tiler::of({along(first), along(second)}));
  if (layout)
    layout = zippedDivide(*layout, Tiler::of({Tiler::of(vectorOf(shape[first])), Tiler::of(vectorOf(shape[second]))}));
  if (layout)
    layout = composition(*layout, Tiler::of({Tiler::of(atom[operand]), Tiler::whole()}));
  if (layout)
    layout = zippedDivide(*layout, Tiler::of({Tiler::whole(), Tiler::of({Tiler::of(vectorOf(threadsAlong(first))),
                                                                         Tiler::of(vectorOf(threadsAlong(second)))})}));
  return layout;
}

Result<TiledMma::Part> TiledMma::partition(Operand operand, const Layout &tensor, int64_t thread) const {
  Result<Layout> dealt = threadFragments(operand, tensor);
  if (!dealt)
    return std::unexpected(std::move(dealt.error()));
  std::vector<int64_t> numbers = cute::valuesOf(threads);
  auto found = std::ranges::find(numbers, thread);
  if (found == numbers.end())
    return error("index-range", Message("the TiledMMA has no thread {thread}; it has {count}", thread, numbers.size()));
  int64_t index = found - numbers.begin();
  std::array<int64_t, 4> place = {}; // V, M, N, K
  for (size_t i = 0; i < place.size(); ++i) {
    int64_t size = threads.mode(i).size();
    place[i] = index % size;
    index /= size;
  }
  auto [first, second] = modesOf(operand);
  Layout mine = dealt->mode(0), fragment = dealt->mode(1);
  int64_t offset = valueAt(mine.mode(0), place[0]) + valueAt(mine.mode(1).mode(0), place[first + 1]) +
                   valueAt(mine.mode(1).mode(1), place[second + 1]);
  Layout rest = fragment.mode(1);
  return Part{makeLayout({fragment.mode(0), rest.mode(0), rest.mode(1)}), offset};
}

Result<TiledMma::Tile> TiledMma::operand(Operand operand) const {
  Result<std::array<int64_t, 2>> sizes = tileOf(operand);
  if (!sizes)
    return std::unexpected(std::move(sizes.error()));
  Tile out{.layout = {}, .tile = *sizes};
  Result<Layout> layout = Layout::compact(IntTuple::of({IntTuple(out.tile[0], true), IntTuple(out.tile[1], true)}));
  if (layout)
    layout = threadFragments(operand, *layout);
  // The layout is now ((ThrV,(ThrFirst,ThrSecond)),(FrgV,(RestFirst,RestSecond))). A does not depend on N's threads,
  // and B does not depend on M's.
  if (layout && operand != C) {
    int64_t m = threads.mode(1).size(), n = threads.mode(2).size();
    Layout spread{IntTuple::of({IntTuple(m, true), IntTuple(n, true)}),
                  IntTuple::of({IntTuple(operand == A ? 1 : 0, true), IntTuple(operand == A ? 0 : 1, true)})};
    layout = composition(
        *layout,
        Tiler::of({Tiler::of({Tiler::whole(), Tiler::of({Tiler::of(spread), Tiler::whole()})}), Tiler::whole()}));
  }
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  // Maps a thread's number to (ThrV,ThrM,ThrN,ThrK).
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
