// Grids of cells for register layouts. One shows them from the array's point of view, one from the threads'.
#pragma once

#include "viz/scene/CellGrid.h"
#include "viz/scene/Fold.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// Looks up the colours of register slots and of elements in one table for the chosen ColourBy.
class SlotColours {
public:
  /// The caller must have checked that `options.classes` and `addresses` fit the map. `bitwidth`: the element width for
  /// the banks of a plain array.
  SlotColours(std::shared_ptr<const layouts::ElementMap> map, int bitwidth, const LayoutSceneOptions &options);
  Colour of(int32_t slot, int64_t element) const { return colours_[index(slot, element)]; }
  /// The colour in the theme, as 0xAABBGGRR.
  uint32_t packed(int32_t slot, int64_t element) const { return packed_[index(slot, element)]; }
  /// Writes the colours of elements `element`, `element` + 1, …. Each element has one slot.
  void fill(const int32_t *slots, int64_t element, int64_t count, uint32_t *out) const;
  bool byWarp() const { return colourBy_ == ColourBy::Warp; }

private:
  size_t index(int32_t slot, int64_t element) const;

  std::shared_ptr<const layouts::ElementMap> map_;
  ColourBy colourBy_;
  int32_t values_, vector_;
  int shift_ = -1; // log2 of values_ if it is a power of two; a shift costs less than a division
  int64_t bitwidth_;
  std::shared_ptr<const layouts::AddressMap> addresses_;
  std::shared_ptr<const ElementClasses> classes_;
  std::vector<Colour> colours_;
  std::vector<uint32_t> packed_;
};

/// A cell for each element, with the element's owners.
class ElementModel : public CellModel {
public:
  ElementModel(std::shared_ptr<const layouts::ElementMap> map, int bitwidth, const LayoutSceneOptions &options);
  int64_t rows() const override { return fold_.rows; }
  int64_t columns() const override { return fold_.columns; }
  Cell cell(int64_t row, int64_t column) const override;
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) const override;
  std::string tooltip(int64_t row, int64_t column) const override;
  std::string rowTick(int64_t row) const override;
  std::string columnTick(int64_t column) const override;
  int64_t columnUnit() const override { return map_->vector(); }
  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override;
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override;
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override;
  bool hasCopies() const override { return map_->replication() > 1; }
  bool isCopy(int64_t row, int64_t column) const override;
  void fillRow(int64_t row, int64_t column, int64_t count, uint32_t *out) const override;

private:
  std::shared_ptr<const layouts::ElementMap> map_;
  SlotColours colours_;
  Fold fold_;
};

/// A row for each thread and a column for each register position. The cell shows the element that is there. Elements
/// outside of the slice are empty.
class LaneModel final : public CellModel {
public:
  LaneModel(std::shared_ptr<const layouts::ElementMap> map, int bitwidth, const LayoutSceneOptions &options);
  int64_t rows() const override { return map_->threads(); }
  int64_t columns() const override { return map_->values(); }
  Cell cell(int64_t row, int64_t column) const override;
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) const override;
  std::string tooltip(int64_t row, int64_t column) const override;
  std::string rowTick(int64_t row) const override;
  std::string columnTick(int64_t column) const override;
  int64_t columnUnit() const override { return map_->vector(); }
  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override;
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override;
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override;
  bool hasCopies() const override { return map_->replication() > 1; }
  bool isCopy(int64_t row, int64_t column) const override;
  void fillRow(int64_t row, int64_t column, int64_t count, uint32_t *out) const override;

private:
  int32_t elementAt(int64_t row, int64_t column) const;

  std::shared_ptr<const layouts::ElementMap> map_;
  SlotColours colours_;
  Fold fold_;
};

/// For a splat: every thread holds the same single value.
class SplatModel : public CellModel {
public:
  SplatModel(layouts::Shape shape, const LayoutSceneOptions &options);
  int64_t rows() const override { return fold_.rows; }
  int64_t columns() const override { return fold_.columns; }
  Cell cell(int64_t row, int64_t column) const override;
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) const override;
  std::string tooltip(int64_t row, int64_t column) const override;
  std::string rowTick(int64_t row) const override;
  std::string columnTick(int64_t column) const override;
  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override;
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override;
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override;
  bool hasCopies() const override { return true; }

private:
  layouts::Shape shape_;
  Fold fold_;
};

/// Appends all elements that a thread holds.
void elementsOfThread(const layouts::ElementMap &map, int32_t thread, std::vector<int32_t> &elements);
/// "3"; for ranks above 2, the leading indices "(1, 3)"; for rank 1, the index of the row's first element.
std::string rowTickText(const Fold &fold, int64_t row);
/// "+3" for wrapped arrays, whose columns are offsets; "3" for other arrays.
std::string columnTickText(const Fold &fold, int64_t column);
/// "9,2"
std::string shortIndex(const layouts::Shape &shape, int64_t element);

} // namespace lanescope::viz
