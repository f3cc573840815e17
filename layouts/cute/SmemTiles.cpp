#include "layouts/cute/SmemTiles.h"

#include "layouts/cute/AtomNames.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <numeric>

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;

constexpr std::string_view kSwizzles[] = {"INTER", "SW32", "SW64", "SW128"}; // the index is the number of swizzle bits
constexpr int kRowBits = 128; // row length for INTER; each swizzle bit doubles it
constexpr int64_t kRows = 8;

/// Row-major strides. On return, `step` is the number of elements of all modes.
IntTuple stridesBehind(const IntTuple &shape, int64_t &step) {
  if (!shape.isTuple) {
    IntTuple out(step, shape.leaf.isStatic);
    step = saturatingMultiply(step, shape.leaf.value);
    return out;
  }
  std::vector<IntTuple> strides(shape.rank());
  for (size_t i = shape.rank(); i-- > 0;)
    strides[i] = stridesBehind(shape.items[i], step);
  return IntTuple::of(std::move(strides));
}

} // namespace

Result<CuteLayout> smemAtom(std::string_view written, int bits) {
  std::string name = atomName(written).name;
  std::string_view rest = name;
  bool atom = rest.starts_with("Layout_") && rest.ends_with("_Atom");
  if (atom) {
    rest.remove_prefix(7);
    rest.remove_suffix(5);
  }
  bool alongK = rest.starts_with("K_");
  if (alongK || rest.starts_with("MN_"))
    rest.remove_prefix(alongK ? 2 : 3);
  else
    atom = false;
  const auto *found = std::ranges::find(kSwizzles, rest);
  if (!atom || found == std::end(kSwizzles))
    return error("cute-atom", Message("`{}` is no layout of shared memory that CuTe names{}", name.substr(0, 80),
                                      nearestAtom(name, smemAtomNames())));
  int swizzled = static_cast<int>(found - std::begin(kSwizzles));
  if (bits < 1 || kRowBits % bits != 0)
    return error("cute-atom", Message("elements of {bits} bits do not fill 16 bytes", bits));
  int64_t row = (int64_t(kRowBits) << swizzled) / bits;
  IntTuple rowSize(row, true), one(1, true), rows(kRows, true);
  Layout plain = alongK ? Layout{IntTuple::of({rows, rowSize}), IntTuple::of({rowSize, one})}
                        : Layout{IntTuple::of({rowSize, rows}), IntTuple::of({one, rowSize})};
  return CuteLayout::make({.outer = Swizzle{swizzled, 4, 3},
                           .engine = Engine{.kind = Engine::Kind::Smem, .bits = bits},
                           .swizzlesAddress = true,
                           .plain = std::move(plain)});
}

const std::vector<std::string> &smemAtomNames() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out;
    for (std::string_view major : {"K", "MN"})
      for (std::string_view swizzle : kSwizzles)
        out.push_back(text("Layout_", major, '_', swizzle, "_Atom"));
    return out;
  }();
  return all;
}

Result<Layout> orderedLayout(const IntTuple &shape, const IntTuple *order) {
  if (!order || !shape.isTuple)
    return Layout::compact(shape);
  if (!order->isTuple || order->rank() != shape.rank() || !known(*order) || depthOf(*order) != 1)
    return error("cute-rank", Message("the order `{order}` does not have a number for each mode of `{shape}`",
                                      dslText(*order), dslText(shape)));
  std::vector<size_t> modes(shape.rank());
  std::iota(modes.begin(), modes.end(), size_t(0));
  std::ranges::stable_sort(modes, {}, [&](size_t i) { return order->items[i].leaf.value; });
  std::vector<IntTuple> sorted;
  for (size_t i : modes)
    sorted.push_back(shape.items[i]);
  Result<Layout> compact = Layout::compact(IntTuple::of(std::move(sorted)));
  if (!compact)
    return compact;
  std::vector<Layout> placed(shape.rank());
  for (size_t i = 0; i < modes.size(); ++i)
    placed[modes[i]] = compact->mode(i);
  return makeLayout(placed);
}

Result<Layout> rowMajor(const IntTuple &shape) {
  if (!known(shape))
    return error("cute-unknown", Message("the shape `{shape}` is not known", cppText(shape)));
  int64_t step = 1;
  IntTuple strides = stridesBehind(shape, step);
  return Layout::make(shape, std::move(strides));
}

Result<CuteLayout> tileToShape(const CuteLayout &block, const IntTuple &shape, const IntTuple *order) {
  if (!block.parts().plain)
    return error("layout-memory", Message("`{name}` has no shape to repeat", block.text()));
  const Layout &plain = *block.parts().plain;
  if (!plain.known() || !known(shape))
    return error("cute-unknown", "a block and a shape of known sizes are needed");
  if (plain.rank() > shape.rank())
    return error("cute-rank", Message("the block `{layout}` has more modes than the shape `{shape}`", cppText(plain),
                                      dslText(shape)));
  std::vector<IntTuple> times;
  for (size_t i = 0; i < shape.rank(); ++i) {
    int64_t size = productOf(shape.mode(i)), own = i < plain.rank() ? productOf(plain.shape.mode(i)) : 1;
    if (size < own || size % own != 0)
      return error("cute-divide",
                   Message("mode {} of the shape, {size}, is no multiple of the block's {}", i, size, own));
    times.emplace_back(size / own, true);
  }
  IntTuple repeated = IntTuple::of(std::move(times));
  Result<Layout> tiler = orderedLayout(repeated, order);
  std::vector<Layout> modes;
  for (size_t i = 0; i < shape.rank(); ++i)
    modes.push_back(i < plain.rank() ? plain.mode(i) : Layout{IntTuple(1, true), IntTuple(0, true)});
  Result<Layout> out = tiler ? blockedProduct(makeLayout(modes), *tiler) : std::move(tiler);
  if (!out)
    return std::unexpected(std::move(out.error()));
  return block.withPlain(*std::move(out));
}

} // namespace lanescope::layouts::cute
