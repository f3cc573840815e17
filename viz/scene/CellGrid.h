// The code that all grid pictures share: from cells to boxes, borders, ticks and level of detail. A model describes
// each cell, and buildGrid() draws it. Small grids have labelled cells, larger ones plain cells, and the largest ones
// merged blocks. The scene keeps the model (Scene::raster), which describes single cells of grids of any size.
#pragma once

#include "viz/scene/Scene.h"

#include <memory>

namespace lanescope::viz {

struct Cell {
  int64_t element = -1; // -1 for an empty cell
  Colour fill;          // the colour on light paper, like all colours in a Cell
  std::array<Colour, 4> bands{};
  int bandCount = 0;
  bool hatched = false;
  int32_t unit = -1; // neighbours that belong to one unit (such as a register's vector) have no border between them
  int32_t zone = -1; // neighbours in different zones (such as warps) have a strong border between them
};

/// A place in a grid.
struct CellAt {
  int64_t row = 0, column = 0;
  auto operator<=>(const CellAt &) const = default;
};

/// An arrow between two cells of a grid, for the path of a value.
struct CellArrow {
  CellAt from, to;
};

/// Describes the cells of a grid. It keeps its data alive. Several threads may call it at the same time.
class CellModel {
public:
  explicit CellModel(ColourTheme theme) : theme_(theme) {}
  virtual ~CellModel() = default;
  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;
  virtual Cell cell(int64_t row, int64_t column) const = 0;
  virtual void label(int64_t row, int64_t column, std::string &label, std::string &detail) const = 0;
  virtual std::string tooltip(int64_t row, int64_t column) const = 0;
  virtual std::string rowTick(int64_t row) const = 0;
  virtual std::string columnTick(int64_t column) const = 0;
  /// The number of adjacent cells in a row that belong together, such as the vector length. Cells are first merged in
  /// groups of this size.
  virtual int64_t columnUnit() const { return 1; }
  /// The keys of a cell, in ascending order. Cells that share a key light up together.
  virtual void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const = 0;
  /// The elements of all cells that share a key with this cell. They may be in any order, and may be repeated.
  virtual void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const = 0;
  /// Appends the cells that show an element of the array.
  virtual void cellsOf(int64_t element, std::vector<CellAt> &cells) const = 0;
  /// Appends the paths of the element from cell to cell. Pictures without moves append nothing.
  virtual void arrowsOf(int64_t /*element*/, std::vector<CellArrow> & /*arrows*/) const {}
  /// hasCopies: true if any cell is hatched. The second function: true if this cell is hatched, because it shows a copy
  /// that others also hold.
  virtual bool hasCopies() const { return false; }
  virtual bool isCopy(int64_t row, int64_t column) const { return cell(row, column).hatched; }
  /// The colours of adjacent cells of a row in the model's theme, as 0xAABBGGRR; 0 for an empty cell. The default
  /// implementation calls cell().
  virtual void fillRow(int64_t row, int64_t column, int64_t count, uint32_t *out) const;

  ColourTheme theme() const { return theme_; }

private:
  ColourTheme theme_;
};

/// Converts a colour on light paper to a theme, as 0xAABBGGRR.
uint32_t packedIn(ColourTheme theme, Colour light);

/// The strength of the lines between cells. If there are few lines, they have full strength. If the lines would cover
/// more than a small part of the colours (small cells of many kinds), they become thin and faint.
struct BorderStrength {
  double width = 1;
  uint8_t alpha = 255; // 0: not drawn
};
/// `length` is the total length of all lines, in the unit of `area` and `width`. The width in the result is at least
/// `thinnest`.
BorderStrength borderStrength(double length, double area, double width, uint8_t alpha, double thinnest);

struct CellGridOptions {
  bool boxes = true; // false: only the raster, ticks and sizes
  bool labels = true, tooltips = true;
  int64_t maxLabelled = 1 << 14, maxCells = 1 << 16;
  double minCellWidth = 30; // the smallest width of a labelled cell
};

/// The level of detail of a drawn grid: the number of cells per box in each direction.
struct CellGridDetail {
  int64_t blockRows = 1, blockColumns = 1;
  bool labelled = false;
};

/// Sets the scene's body, grid, raster, link sets and ticks. Adds notes if detail was left out.
CellGridDetail buildGrid(std::shared_ptr<const CellModel> model, const CellGridOptions &options, Scene &scene);

} // namespace lanescope::viz
