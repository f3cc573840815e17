#include "viz/scene/SmemScene.h"

#include "layouts/Placement.h"
#include "layouts/support/Text.h"
#include "viz/scene/AddressModels.h"
#include "viz/scene/Legend.h"
#include "viz/scene/Palette.h"

namespace lanescope::viz {
namespace {

constexpr int64_t kMaxLinesForBoth = 32;
constexpr int kLineBits = layouts::kSwizzleLineBytes * 8;
constexpr std::pair<SmemColour, std::string_view> kColourings[] = {{SmemColour::Chunk, "chunk"},
                                                                   {SmemColour::Row, "row"},
                                                                   {SmemColour::Column, "column"},
                                                                   {SmemColour::Warp, "warp"},
                                                                   {SmemColour::Bank, "bank"}};

constexpr std::pair<SmemStage, std::string_view> kStages[] = {{SmemStage::Auto, "auto"},
                                                              {SmemStage::Swizzled, "after"},
                                                              {SmemStage::Unswizzled, "before"},
                                                              {SmemStage::Both, "both"}};

using layouts::AddressMap;
using layouts::SmemMap;

void addLegend(Scene &scene, const AddressSubject &subject, const SmemSceneOptions &options) {
  const AddressMap &map = *subject.map;
  int64_t last = map.shape().empty() ? 1 : map.shape().back();
  constexpr int kChunks = layouts::kSwizzleLineBytes / layouts::kSwizzleChunkBytes;
  switch (options.colourBy) {
  case SmemColour::Chunk: {
    std::vector<bool> present = presentClasses(
        scene, kChunks, [&](int64_t element, const auto &add) { add(subject.chunk(element) % kChunks); });
    scene.legend.push_back({.fill = kPaper,
                            .text = !subject.before                 ? "by 16 bytes of each 128 of the array in rows:"
                                    : subject.before == subject.map ? "by 16 bytes of a line:"
                                                                    : "by 16 bytes of a line before the swizzle:",
                            .caption = true});
    for (int i = 0; i < kChunks; ++i)
      if (present[static_cast<size_t>(i)])
        scene.legend.push_back({.fill = hue(i), .text = text("bytes ", 16 * i, " to ", 16 * i + 15)});
    break;
  }
  case SmemColour::Row: addScale(scene, "row", layouts::elementCount(map.shape()) / last); break;
  case SmemColour::Column: addScale(scene, "column", last); break;
  case SmemColour::Bank:
    addBanks(scene, presentClasses(scene, kBankGroups, [&](int64_t element, const auto &add) {
               add(layouts::smemBank(map.byte(element)) * kBankGroups / layouts::kSmemBanks);
             }));
    break;
  case SmemColour::Warp: {
    const layouts::ElementMap &owners = *subject.owners;
    addWarps(scene, owners, presentClasses(scene, owners.warps(), [&](int64_t element, const auto &add) {
               if (std::span<const int32_t> slots = owners.slots(element); !slots.empty())
                 add(owners.warpOf(owners.ownerOf(slots[0]).thread));
             }));
    if (std::string copies = copiesWords(owners); !copies.empty())
      scene.legend.push_back({.fill = kPaper, .hatched = true, .text = text("hatched: ", copies)});
  }
  }
  const std::vector<Box> &boxes = scene.body.boxes;
  if (size_t middle = boxes.size() * 5 / 9; middle < boxes.size() && !boxes[middle].label.empty())
    scene.legend.push_back({.fill = boxes[middle].fill,
                            .sample = text(boxes[middle].label, options.array ? "\n" : "", boxes[middle].detail),
                            .text = options.array ? "the element's bank, and after @ its byte in the buffer"
                                                  : "the element found there, by its indices in the array"});
}

} // namespace

std::string_view name(SmemColour colour) {
  for (auto [c, n] : kColourings)
    if (c == colour)
      return n;
  return "";
}

std::optional<SmemColour> smemColourNamed(std::string_view name) {
  for (auto [c, n] : kColourings)
    if (n == name)
      return c;
  return std::nullopt;
}

std::string_view name(SmemStage stage) {
  for (auto [s, n] : kStages)
    if (s == stage)
      return n;
  return "";
}

std::optional<SmemStage> smemStageNamed(std::string_view name) {
  for (auto [s, n] : kStages)
    if (n == name)
      return s;
  return std::nullopt;
}

Result<Scene> smemScene(const SmemSpec &spec, const SmemSceneOptions &options) {
  int bits = layouts::bitwidth(spec.dtype);
  std::optional<int> swizzle = spec.swizzle == 0 ? std::nullopt : std::optional(spec.swizzle);
  Result<SmemMap> map = SmemMap::of(spec.shape, bits, spec.tiling, swizzle, spec.transpose);
  if (!map)
    return std::unexpected(std::move(map.error()));
  Result<SmemMap> unswizzled = SmemMap::of(spec.shape, bits, spec.tiling, std::nullopt, spec.transpose);
  if (!unswizzled)
    return std::unexpected(std::move(unswizzled.error()));
  bool swizzled = swizzle.value_or(layouts::kSwizzleChunkBytes) != layouts::kSwizzleChunkBytes;
  Scene scene;
  scene.title = text("Shared memory  ", layouts::tupleText(spec.shape), "  ", layouts::name(spec.dtype));
  scene.subtitle = text(spec.tiling.empty() ? "not tiled" : text("tiles of ", layouts::tupleText(spec.tiling)),
                        spec.transpose ? ", tiles in column-major order" : "", ", ",
                        swizzled ? text(*swizzle, "-byte swizzle") : "no swizzle", ", ", map->bytes(),
                        " bytes in lines of 128 over 32 banks of 4");
  auto addresses = std::make_shared<const AddressMap>(AddressMap::of(*map));
  auto before = swizzled ? std::make_shared<const AddressMap>(AddressMap::of(*unswizzled)) : addresses;
  Result<Scene> made = addressScene(std::move(addresses), std::move(before), spec.dtype, options, std::move(scene));
  if (made)
    std::get<SmemSubject>(made->subject).tiled = *std::move(map);
  return made;
}

SmemSceneOptions addressOptions(const LayoutSceneOptions &options) {
  SmemSceneOptions out;
  if (options.colourBy == ColourBy::Bank)
    out.colourBy = SmemColour::Bank;
  out.tooltips = options.tooltips;
  out.maxLabelled = options.labels ? std::min(options.maxLabelled, out.maxLabelled) : 0;
  out.array = options.view == View::Grid;
  if (out.array)
    out.colourBy = SmemColour::Bank;
  out.slice = options.slice;
  out.theme = options.theme;
  out.boxes = options.boxes;
  return out;
}

Result<Scene> addressScene(std::shared_ptr<const AddressMap> map, std::shared_ptr<const AddressMap> before,
                           layouts::Dtype dtype, const SmemSceneOptions &options, Scene scene) {
  if (map->bitwidth() > kLineBits || kLineBits % map->bitwidth() != 0)
    return error("bitwidth", Message("elements of {bits} bits do not fill lines of 128 bytes evenly", map->bitwidth()));
  if (before && (before->shape() != map->shape() || before->bitwidth() != map->bitwidth()))
    return error("shape-mismatch", "the places before and after the swizzle are of different arrays");
  if (Result<void> fits = checkSlice(map->shape(), options.slice); !fits)
    return std::unexpected(std::move(fits.error()));
  AddressSubject subject{map, before, nullptr, options.colourBy};
  bool swizzled = before && before != map;
  if (options.owners) {
    Result<layouts::ElementMap> made = layouts::elementMapOf(*options.owners, map->shape());
    if (!made)
      return std::unexpected(std::move(made.error()));
    subject.owners = std::make_shared<const layouts::ElementMap>(*std::move(made));
  } else if (options.colourBy == SmemColour::Warp) {
    return error("owners-missing", "colouring shared memory by warp needs the register layout that holds the array");
  }

  scene.subject = SmemSubject{map, dtype};
  if (subject.owners)
    addCoverage(scene, *subject.owners);
  scene.array = map->shape();
  scene.linkHint = "hover: the 16-byte chunk lights up wherever it is drawn";
  CellGridOptions grid{options.boxes, options.maxLabelled > 0, options.tooltips, options.maxLabelled, 1 << 16, 24};
  if (options.array) {
    buildGrid(std::make_shared<BankModel>(subject, options.slice, options.theme), grid, scene);
    scene.top.title = "column";
    scene.left.title = map->shape().size() - options.slice.size() > 2 ? "leading" : "row";
    addLegend(scene, subject, options);
    applyTheme(scene, options.theme);
    return scene;
  }

  int64_t bytes = std::max(map->bytes(), before ? before->bytes() : 0);
  int64_t allLines = (bytes + layouts::kSwizzleLineBytes - 1) / layouts::kSwizzleLineBytes;
  int64_t lines = std::clamp<int64_t>(options.maxLines, 1, std::max<int64_t>(allLines, 1));
  SmemStage stage = options.stage;
  if (stage == SmemStage::Auto)
    stage = swizzled && lines <= kMaxLinesForBoth ? SmemStage::Both : SmemStage::Swizzled;
  if (swizzled)
    scene.subtitle += stage == SmemStage::Unswizzled ? ": before the swizzle"
                      : stage == SmemStage::Swizzled ? ": after the swizzle"
                                                     : "";
  LineModel::Stages stages;
  if (stage != SmemStage::Swizzled)
    stages.push_back(before ? before : map);
  if (stage != SmemStage::Unswizzled)
    stages.push_back(map);
  CellGridDetail detail =
      buildGrid(std::make_shared<LineModel>(subject, std::move(stages), lines, options.theme), grid, scene);

  scene.top.ticks.clear(); // ticks are per bank and not per element
  double bankWidth = scene.body.width / layouts::kSmemBanks;
  for (int bank = 0; bank < layouts::kSmemBanks; bank += bankWidth < 18 ? 4 : 1)
    scene.top.ticks.push_back({(bank + 0.5) * bankWidth, text(bank)});
  scene.top.title = "bank";
  scene.left.title = "byte";
  if (stage == SmemStage::Both) {
    double height = static_cast<double>(lines) * scene.grid.cellHeight / static_cast<double>(detail.blockRows);
    scene.left.groups = {{0, height, "before", kEmpty}, {height, height, "after", kHairline}};
    scene.body.lines.push_back({{4, height}, {scene.body.width - 4, height}, kInk, 9}); // a gap between the stages
    scene.body.lines.push_back({{-2, height}, {scene.body.width + 2, height}, kPaper, 6});
  }
  addLegend(scene, subject, options);
  if (lines < allLines)
    scene.notes.push_back(text("Only the first ", lines, " of ", allLines, " lines of 128 bytes are drawn."));
  applyTheme(scene, options.theme);
  return scene;
}

} // namespace lanescope::viz
