#include "viz/scene/TmemScene.h"

#include "layouts/Catalogue.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "layouts/support/Words.h"
#include "viz/scene/CellGrid.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/Fold.h"
#include "viz/scene/Legend.h"
#include "viz/scene/Palette.h"
#include "viz/scene/PlaceWords.h"
#include "viz/scene/RegisterModels.h"

namespace lanescope::viz {
namespace {

using layouts::TmemCell;

Colour colourOf(const layouts::TmemMap &map, const TmemCell &cell, ColourBy colourBy) {
  switch (colourBy) {
  case ColourBy::Warp: return laneColour(cell.lane / layouts::kLanesPerWarp, cell.lane % layouts::kLanesPerWarp);
  case ColourBy::Lane: return itemColour(cell.lane, layouts::kTmemLanes);
  case ColourBy::Register: return itemColour(cell.column, map.columns());
  case ColourBy::Vector: return itemColour(cell.sub, map.packing());
  case ColourBy::Bank:
  case ColourBy::Custom: break; // tensor memory has no banks; the models handle classes
  }
  return kEmpty;
}

std::string cellText(const layouts::TmemMap &map, int64_t column) {
  return map.packing() > 1 ? text("c", column / map.packing(), ".", column % map.packing()) : text("c", column);
}

/// The part that both points of view have in common: colours, keys, linked elements.
class TmemModel : public CellModel {
public:
  TmemModel(std::shared_ptr<const layouts::TmemMap> map, const LayoutSceneOptions &options)
      : CellModel(options.theme), map_(std::move(map)), colourBy_(options.colourBy), classes_(options.classes),
        fold_(fold(map_->shape(), options.slice)) {}

protected:
  Colour colour(const TmemCell &cell, int64_t element) const {
    if (colourBy_ != ColourBy::Custom)
      return colourOf(*map_, cell, colourBy_);
    int32_t item = classes_->of[static_cast<size_t>(element)];
    return item < 0 ? kUnclassed : itemColour(item, static_cast<int64_t>(classes_->names.size()));
  }
  void elementsOfLane(int32_t lane, std::vector<int32_t> &elements) const {
    size_t width = static_cast<size_t>(map_->columns()) * map_->packing();
    for (int32_t element : map_->elements().subspan(static_cast<size_t>(lane) * width, width))
      if (element >= 0)
        elements.push_back(element);
  }

  std::shared_ptr<const layouts::TmemMap> map_;
  ColourBy colourBy_;
  std::shared_ptr<const ElementClasses> classes_;
  Fold fold_;
};

/// The memory's point of view: lanes by columns. Elements outside of the slice are empty.
class MemoryModel : public TmemModel {
public:
  MemoryModel(std::shared_ptr<const layouts::TmemMap> map, const LayoutSceneOptions &options)
      : TmemModel(std::move(map), options), columns_(options.wholeMemory ? layouts::kTmemColumns : map_->columns()) {
    // A border separates adjacent lanes if the array's rows do not continue there: at quarters, or at halves of
    // quarters.
    int32_t jumps = 0, rowStep = map_->shape().empty() ? 1 : static_cast<int32_t>(map_->shape().back());
    for (int lane = 0; lane < map_->lanes(); ++lane) {
      bool jump = lane > 0 && map_->element(lane, 0, 0) != map_->element(lane - 1, 0, 0) + rowStep;
      jumps += jump || lane % layouts::kLanesPerWarp == 0;
      zones_.push_back(jumps);
    }
    if (jumps > kMostZones)
      for (int lane = 0; lane < map_->lanes(); ++lane)
        zones_[static_cast<size_t>(lane)] = lane / layouts::kLanesPerWarp;
  }
  int64_t rows() const override { return map_->lanes(); }
  int64_t columns() const override { return columns_ * map_->packing(); }

