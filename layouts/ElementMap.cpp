#include "layouts/ElementMap.h"

#include "layouts/DigitMap.h"
#include "layouts/support/Text.h"

namespace lanescope::layouts {

Result<ElementMap> ElementMap::of(const RegisterLayout &layout, const Shape &shape) {
  Result<Shape> registers = registersShape(layout, shape);
  if (!registers)
    return std::unexpected(std::move(registers.error()));
  if (std::holds_alternative<WGSplatFragLayout>(layout))
    return error("map-of-splat", text(jaxText(layout), " has no element map: the one register of every thread stands ",
                                      "for all elements"));
  const auto *tiled = std::get_if<TiledLayout>(&layout);
  ElementMap map(layout);
  map.shape_ = shape;
  map.replication_ = tiled ? tiled->replication() : 1;
  int64_t entries = saturatingMultiply(elementCount(shape), map.replication_);
  if (entries > kMaxMapEntries || vectorLength(layout) > kMaxMapEntries)
    return error("map-too-large", text("the element map of shape ", tupleText(shape), " would have ", entries,
                                       " entries; at most ", kMaxMapEntries, " are supported"));
  int64_t perThread = elementCount(*registers);
  map.registers_ = static_cast<int>(perThread);
  map.vector_ = static_cast<int>(vectorLength(layout));
  std::vector<Digit> digits;
  if (tiled) {
    digits = digitsOf(*tiled, shape, perThread);
  } else {
    int64_t vec = map.vector_;
    digits = {{perThread, vec * kThreadsPerWarpgroup, vec}, {kThreadsPerWarpgroup, vec, vec * perThread}, {vec, 1, 1}};
    std::erase_if(digits, [](const Digit &digit) { return digit.size == 1; });
  }
  map.table_ = TwoWayTable::make(std::move(digits), map.replication_);
  if (!map.table_)
    return error("out-of-memory", text("no memory for the ", entries, " entries of the element map"));
  map.elements_ = map.table_->elements();
  return map;
}

std::span<const int32_t> ElementMap::slots(int64_t element) const { return table_->slots(element); }

Owner ElementMap::ownerOf(int32_t slot) const {
  int32_t reg = slot / vector_;
  return {reg / registers_, reg % registers_, slot % vector_};
}

std::vector<Owner> ElementMap::owners(int64_t element) const {
  std::vector<Owner> owners;
  for (int32_t slot : slots(element))
    owners.push_back(ownerOf(slot));
  return owners;
}

} // namespace lanescope::layouts
