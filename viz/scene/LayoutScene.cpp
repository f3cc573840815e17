#include "viz/scene/LayoutScene.h"

#include "layouts/Catalogue.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"
#include "viz/scene/CellGrid.h"
#include "viz/scene/Palette.h"
#include "viz/scene/RegisterModels.h"
#include "viz/scene/TmemScene.h"
#include "viz/scene/Utf8.h"

#include <limits>

namespace lanescope::viz {
namespace {

constexpr std::pair<View, std::string_view> kViews[] = {
    {View::Auto, "auto"}, {View::Grid, "grid"}, {View::Lanes, "lanes"}, {View::Tmem, "tmem"}, {View::Smem, "smem"}};
constexpr std::pair<ColourBy, std::string_view> kColourings[] = {
    {ColourBy::Warp, "warp"}, {ColourBy::Lane, "lane"}, {ColourBy::Register, "register"}, {ColourBy::Vector, "vector"}};

/// What colours mean when they stand for a numbered thing: each one of few, the ends of a scale of many.
void addScale(Scene &scene, std::string_view what, int64_t count) {
  if (count <= 8) {
    for (int64_t i = 0; i < count; ++i)
      scene.legend.push_back({.fill = itemColour(i, count), .text = text(what, " ", i)});
    return;
  }
  LegendEntry scale;
  for (int i = 0; i < 4; ++i)
    scale.bands[i] = itemColour(i * (count - 1) / 3, count);
  scale.fill = scale.bands[0];
  scale.bandCount = 4;
  scale.text = text(what, " 0 (left) to ", count - 1, " (right)");
  scene.legend.push_back(std::move(scale));
}

void addWarps(Scene &scene, int threads) {
  for (int warp = 0; warp * layouts::kLanesPerWarp < threads && warp < 8; ++warp) {
    LegendEntry entry;
    for (int i = 0; i < 4; ++i)
      entry.bands[i] = laneColour(warp, i * 31 / 3);
    entry.fill = entry.bands[0];
    entry.bandCount = 4;
    entry.text = text("warp ", warp, ": threads ", warp * 32, " to ", warp * 32 + 31, ", lighter to darker");
    scene.legend.push_back(std::move(entry));
  }
}

std::string kindName(const AnyLayout &layout) {
  static constexpr const char *kNames[] = {"WGSplatFragLayout", "WGStridedFragLayout", "TiledLayout"};
  if (const auto *registers = std::get_if<layouts::RegisterLayout>(&layout))
    return kNames[registers->index()];
  return text(layouts::languageOf(layout), " layout");
}

/// An example for the legend: a labelled box from the picture's middle, where neither thread nor register is 0.
const Box *sampleBox(const Scene &scene) {
  const std::vector<Box> &boxes = scene.body.boxes;
  if (boxes.empty() || boxes.front().label.empty())
    return nullptr;
  const Box &middle = boxes[boxes.size() * 5 / 9];
  return middle.label.empty() ? &boxes.front() : &middle;
}

Scene splatScene(const layouts::WGSplatFragLayout &layout, const LayoutSceneOptions &options, Scene scene) {
  scene.subject = RegisterSubject{layout, layout.shape, nullptr};
  SplatModel model(layout.shape, scene.linkSets);
  buildGrid(model, {options.labels, options.tooltips, options.maxLabelled, options.maxCells}, scene);
  scene.legend.push_back(
      {.fill = model.cell(0, 0).fill,
       .bands = model.cell(0, 0).bands,
       .bandCount = 4,
       .hatched = true,
       .text = "all elements have one value, and every thread of the four warps holds it in its one register"});
  return scene;
}

void describe(Scene &scene, const layouts::ElementMap &map, const LayoutSceneOptions &options, View view) {
  switch (options.colourBy) {
  case ColourBy::Warp: addWarps(scene, map.threads()); break;
  case ColourBy::Lane: addScale(scene, "lane", layouts::kLanesPerWarp); break;
  case ColourBy::Register: addScale(scene, "register", map.registers()); break;
  case ColourBy::Vector: addScale(scene, "vector position", map.vector()); break;
  }
  const Box *sample = sampleBox(scene);
  if (view == View::Lanes) {
    if (sample)
      scene.legend.push_back({.fill = sample->fill,
                              .sample = sample->label,
                              .text = "the element that the thread holds there, by its indices in the array"});
    if (map.replication() > 1)
      scene.legend.push_back({.fill = kPaper,
                              .hatched = true,
                              .text = text("a further copy: each element is held by ", map.replication(), " threads")});
    return;
  }
  if (sample) {
    layouts::Owner owner = map.ownerOf(map.slots(sample->element)[0]);
    std::string who = map.replication() == 1
                          ? text("held by thread ", owner.thread, " of the warpgroup: warp ", owner.thread / 32,
                                 ", lane ", owner.thread % 32)
                          : text("held by ", map.replication(), " threads, of which thread ", owner.thread,
                                 " is the first (warp ", owner.thread / 32, ", lane ", owner.thread % 32, ")");
    std::string where = map.vector() > 1 ? text("register ", owner.reg, ", vector position ", owner.position)
                                         : text("register ", owner.reg);
    scene.legend.push_back({.fill = sample->fill,
                            .sample = text(sample->label, "\n", sample->detail),
                            .text = text(sample->label, ": ", who, "; ", sample->detail, ": ", where)});
  }
  if (map.replication() > 1)
    scene.legend.push_back(
        {.fill = laneColour(0, 16),
         .hatched = true,
         .text = text("hatched: ", map.replication(), " threads each hold a copy; stripes are their warps")});
}

Result<Scene> registerScene(const AnyLayout &layout, const layouts::Shape &shape, const LayoutSceneOptions &options,
                            Scene scene) {
  View view = options.view == View::Auto ? View::Grid : options.view;
  if (view == View::Tmem)
    return error("view-does-not-fit",
                 "the `tmem` view draws a TMEM layout, and this is a register layout; use `grid` or `lanes`");
  if (view == View::Smem)
    return error(
        "view-does-not-fit",
        "the `smem` view draws an array in shared memory, and this is a register layout; use `grid` or `lanes`");
  const auto *registers = std::get_if<layouts::RegisterLayout>(&layout);
  if (const auto *splat = registers ? std::get_if<layouts::WGSplatFragLayout>(registers) : nullptr) {
    if (splat->shape != shape)
      return error("shape-mismatch", text("the splat layout is for shape ", layouts::tupleText(splat->shape),
                                          ", not for ", layouts::tupleText(shape)));
    return splatScene(*splat, options, std::move(scene));
  }
  Result<layouts::ElementMap> made = layouts::elementMapOf(layout, shape);
  if (!made)
    return std::unexpected(std::move(made.error()));
  auto map = std::make_shared<const layouts::ElementMap>(*std::move(made));
  scene.subject = RegisterSubject{layout, shape, map};
  scene.linkHint = "hover: everything that the same thread holds lights up";
  CellGridOptions grid{options.labels, options.tooltips, options.maxLabelled, options.maxCells};
  if (view == View::Lanes) {
    LaneModel model(*map, options.colourBy, scene.linkSets);
    CellGridDetail detail = buildGrid(model, grid, scene);
    scene.top.title = map->vector() > 1 ? "register.position" : "register";
    scene.left.title = "lane";
    double rowHeight = scene.grid.cellHeight / static_cast<double>(detail.blockRows);
    for (int warp = 0; warp * layouts::kLanesPerWarp < map->threads(); ++warp)
      scene.left.groups.push_back({warp * 32 * rowHeight, 32 * rowHeight, text("warp ", warp), warpColour(warp)});
  } else {
    ElementModel model(*map, options.colourBy, scene.linkSets);
    buildGrid(model, grid, scene);
    scene.top.title = shape.size() == 1 ? "index, in rows of 16" : "column";
    scene.left.title = shape.size() > 2 ? "leading" : shape.size() == 2 ? "row" : "";
  }
  describe(scene, *map, options, view);
  return scene;
}

} // namespace

std::string_view name(View view) {
  for (auto [v, n] : kViews)
    if (v == view)
      return n;
  return "";
}

std::string_view name(ColourBy colourBy) {
  for (auto [c, n] : kColourings)
    if (c == colourBy)
      return n;
  return "";
}

std::optional<View> viewNamed(std::string_view name) {
  for (auto [v, n] : kViews)
    if (n == name)
      return v;
  return std::nullopt;
}

std::optional<ColourBy> colourByNamed(std::string_view name) {
  for (auto [c, n] : kColourings)
    if (n == name)
      return c;
  return std::nullopt;
}

Result<Scene> layoutScene(const AnyLayout &layout, const layouts::Shape &shape, layouts::Dtype dtype,
                          const LayoutSceneOptions &options) {
  for (int64_t size : shape)
    if (size <= 0)
      return error("empty-shape",
                   text("cannot draw the shape ", layouts::tupleText(shape), ": its sizes must be positive"));
  if (layouts::elementCount(shape) > std::numeric_limits<int32_t>::max())
    return error("shape-too-large",
                 text("cannot draw the shape ", layouts::tupleText(shape), ": it has 2^31 elements or more"));
  if (const auto *tmem = std::get_if<layouts::TMEMLayout>(&layout))
    return tmemScene(*tmem, shape, dtype, options);
  Scene scene;
  scene.title =
      text(options.name.empty() ? layouts::catalogueName(layout).value_or(kindName(layout)) : validUtf8(options.name),
           "  ", layouts::tupleText(shape), "  ", layouts::name(dtype));
  scene.subtitle = layouts::layoutText(layout);
  return registerScene(layout, shape, options, std::move(scene));
}

} // namespace lanescope::viz
