#include "viz/scene/DevicesScene.h"

#include "layouts/Catalogue.h"
#include "layouts/Placement.h"
#include "layouts/Reading.h"
#include "layouts/support/Text.h"
#include "viz/scene/Legend.h"
#include "viz/scene/Palette.h"
#include "viz/scene/PlaceWords.h"
#include "viz/scene/RegisterModels.h"

#include <algorithm>
#include <limits>

namespace lanescope::viz {
namespace {

using layouts::Shape;

constexpr int64_t kMostLegend = 16;

Shape wholeShape(const Shape &part, const DeviceSplit &split) {
  Shape whole = part;
  for (size_t d = 0; d < whole.size(); ++d)
    whole[d] *= split.parts(d);
  return whole;
}

Colour deviceColour(int64_t device) { return laneColour(static_cast<int>(device % 8), 8); }

/// A cell for each element of the whole array.
class DevicesModel : public CellModel {
public:
  DevicesModel(std::shared_ptr<const layouts::ElementMap> map, int bitwidth, const DeviceSplit &split,
               const LayoutSceneOptions &options)
      : CellModel(options.theme), map_(map), split_(split), part_(map->shape()), whole_(wholeShape(part_, split)),
        byDevice_(options.colourBy == ColourBy::Warp), inner_(std::move(map), bitwidth, plain(options)),
        innerFold_(fold(part_)), fold_(fold(whole_, options.slice)) {
    for (size_t d = 0; d < part_.size(); ++d)
      places_.push_back(split.parts(d));
    for (int64_t place = 0; place < layouts::elementCount(places_); ++place)
      holders_.push_back(split.holders(layouts::unravelIndex(place, places_)));
  }

  int64_t rows() const override { return fold_.rows; }
  int64_t columns() const override { return fold_.columns; }
  int64_t columnUnit() const override { return inner_.columnUnit(); }
  std::string rowTick(int64_t row) const override { return rowTickText(fold_, row); }
  std::string columnTick(int64_t column) const override { return columnTickText(fold_, column); }
  bool hasCopies() const override { return holders_[0].size() > 1 || inner_.hasCopies(); }

  Cell cell(int64_t row, int64_t column) const override {
    std::optional<Spot> spot = spotAt(row, column);
    if (!spot)
      return {};
    Cell cell = inner_.cell(spot->inner.row, spot->inner.column);
    cell.element = spot->element;
    std::span<const int32_t> slots = map_->slots(spot->element);
    if (slots.empty())
      return cell;
    auto perPlace = static_cast<int32_t>(map_->warps() + 1);
    cell.zone = static_cast<int32_t>(spot->place) * perPlace + cell.zone % perPlace;
    const std::vector<int64_t> &devices = holders_[static_cast<size_t>(spot->place)];
    cell.hatched |= devices.size() > 1;
    if (!byDevice_)
      return cell;
    int warp = map_->warpOf(map_->ownerOf(slots.front()).thread);
    auto colourOf = [&](int64_t device) { return laneColour(static_cast<int>(device % 8), warp, map_->warps()); };
    cell.fill = colourOf(devices.front());
    cell.bandCount = 0;
    for (size_t i = 0; devices.size() > 1 && i < std::min(devices.size(), cell.bands.size()); ++i)
      cell.bands[static_cast<size_t>(cell.bandCount++)] = colourOf(devices[i]);
    if (cell.bandCount > 1) // without a border, neighbours' stripes would merge
      cell.unit = static_cast<int32_t>(fold_.element(row, column));
    return cell;
  }

  void label(int64_t row, int64_t column, std::string &label, std::string &detail) const override {
    std::optional<Spot> spot = spotAt(row, column);
    if (!spot)
      return;
    inner_.label(spot->inner.row, spot->inner.column, label, detail);
    const std::vector<int64_t> &devices = holders_[static_cast<size_t>(spot->place)];
    detail = text(label, " ", detail);
    label = devices.size() <= 2 ? text("D", joined(devices, ",")) : text("D", devices[0], " ×", devices.size());
  }

