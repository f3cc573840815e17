#include "viz/scene/CellGrid.h"

#include "layouts/support/Text.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/Page.h"
#include "viz/scene/Palette.h"

#include <algorithm>
#include <cmath>

namespace lanescope::viz {
namespace {

constexpr int64_t kSamples = 8; // samples per direction in a merged block
/// Assigns numbers to sets of link keys.
class LinkSets {
public:
  explicit LinkSets(std::vector<std::vector<int32_t>> &sets) : sets_(sets) {}
  /// `keys` are sorted and unique. Returns -1 if there are no keys.
  int32_t number(const std::vector<int32_t> &keys) {
    if (keys.empty())
      return -1;
    size_t first = static_cast<size_t>(keys.front());
    if (byFirst_.size() <= first)
      byFirst_.resize(first + 1);
    for (int32_t known : byFirst_[first])
      if (sets_[static_cast<size_t>(known)] == keys)
        return known;
    byFirst_[first].push_back(static_cast<int32_t>(sets_.size()));
    sets_.push_back(keys);
    return byFirst_[first].back();
  }

private:
  std::vector<std::vector<int32_t>> &sets_;
  std::vector<std::vector<int32_t>> byFirst_; // by key: the numbers of the sets that start with the key
};

constexpr Colour kUnitBorder{27, 31, 36, 105}, kZoneBorder{27, 31, 36, 255};
constexpr double kThinnest = 0.5; // the thinnest border in files

/// Chooses the smallest block, in powers of two, with which there are at most `maxCells` boxes. A block has nearly as
/// many rows as columns.
void chooseBlocks(const CellModel &model, int64_t maxCells, CellGridDetail &detail) {
  auto boxes = [&] {
    int64_t rows = (model.rows() + detail.blockRows - 1) / detail.blockRows;
    int64_t columns = (model.columns() + detail.blockColumns - 1) / detail.blockColumns;
    return rows * columns;
  };
  while (boxes() > maxCells && detail.blockColumns < model.columnUnit())
    detail.blockColumns *= 2;
  while (boxes() > maxCells) {
    int64_t rowsLeft = model.rows() / detail.blockRows, columnsLeft = model.columns() / detail.blockColumns;
    (columnsLeft >= rowsLeft ? detail.blockColumns : detail.blockRows) *= 2;
  }
}

/// The cell for a block. The colours of the block's cells are averaged within each zone.
Cell merged(const CellModel &model, const CellGridDetail &detail, int64_t row, int64_t column, int64_t &elements,
            std::vector<int32_t> &keys) {
  struct Sum {
    int32_t zone;
    double r = 0, g = 0, b = 0;
    int64_t n = 0;
  };
  std::vector<Sum> sums;
  Cell out;
  elements = 0;
  int64_t rowEnd = std::min(row + detail.blockRows, model.rows());
  int64_t columnEnd = std::min(column + detail.blockColumns, model.columns());
  int64_t rowStep = std::max<int64_t>(1, (rowEnd - row) / kSamples);
  int64_t columnStep = std::max<int64_t>(1, (columnEnd - column) / kSamples);
  // The samples are scattered. Otherwise a pattern that repeats with a power of two (vector positions, lanes) would
  // always be sampled at the same phase.
  uint32_t random = 1;
  auto scattered = [&](int64_t begin, int64_t step, int64_t end) {
    random = random * 1664525 + 1013904223; // D. Knuth's "quick and dirty" generator
    return std::min(begin + static_cast<int64_t>(random >> 16) % step, end - 1);
  };
  for (int64_t i = row; i < rowEnd; i += rowStep) {
    for (int64_t j = column; j < columnEnd; j += columnStep) {
      int64_t r = scattered(i, rowStep, rowEnd), c = scattered(j, columnStep, columnEnd);
      Cell cell = model.cell(r, c);
      if (cell.element < 0)
        continue;
      elements = (rowEnd - row) * (columnEnd - column);
      if (out.element < 0)
        out = cell;
      out.hatched |= cell.hatched;
      auto at = std::find_if(sums.begin(), sums.end(), [&](const Sum &s) { return s.zone == cell.zone; });
      if (at == sums.end())
        at = sums.insert(sums.end(), Sum{cell.zone});
      at->r += cell.fill.r, at->g += cell.fill.g, at->b += cell.fill.b, ++at->n;
      model.linkKeys(r, c, keys);
    }
  }
  if (elements == 0)
    return out;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  auto mean = [](const Sum &s) {
    double n = static_cast<double>(s.n);
    return Colour{static_cast<uint8_t>(s.r / n), static_cast<uint8_t>(s.g / n), static_cast<uint8_t>(s.b / n)};
  };
  if (out.bandCount == 0) {
    std::sort(sums.begin(), sums.end(), [](const Sum &a, const Sum &b) { return a.zone < b.zone; });
    out.fill = mean(sums.front());
    if (sums.size() > 1) {
      out.bandCount = static_cast<int>(std::min<size_t>(sums.size(), 4));
      for (int i = 0; i < out.bandCount; ++i)
        out.bands[i] = mean(sums[i]);
    }
  }
  return out;
}

enum Border : uint8_t { kNone, kUnit, kZone };

Border between(const Cell &a, const Cell &b) {
  if (a.zone != b.zone)
    return kZone;
  return a.unit != b.unit ? kUnit : kNone;
}

/// Draws the borders between neighbouring cells. Joins adjacent equal borders into one line.
void drawBorders(const std::vector<Cell> &cells, int64_t rows, int64_t columns, double w, double h, bool units,
                 std::vector<Line> &lines) {
  auto at = [&](int64_t r, int64_t c) -> const Cell & { return cells[r * columns + c]; };
  double zoneWidth = w >= 20 ? 2 : 1;
  std::vector<std::pair<Point, Point>> found;
  auto draw = [&](Colour colour, double lineWidth) {
    double length = 0;
    for (auto [from, to] : found)
      length += std::abs(to.x - from.x) + std::abs(to.y - from.y);
    double area = static_cast<double>(rows) * h * static_cast<double>(columns) * w;
    BorderStrength strength = borderStrength(length, area, lineWidth, colour.a, kThinnest);
    colour.a = strength.alpha;
    for (auto [from, to] : found)
      if (strength.alpha > 0)
        lines.push_back({from, to, colour, strength.width});
    found.clear();
  };
  for (Border want : {kUnit, kZone}) { // strong borders are drawn over faint ones
    for (int64_t c = 1; c < columns; ++c) {
      for (int64_t r = 0, begin = 0; r <= rows; ++r) {
        bool on = r < rows && between(at(r, c - 1), at(r, c)) == want;
        if (on)
          continue;
        if (r > begin)
          found.push_back({{c * w, begin * h}, {c * w, r * h}});
        begin = r + 1;
      }
    }
    for (int64_t r = 1; r < rows; ++r) {
      for (int64_t c = 0, begin = 0; c <= columns; ++c) {
        bool on = c < columns && between(at(r - 1, c), at(r, c)) == want;
        if (on)
          continue;
        if (c > begin)
          found.push_back({{begin * w, r * h}, {c * w, r * h}});
        begin = c + 1;
      }
    }
    if (want == kZone)
      draw(kZoneBorder, zoneWidth);
    else if (units)
      draw(kUnitBorder, 0.75);
    found.clear();
  }
  double width = static_cast<double>(columns) * w, height = static_cast<double>(rows) * h;
  for (auto [from, to] : {std::pair<Point, Point>{{0, 0}, {width, 0}},
                          {{width, 0}, {width, height}},
                          {{width, height}, {0, height}},
                          {{0, height}, {0, 0}}})
    lines.push_back({from, to, kZoneBorder, zoneWidth});
}

/// The distance, in boxes, at which ticks have room: 1, 2, 4, 8, …
int64_t tickStep(double boxSize, double tickSize) {
  int64_t step = 1;
  while (static_cast<double>(step) * boxSize < tickSize)
    step *= 2;
  return step;
}

/// Makes the grid's boxes without their places, and the cells that they show. Returns the width of the widest label.
double makeBoxes(const CellModel &model, const CellGridOptions &options, const CellGridDetail &detail, double fontSize,
                 Scene &scene, std::vector<Cell> &cells) {
  int64_t rows = scene.grid.rows, columns = scene.grid.columns;
  bool whole = detail.blockRows == 1 && detail.blockColumns == 1;
  std::vector<Box> &boxes = scene.body.boxes;
  cells.resize(static_cast<size_t>(rows * columns));
  boxes.resize(cells.size());
  LinkSets sets(scene.linkSets);
  std::vector<int32_t> keys;
  double labelWidth = 0;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      Box &box = boxes[static_cast<size_t>(r * columns + c)];
      Cell &cell = cells[static_cast<size_t>(r * columns + c)];
      keys.clear();
      if (whole) {
        cell = model.cell(r, c);
        if (cell.element >= 0)
          model.linkKeys(r, c, keys);
      } else {
        cell = merged(model, detail, r * detail.blockRows, c * detail.blockColumns, box.elements, keys);
      }
      box.fill = cell.element < 0 ? kEmpty : cell.fill;
      box.bands = cell.bands;
      box.bandCount = cell.bandCount;
      box.hatched = cell.hatched;
      box.element = cell.element;
      box.linkSet = sets.number(keys);
      box.row = static_cast<int32_t>(r);
      box.column = static_cast<int32_t>(c);
      box.labelSize = fontSize;
      box.labelColour = kInk;
      if (detail.labelled && cell.element >= 0) {
        model.label(r, c, box.label, box.detail);
        labelWidth = std::max({labelWidth, textWidth(box.label, fontSize), textWidth(box.detail, fontSize * 0.86)});
      }
      if (options.tooltips && cell.element >= 0) {
        box.tooltip = model.tooltip(r * detail.blockRows, c * detail.blockColumns);
        if (!whole)
          box.tooltip = text("a block of ", box.elements, " elements; the first: ", box.tooltip);
      }
    }
  }
  return labelWidth;
}

