#include "layouts/cute/Division.h"

#include <algorithm>
#include <functional>

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;
using Split = std::function<Result<Layout>(const Layout &, const Layout &)>; // splits a layout into two modes

Result<Layout> checkedLayout(Layout layout) { return Layout::make(std::move(layout.shape), std::move(layout.stride)); }

/// Applies `split` at the layouts of the tiler, mode by mode; modes without a tiler stay.
Result<Layout> byMode(const Layout &layout, const Tiler &tiler, const Split &split) {
  if (tiler.kind == Tiler::Kind::Whole)
    return layout;
  if (tiler.kind == Tiler::Kind::Layout)
    return split(layout, tiler.layout);
  if (tiler.modes.size() > layout.rank())
    return error("cute-rank", Message("the tiler `{tiler}` has {modes} modes, but `{layout}` has {rank}",
                                      dslText(tiler), tiler.modes.size(), cppText(layout), layout.rank()));
  std::vector<Layout> modes;
  for (size_t i = 0; i < layout.rank(); ++i) {
    Result<Layout> mode =
        i < tiler.modes.size() ? byMode(layout.mode(i), tiler.modes[i], split) : Result<Layout>(layout.mode(i));
    if (!mode)
      return mode;
    modes.push_back(*std::move(mode));
  }
  return checkedLayout(makeLayout(modes));
}

/// Gathers the first and the second halves that a split by `tiler` left at its leaves: ((first…),(second…,others…)).
Result<Layout> zipped(const Layout &layout, const Tiler &tiler) {
  if (tiler.kind != Tiler::Kind::Tuple) {
    if (layout.shape.isTuple && layout.rank() == 2)
      return layout;
    return error(
        "cute-rank",
        Message(
            "a mode that stays whole (`_`) must have two parts here, the tile and the rest, but `{layout}` has {rank}",
            cppText(layout), layout.rank()));
  }
  std::vector<Layout> tiles, rests;
  for (size_t i = 0; i < layout.rank(); ++i) {
    if (i >= tiler.modes.size()) {
      rests.push_back(layout.mode(i));
      continue;
    }
    Result<Layout> mode = zipped(layout.mode(i), tiler.modes[i]);
    if (!mode)
      return mode;
    tiles.push_back(mode->mode(0));
    rests.push_back(mode->mode(1));
  }
  return checkedLayout(makeLayout({makeLayout(tiles), makeLayout(rests)}));
}

void appendModes(const Layout &layout, std::vector<Layout> &modes) {
  for (size_t i = 0; i < layout.rank(); ++i)
    modes.push_back(layout.mode(i));
}

Result<Layout> zippedBy(Result<Layout> split, const Tiler &tiler) { return split ? zipped(*split, tiler) : split; }

Result<Layout> tiledOf(Result<Layout> zip) {
  if (!zip)
    return zip;
  std::vector<Layout> modes = {zip->mode(0)};
  appendModes(zip->mode(1), modes);
  return makeLayout(modes);
}

Result<Layout> flatOf(Result<Layout> zip) {
  if (!zip)
    return zip;
  std::vector<Layout> modes;
  appendModes(zip->mode(0), modes);
  appendModes(zip->mode(1), modes);
  return makeLayout(modes);
}

Result<Layout> divideOne(const Layout &layout, const Layout &tile) {
  if (Result<void> known = requireKnown(layout, "a division"); !known)
    return std::unexpected(std::move(known.error()));
  Result<Layout> rest = complement(tile, layout.size());
  return rest ? composition(layout, makeLayout({tile, *rest})) : rest;
}

Result<Layout> multiplyOne(const Layout &block, const Layout &tiler) {
  for (const Layout *layout : {&block, &tiler})
    if (Result<void> integers = requireIntegers(*layout, "a product"); !integers)
      return std::unexpected(std::move(integers.error()));
  Checked checked;
  int64_t target = checked.times(block.size(), cosizeOf(tiler));
  if (checked.overflowed())
    return error("cute-range",
                 Message("the product of `{}` and `{tiler}` is too large", cppText(block), cppText(tiler)));
  Result<Layout> repetition = complement(block, target);
  Result<Layout> outer = repetition ? composition(*repetition, tiler) : repetition;
  return outer ? checkedLayout(makeLayout({block, *outer})) : outer;
}

/// The layout as a tuple of modes, extended with modes 1:0 up to `rank`.
Layout padded(const Layout &layout, size_t rank) {
  std::vector<Layout> modes;
  appendModes(layout, modes);
  if (modes.size() < rank)
    modes.resize(rank, Layout{IntTuple(1, true), IntTuple(0, true)});
  return makeLayout(modes);
}

Result<Layout> rankwise(const Layout &block, const Layout &tiler, bool blockFirst) {
  size_t rank = std::max(block.rank(), tiler.rank());
  Result<Layout> product = multiplyOne(padded(block, rank), padded(tiler, rank));
  if (!product)
    return product;
  Layout first = product->mode(blockFirst ? 0 : 1), second = product->mode(blockFirst ? 1 : 0);
  if (!block.shape.isTuple && !tiler.shape.isTuple)
    return checkedLayout(makeLayout({first.mode(0), second.mode(0)}));
  std::vector<Layout> modes;
  for (size_t i = 0; i < rank; ++i)
    modes.push_back(makeLayout({first.mode(i), second.mode(i)}));
  return checkedLayout(makeLayout(modes));
}

} // namespace

Result<Layout> logicalDivide(const Layout &layout, const Tiler &tiler) { return byMode(layout, tiler, divideOne); }
Result<Layout> zippedDivide(const Layout &layout, const Tiler &tiler) {
  return zippedBy(logicalDivide(layout, tiler), tiler);
}
Result<Layout> tiledDivide(const Layout &layout, const Tiler &tiler) { return tiledOf(zippedDivide(layout, tiler)); }
Result<Layout> flatDivide(const Layout &layout, const Tiler &tiler) { return flatOf(zippedDivide(layout, tiler)); }

Result<Layout> logicalProduct(const Layout &block, const Tiler &tiler) { return byMode(block, tiler, multiplyOne); }
Result<Layout> zippedProduct(const Layout &block, const Tiler &tiler) {
  return zippedBy(logicalProduct(block, tiler), tiler);
}
Result<Layout> tiledProduct(const Layout &block, const Tiler &tiler) { return tiledOf(zippedProduct(block, tiler)); }
Result<Layout> flatProduct(const Layout &block, const Tiler &tiler) { return flatOf(zippedProduct(block, tiler)); }
Result<Layout> blockedProduct(const Layout &block, const Layout &tiler) { return rankwise(block, tiler, true); }
Result<Layout> rakedProduct(const Layout &block, const Layout &tiler) { return rankwise(block, tiler, false); }

} // namespace lanescope::layouts::cute
