#include "viz/scene/SmemScene.h"

#include "layouts/support/Text.h"
#include "viz/scene/CellGrid.h"
#include "viz/scene/Palette.h"
#include "viz/scene/RegisterModels.h"
#include "viz/scene/Words.h"

namespace lanescope::viz {
namespace {

constexpr int64_t kMaxLinesForBoth = 32;
constexpr std::pair<SmemColour, std::string_view> kColourings[] = {
    {SmemColour::Chunk, "chunk"}, {SmemColour::Row, "row"}, {SmemColour::Column, "column"}, {SmemColour::Warp, "warp"}};

using layouts::SmemMap;

/// Lines of 128 bytes, one stage after the other.
class LineModel : public CellModel {
public:
  struct Stage {
    const SmemMap *map;
    std::vector<int32_t> image; // of the map, or its first lines
  };

  LineModel(std::vector<Stage> stages, const SmemMap &unswizzled, int64_t lines, const SmemSceneOptions &options,
            std::shared_ptr<const layouts::ElementMap> owners, std::vector<std::vector<int32_t>> &linkSets)
      : stages_(std::move(stages)), unswizzled_(unswizzled), lines_(lines), options_(options),
        owners_(std::move(owners)), sets_(linkSets) {}

  int64_t rows() const override { return lines_ * static_cast<int64_t>(stages_.size()); }
  int64_t columns() const override { return perLine(); }

  Cell cell(int64_t row, int64_t column) override {
    Cell cell;
    cell.element = elementAt(row, column);
    cell.unit = static_cast<int32_t>((row * perLine() + column) * bits() / (8 * layouts::kSmemBankBytes));
    if (cell.element < 0)
      return cell;
    int64_t byte = unswizzledByte(cell.element);
    int64_t chunk = byte / layouts::kSwizzleChunkBytes;
    cell.zone = static_cast<int32_t>(chunk + row / lines_ * (unswizzled_.bytes() / layouts::kSwizzleChunkBytes + 1));
    cell.linkSet = sets_.number({static_cast<int32_t>(chunk)});
    switch (options_.colourBy) {
    case SmemColour::Chunk: cell.fill = hue(chunk % (layouts::kSwizzleLineBytes / layouts::kSwizzleChunkBytes)); break;
    case SmemColour::Row: cell.fill = itemColour(cell.element / lastSize(), unswizzled_.elements() / lastSize()); break;
    case SmemColour::Column: cell.fill = itemColour(cell.element % lastSize(), lastSize()); break;
    case SmemColour::Warp: {
      std::span<const int32_t> slots = owners_->slots(cell.element);
      if (!slots.empty()) {
        int thread = owners_->ownerOf(slots[0]).thread;
        cell.fill = laneColour(thread / 32, thread % 32);
        cell.hatched = slots.size() > 1;
      }
    }
    }
    return cell;
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &) override {
    label = shortIndex(unswizzled_.shape(), elementAt(row, column));
  }
  std::string tooltip(int64_t row, int64_t column) override {
    std::string out = smemWords(*stages_[row / lines_].map, unswizzled_, row % lines_ * perLine() + column);
    if (owners_)
      out += "; " + elementWords(*owners_, elementAt(row, column));
    return out;
  }
  std::string rowTick(int64_t row) override { return text(row % lines_ * layouts::kSwizzleLineBytes); }
  std::string columnTick(int64_t column) override { return text(column * bits() / 8 / layouts::kSmemBankBytes); }

private:
  int64_t bits() const { return unswizzled_.bitwidth(); }
  int64_t perLine() const { return layouts::kSwizzleLineBytes * 8 / bits(); }
  int64_t lastSize() const { return unswizzled_.shape().empty() ? 1 : unswizzled_.shape().back(); }
  int64_t elementAt(int64_t row, int64_t column) const {
    const std::vector<int32_t> &image = stages_[row / lines_].image;
    size_t offset = static_cast<size_t>(row % lines_ * perLine() + column);
    return offset < image.size() ? image[offset] : -1;
  }
  int64_t unswizzledByte(int64_t element) const {
    return unswizzled_.byteOffset(layouts::unravelIndex(element, unswizzled_.shape()));
  }