/// The width of the widest label in a sample of cells. It determines the proportions of a grid without boxes.
double sampledLabelWidth(const CellModel &model, const CellGridOptions &options, double fontSize) {
  constexpr int64_t kSampled = 32;
  double width = 0;
  if (!options.labels)
    return width;
  auto step = [](int64_t count) { return std::max<int64_t>(1, (count - 1) / kSampled); };
  for (int64_t r = 0; r < model.rows(); r += step(model.rows()))
    for (int64_t c = 0; c < model.columns(); c += step(model.columns())) {
      if (model.cell(r, c).element < 0)
        continue;
      std::string label, detail;
      model.label(r, c, label, detail);
      width = std::max({width, textWidth(label, fontSize), textWidth(detail, fontSize * 0.86)});
    }
  return width;
}

} // namespace

BorderStrength borderStrength(double length, double area, double width, uint8_t alpha, double thinnest) {
  constexpr double kMostCovered = 0.055; // the part of the picture that opaque lines may cover
  constexpr uint8_t kFaintest = 20;      // fainter lines only make the colours dull
  double covered = area > 0 ? length * width / area * alpha / 255 : 0;
  if (covered <= kMostCovered)
    return {width, alpha};
  BorderStrength out{std::max(thinnest, width * std::sqrt(kMostCovered / covered)), alpha};
  double left = kMostCovered * area / (length * out.width);
  out.alpha = static_cast<uint8_t>(std::min<double>(alpha, left * 255));
  if (out.alpha < kFaintest)
    out.alpha = 0;
  return out;
}

