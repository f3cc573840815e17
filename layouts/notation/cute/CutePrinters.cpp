// A CuteLayout in CuTe's three spellings. (C++'s print form is CuteLayout::text().)
#include "layouts/notation/cute/Cute.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

using cute::CuteLayout;
using cute::Engine;
using cute::IntTuple;
using cute::Leaf;

namespace {

/// The type of a leaf: `_8` if CuTe has such a name, else `Int<8>`; `int` for a value that is known only when the
/// kernel runs.
std::string leafType(const Leaf &leaf) {
  if (leaf.kind == Leaf::Kind::Whole)
    return "Underscore";
  std::string value;
  if (leaf.kind == Leaf::Kind::Unknown)
    value = leaf.width == 64 ? "int64_t" : "int";
  else if ((leaf.value >= 0 && leaf.value <= 10) ||
           (leaf.value > 0 && leaf.value <= 524288 && (leaf.value & (leaf.value - 1)) == 0))
    value = text('_', leaf.value);
  else
    value = text("Int<", leaf.value, '>');
  if (leaf.basis.empty())
    return value;
  return text("ScaledBasis<", value, ',', joined(leaf.basis, ","), '>');
}

std::string tupleType(const IntTuple &tuple, std::string_view name) {
  if (!tuple.isTuple)
    return leafType(tuple.leaf);
  std::string out = text(name, '<');
  for (size_t i = 0; i < tuple.items.size(); ++i)
    out += (i > 0 ? "," : "") + tupleType(tuple.items[i], name);
  return out + ">";
}

std::string layoutType(const cute::Layout &layout) {
  return text("Layout<", tupleType(layout.shape, "Shape"), ',', tupleType(layout.stride, "Stride"), '>');
}

std::string tileType(const cute::Tiler &tiler) {
  if (tiler.kind == cute::Tiler::Kind::Whole)
    return "Underscore";
  if (tiler.kind == cute::Tiler::Kind::Layout)
    return layoutType(tiler.layout);
  std::string out = "Tile<";
  for (size_t i = 0; i < tiler.modes.size(); ++i)
    out += (i > 0 ? "," : "") + tileType(tiler.modes[i]);
  return out + ">";
}

Result<std::string> typeText(const CuteLayout &layout) {
  const cute::Parts &parts = layout.parts();
  if (parts.tile)
    return tileType(*parts.tile);
  if (parts.operand)
    return error("cute-parts", Message("`{layout}` belongs to an atom; as a type there is only its layout, `{}`",
                                       layout.text(), layoutType(*parts.plain)));
  if (parts.engine && (!parts.swizzlesAddress || parts.engine->kind != Engine::Kind::Smem || parts.engine->sparsity ||
                       parts.engine->bits == 0))
    return error("cute-parts", Message("`{layout}` is a tensor; as a type there is only its layout, `{}`",
                                       layout.text(), parts.plain ? layoutType(*parts.plain) : ""));
  std::string outer;
  if (const cute::Swizzle *swizzle = layout.swizzle())
    outer = cute::text(*swizzle, "Swizzle");
  else if (const auto *composed = std::get_if<cute::Layout>(&parts.outer))
    outer = layoutType(*composed);
  if (!parts.plain)
    return outer;
  if (outer.empty())
    return layoutType(*parts.plain);
  std::string middle = parts.swizzlesAddress ? text("smem_ptr_flag_bits<", parts.engine->bits, '>')
                                             : tupleType(parts.offset.value_or(IntTuple(0, true)), "Coord");
  return text("ComposedLayout<", outer, ',', middle, ',', layoutType(*parts.plain), '>');
}

std::string dslOperand(const CuteLayout &layout) {
  // CuTe DSL uses other labels for the same operands. The C++ labels are read in both styles, so they stay.
  const cute::Operand &operand = *layout.parts().operand;
  std::string out;
  if (operand.threadIds)
    out += text("ThrID: ", dslText(*operand.threadIds), ' ');
  if (operand.tile)
    out += text("Tiler_MN: (", joined(*operand.tile, ","), ") ");
  return text(out, operand.label, ": ", dslText(*layout.parts().plain));
}

std::string dslText(const CuteLayout &layout) {
  const cute::Parts &parts = layout.parts();
  if (parts.tile)
    return cute::dslText(*parts.tile);
  if (parts.operand)
    return dslOperand(layout);
  std::string out;
  if (parts.engine && !parts.swizzlesAddress)
    out += cppText(*parts.engine) + " o ";
  if (const cute::Swizzle *swizzle = layout.swizzle())
    out += cute::text(*swizzle, "S") + (parts.plain ? " o " : "");
  if (const auto *outer = std::get_if<cute::Layout>(&parts.outer))
    out += cute::dslText(*outer) + " o ";
  if (parts.swizzlesAddress)
    out += cppText(*parts.engine) + " o ";
  if (parts.offset)
    out += cute::dslText(*parts.offset) + " o ";
  return parts.plain ? out + cute::dslText(*parts.plain) : out;
}

} // namespace

Result<std::string> cuteText(const CuteLayout &layout, CuteStyle style) {
  switch (style) {
  case CuteStyle::Cpp: return layout.text();
  case CuteStyle::Dsl: return dslText(layout);
  case CuteStyle::Type: return typeText(layout);
  }
  return layout.text();
}

Result<std::string> cuteText(const Placement &placement, CuteStyle style) {
  Result<CuteLayout> layout = toCute(placement);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  // A (thread, value) layout is written without its label, as CuTe's users write it.
  return cuteText(layout->parts().operand ? CuteLayout(*layout->parts().plain) : *layout, style);
}

} // namespace lanescope::layouts
