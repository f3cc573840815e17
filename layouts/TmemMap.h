// The element in each cell of tensor memory, and the cells of each element.
//
//   auto map = *TmemMap::of(*catalogue::tmemDefault(2), {128, 64}, 16);
//   map.element(3, 5, 1)  ->  3*64 + 11     // lane 3, column 5, upper half-word
//   map.cells(203)        ->  {{3, 5, 1}}
//
// Columns count from the start of the allocation. Scale layouts hold four copies of each element.
#pragma once

#include "layouts/ElementMap.h"
#include "layouts/Layout.h"

namespace lanescope::layouts {

struct TmemCell {
  int32_t lane;   // 0 … 127
  int32_t column; // 32-bit columns
  int32_t sub;    // bits [sub*bitwidth, (sub+1)*bitwidth) of the cell
  bool operator==(const TmemCell &) const = default;
};

class TmemMap {
public:
  /// Errors: those of TMEMLayout::checkType; more than 512 columns; the sparse-metadata layout, which is descriptive.
  /// Scale layouts with several row tiles are interleaved as tcgen05.cp writes them: column 4*(mn_tiles*(c/4) + r/128)
  /// + (r%128)/32 (PTX ISA, "Layout of the Scale Factor A Matrix").
  static Result<TmemMap> of(const TMEMLayout &layout, const Shape &shape, int bitwidth);
  /// The map of a layout of another language. `elements`: [lane][column*packing + sub] over the 128 lanes, -1 for an
  /// empty cell. Errors: those of ElementMap::fromTable.
  static Result<TmemMap> fromTable(Layout layout, Shape shape, int bitwidth, int columns, int packing,
                                   std::span<const int32_t> elements);

  const Layout &layout() const { return layout_; }
  const Shape &shape() const { return shape_; }
  int bitwidth() const { return bitwidth_; }
  int lanes() const { return kTmemLanes; }
  int columns() const { return columns_; }
  int packing() const { return packing_; }
  int64_t replication() const { return replication_; }

  /// The row-major index of the element, or -1 for an empty cell of the allocation.
  int32_t element(int lane, int column, int sub) const {
    return elements_[(static_cast<size_t>(lane) * columns_ + column) * packing_ + sub];
  }
  /// The table of elements, [lane][column*packing + sub], flat.
  std::span<const int32_t> elements() const { return elements_; }
  /// The cells of an element, in lane order; empty for an index outside the array.
  std::vector<TmemCell> cells(int64_t element) const;

private:
  explicit TmemMap(Layout layout) : layout_(std::move(layout)) {}

  Layout layout_;
  Shape shape_;
  int bitwidth_ = 32;
  int columns_ = 0;
  int packing_ = 1;
  int64_t replication_ = 1;
  std::shared_ptr<const TwoWayTable> table_;
  std::span<const int32_t> elements_;
};

} // namespace lanescope::layouts
