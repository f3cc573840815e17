// The part that all grid pictures share: cells -> boxes, borders, ticks and level of detail. A model says what each
// cell is; buildGrid() draws it: labelled cells for small grids, plain ones for larger, merged blocks for the largest.
#pragma once

#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

struct Cell {
  int64_t element = -1; // -1: empty
  Colour fill;
  std::array<Colour, 4> bands{};
  int bandCount = 0;
  bool hatched = false;
  int32_t linkSet = -1;
  int32_t unit = -1; // neighbours of one unit (one register's vector, say) have no border between them
  int32_t zone = -1; // neighbours of different zones (warps, say) have a strong one
};

class CellModel {
public:
  virtual ~CellModel() = default;
  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;
  virtual Cell cell(int64_t row, int64_t column) = 0;
  virtual void label(int64_t row, int64_t column, std::string &label, std::string &detail) = 0;
  virtual std::string tooltip(int64_t row, int64_t column) = 0;
  virtual std::string rowTick(int64_t row) = 0;
  virtual std::string columnTick(int64_t column) = 0;
  /// Cells of a row that belong together, so that merging starts there (the vector length, say).
  virtual int64_t columnUnit() const { return 1; }
};

struct CellGridOptions {
  bool labels = true, tooltips = true;
  int64_t maxLabelled = 1 << 14, maxCells = 1 << 16;
  double minCellWidth = 30; // of a labelled cell
};

/// How the grid was drawn: cells per box in both directions.
struct CellGridDetail {
  int64_t blockRows = 1, blockColumns = 1;
  bool labelled = false;
};

/// Fills the scene's body, grid, ticks and, where detail was left out, notes.
CellGridDetail buildGrid(CellModel &model, const CellGridOptions &options, Scene &scene);

/// Numbers sets of link keys.
class LinkSets {
public:
  explicit LinkSets(std::vector<std::vector<int32_t>> &sets) : sets_(sets) {}
  /// `keys` sorted, each once.
  int32_t number(std::vector<int32_t> keys);

private:
  std::vector<std::vector<int32_t>> &sets_;
  std::vector<std::vector<int32_t>> byFirst_; // numbers of the sets that start with a key
};

} // namespace lanescope::viz
