#include "layouts/ElementMap.h"

#include "layouts/DigitMap.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::layouts {

Result<ElementMap> ElementMap::of(const RegisterLayout &layout, const Shape &shape) {
  Result<Shape> registers = registersShape(layout, shape);
  if (!registers)
    return std::unexpected(std::move(registers.error()));
  if (std::holds_alternative<WGSplatFragLayout>(layout))
    return error("map-of-splat",
                 Message("{layout} has no element map: the one register of every thread stands for all elements",
                         jaxText(layout)));
  const auto *tiled = std::get_if<TiledLayout>(&layout);
  ElementMap map{Layout(layout)};
  map.shape_ = shape;
  map.replication_ = tiled ? tiled->replication() : 1;
  int64_t entries = saturatingMultiply(elementCount(shape), map.replication_);
  if (entries > kMaxMapEntries || vectorLength(layout) > kMaxMapEntries)
    return error("map-too-large",
                 Message("the element map of shape {shape} would have {entries} entries; at most {limit} are supported",
                         tupleText(shape), entries, kMaxMapEntries));
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
    return error("out-of-memory", Message("no memory for the {entries} entries of the element map", entries));
  map.elements_ = map.table_->elements();
  return map;
}

Result<ElementMap> ElementMap::fromTable(Layout layout, Shape shape, int threads, int registers, int vector,
                                         std::vector<int32_t> elements, int threadsPerWarp) {
  int64_t count = elementCount(shape);
  if (static_cast<int64_t>(elements.size()) > kMaxMapEntries || count > kMaxMapEntries)
    return error("map-too-large",
                 Message("the element map of shape {shape} would have {entries} entries; at most {limit} are supported",
                         tupleText(shape), elements.size(), kMaxMapEntries));
  if (threads < 1 || registers < 0 || vector < 1 || threadsPerWarp < 1 ||
      static_cast<int64_t>(elements.size()) != int64_t(threads) * registers * vector)
    return error("map-size", Message("an element map of {threads} threads with {registers} registers of {elements} "
                                     "elements cannot have {entries} entries",
                                     threads, registers, vector, elements.size()));
  int32_t largest = -1;
  for (int32_t element : elements) // compilers vectorise this loop, but not std::max_element
    largest = std::max(largest, element);
  if (largest >= count)
    return error("map-range", Message("the layout reaches element {}, but shape {shape} has {}", largest,
                                      tupleText(shape), counted(count, "element")));
  ElementMap map(std::move(layout));
  map.shape_ = std::move(shape);
  map.threads_ = threads;
  map.threadsPerWarp_ = threadsPerWarp;
  map.registers_ = registers;
  map.vector_ = vector;
  map.replication_ = 0;
  map.table_ = TwoWayTable::fromElements(std::move(elements), count);
  map.elements_ = map.table_->elements();
  return map;
}

Result<ElementMap> ElementMap::fromDigits(Layout layout, Shape shape, int threads, int registers, SparseDigits digits,
                                          int64_t replication) {
  ElementMap map(std::move(layout));
  map.shape_ = std::move(shape);
  map.threads_ = threads;
  map.registers_ = registers;
  map.replication_ = replication;
  map.table_ = TwoWayTable::makeSparse(std::move(digits), replication);
  if (!map.table_)
    return error("out-of-memory",
                 Message("no memory for the {entries} entries of the element map", int64_t(threads) * registers));
  map.elements_ = map.table_->elements();
  return map;
}

int64_t ElementMap::replication() const { return replication_ > 0 ? replication_ : table_->mostSlots(); }

std::span<const int32_t> ElementMap::slots(int64_t element) const { return table_->slots(element); }

std::span<const int32_t> ElementMap::soleSlots() const { return table_->soleSlots(); }

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

Result<int> commonWarp(const ElementMap &a, const ElementMap &b) {
  if (a.inWarpsOf(b.threadsPerWarp()) && b.inWarpsOf(a.threadsPerWarp()))
    return std::max(a.threadsPerWarp(), b.threadsPerWarp());
  return error("warp-size", Message("one layout has warps of {threads} threads, the other of {}; moves between warps "
                                    "need layouts with equal warps",
                                    a.threadsPerWarp(), b.threadsPerWarp()));
}

Result<void> checkNvidiaWarps(const ElementMap &map, std::string_view what) {
  if (map.inWarpsOf(kLanesPerWarp))
    return {};
  return error("warp-size", Message("{} NVIDIA's warps of {limit} threads; this layout's have {}", what, kLanesPerWarp,
                                    map.threadsPerWarp()));
}

} // namespace lanescope::layouts
