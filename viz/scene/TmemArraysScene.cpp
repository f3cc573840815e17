#include "viz/scene/TmemArraysScene.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "layouts/support/Words.h"
#include "layouts/TmemMap.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/Legend.h"
#include "viz/scene/Palette.h"
#include "viz/scene/PlaceWords.h"
#include "viz/scene/RegisterModels.h"

#include <algorithm>

namespace lanescope::viz {
namespace {

constexpr int64_t kShades = 32; // number of shades, from an array's first row to its last

/// One array, with the map of one of its matrices. An array whose layout has no map (sparse metadata) is drawn as one
/// field.
struct Placed {
  layouts::TmemArray array;
  std::shared_ptr<const layouts::TmemMap> map; // null if the layout has no map
  int64_t columns = 0;                         // columns of all its matrices
  int64_t firstElement = 0;                    // index over all arrays

  int64_t matrixColumns() const { return map ? map->columns() : columns; }
  bool has(int64_t column) const { return column >= array.column && column < array.column + columns; }
  /// The element's row-major index in the whole array; -1 if the cell holds no element of the array.
  int64_t element(int64_t lane, int64_t column, int sub) const {
    if (!has(column))
      return -1;
    int64_t at = column - array.column;
    if (!map)
      return 0;
    int64_t matrix = at / map->columns();
    int32_t element = map->element(static_cast<int>(lane), static_cast<int>(at % map->columns()), sub);
    return element < 0 ? -1 : matrix * layouts::elementCount(map->shape()) + element;
  }
  int packing() const { return map ? map->packing() : 1; }
};

std::string columnsWords(const Placed &placed) {
  return text("columns ", placed.array.column, " to ", placed.array.column + placed.columns - 1);
}

class ArraysModel : public CellModel {
public:
  ArraysModel(std::vector<Placed> arrays, int64_t columns, ColourTheme theme)
      : CellModel(theme), arrays_(std::move(arrays)), columns_(columns) {}
  int64_t rows() const override { return layouts::kTmemLanes; }
  int64_t columns() const override { return columns_; }