  Cell cell(int64_t row, int64_t column) const override {
    TmemCell at{static_cast<int32_t>(row), static_cast<int32_t>(column / map_->packing()),
                static_cast<int32_t>(column % map_->packing())};
    Cell cell;
    cell.element = elementAt(at);
    cell.zone = zones_[static_cast<size_t>(at.lane)];
    cell.unit = at.lane * static_cast<int32_t>(columns_) + at.column;
    if (at.column >= map_->columns())
      cell.unit = -2; // the rest of the memory is one field
    if (cell.element < 0)
      return cell;
    cell.fill = colour(at, cell.element);
    cell.hatched = map_->replication() > 1 && map_->cells(cell.element).front().lane != at.lane;
    return cell;
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &) const override {
    if (int32_t element = elementAt(row, column); element >= 0)
      label = shortIndex(map_->shape(), element);
  }
  std::string tooltip(int64_t row, int64_t column) const override {
    if (column / map_->packing() >= map_->columns())
      return text("TMEM lane ", row, " (quarter of warp ", row / layouts::kLanesPerWarp, "), column ",
                  column / map_->packing(), " lies beyond the allocation");
    return tmemCellWords(*map_, static_cast<int>(row), static_cast<int>(column / map_->packing()),
                         static_cast<int>(column % map_->packing()));
  }
  std::string rowTick(int64_t row) const override { return text(row); }
  std::string columnTick(int64_t column) const override { return cellText(*map_, column); }
  int64_t columnUnit() const override { return map_->packing(); }
  void linkKeys(int64_t row, int64_t, std::vector<int32_t> &keys) const override {
    keys.push_back(static_cast<int32_t>(row));
  }
  void linkedElements(int64_t row, int64_t, std::vector<int32_t> &elements) const override {
    elementsOfLane(static_cast<int32_t>(row), elements);
  }
  bool hasCopies() const override { return map_->replication() > 1; }
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override {
    if (!fold_.holds(element))
      return;
    for (const TmemCell &at : map_->cells(element))
      cells.push_back({at.lane, int64_t(at.column) * map_->packing() + at.sub});
  }

private:
  static constexpr int kMostZones = 16; // with more zones, borders would hide the picture

  int32_t elementAt(const TmemCell &at) const {
    if (at.column >= map_->columns())
      return -1;
    int32_t element = map_->element(at.lane, at.column, at.sub);
    return fold_.holds(element) ? element : -1;
  }
  int32_t elementAt(int64_t row, int64_t column) const {
    return elementAt(TmemCell{static_cast<int32_t>(row), static_cast<int32_t>(column / map_->packing()),
                              static_cast<int32_t>(column % map_->packing())});
  }

  int64_t columns_;            // 32-bit columns
  std::vector<int32_t> zones_; // by lane
};

/// The array's point of view, which shows the place of each element.
class ArrayModel : public TmemModel {
public:
  using TmemModel::TmemModel;
  int64_t rows() const override { return fold_.rows; }
  int64_t columns() const override { return fold_.columns; }

