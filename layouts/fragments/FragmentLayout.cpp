#include "layouts/fragments/FragmentLayout.h"

#include "layouts/ElementMap.h"
#include "layouts/support/Text.h"
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
    if (shape != operand().shape)
      return error("fragment-shape", lanescope::text('`', text(), "` is an array of shape ", tupleText(operand().shape),
                                                     ", not ", tupleText(shape)));
    return &fragment;
  }
  return error("layout-memory", lanescope::text('`', text(), "` says nothing about ", layouts::name(memory),
                                                "; it is in ", layouts::name(operand().fragments.front().memory)));
}

Result<ElementMap> FragmentLayout::elementMap(const Shape &shape) const {
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
    return error("tmem-bitwidth",
                 lanescope::text('`', text(), "` puts ", found.size(2), found.size(2) == 1 ? " element" : " elements",
                                 " of ", operand().bits, " bits in a cell; ", bitwidth, " bits each do not fit"));
  return TmemMap::fromTable(Foreign(std::make_shared<FragmentLayout>(*this)), shape, bitwidth,
                            static_cast<int>(found.size(1)), static_cast<int>(found.size(2)), found.elements(shape));
}

Result<std::vector<ExplainStep>> FragmentLayout::explain(const Shape &shape, const Shape &index) const {
  Result<const Fragment *> fragment = in(operand().fragments.front().memory, shape);
  if (!fragment)
    return std::unexpected(std::move(fragment.error()));
  bool inside = index.size() == shape.size();
  for (size_t i = 0; inside && i < index.size(); ++i)
    inside = index[i] >= 0 && index[i] < shape[i];
  if (!inside)
    return error("index-range",
                 lanescope::text("index ", tupleText(index), " is outside an array of shape ", tupleText(shape)));
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
    return error("operand-shared", text("operand `", operand, "` of `", atom->name,
                                        "` lies in shared memory, where its descriptor places it: it has no fragment "
                                        "(see `smem_map` for tiles and swizzles)"));
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