CellGridDetail buildGrid(std::shared_ptr<const CellModel> shared, const CellGridOptions &options, Scene &scene) {
  CellGridDetail detail;
  const CellModel &model = *shared;
  scene.raster = std::make_shared<const CellRaster>(shared);
  if (model.rows() == 0 || model.columns() == 0)
    return detail;
  if (options.boxes)
    chooseBlocks(model, options.maxCells, detail);
  int64_t rows = (model.rows() + detail.blockRows - 1) / detail.blockRows;
  int64_t columns = (model.columns() + detail.blockColumns - 1) / detail.blockColumns;
  bool whole = detail.blockRows == 1 && detail.blockColumns == 1;
  int64_t boxCount = rows * columns;
  detail.labelled = options.labels && whole && boxCount <= options.maxLabelled;
  scene.grid = {static_cast<int32_t>(rows), static_cast<int32_t>(columns), 0, 0, detail.blockRows, detail.blockColumns};

  double fontSize = boxCount <= 2048 ? 11 : boxCount <= 4096 ? 10 : 9;
  std::vector<Cell> cells;
  double labelWidth = options.boxes ? makeBoxes(model, options, detail, fontSize, scene, cells)
                                    : sampledLabelWidth(model, options, fontSize);
  std::vector<Box> &boxes = scene.body.boxes;
  bool twoLines = std::any_of(boxes.begin(), boxes.end(), [](const Box &box) { return !box.detail.empty(); });
  if (!options.boxes && labelWidth > 0) { // a window draws the labels itself, and needs room for them
    std::string label, line;
    model.label(0, 0, label, line);
    twoLines = !line.empty();
  }
  double w, h;
  if (detail.labelled || (!options.boxes && labelWidth > 0)) {
    w = std::max(options.minCellWidth, std::ceil(labelWidth + fontSize * 0.9));
    h = std::ceil(fontSize * (twoLines ? 3.0 : 2.1));
  } else {
    double longest = static_cast<double>(std::max(rows, columns));
    w = h = std::clamp(std::floor(1536 / longest), 4.0, 18.0);
  }
  for (Box &box : boxes)
    box.rect = {box.column * w, box.row * h, w, h};
  scene.grid.cellWidth = w;
  scene.grid.cellHeight = h;
  scene.body.width = static_cast<double>(columns) * w;
  scene.body.height = static_cast<double>(rows) * h;
  if (options.boxes)
    drawBorders(cells, rows, columns, w, h, w >= 8, scene.body.lines);

  double columnTickWidth = 0;
  for (int64_t c = 0; c < columns; c += std::max<int64_t>(1, (columns - 1) / 256))
    columnTickWidth = std::max(columnTickWidth, textWidth(model.columnTick(c * detail.blockColumns), 11));
  int64_t step = tickStep(w, columnTickWidth + 6);
  for (int64_t c = 0; c < columns; c += step)
    scene.top.ticks.push_back({(static_cast<double>(c) + 0.5) * w, model.columnTick(c * detail.blockColumns)});
  step = tickStep(h, 14);
  for (int64_t r = 0; r < rows; r += step)
    scene.left.ticks.push_back({(static_cast<double>(r) + 0.5) * h, model.rowTick(r * detail.blockRows)});

  if (!whole)
    scene.notes.push_back(text("Each box stands for a block of ", detail.blockRows, " x ", detail.blockColumns,
                               " cells, in their mean colour; its stripes are the groups that share it. Draw a smaller "
                               "shape to see single cells."));
  else if (options.boxes && !detail.labelled && options.labels)
    scene.notes.push_back(text("Labels are left out above ", options.maxLabelled,
                               " cells. Draw a smaller shape, or hover, to read them."));
  return detail;
}

} // namespace lanescope::viz
