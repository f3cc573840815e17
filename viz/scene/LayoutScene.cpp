#include "viz/scene/LayoutScene.h"

#include "layouts/Catalogue.h"
#include "layouts/Placement.h"
#include "layouts/Reading.h"
#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "viz/scene/CellGrid.h"
#include "viz/scene/Fold.h"
#include "viz/scene/Legend.h"
#include "viz/scene/Palette.h"
#include "viz/scene/RegisterModels.h"
#include "viz/scene/SmemScene.h"
#include "viz/scene/TiledMemoryScene.h"
#include "viz/scene/TmemScene.h"

#include <algorithm>
#include <array>
#include <limits>

namespace lanescope::viz {
namespace {

constexpr std::pair<View, std::string_view> kViews[] = {{View::Auto, "auto"},       {View::Grid, "grid"},
                                                        {View::Lanes, "lanes"},     {View::Tmem, "tmem"},
                                                        {View::Smem, "smem"},       {View::F2, "f2"},
                                                        {View::Flow, "flow"},       {View::Diff, "diff"},
                                                        {View::Devices, "devices"}, {View::Operands, "operands"}};
constexpr std::pair<ColourBy, std::string_view> kColourings[] = {
    {ColourBy::Warp, "warp"},     {ColourBy::Lane, "lane"}, {ColourBy::Register, "register"},
    {ColourBy::Vector, "vector"}, {ColourBy::Bank, "bank"}, {ColourBy::Custom, "custom"}};

std::string kindName(const AnyLayout &layout) {
  static constexpr const char *kNames[] = {"WGSplatFragLayout", "WGStridedFragLayout", "TiledLayout"};
  if (const auto *registers = std::get_if<layouts::RegisterLayout>(&layout))
    return kNames[registers->index()];
  return text(layouts::languageOf(layout), " layout");
}

/// An example for the legend: a labelled box near the middle of the picture that is not for thread 0 or register 0.
const Box *sampleBox(const Scene &scene) {
  const std::vector<Box> &boxes = scene.body.boxes;
  if (boxes.empty() || boxes.front().label.empty())
    return nullptr;
  const Box &middle = boxes[boxes.size() * 5 / 9];
  return middle.label.empty() ? &boxes.front() : &middle;
}

Scene splatScene(const layouts::WGSplatFragLayout &layout, const LayoutSceneOptions &options, Scene scene) {
  scene.subject = RegisterSubject{layouts::RegisterLayout(layout), layout.shape, nullptr};
  scene.array = layout.shape;
  auto model = std::make_shared<SplatModel>(layout.shape, options);
  buildGrid(model, gridOptions(options), scene);
  Cell sample = model->cell(0, 0);
  scene.legend.push_back(
      {.fill = sample.fill,
       .bands = sample.bands,
       .bandCount = 4,
       .hatched = true,
       .text = "all elements have one value, and every thread of the four warps holds it in its one register"});
  applyTheme(scene, options.theme);
  return scene;
}

void describe(Scene &scene, const layouts::ElementMap &map, int bits, const LayoutSceneOptions &options, View view) {
  switch (options.colourBy) {
  case ColourBy::Warp:
    addWarps(scene, map, presentClasses(scene, map.warps(), [&](int64_t element, const auto &add) {
               for (int32_t slot : map.slots(element))
                 add(map.warpOf(map.ownerOf(slot).thread));
             }));
    break;
  case ColourBy::Lane: addScale(scene, "lane", map.threadsPerWarp()); break;
  case ColourBy::Register: addScale(scene, "register", map.registers()); break;
  case ColourBy::Vector: addScale(scene, "vector position", map.vector()); break;
  case ColourBy::Bank:
    addBanks(scene, presentClasses(scene, kBankGroups, [&](int64_t element, const auto &add) {
               add(layouts::smemBank(options.addresses ? options.addresses->byte(element) : element * bits / 8) *
                   kBankGroups / layouts::kSmemBanks);
             }));
    scene.notes.push_back(options.addresses ? "Banks are those of the given place in shared memory."
                                            : "Banks are those of the array in rows, from address 0 on.");
    break;
  case ColourBy::Custom: addClasses(scene, options);
  }
  const Box *sample = sampleBox(scene);
  if (sample && (sample->element < 0 || map.slots(sample->element).empty()))
    sample = nullptr;
  if (view == View::Lanes) {
    if (sample)
      scene.legend.push_back({.fill = sample->fill,
                              .sample = sample->label,
                              .text = "the element that the thread holds there, by its indices in the array"});
    if (std::string copies = copiesWords(map); !copies.empty())
      scene.legend.push_back({.fill = kPaper, .hatched = true, .text = text("hatched: a further copy; ", copies)});
    return;
  }
  if (sample) {
    layouts::Owner owner = map.ownerOf(map.slots(sample->element)[0]);
    std::string place = text("warp ", map.warpOf(owner.thread), ", lane ", map.laneOf(owner.thread));
    bool ofWarpgroup = map.inWarpsOf(layouts::kLanesPerWarp);
    std::string who = map.replication() == 1
                          ? text("held by thread ", owner.thread, ofWarpgroup ? " of the warpgroup: " : ": ", place)
                          : text("held by ", map.replication(), " threads, of which thread ", owner.thread,
                                 " is the first (", place, ")");
    std::string where = map.vector() > 1 ? text("register ", owner.reg, ", vector position ", owner.position)
                                         : text("register ", owner.reg);
    scene.legend.push_back({.fill = sample->fill,
                            .sample = text(sample->label, "\n", sample->detail),
                            .text = text(sample->label, ": ", who, "; ", sample->detail, ": ", where)});
  }
  if (std::string copies = copiesWords(map); !copies.empty())
    scene.legend.push_back(
        {.fill = laneColour(0, 16),
         .hatched = true,
         .text =
             text("hatched: ", copies,
                  copies.ends_with("warps") && options.colourBy == ColourBy::Warp ? "; stripes are the warps" : "")});
}

Result<Scene> registerScene(const AnyLayout &layout, const layouts::Shape &shape, layouts::Dtype dtype,
                            const LayoutSceneOptions &options, Scene scene) {
  const auto *registers = std::get_if<layouts::RegisterLayout>(&layout);
  if (const auto *splat = registers ? std::get_if<layouts::WGSplatFragLayout>(registers) : nullptr) {
    if (splat->shape != shape)
      return error("shape-mismatch", Message("the splat layout is for shape {shape}, not for {other_shape}",
                                             layouts::tupleText(splat->shape), layouts::tupleText(shape)));
    if (Result<void> fits = checkSlice(shape, options.slice); !fits)
      return std::unexpected(std::move(fits.error()));
    return splatScene(*splat, options, std::move(scene));
  }
  Result<layouts::ElementMap> made = layouts::elementMapOf(layout, shape);
  if (!made)
    return std::unexpected(std::move(made.error()));
  return elementMapScene(std::make_shared<const layouts::ElementMap>(*std::move(made)), dtype, options,
                         std::move(scene));
}

/// `read`: the memory for which the layout is read.
Result<void> checkView(const AnyLayout &layout, layouts::Memory read, View view) {
  using enum layouts::Memory;
  std::vector<layouts::Memory> known = layouts::memoriesOf(layout);
  bool knowsThreads = std::ranges::find(known, Registers) != known.end();
  if (view == View::Tmem && read != Tmem)
    return error("view-does-not-fit", Message("the `tmem` view draws a TMEM layout, and this is {}",
                                              read == Shared ? "one of memory; use `smem` or `grid`"
                                                             : "a register layout; use `grid` or `lanes`"));
  if (view == View::Smem && read != Shared)
    return error("view-does-not-fit", Message("the `smem` view draws an array in shared memory, and this is a {}",
                                              read == Registers ? "register layout; use `grid` or `lanes`"
                                                                : "TMEM layout; use `tmem` or `grid`"));
  if (view == View::Lanes && read == Shared && !layouts::asTiledMemory(layout))
    return error(
        "view-does-not-fit",
        Message("the `lanes` view draws threads, and this is read as a layout of memory; use `smem` or `grid`{}",
                knowsThreads ? ", or read it as registers" : ""));
  if (view == View::Devices)
    return error("view-does-not-fit",
                 "the `devices` view is of an array that is split over devices; use `grid` or `lanes`");
  if (view == View::Operands)
    return error("view-does-not-fit",
                 "the `operands` view is of an instruction or a tiled MMA, such as `mma.m16n8k16.f16`; use `grid` or "
                 "`lanes`");
  if (view == View::F2 || view == View::Flow || view == View::Diff)
    return error("view-does-not-fit", Message("the `{}` view is of {}; use `grid` or `lanes`", name(view),
                                              view == View::F2 ? "a layout's matrix" : "two layouts"));
  return {};
}

} // namespace

Result<Scene> elementMapScene(std::shared_ptr<const layouts::ElementMap> map, layouts::Dtype dtype,
                              const LayoutSceneOptions &options, Scene scene) {
  if (Result<void> fits = checkPicture(map->shape(), options); !fits)
    return std::unexpected(std::move(fits.error()));
  if (options.colourBy == ColourBy::Bank && options.addresses && options.addresses->shape() != map->shape())
    return error("shape-mismatch",
                 Message("the place in shared memory is for shape {shape}, not for {other_shape}",
                         layouts::tupleText(options.addresses->shape()), layouts::tupleText(map->shape())));
  View view = options.view == View::Lanes ? View::Lanes : View::Grid;
  int bits = layouts::bitwidth(dtype);
  const layouts::Shape &shape = map->shape();
  scene.subject = RegisterSubject{map->layout(), shape, map};
  scene.array = shape;
  scene.linkHint = "hover: everything that the same thread holds lights up";
  if (view == View::Lanes) {
    CellGridDetail detail = buildGrid(std::make_shared<LaneModel>(map, bits, options), gridOptions(options), scene);
    scene.top.title = map->vector() > 1 ? "register.position" : "register";
    scene.left.title = "lane";
    double rowHeight = scene.grid.cellHeight / static_cast<double>(detail.blockRows);
    for (int warp = 0; warp < map->warps(); ++warp) {
      int first = warp * map->threadsPerWarp(), rows = std::min(map->threadsPerWarp(), map->threads() - first);
      scene.left.groups.push_back({first * rowHeight, rows * rowHeight, text("warp ", warp), warpColour(warp)});
    }
  } else {
    buildGrid(std::make_shared<ElementModel>(map, bits, options), gridOptions(options), scene);
    size_t rank = shape.size() - options.slice.size();
    int64_t row = wrappedRow(shape.empty() ? 1 : shape.back());
    scene.top.title = rank != 1 ? "column" : row < shape.back() ? text("index, in rows of ", row) : "index";
    scene.left.title = rank > 2 ? "leading" : rank == 2 ? "row" : "";
  }
  describe(scene, *map, bits, options, view);
  addCoverage(scene, *map);
  constexpr int64_t kMostRegisters = 255; // per thread; PTX ISA and CUDA's `maxrregcount`
  if (int64_t words = (int64_t(map->values()) * bits + 31) / 32;
      words > kMostRegisters && map->threadsPerWarp() == layouts::kLanesPerWarp)
    scene.notes.push_back(text(words, " registers of 32 bits: no thread has more than ", kMostRegisters,
                               ", so a kernel holds a part of such an array at a time."));
  applyTheme(scene, options.theme);
  return scene;
}

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

std::span<const View> allViews() {
  static constexpr auto views = [] {
    std::array<View, std::size(kViews)> out{};
    std::ranges::transform(kViews, out.begin(), &std::pair<View, std::string_view>::first);
    return out;
  }();
  return views;
}

std::string viewNames() {
  std::string out;
  for (View view : allViews())
    out += text(out.empty() ? "" : ", ", name(view));
  return out;
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

std::optional<layouts::Memory> memoryAsked(const AnyLayout &layout, View view, std::optional<layouts::Memory> asked) {
  using enum layouts::Memory;
  if (asked)
    return asked;
  std::optional<layouts::Memory> wanted = view == View::Tmem    ? std::optional(Tmem)
                                          : view == View::Smem  ? std::optional(Shared)
                                          : view == View::Lanes ? std::optional(Registers)
                                                                : std::nullopt;
  if (!wanted || !std::holds_alternative<layouts::Foreign>(layout)) // a text of Mosaic already determines the memory
    return std::nullopt;
  std::vector<layouts::Memory> known = layouts::memoriesOf(layout);
  return std::ranges::find(known, *wanted) != known.end() ? wanted : std::nullopt;
}

Result<Scene> layoutScene(const AnyLayout &given, const layouts::Shape &shape, layouts::Dtype dtype,
                          const LayoutSceneOptions &options) {
  for (int64_t size : shape)
    if (size <= 0)
      return error("empty-shape",
                   Message("cannot draw the shape {shape}: its sizes must be positive", layouts::tupleText(shape)));
  if (layouts::elementCount(shape) > std::numeric_limits<int32_t>::max())
    return error("shape-too-large",
                 Message("cannot draw the shape {shape}: it has 2^31 elements or more", layouts::tupleText(shape)));
  Result<layouts::Reading> reading =
      layouts::readingOf(given, {.shape = shape, .memory = memoryAsked(given, options.view, options.memory)});
  if (!reading)
    return std::unexpected(std::move(reading.error()));
  layouts::Memory memory = reading->memory;
  AnyLayout layout = layouts::layoutIn(given, memory);
  if (Result<void> fits = checkView(layout, memory, options.view); !fits)
    return std::unexpected(std::move(fits.error()));
  if (memory == layouts::Memory::Tmem)
    return tmemScene(layout, shape, dtype, options);
  Scene scene;
  scene.title =
      text(options.name.empty() ? layouts::catalogueName(layout).value_or(kindName(layout)) : validUtf8(options.name),
           "  ", layouts::tupleText(shape), "  ", layouts::name(dtype), sliceWords(options.slice));
  scene.subtitle = layouts::layoutText(layout);
  if (const layouts::TiledMemoryLayout *tiled = layouts::asTiledMemory(layout)) {
    scene.title += "  in a TPU's memory";
    return tiledMemoryScene(*tiled, shape, dtype, options, std::move(scene));
  }
  if (memory == layouts::Memory::Registers)
    return registerScene(layout, shape, dtype, options, std::move(scene));
  Result<layouts::Placement> made = layouts::placement(layout, shape, layouts::bitwidth(dtype), memory);
  if (!made)
    return std::unexpected(std::move(made.error()));
  auto map = std::make_shared<const layouts::AddressMap>(std::get<layouts::AddressMap>(*std::move(made)));
  scene.title += "  in shared memory";
  return addressScene(map, nullptr, dtype, addressOptions(options), std::move(scene));
}

} // namespace lanescope::viz
