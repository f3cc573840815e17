// The part that all grid pictures share: cells -> boxes, borders, ticks and level of detail. A model says what each
// cell is; buildGrid() draws it: labelled cells for small grids, plain ones for larger, merged blocks for the largest.
// The model stays with the scene (Scene::raster), which answers for single cells of grids of any size.
#pragma once

#include "viz/scene/Scene.h"

#include <memory>

namespace lanescope::viz {

struct Cell {
  int64_t element = -1; // -1: empty
  Colour fill;          // as on light paper, like all colours of a Cell
  std::array<Colour, 4> bands{};
  int bandCount = 0;
  bool hatched = false;
  int32_t unit = -1; // neighbours of one unit (one register's vector, say) have no border between them
  int32_t zone = -1; // neighbours of different zones (warps, say) have a strong one
};

/// A place in a grid.
struct CellAt {
  int64_t row = 0, column = 0;
  auto operator<=>(const CellAt &) const = default;
};

/// From a cell to another one of the same grid: where a value goes.
struct CellArrow {
  CellAt from, to;
};

/// What the cells of a grid are. Keeps what it is asked about, and may be asked from several threads at once.
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
  /// Cells of a row that belong together, so that merging starts there (the vector length, say).
  virtual int64_t columnUnit() const { return 1; }
  /// Ascending; cells that share a key light up together.
  virtual void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const = 0;
  /// The elements of all cells that share a key with this one; any order, repeats allowed.
  virtual void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const = 0;
  /// Appends the cells that the element, one of the array's, is drawn in.
  virtual void cellsOf(int64_t element, std::vector<CellAt> &cells) const = 0;
  /// Appends the ways that the element takes from cell to cell; nothing in pictures where nothing moves.
  virtual void arrowsOf(int64_t /*element*/, std::vector<CellArrow> & /*arrows*/) const {}
  /// Whether any cell is hatched, and whether this one is (a copy of what others hold too).
  virtual bool hasCopies() const { return false; }
  virtual bool isCopy(int64_t row, int64_t column) const { return cell(row, column).hatched; }
  /// Colours of a run of cells of one row in the model's theme, as 0xAABBGGRR; 0: empty. Here by way of cell().
  virtual void fillRow(int64_t row, int64_t column, int64_t count, uint32_t *out) const;

  ColourTheme theme() const { return theme_; }

private:
  ColourTheme theme_;
};

/// 0xAABBGGRR of a colour on light paper, in a theme.
uint32_t packedIn(ColourTheme theme, Colour light);

/// How strong the lines between cells are: as they should be where they are few, thin and faint where they would cover
/// more than a small share of the colours (small cells of many kinds).
struct BorderStrength {
  double width = 1;
  uint8_t alpha = 255; // 0: not drawn at all
};
/// `length`: of all lines together, in the unit of `area` and `width`. No thinner than `thinnest`.
BorderStrength borderStrength(double length, double area, double width, uint8_t alpha, double thinnest);

struct CellGridOptions {
  bool boxes = true; // false: the raster, ticks and sizes alone
  bool labels = true, tooltips = true;
  int64_t maxLabelled = 1 << 14, maxCells = 1 << 16;
  double minCellWidth = 30; // of a labelled cell
};

/// How the grid was drawn: cells per box in both directions.
struct CellGridDetail {
  int64_t blockRows = 1, blockColumns = 1;
  bool labelled = false;
};

/// Fills the scene's body, grid, raster, link sets, ticks and, where detail was left out, notes.
CellGridDetail buildGrid(std::shared_ptr<const CellModel> model, const CellGridOptions &options, Scene &scene);

} // namespace lanescope::viz