  std::string tooltip(int64_t row, int64_t column) const override {
    std::optional<Spot> spot = spotAt(row, column);
    if (!spot)
      return {};
    std::vector<std::string> devices;
    for (int64_t device : holders_[static_cast<size_t>(spot->place)])
      devices.push_back(text("device ", device, " (", split_.placeWords(device), ")"));
    bool several = devices.size() > 1;
    return text("element ", layouts::tupleText(layouts::unravelIndex(fold_.element(row, column), whole_)), " is on ",
                joined(devices, ", "), "; in ", several ? "their" : "its", " part ",
                elementWords(*map_, spot->element));
  }

  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override {
    if (std::optional<Spot> spot = spotAt(row, column))
      inner_.linkKeys(spot->inner.row, spot->inner.column, keys);
  }
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override {
    if (std::optional<Spot> spot = spotAt(row, column))
      inner_.linkedElements(spot->inner.row, spot->inner.column, elements);
  }
  /// The cells that show the element, on every device.
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override {
    Shape inside = layouts::unravelIndex(element, part_);
    for (size_t place = 0; place < holders_.size(); ++place) {
      Shape at = layouts::unravelIndex(static_cast<int64_t>(place), places_);
      int64_t index = 0;
      for (size_t d = 0; d < part_.size(); ++d)
        index = index * whole_[d] + at[d] * part_[d] + inside[d];
      if (std::optional<CellAt> cell = fold_.cellOf(index))
        cells.push_back(*cell);
    }
  }

private:
  /// The index of a cell's element within its part, and the index of the part.
  struct Spot {
    int64_t element = 0, place = 0;
    CellAt inner;
  };
  std::optional<Spot> spotAt(int64_t row, int64_t column) const {
    int64_t index = fold_.element(row, column);
    if (index < 0)
      return std::nullopt;
    Spot spot;
    Shape at = layouts::unravelIndex(index, whole_);
    for (size_t d = 0; d < at.size(); ++d) {
      spot.element = spot.element * part_[d] + at[d] % part_[d];
      spot.place = spot.place * places_[d] + at[d] / part_[d];
    }
    spot.inner = *innerFold_.cellOf(spot.element);
    return spot;
  }
  static LayoutSceneOptions plain(LayoutSceneOptions options) {
    options.slice.clear();
    return options;
  }

