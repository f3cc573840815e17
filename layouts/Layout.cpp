#include "layouts/Layout.h"

#include "layouts/AddressMap.h"
#include "layouts/ElementMap.h"
#include "layouts/NoMemory.h"
#include "layouts/support/Text.h"
#include "layouts/TmemMap.h"

namespace lanescope::layouts {

namespace {

std::unexpected<Diagnostics> lacks(const ForeignLayout &layout, Memory memory) {
  std::vector<Memory> memories = layout.memories();
  return error("layout-memory", Message("`{layout}` says nothing about {memory}{}", layout.text(), name(memory),
                                        memories.empty() ? "" : text("; it is a layout of ", name(memories.front()))));
}

} // namespace

std::string_view name(Memory memory) {
  switch (memory) {
  case Memory::Registers: return "registers";
  case Memory::Shared: return "shared memory";
  case Memory::Tmem: return "tensor memory";
  }
  return "";
}

Result<ElementMap> ForeignLayout::elementMap(const Shape &) const { return lacks(*this, Memory::Registers); }
Result<AddressMap> ForeignLayout::addressMap(const Shape &, int) const { return lacks(*this, Memory::Shared); }
Result<TmemMap> ForeignLayout::tmemMap(const Shape &, int) const { return lacks(*this, Memory::Tmem); }
Result<std::vector<ExplainStep>> ForeignLayout::explain(const Shape &, const Shape &) const {
  return std::vector<ExplainStep>{};
}

bool Foreign::operator==(const Foreign &other) const {
  return layout_ == other.layout_ ||
         (layout_->language() == other.layout_->language() && layout_->text() == other.layout_->text());
}

std::string layoutText(const Layout &layout) {
  if (const auto *foreign = std::get_if<Foreign>(&layout))
    return (*foreign)->text();
  if (const auto *tmem = std::get_if<TMEMLayout>(&layout))
    return jaxText(*tmem);
  return jaxText(std::get<RegisterLayout>(layout));
}

std::string_view languageOf(const Layout &layout) {
  const auto *foreign = std::get_if<Foreign>(&layout);
  return foreign ? (*foreign)->language() : "jax";
}

Memory memoryOf(const Layout &layout) {
  if (const auto *foreign = std::get_if<Foreign>(&layout)) {
    std::vector<Memory> memories = (*foreign)->memories();
    return memories.empty() ? Memory::Registers : memories.front();
  }
  return std::holds_alternative<TMEMLayout>(layout) ? Memory::Tmem : Memory::Registers;
}

std::unexpected<Diagnostics> noMemory(const Layout &layout) {
  if (const auto *foreign = std::get_if<Foreign>(&layout)) // the layout's own error explains best why it has no map
    if (Result<ElementMap> map = (*foreign)->elementMap({}); !map)
      return std::unexpected(std::move(map.error()));
  return error("layout-memory", Message("`{layout}` does not say where elements lie", layoutText(layout)));
}

} // namespace lanescope::layouts
