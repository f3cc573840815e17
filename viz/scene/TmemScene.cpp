#include "viz/scene/TmemScene.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"
#include "viz/scene/CellGrid.h"
#include "viz/scene/Fold.h"
#include "viz/scene/Palette.h"
#include "viz/scene/RegisterModels.h"
#include "viz/scene/Utf8.h"
#include "viz/scene/Words.h"

namespace lanescope::viz {
namespace {

using layouts::TmemCell;

Colour colourOf(const layouts::TmemMap &map, const TmemCell &cell, ColourBy colourBy) {
  switch (colourBy) {
  case ColourBy::Warp: return laneColour(cell.lane / 32, cell.lane % 32);
  case ColourBy::Lane: return itemColour(cell.lane, layouts::kTmemLanes);
  case ColourBy::Register: return itemColour(cell.column, map.columns());
  case ColourBy::Vector: return itemColour(cell.sub, map.packing());
  }
  return kEmpty;
}

std::string cellText(const layouts::TmemMap &map, int64_t column) {
  return map.packing() > 1 ? text("c", column / map.packing(), ".", column % map.packing()) : text("c", column);
}

/// The memory's point of view: lanes by columns.
class MemoryModel : public CellModel {
public:
  MemoryModel(const layouts::TmemMap &map, ColourBy colourBy, std::vector<std::vector<int32_t>> &linkSets)
      : map_(map), colourBy_(colourBy), sets_(linkSets) {
    // A border where the array's rows do not go on from lane to lane: at quarters, at halves of a quarter.
    int32_t jumps = 0, rowStep = static_cast<int32_t>(map.shape().back());
    for (int lane = 0; lane < map.lanes(); ++lane) {
      bool jump = lane > 0 && map.element(lane, 0, 0) != map.element(lane - 1, 0, 0) + rowStep;
      jumps += jump || lane % 32 == 0;
      zones_.push_back(jumps);
    }
    if (jumps > kMostZones)
      for (int lane = 0; lane < map.lanes(); ++lane)
        zones_[lane] = lane / 32;
  }
  int64_t rows() const override { return map_.lanes(); }
  int64_t columns() const override { return static_cast<int64_t>(map_.columns()) * map_.packing(); }

  Cell cell(int64_t row, int64_t column) override {
    TmemCell at{static_cast<int32_t>(row), static_cast<int32_t>(column / map_.packing()),
                static_cast<int32_t>(column % map_.packing())};
    Cell cell;
    cell.element = map_.element(at.lane, at.column, at.sub);
    cell.zone = zones_[at.lane];
    cell.unit = at.lane * map_.columns() + at.column;
    if (cell.element < 0)
      return cell;
    cell.fill = colourOf(map_, at, colourBy_);
    cell.linkSet = sets_.number({at.lane});
    cell.hatched = map_.replication() > 1 && map_.cells(cell.element).front().lane != at.lane;
    return cell;
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &) override {
    label = shortIndex(map_.shape(), map_.elements()[row * columns() + column]);
  }
  std::string tooltip(int64_t row, int64_t column) override {
    return tmemCellWords(map_, static_cast<int>(row), static_cast<int>(column / map_.packing()),
                         static_cast<int>(column % map_.packing()));
  }
  std::string rowTick(int64_t row) override { return text(row); }
  std::string columnTick(int64_t column) override { return cellText(map_, column); }
  int64_t columnUnit() const override { return map_.packing(); }

private:
  static constexpr int kMostZones = 16; // with more, borders would hide the picture

  const layouts::TmemMap &map_;
  ColourBy colourBy_;
  LinkSets sets_;
  std::vector<int32_t> zones_; // by lane
};

/// The array's point of view: where each element sits.
class ArrayModel : public CellModel {
public:
  ArrayModel(const layouts::TmemMap &map, ColourBy colourBy, std::vector<std::vector<int32_t>> &linkSets)
      : map_(map), colourBy_(colourBy), fold_(fold(map.shape())), sets_(linkSets) {}
  int64_t rows() const override { return fold_.rows; }
  int64_t columns() const override { return fold_.columns; }