  Cell cell(int64_t row, int64_t column) const override {
    Cell cell;
    cell.unit = -2; // free cells together are one field
    for (size_t i = 0; i < arrays_.size(); ++i) {
      const Placed &placed = arrays_[i];
      int64_t element = placed.element(row, column, 0);
      if (element < 0)
        continue;
      if (cell.element < 0) {
        cell.element = placed.firstElement + element;
        cell.fill = colour(i, element);
        cell.unit = static_cast<int32_t>(i);
        cell.zone =
            static_cast<int32_t>(i * layouts::kTmemColumns + (column - placed.array.column) / placed.matrixColumns());
        cell.hatched = isCopyIn(placed, element, row);
      }
      if (cell.bandCount < 4)
        cell.bands[static_cast<size_t>(cell.bandCount++)] = colour(i, element);
    }
    if (cell.bandCount == 1)
      cell.bandCount = 0;
    for (int band = 1; band < cell.bandCount; ++band) // this colour is used if the stripes are too narrow to be drawn
      cell.fill = mix(cell.fill, cell.bands[static_cast<size_t>(band)], 1.0 / (band + 1));
    return cell;
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) const override {
    for (const Placed &placed : arrays_)
      if (int64_t element = placed.element(row, column, 0); element >= 0) {
        label = text(label, label.empty() ? "" : "|", placed.array.name);
        if (placed.map && detail.empty())
          detail = shortIndex(placed.array.shape, element);
      }
  }
  std::string tooltip(int64_t row, int64_t column) const override {
    std::string out = text("TMEM lane ", row, " (quarter of warp ", row / layouts::kLanesPerWarp, "), column ", column);
    bool some = false;
    for (const Placed &placed : arrays_) {
      if (!placed.has(column))
        continue;
      some = true;
      out += text("\n`", placed.array.name, "`, ", layouts::typeText(placed.array), ", ", columnsWords(placed));
      std::string held;
      for (int sub = 0; placed.map && sub < placed.packing(); ++sub)
        if (int64_t element = placed.element(row, column, sub); element >= 0)
          held += text(held.empty() ? "" : " ", indexWords(placed.array.shape, element));
      if (placed.map)
        out += held.empty() ? ": nothing in this lane" : text(": holds ", held);
    }
    return some ? out : out + ": no array is declared here";
  }
  std::string rowTick(int64_t row) const override { return text(row); }
  std::string columnTick(int64_t column) const override { return text(column); }
  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override {
    for (size_t i = 0; i < arrays_.size(); ++i)
      if (arrays_[i].element(row, column, 0) >= 0)
        keys.push_back(static_cast<int32_t>(i));
  }
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override {
    for (const Placed &placed : arrays_)
      if (int64_t element = placed.element(row, column, 0); element >= 0)
        elements.push_back(static_cast<int32_t>(placed.firstElement + element));
  }
  bool hasCopies() const override {
    return std::ranges::any_of(arrays_, [](const Placed &p) { return p.map && p.map->replication() > 1; });
  }
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override {
    for (const Placed &placed : arrays_) {
      int64_t own = element - placed.firstElement;
      if (own < 0 || own >= layouts::elementCount(placed.array.shape) || !placed.map)
        continue;
      int64_t each = layouts::elementCount(placed.map->shape());
      for (const layouts::TmemCell &at : placed.map->cells(own % each))
        cells.push_back({at.lane, placed.array.column + own / each * placed.map->columns() + at.column});
    }
  }

private:
  Colour colour(size_t index, int64_t element) const {
    const layouts::Shape matrix = layouts::matrixShape(arrays_[index].array);
    int64_t row = element / matrix[1] % matrix[0];
    int64_t shade = matrix[0] > 1 ? row * (kShades - 1) / (matrix[0] - 1) : 0;
    return laneColour(static_cast<int>(index), static_cast<int>(arrays_[index].map ? shade : kShades / 2), kShades);
  }
  static bool isCopyIn(const Placed &placed, int64_t element, int64_t lane) {
    if (!placed.map || placed.map->replication() <= 1)
      return false;
    return placed.map->cells(element % layouts::elementCount(placed.map->shape())).front().lane != lane;
  }

  std::vector<Placed> arrays_;
  int64_t columns_;
};

Result<std::vector<Placed>> place(std::span<const layouts::TmemArray> arrays) {
  std::vector<Placed> out;
  int64_t elements = 0;
  for (const layouts::TmemArray &array : arrays) {
    Result<int64_t> columns = layouts::columnsOf(array);
    if (!columns)
      return std::unexpected(std::move(columns.error()));
    if (array.column < 0 || array.column + *columns > layouts::kTmemColumns)
      return error("tmem-shape", Message("`{name}` takes {columns} columns from {} on, and tensor memory has {limit}",
                                         array.name, *columns, array.column, layouts::kTmemColumns));
    Placed placed{array, nullptr, *columns, elements};
    placed.array.name = validUtf8(array.name);
    elements += layouts::elementCount(array.shape);
    if (auto map = layouts::TmemMap::of(array.layout, layouts::matrixShape(array), layouts::bitwidth(array.dtype)))
      placed.map = std::make_shared<const layouts::TmemMap>(*std::move(map));
    out.push_back(std::move(placed));
  }
  return out;
}

/// Adds the names above their columns. Arrays that share columns share a name.
void addNames(const std::vector<Placed> &arrays, double columnWidth, Scene &scene) {
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t i = 0; i < arrays.size(); ++i)
    order.push_back({arrays[i].array.column, i});
  std::ranges::sort(order);
  for (size_t n = 0; n < order.size();) {
    const Placed &first = arrays[order[n].second];
    int64_t begin = first.array.column, end = begin + first.columns;
    std::string names = first.array.name;
    size_t next = n + 1;
    for (; next < order.size() && order[next].first < end; ++next) {
      const Placed &other = arrays[order[next].second];
      names += " | " + other.array.name;
      end = std::max(end, other.array.column + other.columns);
    }
    scene.top.groups.push_back({static_cast<double>(begin) * columnWidth,
                                static_cast<double>(end - begin) * columnWidth, std::move(names),
                                warpColour(static_cast<int>(order[n].second))});
    n = next;
  }
}

void addLegend(const std::vector<Placed> &arrays, bool free, Scene &scene) {
  bool shared = false, copies = false;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Placed &placed = arrays[i];
    std::vector<std::string> others;
    for (const Placed &other : arrays)
      if (&other != &placed && other.array.column < placed.array.column + placed.columns &&
          placed.array.column < other.array.column + other.columns)
        others.push_back(text("`", other.array.name, "`"));
    shared |= !others.empty();
    copies |= placed.map && placed.map->replication() > 1;
    LegendEntry entry;
    for (int band = 0; band < 4; ++band)
      entry.bands[static_cast<size_t>(band)] =
          laneColour(static_cast<int>(i), static_cast<int>(band * (kShades - 1) / 3), kShades);
    entry.fill = entry.bands[0];
    entry.bandCount = 4;
    entry.text = text("`", placed.array.name, "`: ", layouts::typeText(placed.array), ", ", columnsWords(placed),
                      placed.packing() > 1 ? text(", ", placed.packing(), " elements to a cell") : "",
                      placed.array.collective ? ", in both blocks of a pair" : "",
                      others.empty() ? "" : text("; shares them with ", joined(others, ", ")));
    scene.legend.push_back(std::move(entry));
  }
  scene.legend.push_back({.text = "darker: a later row of the array", .caption = true});
  if (shared)
    scene.legend.push_back({.text = "stripes: arrays of a union share the cell", .caption = true});
  if (copies)
    scene.legend.push_back({.fill = kPaper, .hatched = true, .text = "hatched: a further copy of the same element"});
  if (free)
    scene.legend.push_back({.fill = kEmpty, .text = "holds nothing"});
}

} // namespace

