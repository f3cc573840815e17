// CuteReader's tiles of shared memory: named tiles, a tile repeated over a shape, and the orders of compact layouts.
#include "layouts/cute/AtomNames.h"
#include "layouts/cute/SmemTiles.h"
#include "layouts/notation/cute/CuteReader.h"
#include "layouts/support/Text.h"

namespace lanescope::layouts {

using Node = CuteReader::Node;

/// Reads `Layout_K_SW128_Atom<half_t>{}`, `Layout_SW128_Atom<half_t, GMMA::Major::K>{}`.
Result<Node> CuteReader::smemAtom(std::string_view name, uint32_t begin) {
  if (Result<void> open = in_.expect('<', text('`', name, '`')); !open)
    return std::unexpected(std::move(open.error()));
  Result<std::string> inside = balanced('>');
  if (!inside)
    return std::unexpected(std::move(inside.error()));
  eatBraces();
  std::string type = inside->substr(0, inside->find(','));
  std::string full(name);
  if (!name.starts_with("Layout_K_") && !name.starts_with("Layout_MN_")) { // an argument gives the major mode
    bool alongK = inside->ends_with("Major::K");
    if (!alongK && !inside->ends_with("Major::MN"))
      return in_.fail(begin, Message("`{name}` needs its major, as `{}<half_t, GMMA::Major::K>`", name, name));
    full = text(alongK ? "Layout_K_" : "Layout_MN_", name.substr(7));
  }
  std::optional<int> bits = cute::bitsOfType(type);
  if (!bits)
    return in_.fail(begin, Message("`{}` is no type whose bits are known, as `half_t`", type.substr(0, 60)));
  Result<cute::CuteLayout> layout = located(in_, begin, cute::smemAtom(full, *bits));
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return at(layout->parts(), begin);
}

/// Reads `tile_to_shape(block, Shape<_128,_64>{}, Step<_2,_1>{})`.
Result<Node> CuteReader::tileToShape(uint32_t begin) {
  std::vector<Node> args;
  Result<void> list = readList(in_, '(', ')', "the arguments of `tile_to_shape`", [&]() -> Result<void> {
    Result<Node> value = chain();
    if (!value)
      return std::unexpected(std::move(value.error()));
    args.push_back(*std::move(value));
    return {};
  });
  if (!list)
    return std::unexpected(std::move(list.error()));
  if (args.size() < 2 || args.size() > 3)
    return in_.fail(begin, "`tile_to_shape` needs a block, a shape and perhaps the order of the shape's modes");
  Result<cute::CuteLayout> block = toLayout(args[0]);
  if (!block)
    return std::unexpected(std::move(block.error()));
  for (size_t i = 1; i < args.size(); ++i)
    if (!args[i].tuple())
      return failAt(args[i], i == 1 ? "expected a shape" : "expected an order, as `Step<_2,_1>`");
  if (Result<void> sizes = checkSizes(args[1]); !sizes)
    return std::unexpected(std::move(sizes.error()));
  Result<cute::CuteLayout> tiled =
      located(in_, begin, cute::tileToShape(*block, *args[1].tuple(), args.size() > 2 ? args[2].tuple() : nullptr));
  if (!tiled)
    return std::unexpected(std::move(tiled.error()));
  if (tiled->parts().outer.index() == 0 && !tiled->parts().engine)
    return at(*tiled->parts().plain, begin);
  return at(tiled->parts(), begin);
}

/// Reads `LayoutRight{}` or `LayoutLeft{}`: true for row-major. Nothing if the next text is neither.
std::optional<bool> CuteReader::compactOrder() {
  uint32_t here = in_.offset();
  std::string_view name = in_.identifier();
  if (name == "cute" && (in_.eat("::") || in_.eat('.')))
    name = in_.identifier();
  bool right = name == "LayoutRight" || name == "GenRowMajor";
  if (!right && name != "LayoutLeft" && name != "GenColMajor") {
    in_.rewind(here);
    return std::nullopt;
  }
  eatBraces();
  uint32_t behind = in_.offset();
  if (!(in_.eat('(') && in_.eat(')')))
    in_.rewind(behind);
  return right;
}

} // namespace lanescope::layouts