  std::shared_ptr<const layouts::ElementMap> map_;
  DeviceSplit split_;
  Shape part_, whole_, places_; // places_: the number of parts in each dimension
  bool byDevice_;
  ElementModel inner_;
  Fold innerFold_, fold_;
  std::vector<std::vector<int64_t>> holders_; // by part
};

void describe(Scene &scene, const layouts::ElementMap &map, const DeviceSplit &split,
              const LayoutSceneOptions &options) {
  if (options.colourBy == ColourBy::Warp) {
    scene.legend.push_back(
        {.fill = {},
         .text = map.warps() > 1 ? "hue: the device; a stronger colour is a higher warp of it" : "hue: the device",
         .caption = true});
    int64_t listed = std::min(split.devices(), kMostLegend);
    for (int64_t device = 0; device < listed; ++device)
      scene.legend.push_back(
          {.fill = deviceColour(device), .text = text("device ", device, " (", split.placeWords(device), ")")});
    if (listed < split.devices())
      scene.notes.push_back(text("Devices ", listed, " to ", split.devices() - 1, " are not in the legend."));
    if (split.devices() > 8)
      scene.notes.push_back("Eight hues repeat: devices 0 and 8 have one colour.");
  } else {
    scene.legend.push_back({.fill = {},
                            .text = text("colour: the ", name(options.colourBy), " within the device's part"),
                            .caption = true});
  }
  Shape everywhere(split.along.size());
  if (size_t copies = split.holders(everywhere).size(); copies > 1)
    scene.legend.push_back({.fill = deviceColour(0),
                            .hatched = true,
                            .text = text("hatched: ", copies, " devices hold the same part",
                                         options.colourBy == ColourBy::Warp ? "; stripes are these devices" : "")});
  if (std::string copies = copiesWords(map); !copies.empty())
    scene.legend.push_back({.fill = deviceColour(0), .hatched = true, .text = text("hatched: ", copies)});
}

/// Adds the beginning of each of a dimension's parts, along an axis of the picture.
void addParts(Axis &axis, const DeviceSplit &split, size_t dimension, double length) {
  int64_t parts = split.parts(dimension);
  if (parts < 2)
    return;
  double size = length / static_cast<double>(parts);
  for (int64_t part = 0; part < parts; ++part)
    axis.groups.push_back(
        {static_cast<double>(part) * size, size, text(joined(split.along[dimension], "·"), "=", part), kUnclassed});
}

} // namespace

Result<Scene> devicesScene(const AnyLayout &given, const Shape &part, layouts::Dtype dtype, const DeviceSplit &split,
                           const LayoutSceneOptions &options) {
  if (Result<void> good = checkSplit(split, part.size()); !good)
    return std::unexpected(std::move(good.error()));
  for (int64_t size : part)
    if (size <= 0)
      return error("empty-shape",
                   Message("cannot draw the shape {shape}: its sizes must be positive", layouts::tupleText(part)));
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  int64_t elements = 1;
  for (int64_t size : part)
    elements = size > kMost / elements ? kMost : elements * size;
  if (elements >= kMost / kMostDevices)
    return error("shape-too-large",
                 Message("cannot draw parts of shape {shape} on devices: 2 million elements are the most",
                         layouts::tupleText(part)));
  Result<layouts::Reading> reading =
      layouts::readingOf(given, {.shape = part, .memory = memoryAsked(given, View::Lanes, options.memory)});
  if (!reading)
    return std::unexpected(std::move(reading.error()));
  if (reading->memory != layouts::Memory::Registers)
    return error("view-does-not-fit",
                 "the `devices` view draws what threads of devices hold in registers, and this is a "
                 "layout of memory");
  Result<layouts::ElementMap> made = layouts::elementMapOf(layouts::layoutIn(given, layouts::Memory::Registers), part);
  if (!made)
    return std::unexpected(std::move(made.error()));
  auto map = std::make_shared<const layouts::ElementMap>(*std::move(made));
  Shape whole = wholeShape(part, split);
  if (Result<void> fits = checkSlice(whole, options.slice); !fits)
    return std::unexpected(std::move(fits.error()));
  if (options.colourBy == ColourBy::Custom)
    return error("view-does-not-fit",
                 "the `devices` view has no colours of its own: warp, lane, register, vector, bank");
  Scene scene;
  std::string called = options.name.empty() ? layouts::catalogueName(given).value_or("a layout") : options.name;
  scene.title = text(called, "  ", layouts::tupleText(part), " of ", layouts::tupleText(whole), "  ",
                     layouts::name(dtype), "  on ", split.devices(), " devices", sliceWords(options.slice));
  scene.subtitle = layouts::layoutText(given);
  scene.subject = DevicesSubject{map, split};
  scene.array = part;
  scene.linkHint = "hover: everything that the same thread holds, on every device, lights up";
  buildGrid(std::make_shared<DevicesModel>(map, layouts::bitwidth(dtype), split, options), gridOptions(options), scene);
  size_t rank = whole.size() - options.slice.size();
  scene.top.title = rank > 1 ? "column" : "index";
  scene.left.title = rank > 2 ? "leading" : rank == 2 ? "row" : "";
  if (rank == 2) {
    addParts(scene.left, split, whole.size() - 2, scene.grid.cellHeight * scene.grid.rows);
    addParts(scene.top, split, whole.size() - 1, scene.grid.cellWidth * scene.grid.columns);
  }
  describe(scene, *map, split, options);
  addCoverage(scene, *map);
  applyTheme(scene, options.theme);
  return scene;
}

} // namespace lanescope::viz
