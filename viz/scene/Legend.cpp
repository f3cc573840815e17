#include "viz/scene/Legend.h"

#include "layouts/support/Text.h"
#include "viz/scene/Palette.h"
#include "viz/scene/Utf8.h"

namespace lanescope::viz {
namespace {

constexpr int kListedWarps = 8; // whose colours differ
constexpr size_t kListedClasses = 24;

} // namespace

void addScale(Scene &scene, std::string_view what, int64_t count) {
  if (count <= 8) {
    for (int64_t i = 0; i < count; ++i)
      scene.legend.push_back({.fill = itemColour(i, count), .text = text(what, " ", i)});
    return;
  }
  LegendEntry scale;
  for (int i = 0; i < 4; ++i)
    scale.bands[static_cast<size_t>(i)] = itemColour(i * (count - 1) / 3, count);
  scale.fill = scale.bands[0];
  scale.bandCount = 4;
  scale.text = text(what, " 0 (left) to ", count - 1, " (right)");
  scene.legend.push_back(std::move(scale));
}

void addWarps(Scene &scene, int threads) {
  int warps = (threads + layouts::kLanesPerWarp - 1) / layouts::kLanesPerWarp;
  for (int warp = 0; warp < std::min(warps, kListedWarps); ++warp) {
    LegendEntry entry;
    for (int i = 0; i < 4; ++i)
      entry.bands[static_cast<size_t>(i)] = laneColour(warp, i * 31 / 3);
    entry.fill = entry.bands[0];
    entry.bandCount = 4;
    int last = std::min(warp * 32 + 31, threads - 1);
    entry.text = text("warp ", warp, ": threads ", warp * 32, " to ", last, ", shaded by lane");
    scene.legend.push_back(std::move(entry));
  }
  if (warps > kListedWarps)
    scene.notes.push_back(text("The layout has ", warps, " warps; colours repeat every ", kListedWarps, " warps."));
}

void addBanks(Scene &scene) {
  for (int group = 0; group < 8; ++group) {
    LegendEntry entry;
    for (int i = 0; i < 4; ++i)
      entry.bands[static_cast<size_t>(i)] = bankColour(group * 4 + i);
    entry.fill = entry.bands[0];
    entry.bandCount = 4;
    entry.text = text("banks ", group * 4, " to ", group * 4 + 3);
    scene.legend.push_back(std::move(entry));
  }
}

void addClasses(Scene &scene, const LayoutSceneOptions &options) {
  if (options.colourBy != ColourBy::Custom || !options.classes)
    return;
  int32_t most = -1;
  bool none = false;
  for (int32_t item : options.classes->of) {
    most = std::max(most, item);
    none |= item < 0;
  }
  const std::vector<std::string> &names = options.classes->names;
  int64_t count = int64_t(most) + 1;
  if (names.size() > kListedClasses || (names.empty() && count > 8)) {
    addScale(scene, "class", count);
  } else {
    for (int64_t i = 0; i < count; ++i)
      scene.legend.push_back({.fill = itemColour(i, count),
                              .text = i < static_cast<int64_t>(names.size()) ? validUtf8(names[static_cast<size_t>(i)])
                                                                             : text("class ", i)});
  }
  if (none)
    scene.legend.push_back({.fill = kUnclassed, .text = "of no class"});
}

Result<void> checkSlice(const layouts::Shape &shape, const layouts::Shape &slice) {
  if (slice.size() > shape.size())
    return error("bad-slice", text("the slice ", layouts::tupleText(slice), " fixes more dimensions than the shape ",
                                   layouts::tupleText(shape), " has"));
  for (size_t d = 0; d < slice.size(); ++d)
    if (slice[d] < 0 || slice[d] >= shape[d])
      return error("bad-slice", text("the slice's index ", slice[d], " is outside dimension ", d,
                                     ", whose indices are 0 to ", shape[d] - 1));
  return {};
}

Result<void> checkPicture(const layouts::Shape &shape, const LayoutSceneOptions &options) {
  if (Result<void> fits = checkSlice(shape, options.slice); !fits)
    return fits;
  if (options.colourBy != ColourBy::Custom)
    return {};
  int64_t count = layouts::elementCount(shape);
  if (!options.classes || static_cast<int64_t>(options.classes->of.size()) != count)
    return error("classes-missing", text("colouring by class needs a number for each of the array's ", count,
                                         count == 1 ? " element" : " elements"));
  for (int32_t item : options.classes->of)
    if (item >= kMostClasses)
      return error("class-too-large", text("classes are numbered 0 to ", kMostClasses - 1, ", and one is ", item));
  return {};
}

std::string sliceWords(const layouts::Shape &slice) {
  if (slice.empty())
    return "";
  std::string out = "  at (";
  for (int64_t index : slice)
    out += text(index, ", ");
  return out + "…)";
}

CellGridOptions gridOptions(const LayoutSceneOptions &options) {
  return {options.boxes, options.labels, options.tooltips, options.maxLabelled, options.maxCells};
}

} // namespace lanescope::viz