  std::vector<Stage> stages_;
  const SmemMap &unswizzled_;
  int64_t lines_;
  const SmemSceneOptions &options_;
  std::shared_ptr<const layouts::ElementMap> owners_;
  LinkSets sets_;
};

void addLegend(Scene &scene, const SmemMap &map, const SmemSceneOptions &options, bool swizzled) {
  int64_t last = map.shape().empty() ? 1 : map.shape().back();
  auto scale = [&](std::string_view what, int64_t count) {
    scene.legend.push_back({.fill = itemColour(0, count), .text = text(what, " 0")});
    if (count > 1)
      scene.legend.push_back({.fill = itemColour(count - 1, count), .text = text(what, " ", count - 1)});
  };
  switch (options.colourBy) {
  case SmemColour::Chunk:
    for (int i = 0; i < 8; ++i)
      scene.legend.push_back({.fill = hue(i),
                              .text = text("chunk ", i, ": bytes ", 16 * i, " to ", 16 * i + 15, " of a line",
                                           swizzled ? " before the swizzle" : "")});
    break;
  case SmemColour::Row: scale("row", map.elements() / last); break;
  case SmemColour::Column: scale("column", last); break;
  case SmemColour::Warp:
    for (int warp = 0; warp < 4; ++warp)
      scene.legend.push_back(
          {.fill = warpColour(warp), .text = text("warp ", warp, "; a darker shade is a higher lane")});
  }
  const std::vector<Box> &boxes = scene.body.boxes;
  if (size_t middle = boxes.size() * 5 / 9; middle < boxes.size() && !boxes[middle].label.empty())
    scene.legend.push_back({.fill = boxes[middle].fill,
                            .sample = boxes[middle].label,
                            .text = "the element found there, by its indices in the array"});
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

Result<Scene> smemScene(const SmemSpec &spec, const SmemSceneOptions &options) {
  int bits = layouts::bitwidth(spec.dtype);
  std::optional<int> swizzle = spec.swizzle == 0 ? std::nullopt : std::optional(spec.swizzle);
  Result<SmemMap> map = SmemMap::of(spec.shape, bits, spec.tiling, swizzle, spec.transpose);
  if (!map)
    return std::unexpected(std::move(map.error()));
  Result<SmemMap> unswizzled = SmemMap::of(spec.shape, bits, spec.tiling, std::nullopt, spec.transpose);
  if (!unswizzled)
    return std::unexpected(std::move(unswizzled.error()));
  std::shared_ptr<const layouts::ElementMap> owners;
  if (options.owners) {
    Result<layouts::ElementMap> made = layouts::ElementMap::of(*options.owners, spec.shape);
    if (!made)
      return std::unexpected(std::move(made.error()));
    owners = std::make_shared<const layouts::ElementMap>(*std::move(made));
  } else if (options.colourBy == SmemColour::Warp) {
    return error("owners-missing", "colouring shared memory by warp needs the register layout that holds the array");
  }

  bool swizzled = swizzle.value_or(layouts::kSwizzleChunkBytes) != layouts::kSwizzleChunkBytes;
  int64_t allLines = (map->bytes() + layouts::kSwizzleLineBytes - 1) / layouts::kSwizzleLineBytes;
  int64_t lines = std::min(allLines, std::max<int64_t>(options.maxLines, 1));
  SmemStage stage = options.stage;
  if (stage == SmemStage::Auto)
    stage = swizzled && lines <= kMaxLinesForBoth ? SmemStage::Both : SmemStage::Swizzled;

  Scene scene;
  scene.title = text("Shared memory  ", layouts::tupleText(spec.shape), "  ", layouts::name(spec.dtype));
  scene.subtitle = text(spec.tiling.empty() ? "not tiled" : text("tiles of ", layouts::tupleText(spec.tiling)),
                        spec.transpose ? ", tiles in column-major order" : "", ", ",
                        swizzled ? text(*swizzle, "-byte swizzle") : "no swizzle", ", ", map->bytes(),
                        " bytes in lines of 128 over 32 banks of 4");
  if (swizzled)
    scene.subtitle += stage == SmemStage::Unswizzled ? ": before the swizzle"
                      : stage == SmemStage::Swizzled ? ": after the swizzle"
                                                     : "";
  scene.subject = SmemSubject{*map, spec.dtype};
  scene.linkHint = "hover: the 16-byte chunk lights up wherever it is drawn";
  std::vector<LineModel::Stage> stages;
  if (stage != SmemStage::Swizzled)
    stages.push_back({&*unswizzled, unswizzled->image()});
  if (stage != SmemStage::Unswizzled)
    stages.push_back({&*map, map->image()});
  LineModel model(std::move(stages), *unswizzled, lines, options, owners, scene.linkSets);
  CellGridDetail detail = buildGrid(model, {true, options.tooltips, options.maxLabelled, 1 << 16, 24}, scene);

  scene.top.ticks.clear(); // one per bank rather than one per element
  double bankWidth = scene.body.width / layouts::kSmemBanks;
  for (int bank = 0; bank < layouts::kSmemBanks; bank += bankWidth < 18 ? 4 : 1)
    scene.top.ticks.push_back({(bank + 0.5) * bankWidth, text(bank)});
  scene.top.title = "bank";
  scene.left.title = "byte";
  if (stage == SmemStage::Both) {
    double height = static_cast<double>(lines) * scene.grid.cellHeight / static_cast<double>(detail.blockRows);
    scene.left.groups = {{0, height, "before", kEmpty}, {height, height, "after", kHairline}};
    scene.body.lines.push_back({{4, height}, {scene.body.width - 4, height}, kInk, 9}); // a slit between the stages
    scene.body.lines.push_back({{-2, height}, {scene.body.width + 2, height}, kPaper, 6});
  }
  addLegend(scene, *map, options, swizzled);
  if (lines < allLines)
    scene.notes.push_back(text("Only the first ", lines, " of ", allLines, " lines of 128 bytes are drawn."));
  return scene;
}

} // namespace lanescope::viz