  Cell cell(int64_t row, int64_t column) override {
    Cell cell;
    cell.element = fold_.element(row, column);
    std::vector<TmemCell> cells = map_.cells(cell.element);
    if (cells.empty())
      return cell;
    cell.fill = colourOf(map_, cells[0], colourBy_);
    cell.unit = cells[0].lane * map_.columns() + cells[0].column;
    cell.zone = 0;
    std::vector<int32_t> lanes;
    for (const TmemCell &c : cells) {
      int32_t quarter = 1 << (c.lane / 32);
      if (colourBy_ == ColourBy::Warp && !(cell.zone & quarter))
        cell.bands[cell.bandCount++] = colourOf(map_, c, colourBy_);
      cell.zone |= quarter;
      lanes.push_back(c.lane);
    }
    if (cell.bandCount == 1)
      cell.bandCount = 0;
    cell.hatched = cells.size() > 1;
    cell.linkSet = sets_.number(std::move(lanes));
    return cell;
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) override {
    std::vector<TmemCell> cells = map_.cells(fold_.element(row, column));
    if (cells.empty())
      return;
    label = cells.size() == 1 ? text("L", cells[0].lane) : text("L", cells[0].lane, " ×", cells.size());
    detail = cellText(map_, static_cast<int64_t>(cells[0].column) * map_.packing() + cells[0].sub);
  }
  std::string tooltip(int64_t row, int64_t column) override {
    return tmemElementWords(map_, fold_.element(row, column));
  }
  std::string rowTick(int64_t row) override { return rowTickText(map_.shape(), fold_, row); }
  std::string columnTick(int64_t column) override { return columnTickText(map_.shape(), column); }
  int64_t columnUnit() const override { return map_.packing(); }

private:
  const layouts::TmemMap &map_;
  ColourBy colourBy_;
  Fold fold_;
  LinkSets sets_;
};

void addLegend(Scene &scene, const layouts::TmemMap &map, ColourBy colourBy, bool grid) {
  if (colourBy == ColourBy::Warp) {
    for (int warp = 0; warp < 4; ++warp) {
      LegendEntry entry;
      for (int i = 0; i < 4; ++i)
        entry.bands[i] = laneColour(warp, i * 31 / 3);
      entry.fill = entry.bands[0];
      entry.bandCount = 4;
      entry.text =
          text("lanes ", warp * 32, " to ", warp * 32 + 31, ": the quarter that warp ", warp, " loads and stores");
      scene.legend.push_back(std::move(entry));
    }
  } else {
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
                            .text = text(grid ? "stored " : "a further copy: stored ", map.replication(), " times")});
  for (const Box &box : scene.body.boxes)
    if (box.element < 0 && !grid) {
      scene.legend.push_back({.fill = kEmpty, .text = "holds nothing"});
      break;
    }
}

} // namespace

Result<Scene> tmemScene(const layouts::TMEMLayout &layout, const layouts::Shape &shape, layouts::Dtype dtype,
                        const LayoutSceneOptions &options) {
  if (options.view == View::Smem)
    return error("view-does-not-fit",
                 "the `smem` view draws an array in shared memory, and this is a TMEM layout; use `tmem` or `grid`");
  Result<layouts::TmemMap> made = layouts::TmemMap::of(layout, shape, layouts::bitwidth(dtype));
  if (!made)
    return std::unexpected(std::move(made.error()));
  auto map = std::make_shared<const layouts::TmemMap>(*std::move(made));
  Scene scene;
  scene.title =
      text(options.name.empty() ? layouts::catalogueName(layout).value_or("TMEMLayout") : validUtf8(options.name), "  ",
           layouts::tupleText(shape), "  ", layouts::name(dtype), "  in tensor memory");
  scene.subtitle = text(layouts::jaxText(layout), ": ", map->columns(), map->columns() == 1 ? " column" : " columns",
                        " of 32 bits", map->packing() > 1 ? text(", ", map->packing(), " elements in each cell") : "");
  scene.subject = TmemSubject{layout, shape, dtype, map};
  scene.linkHint = "hover: everything in the same lane lights up";
  CellGridOptions grid{options.labels, options.tooltips, options.maxLabelled, options.maxCells};
  if (options.view == View::Grid) {
    ArrayModel model(*map, options.colourBy, scene.linkSets);
    buildGrid(model, grid, scene);
    scene.top.title = "column of the array";
    scene.left.title = "row";
    addLegend(scene, *map, options.colourBy, true);
    return scene;
  }
  MemoryModel model(*map, options.colourBy, scene.linkSets);
  CellGridDetail detail = buildGrid(model, grid, scene);
  scene.top.title = map->packing() > 1 ? "TMEM column.place" : "TMEM column";
  scene.left.title = "lane";
  double rowHeight = scene.grid.cellHeight / static_cast<double>(detail.blockRows);
  for (int warp = 0; warp < 4; ++warp)
    scene.left.groups.push_back({warp * 32 * rowHeight, 32 * rowHeight, text("warp ", warp), warpColour(warp)});
  addLegend(scene, *map, options.colourBy, false);
  return scene;
}

} // namespace lanescope::viz
