#include "viz/scene/RegisterModels.h"

#include "layouts/support/Text.h"
#include "viz/scene/Palette.h"
#include "viz/scene/Words.h"

namespace lanescope::viz {
namespace {

using layouts::Owner;

Colour colourOf(const layouts::ElementMap &map, const Owner &owner, ColourBy colourBy) {
  switch (colourBy) {
  case ColourBy::Warp: return laneColour(owner.thread / 32, owner.thread % 32);
  case ColourBy::Lane: return itemColour(owner.thread % 32, 32);
  case ColourBy::Register: return itemColour(owner.reg, map.registers());
  case ColourBy::Vector: return itemColour(owner.position, map.vector());
  }
  return kEmpty;
}

} // namespace

std::string shortIndex(const layouts::Shape &shape, int64_t element) {
  std::string out;
  for (size_t d = shape.size(); d-- > 0;) {
    out = text(element % shape[d], out.empty() ? "" : ",", out);
    element /= shape[d];
  }
  return out;
}

std::string rowTickText(const layouts::Shape &shape, const Fold &fold, int64_t row) {
  if (shape.size() <= 1)
    return fold.rows == 1 ? "" : text(row * fold.columns);
  if (shape.size() == 2)
    return text(row);
  return indexWords(layouts::Shape(shape.begin(), shape.end() - 1), row);
}

std::string columnTickText(const layouts::Shape &shape, int64_t column) {
  return shape.size() == 1 ? text("+", column) : text(column);
}

ElementModel::ElementModel(const layouts::ElementMap &map, ColourBy colourBy,
                           std::vector<std::vector<int32_t>> &linkSets)
    : map_(map), colourBy_(colourBy), fold_(fold(map.shape())), sets_(linkSets) {}

Cell ElementModel::cell(int64_t row, int64_t column) {
  Cell cell;
  cell.element = fold_.element(row, column);
  if (cell.element < 0)
    return cell;
  std::span<const int32_t> slots = map_.slots(cell.element);
  if (slots.empty())
    return cell;
  Owner first = map_.ownerOf(slots[0]);
  cell.fill = colourOf(map_, first, colourBy_);
  cell.unit = first.thread * map_.registers() + first.reg;
  threads_.clear();
  for (int32_t slot : slots) {
    Owner owner = map_.ownerOf(slot);
    if (!threads_.empty() && threads_.back() == owner.thread)
      continue;
    // Owners come in thread order: a new warp begins a new band.
    if (colourBy_ == ColourBy::Warp && (threads_.empty() || threads_.back() / 32 != owner.thread / 32))
      cell.bands[cell.bandCount++] = colourOf(map_, owner, colourBy_);
    threads_.push_back(owner.thread);
    cell.zone = std::max(cell.zone, 0) | 1 << (owner.thread / 32);
  }
  if (cell.bandCount == 1)
    cell.bandCount = 0;
  if (cell.bandCount > 1) // neighbours' stripes would run into each other without a border
    cell.unit = static_cast<int32_t>(cell.element);
  cell.hatched = threads_.size() > 1;
  cell.linkSet = sets_.number(threads_);
  return cell;
}

void ElementModel::label(int64_t row, int64_t column, std::string &label, std::string &detail) {
  std::span<const int32_t> slots = map_.slots(fold_.element(row, column));
  if (slots.empty())
    return;
  Owner first = map_.ownerOf(slots.front()), last = map_.ownerOf(slots.back());
  int64_t count = static_cast<int64_t>(slots.size());
  if (count == 1)
    label = text("T", first.thread);
  else if (last.thread - first.thread + 1 == count)
    label = text("T", first.thread, "–", last.thread);
  else
    label = text("T", first.thread, " ×", count);
  detail = map_.vector() > 1 ? text("r", first.reg, ".", first.position) : text("r", first.reg);
}

std::string ElementModel::tooltip(int64_t row, int64_t column) {
  return elementWords(map_, fold_.element(row, column));
}
std::string ElementModel::rowTick(int64_t row) { return rowTickText(map_.shape(), fold_, row); }
std::string ElementModel::columnTick(int64_t column) { return columnTickText(map_.shape(), column); }

LaneModel::LaneModel(const layouts::ElementMap &map, ColourBy colourBy, std::vector<std::vector<int32_t>> &linkSets)
    : map_(map), colourBy_(colourBy), sets_(linkSets) {}

Cell LaneModel::cell(int64_t row, int64_t column) {
  Owner owner{static_cast<int32_t>(row), static_cast<int32_t>(column / map_.vector()),
              static_cast<int32_t>(column % map_.vector())};
  Cell cell;
  cell.element = map_.element(owner.thread, owner.reg, owner.position);
  cell.fill = colourOf(map_, owner, colourBy_);
  cell.unit = owner.thread * map_.registers() + owner.reg;
  cell.zone = owner.thread / 32;
  cell.linkSet = sets_.number({owner.thread});
  if (map_.replication() > 1) {
    std::span<const int32_t> slots = map_.slots(cell.element);
    cell.hatched = !slots.empty() && map_.ownerOf(slots[0]).thread != owner.thread;
  }
  return cell;
}

void LaneModel::label(int64_t row, int64_t column, std::string &label, std::string &) {
  label = shortIndex(map_.shape(), map_.elements()[row * columns() + column]);
}

std::string LaneModel::tooltip(int64_t row, int64_t column) {
  return slotWords(map_, static_cast<int>(row), static_cast<int>(column / map_.vector()),
                   static_cast<int>(column % map_.vector()));
}

std::string LaneModel::rowTick(int64_t row) { return text(row % 32); }

std::string LaneModel::columnTick(int64_t column) {
  return map_.vector() > 1 ? text("r", column / map_.vector(), ".", column % map_.vector()) : text("r", column);
}

SplatModel::SplatModel(const layouts::Shape &shape, std::vector<std::vector<int32_t>> &linkSets)
    : shape_(shape), fold_(fold(shape)) {
  linkSets.emplace_back(layouts::kThreadsPerWarpgroup);
  for (int i = 0; i < layouts::kThreadsPerWarpgroup; ++i)
    linkSets.back()[i] = i;
}

Cell SplatModel::cell(int64_t row, int64_t column) {
  Cell cell;
  cell.element = fold_.element(row, column);
  for (int warp = 0; warp < layouts::kWarpsPerWarpgroup; ++warp)
    cell.bands[warp] = laneColour(warp, 8);
  cell.fill = cell.bands[0];
  cell.bandCount = layouts::kWarpsPerWarpgroup;
  cell.hatched = true;
  cell.linkSet = 0;
  cell.unit = static_cast<int32_t>((row * fold_.columns + column) & 0x7fffffff);
  cell.zone = 0;
  return cell;
}

void SplatModel::label(int64_t, int64_t, std::string &label, std::string &detail) {
  label = "all";
  detail = "r0";
}

std::string SplatModel::tooltip(int64_t row, int64_t column) {
  return text("element ", indexWords(shape_, fold_.element(row, column)),
              " is held by every thread of the warpgroup, in register 0");
}

std::string SplatModel::rowTick(int64_t row) { return rowTickText(shape_, fold_, row); }
std::string SplatModel::columnTick(int64_t column) { return columnTickText(shape_, column); }

} // namespace lanescope::viz
