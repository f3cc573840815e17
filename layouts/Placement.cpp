#include "layouts/Placement.h"

#include "layouts/NoMemory.h"
#include "layouts/support/Text.h"

namespace lanescope::layouts {

namespace {

template <typename Map> Result<Placement> placed(Result<Map> map) {
  if (!map)
    return std::unexpected(std::move(map.error()));
  return Placement(*std::move(map));
}

} // namespace

Result<Placement> placement(const Layout &layout, const Shape &shape, int bitwidth, std::optional<Memory> memory) {
  Memory wanted = memory.value_or(memoryOf(layout));
  if (const auto *foreign = std::get_if<Foreign>(&layout)) {
    if ((*foreign)->memories().empty())
      return noMemory(layout);
    switch (wanted) {
    case Memory::Registers: return placed((*foreign)->elementMap(shape));
    case Memory::Shared: return placed((*foreign)->addressMap(shape, bitwidth));
    case Memory::Tmem: return placed((*foreign)->tmemMap(shape, bitwidth));
    }
  }
  if (wanted != memoryOf(layout))
    return error("layout-memory",
                 text("`", layoutText(layout), "` is a layout of ", name(memoryOf(layout)), ", not of ", name(wanted)));
  if (const auto *tmem = std::get_if<TMEMLayout>(&layout))
    return placed(TmemMap::of(*tmem, shape, bitwidth));
  return placed(ElementMap::of(std::get<RegisterLayout>(layout), shape));
}

Result<ElementMap> elementMapOf(const Layout &layout, const Shape &shape) {
  if (const auto *registers = std::get_if<RegisterLayout>(&layout))
    return ElementMap::of(*registers, shape);
  Result<Placement> map = placement(layout, shape, 32, Memory::Registers);
  if (!map)
    return std::unexpected(std::move(map.error()));
  return std::get<ElementMap>(*std::move(map));
}

} // namespace lanescope::layouts
