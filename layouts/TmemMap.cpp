#include "layouts/TmemMap.h"

#include "layouts/Catalogue.h"
#include "layouts/DigitMap.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

/// Tiles of scales follow one another along MN first. So the digit of the row tile counts faster than the digit of the
/// column group.
void interleaveScaleTiles(std::vector<Digit> &digits, const Shape &shape) {
  int64_t rowTiles = shape[0] / kTmemLanes, groups = shape[1] / 4;
  if (rowTiles == 0 || groups == 0)
    return; // no elements
  for (Digit &digit : digits) {
    if (digit.size == rowTiles && digit.element == kTmemLanes * shape[1])
      digit.slot /= groups;
    else if (digit.size == groups && digit.element == 4)
      digit.slot *= rowTiles;
  }
}

} // namespace

Result<TmemMap> TmemMap::of(const TMEMLayout &layout, const Shape &shape, int bitwidth) {
  if (layout == catalogue::sparseMeta())
    return error("tmem-descriptive", "the sparse-metadata layout is descriptive only and has no map");
  Result<int64_t> columns = layout.columnsIn(shape, bitwidth);
  if (!columns)
    return std::unexpected(std::move(columns.error()));
  if (*columns > kTmemColumns)
    return error("tmem-columns", Message("shape {shape} takes {columns} columns of tensor memory, which has {limit}",
                                         tupleText(shape), *columns, kTmemColumns));
  TmemMap map{Layout(layout)};
  map.shape_ = shape;
  map.bitwidth_ = bitwidth;
  map.columns_ = static_cast<int>(*columns);
  map.packing_ = static_cast<int>(layout.packing());
  map.replication_ = layout.tiled().replication();
  std::vector<Digit> digits = digitsOf(layout.tiled(), shape, *columns);
  if (layout == catalogue::scales())
    interleaveScaleTiles(digits, shape);
  map.table_ = TwoWayTable::make(std::move(digits), map.replication_);
  if (!map.table_)
    return error("out-of-memory", "no memory for the tensor-memory map");
  map.elements_ = map.table_->elements();
  return map;
}

Result<TmemMap> TmemMap::fromTable(Layout layout, Shape shape, int bitwidth, int columns, int packing,
                                   std::span<const int32_t> elements) {
  int64_t count = elementCount(shape);
  if (columns < 1 || columns > kTmemColumns)
    return error("tmem-columns", Message("the layout takes {columns} columns of tensor memory, which has {limit}",
                                         columns, kTmemColumns));
  if (packing < 1 || count > kMaxMapEntries ||
      static_cast<int64_t>(elements.size()) != int64_t(kTmemLanes) * columns * packing)
    return error(
        "map-size",
        Message("a tensor-memory map of {columns} columns of {elements} elements cannot have {entries} entries",
                columns, packing, elements.size()));
  std::vector<int32_t> owners(static_cast<size_t>(count), 0);
  int32_t most = 0;
  for (int32_t element : elements) {
    if (element >= count)
      return error("map-range", Message("the layout reaches element {}, but shape {shape} has {}", element,
                                        tupleText(shape), counted(count, "element")));
    if (element >= 0)
      most = std::max(most, ++owners[static_cast<size_t>(element)]);
  }
  TmemMap map(std::move(layout));
  map.shape_ = std::move(shape);
  map.bitwidth_ = bitwidth;
  map.columns_ = columns;
  map.packing_ = packing;
  map.replication_ = std::max(most, 1);
  map.table_ = TwoWayTable::fromElements({elements.begin(), elements.end()}, count);
  map.elements_ = map.table_->elements();
  return map;
}

std::vector<TmemCell> TmemMap::cells(int64_t element) const {
  std::vector<TmemCell> cells;
  for (int32_t slot : table_->slots(element)) {
    int32_t cell = slot / packing_;
    cells.push_back({cell / columns_, cell % columns_, slot % packing_});
  }
  return cells;
}

} // namespace lanescope::layouts
