#include "layouts/Placement.h"

#include "layouts/Reading.h"

namespace lanescope::layouts {

namespace {

template <typename Map> Result<Placement> placed(Result<Map> map) {
  if (!map)
    return std::unexpected(std::move(map.error()));
  return Placement(*std::move(map));
}

} // namespace

Result<Placement> placement(const Layout &layout, const Shape &shape, int bitwidth, std::optional<Memory> memory) {
  Result<Reading> reading = readingOf(layout, {.shape = shape, .memory = memory});
  if (!reading)
    return std::unexpected(std::move(reading.error()));
  if (const auto *foreign = std::get_if<Foreign>(&layout)) {
    switch (reading->memory) {
    case Memory::Registers: return placed((*foreign)->elementMap(shape));
    case Memory::Shared: return placed((*foreign)->addressMap(shape, bitwidth));
    case Memory::Tmem: return placed((*foreign)->tmemMap(shape, bitwidth));
    }
  }
  Layout read = layoutIn(layout, reading->memory);
  if (const auto *tmem = std::get_if<TMEMLayout>(&read))
    return placed(TmemMap::of(*tmem, shape, bitwidth));
  return placed(ElementMap::of(std::get<RegisterLayout>(read), shape));
}

Memory memoryOf(const Placement &placement) {
  if (std::holds_alternative<ElementMap>(placement))
    return Memory::Registers;
  return std::holds_alternative<AddressMap>(placement) ? Memory::Shared : Memory::Tmem;
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
