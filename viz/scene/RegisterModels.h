// Register layouts as grids of cells: the array's point of view, and the threads'.
#pragma once

#include "viz/scene/CellGrid.h"
#include "viz/scene/Fold.h"

namespace lanescope::viz {

/// A cell per element: who holds it.
class ElementModel : public CellModel {
public:
  ElementModel(const layouts::ElementMap &map, ColourBy colourBy, std::vector<std::vector<int32_t>> &linkSets);
  int64_t rows() const override { return fold_.rows; }
  int64_t columns() const override { return fold_.columns; }
  Cell cell(int64_t row, int64_t column) override;
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) override;
  std::string tooltip(int64_t row, int64_t column) override;
  std::string rowTick(int64_t row) override;
  std::string columnTick(int64_t column) override;
  int64_t columnUnit() const override { return map_.vector(); }

private:
  const layouts::ElementMap &map_;
  ColourBy colourBy_;
  Fold fold_;
  LinkSets sets_;
  std::vector<int32_t> threads_; // of the cell at hand, kept to reuse its memory
};

/// A row per thread of the warpgroup, a column per register position: what it holds.
class LaneModel : public CellModel {
public:
  LaneModel(const layouts::ElementMap &map, ColourBy colourBy, std::vector<std::vector<int32_t>> &linkSets);
  int64_t rows() const override { return map_.threads(); }
  int64_t columns() const override { return static_cast<int64_t>(map_.registers()) * map_.vector(); }
  Cell cell(int64_t row, int64_t column) override;
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) override;
  std::string tooltip(int64_t row, int64_t column) override;
  std::string rowTick(int64_t row) override;
  std::string columnTick(int64_t column) override;
  int64_t columnUnit() const override { return map_.vector(); }

private:
  const layouts::ElementMap &map_;
  ColourBy colourBy_;
  LinkSets sets_;
};

/// A splat: every thread holds the one value.
class SplatModel : public CellModel {
public:
  SplatModel(const layouts::Shape &shape, std::vector<std::vector<int32_t>> &linkSets);
  int64_t rows() const override { return fold_.rows; }
  int64_t columns() const override { return fold_.columns; }
  Cell cell(int64_t row, int64_t column) override;
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) override;
  std::string tooltip(int64_t row, int64_t column) override;
  std::string rowTick(int64_t row) override;
  std::string columnTick(int64_t column) override;

private:
  const layouts::Shape &shape_;
  Fold fold_;
};

/// "3", or the leading indices "(1, 3)" for ranks above 2; the first index of the row for rank 1.
std::string rowTickText(const layouts::Shape &shape, const Fold &fold, int64_t row);
/// "+3" for wrapped arrays, whose columns are offsets; else "3".
std::string columnTickText(const layouts::Shape &shape, int64_t column);
/// "9,2"
std::string shortIndex(const layouts::Shape &shape, int64_t element);

} // namespace lanescope::viz