  Cell cell(int64_t row, int64_t column) const override {
    Cell cell;
    cell.element = fold_.element(row, column);
    std::vector<TmemCell> cells = map_->cells(cell.element);
    if (cells.empty()) {
      cell.fill = kUnclassed;
      return cell;
    }
    cell.fill = colour(cells[0], cell.element);
    cell.unit = cells[0].lane * map_->columns() + cells[0].column;
    cell.zone = 0;
    for (const TmemCell &c : cells) {
      int32_t quarter = 1 << (c.lane / layouts::kLanesPerWarp);
      if (colourBy_ == ColourBy::Warp && !(cell.zone & quarter))
        cell.bands[static_cast<size_t>(cell.bandCount++)] = colour(c, cell.element);
      cell.zone |= quarter;
    }
    if (cell.bandCount == 1)
      cell.bandCount = 0;
    cell.hatched = cells.size() > 1;
    return cell;
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) const override {
    std::vector<TmemCell> cells = map_->cells(fold_.element(row, column));
    if (cells.empty())
      return;
    label = cells.size() == 1 ? text("L", cells[0].lane) : text("L", cells[0].lane, " ×", cells.size());
    detail = cellText(*map_, static_cast<int64_t>(cells[0].column) * map_->packing() + cells[0].sub);
  }
  std::string tooltip(int64_t row, int64_t column) const override {
    return tmemElementWords(*map_, fold_.element(row, column));
  }
  std::string rowTick(int64_t row) const override { return rowTickText(fold_, row); }
  std::string columnTick(int64_t column) const override { return columnTickText(fold_, column); }
  int64_t columnUnit() const override { return map_->packing(); }
  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override {
    for (const TmemCell &at : map_->cells(fold_.element(row, column)))
      if (keys.empty() || keys.back() != at.lane)
        keys.push_back(at.lane);
  }
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override {
    std::vector<int32_t> lanes;
    linkKeys(row, column, lanes);
    for (int32_t lane : lanes)
      elementsOfLane(lane, elements);
  }
  bool hasCopies() const override { return map_->replication() > 1; }
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override {
    if (std::optional<CellAt> at = fold_.cellOf(element))
      cells.push_back(*at);
  }
};

void addLegend(Scene &scene, const layouts::TmemMap &map, ColourBy colourBy, bool grid) {
  if (colourBy == ColourBy::Warp) {
    std::vector<bool> present = presentClasses(scene, 4, [&](int64_t element, const auto &add) {
      for (const layouts::TmemCell &cell : map.cells(element))
        add(cell.lane / layouts::kLanesPerWarp);
    });
    for (int warp = 0; warp < 4; ++warp) {
      if (!present[static_cast<size_t>(warp)])
        continue;
      LegendEntry entry;
      for (int i = 0; i < 4; ++i)
        entry.bands[i] = laneColour(warp, i * 31 / 3);
      entry.fill = entry.bands[0];
      entry.bandCount = 4;
      entry.text = text("lanes ", warp * 32, " to ", warp * 32 + 31, ": the quarter of warp ", warp);
      scene.legend.push_back(std::move(entry));
    }
  } else if (colourBy != ColourBy::Custom) {
    int64_t count = colourBy == ColourBy::Lane       ? layouts::kTmemLanes
                    : colourBy == ColourBy::Register ? map.columns()
                                                     : map.packing();
    const char *what = colourBy == ColourBy::Lane       ? "lane"
                       : colourBy == ColourBy::Register ? "column"
                                                        : "place in the cell";
    scene.legend.push_back({.fill = itemColour(0, count), .text = text(what, " 0")});
    if (count > 1)
      scene.legend.push_back({.fill = itemColour(count - 1, count), .text = text(what, " ", count - 1)});
  }
  const Box *sample = nullptr;
  for (size_t i = scene.body.boxes.size() * 5 / 9; i < scene.body.boxes.size() && !sample; ++i)
    if (!scene.body.boxes[i].label.empty())
      sample = &scene.body.boxes[i];
  if (sample) {
    layouts::TmemCell at = map.cells(sample->element)[0];
    std::string packed =
        map.packing() > 1 ? text(", place ", at.sub, " of ", map.packing(), " from the lowest bits") : "";
    scene.legend.push_back({.fill = sample->fill,
                            .sample = text(sample->label, sample->detail.empty() ? "" : "\n", sample->detail),
                            .text = grid
                                        ? text(sample->label, ": in lane ", at.lane, " of tensor memory; ",
                                               sample->detail, ": in column ", at.column, " of its allocation", packed)
                                        : text("the element that the cell holds, by its row and column in the array")});
    if (!grid && map.packing() > 1)
      scene.legend.push_back({.fill = kPaper,
                              .sample = cellText(map, map.packing() + 1),
                              .text = text("column 1, place 1: a 32-bit cell holds ", map.packing(),
                                           " elements, place 0 in its lowest bits")});
  }
  if (map.replication() > 1)
    scene.legend.push_back({.fill = kPaper,
                            .hatched = true,
                            .text = text(grid ? "hatched: stored " : "hatched: a further copy; each element is stored ",
                                         map.replication(), " times")});
  // Cells outside of the allocation are empty, and so are lanes without elements.
  bool empty = !grid && scene.raster && scene.raster->columns() > int64_t(map.columns()) * map.packing();
  for (size_t i = 0; i < map.elements().size() && !empty && !grid; ++i)
    empty = map.elements()[i] < 0;
  if (empty)
    scene.legend.push_back({.fill = kEmpty, .text = "holds nothing"});
}

} // namespace

Result<Scene> tmemScene(const layouts::Layout &layout, const layouts::Shape &shape, layouts::Dtype dtype,
                        const LayoutSceneOptions &options) {
  Result<layouts::Placement> made = layouts::placement(layout, shape, layouts::bitwidth(dtype), layouts::Memory::Tmem);
  if (!made)
    return std::unexpected(std::move(made.error()));
  auto map = std::make_shared<const layouts::TmemMap>(std::get<layouts::TmemMap>(*std::move(made)));
  Scene scene;
  bool mosaic = std::holds_alternative<layouts::TMEMLayout>(layout);
  std::string kind = mosaic ? "TMEMLayout" : text(layouts::languageOf(layout), " layout");
  scene.title = text(options.name.empty() ? layouts::catalogueName(layout).value_or(kind) : validUtf8(options.name),
                     "  ", layouts::tupleText(shape), "  ", layouts::name(dtype), "  in tensor memory");
  scene.subtitle = text(layouts::layoutText(layout), ": ", counted(map->columns(), "column"), " of 32 bits",
                        map->packing() > 1 ? text(", ", map->packing(), " elements in each cell") : "");
  return tmemMapScene(std::move(map), dtype, options, std::move(scene));
}

Result<Scene> tmemMapScene(std::shared_ptr<const layouts::TmemMap> map, layouts::Dtype dtype,
                           const LayoutSceneOptions &options, Scene scene) {
  if (options.view == View::Smem)
    return error("view-does-not-fit",
                 "the `smem` view draws an array in shared memory, and this is a TMEM layout; use `tmem` or `grid`");
  if (options.view == View::F2 || options.view == View::Flow || options.view == View::Diff ||
      options.view == View::Devices || options.view == View::Operands)
    return error("view-does-not-fit",
                 Message("the `{}` view is not one of a TMEM layout; use `tmem` or `grid`", name(options.view)));
  if (options.colourBy == ColourBy::Bank)
    return error("colour-does-not-fit", "tensor memory has no banks; colour it by warp, lane, register or vector");
  if (Result<void> fits = checkPicture(map->shape(), options); !fits)
    return std::unexpected(std::move(fits.error()));
  scene.subject = TmemSubject{map->layout(), map->shape(), dtype, map};
  scene.array = map->shape();
  scene.linkHint = "hover: everything in the same lane lights up";
  bool grid = options.view == View::Grid;
  if (grid) {
    buildGrid(std::make_shared<ArrayModel>(map, options), gridOptions(options), scene);
    scene.top.title = "column of the array";
    scene.left.title = "row";
  } else {
    CellGridDetail detail = buildGrid(std::make_shared<MemoryModel>(map, options), gridOptions(options), scene);
    scene.top.title = map->packing() > 1 ? "TMEM column.place" : "TMEM column";
    scene.left.title = "lane";
    double rowHeight = scene.grid.cellHeight / static_cast<double>(detail.blockRows);
    for (int warp = 0; warp < 4; ++warp)
      scene.left.groups.push_back({warp * 32 * rowHeight, 32 * rowHeight, text("warp ", warp), warpColour(warp)});
  }
  addLegend(scene, *map, options.colourBy, grid);
  addClasses(scene, options);
  addCoverage(scene, *std::get<TmemSubject>(scene.subject).map);
  applyTheme(scene, options.theme);
  return scene;
}

} // namespace lanescope::viz
