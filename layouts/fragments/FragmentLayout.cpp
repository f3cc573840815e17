#include "layouts/fragments/FragmentLayout.h"

#include "layouts/ElementMap.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"
#include "layouts/TmemMap.h"

namespace lanescope::layouts {

std::string FragmentLayout::text() const {
  return lanescope::text("fragment(\"", atom_->name, "\", \"", operand().name, "\")");
}

std::vector<Memory> FragmentLayout::memories() const {
  std::vector<Memory> out;
  for (const Fragment &fragment : operand().fragments)
    out.push_back(fragment.memory);
  return out;
}

Result<const Fragment *> FragmentLayout::in(Memory memory, const Shape &shape) const {
  for (const Fragment &fragment : operand().fragments) {
    if (fragment.memory != memory)
      continue;
    if (shape != operand().shape) {
      std::optional<Shape> part = memory == Memory::Registers ? warpShape() : std::nullopt;
      return error("fragment-shape",
                   Message("`{}` is an array of shape {shape}{}, not {other_shape}", text(), tupleText(operand().shape),
                           part ? lanescope::text(" (", tupleText(*part), " of one warp)") : std::string(),
                           tupleText(shape)));
    }
    return &fragment;
  }
  return error("layout-memory", Message("`{}` says nothing about {}; it is in {}", text(), layouts::name(memory),
                                        layouts::name(operand().fragments.front().memory)));
}

/// The array of one warp, if the parts of the warps lie below each other and have the same layout; else nothing.
std::optional<Shape> FragmentLayout::warpShape() const {
  const Shape &whole = operand().shape;
  Result<const Fragment *> fragment = in(Memory::Registers, whole);
  if (!fragment || whole.empty())
    return std::nullopt;
  int64_t warps = (*fragment)->size(0) / kLanesPerWarp;
  if (warps < 2 || (*fragment)->size(0) % kLanesPerWarp != 0 || whole[0] % warps != 0)
    return std::nullopt;
  std::vector<int32_t> elements = (*fragment)->elements(whole);
  auto perWarp = static_cast<int32_t>(elements.size() / static_cast<size_t>(warps));
  auto part = static_cast<int32_t>(elementCount(whole) / warps);
  for (int32_t slot = 0; slot < static_cast<int32_t>(elements.size()); ++slot) {
    int32_t first = elements[static_cast<size_t>(slot % perWarp)];
    bool inside = first < part && (slot >= perWarp || first >= -1);
    if (!inside || elements[static_cast<size_t>(slot)] != (first < 0 ? -1 : first + slot / perWarp * part))
      return std::nullopt;
  }
  Shape out = whole;
  out[0] /= warps;
  return out;
}

std::string FragmentLayout::application(const Shape &shape) const {
  const Shape &whole = operand().shape;
  if (shape == whole || shape.empty() || shape[0] == 0)
    return "";
  return lanescope::text("this is the part of one warp; the ", whole[0] / shape[0], " warps of `", atom_->name,
                         "` have such parts of the array of shape ", tupleText(whole), " below each other");
}

Result<ElementMap> FragmentLayout::elementMap(const Shape &shape) const {
  if (shape != operand().shape)
    if (std::optional<Shape> part = warpShape(); part && *part == shape) {
      const Fragment &found = **in(Memory::Registers, operand().shape);
      std::vector<int32_t> elements = found.elements(operand().shape);
      // Keep only the elements of warp 0.
      elements.resize(elements.size() / static_cast<size_t>(found.size(0)) * kLanesPerWarp);
      return ElementMap::fromTable(Foreign(std::make_shared<FragmentLayout>(*this)), shape, kLanesPerWarp,
                                   static_cast<int>(found.size(1)), static_cast<int>(found.size(2)),
                                   std::move(elements));
    }
  Result<const Fragment *> fragment = in(Memory::Registers, shape);
  if (!fragment)
    return std::unexpected(std::move(fragment.error()));
  const Fragment &found = **fragment;
  return ElementMap::fromTable(Foreign(std::make_shared<FragmentLayout>(*this)), shape, static_cast<int>(found.size(0)),
                               static_cast<int>(found.size(1)), static_cast<int>(found.size(2)), found.elements(shape));
}

Result<TmemMap> FragmentLayout::tmemMap(const Shape &shape, int bitwidth) const {
  Result<const Fragment *> fragment = in(Memory::Tmem, shape);
  if (!fragment)
    return std::unexpected(std::move(fragment.error()));
  const Fragment &found = **fragment;
  if (bitwidth * found.size(2) > kTmemCellBits)
    return error("tmem-bitwidth", Message("`{}` puts {} of {bits} bits in a cell; {other_bits} bits each do not fit",
                                          text(), counted(found.size(2), "element"), operand().bits, bitwidth));
  return TmemMap::fromTable(Foreign(std::make_shared<FragmentLayout>(*this)), shape, bitwidth,
                            static_cast<int>(found.size(1)), static_cast<int>(found.size(2)), found.elements(shape));
}

Result<std::vector<ExplainStep>> FragmentLayout::explain(const Shape &asked, const Shape &index) const {
  std::optional<Shape> part = asked == operand().shape ? std::nullopt : warpShape();
  const Shape &shape = part && *part == asked ? operand().shape : asked; // the first warp's part begins the array
  Result<const Fragment *> fragment = in(operand().fragments.front().memory, shape);
  if (!fragment)
    return std::unexpected(std::move(fragment.error()));
  bool inside = index.size() == asked.size();
  for (size_t i = 0; inside && i < index.size(); ++i)
    inside = index[i] >= 0 && index[i] < asked[i];
  if (!inside)
    return error("index-range", Message("index {coordinates} is outside an array of shape {shape}", tupleText(index),
                                        tupleText(asked)));
  std::vector<ExplainStep> steps;
  for (const Fragment &each : operand().fragments)
    for (ExplainStep &step : each.explain(shape, index))
      steps.push_back(std::move(step));
  return steps;
}

Result<Foreign> fragment(std::shared_ptr<const Atom> atom, std::string_view operand) {
  Result<const Operand *> found = atom->operand(operand);
  if (!found)
    return std::unexpected(std::move(found.error()));
  if ((*found)->fragments.empty())
    return error("operand-shared",
                 Message("operand `{operand}` of `{instruction}` lies in shared memory, where its descriptor places "
                         "it: it has no fragment (see `smem_map` for tiles and swizzles)",
                         operand, atom->name));
  auto index = static_cast<size_t>(*found - atom->operands.data());
  return Foreign(std::make_shared<FragmentLayout>(std::move(atom), index));
}

Result<Foreign> fragment(const Atom &atom, std::string_view operand) {
  return fragment(std::make_shared<const Atom>(atom), operand);
}

Result<Foreign> fragment(std::string_view atom, std::string_view operand) {
  Result<Atom> parsed = parseAtom(atom);
  if (!parsed)
    return std::unexpected(std::move(parsed.error()));
  return fragment(*parsed, operand);
}

} // namespace lanescope::layouts
