// The code that all grid pictures share: cells -> boxes, borders, ticks and level of detail. A model describes each
// cell, and buildGrid() draws it: labelled cells for small grids, plain ones for larger, merged blocks for the largest.
// The scene keeps the model (Scene::raster), which answers for single cells of grids of any size.
#pragma once

#include "viz/scene/Scene.h"

#include <memory>

namespace lanescope::viz {

struct Cell {
  int64_t element = -1; // -1 for an empty cell
  Colour fill;          // the colour on light paper, like all colours of a Cell
  std::array<Colour, 4> bands{};
  int bandCount = 0;
  bool hatched = false;
  int32_t unit = -1; // neighbours of one unit (such as one register's vector) have no border between them
  int32_t zone = -1; // neighbours of different zones (such as warps) have a strong border
};

/// A place in a grid.
struct CellAt {
  int64_t row = 0, column = 0;
  auto operator<=>(const CellAt &) const = default;
};

/// An arrow from a cell to another one of the same grid: the path of a value.
struct CellArrow {
  CellAt from, to;
};

/// Describes the cells of a grid. It keeps its data, and several threads may call it at once.
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
  /// The number of cells of a row that belong together; merging starts with them (for example the vector length).
  virtual int64_t columnUnit() const { return 1; }
  /// The keys of a cell, ascending. Cells that share a key light up together.
  virtual void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const = 0;
  /// The elements of all cells that share a key with this one, in any order, with repeats allowed.
  virtual void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const = 0;
  /// Appends the cells in which one of the array's elements is drawn.
  virtual void cellsOf(int64_t element, std::vector<CellAt> &cells) const = 0;
  /// Appends the paths of the element from cell to cell; nothing in pictures without moves.
  virtual void arrowsOf(int64_t /*element*/, std::vector<CellArrow> & /*arrows*/) const {}
  /// hasCopies: true if any cell is hatched. The second function: true if this cell is (it shows a copy that others
  /// hold too).
  virtual bool hasCopies() const { return false; }
  virtual bool isCopy(int64_t row, int64_t column) const { return cell(row, column).hatched; }
  /// The colours of a run of cells of one row in the model's theme, as 0xAABBGGRR; 0 for an empty cell. The default
  /// calls cell().
  virtual void fillRow(int64_t row, int64_t column, int64_t count, uint32_t *out) const;

  ColourTheme theme() const { return theme_; }

private:
  ColourTheme theme_;
};

/// A colour on light paper as 0xAABBGGRR in a theme.
uint32_t packedIn(ColourTheme theme, Colour light);

/// The strength of the lines between cells. Few lines have full strength; lines that would cover more than a small
/// share of the colours (small cells of many kinds) become thin and faint.
struct BorderStrength {
  double width = 1;
  uint8_t alpha = 255; // 0: not drawn
};
/// `length` is the total length of all lines, in the unit of `area` and `width`. The result's width is at least
/// `thinnest`.
BorderStrength borderStrength(double length, double area, double width, uint8_t alpha, double thinnest);

struct CellGridOptions {
  bool boxes = true; // false: only the raster, ticks and sizes
  bool labels = true, tooltips = true;
  int64_t maxLabelled = 1 << 14, maxCells = 1 << 16;
  double minCellWidth = 30; // for a labelled cell
};

/// The level of detail of a drawn grid: cells per box in both directions.
struct CellGridDetail {
  int64_t blockRows = 1, blockColumns = 1;
  bool labelled = false;
};

/// Fills the scene's body, grid, raster, link sets and ticks, and adds notes if detail was left out.
CellGridDetail buildGrid(std::shared_ptr<const CellModel> model, const CellGridOptions &options, Scene &scene);

} // namespace lanescope::viz