Result<Scene> tmemArraysScene(std::span<const layouts::TmemArray> arrays, const LayoutSceneOptions &options) {
  if (arrays.empty())
    return error("no-tensor-memory", "no array is declared in tensor memory");
  if (options.view != View::Auto && options.view != View::Tmem)
    return error("view-does-not-fit",
                 Message("the `{}` view is not one of a kernel's tensor memory; use `tmem`", name(options.view)));
  Result<std::vector<Placed>> placed = place(arrays);
  if (!placed)
    return std::unexpected(std::move(placed.error()));
  int64_t used = 0, taken = 0;
  std::vector<bool> columns(layouts::kTmemColumns);
  for (const Placed &each : *placed) {
    used = std::max(used, each.array.column + each.columns);
    std::fill_n(columns.begin() + each.array.column, each.columns, true);
  }
  taken = std::ranges::count(columns, true);
  Scene scene;
  scene.title = text("Tensor memory: ", counted(arrays.size(), "array"), " in ", taken, " of ", layouts::kTmemColumns,
                     " columns");
  scene.linkHint = "hover: all of the same array lights up";
  int64_t shown = options.wholeMemory ? layouts::kTmemColumns : used;
  auto model = std::make_shared<ArraysModel>(*placed, shown, options.theme);
  CellGridDetail detail = buildGrid(model, gridOptions(options), scene);
  scene.subject = TmemArraysSubject{{arrays.begin(), arrays.end()}};
  scene.top.title = "TMEM column";
  scene.left.title = "lane";
  addNames(*placed, scene.grid.cellWidth / static_cast<double>(detail.blockColumns), scene);
  double rowHeight = scene.grid.cellHeight / static_cast<double>(detail.blockRows);
  for (int warp = 0; warp < 4; ++warp)
    scene.left.groups.push_back({warp * 32 * rowHeight, 32 * rowHeight, text("warp ", warp), kHairline});
  bool free = false;
  for (int64_t row = 0; row < layouts::kTmemLanes && !free; ++row)
    for (int64_t column = 0; column < shown && !free; ++column)
      free = model->cell(row, column).element < 0;
  addLegend(*placed, free, scene);
  applyTheme(scene, options.theme);
  return scene;
}

} // namespace lanescope::viz
