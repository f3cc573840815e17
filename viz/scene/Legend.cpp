#include "viz/scene/Legend.h"

#include "layouts/MapCoverage.h"
#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "layouts/support/Words.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/Palette.h"

#include <algorithm>
#include <cctype>

namespace lanescope::viz {
namespace {

constexpr int kListedWarps = 8; // warps with different colours
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

std::vector<bool>
presentClasses(const Scene &scene, int64_t count,
               const std::function<void(int64_t element, const std::function<void(int64_t)> &add)> &classesOf) {
  constexpr int64_t kMostCells = int64_t(1) << 16;
  std::vector<bool> present(static_cast<size_t>(std::max<int64_t>(count, 0)));
  const CellRaster *cells = scene.raster.get();
  int64_t missing = count;
  if (!cells || cells->rows() * cells->columns() > kMostCells) {
    present.assign(present.size(), true);
    return present;
  }
  std::function<void(int64_t)> add = [&](int64_t item) {
    if (item < 0 || item >= count || present[static_cast<size_t>(item)])
      return;
    present[static_cast<size_t>(item)] = true;
    --missing;
  };
  for (int64_t row = 0; row < cells->rows() && missing > 0; ++row)
    for (int64_t column = 0; column < cells->columns() && missing > 0; ++column)
      if (int64_t element = cells->element(row, column); element >= 0)
        classesOf(element, add);
  return present;
}

std::string copiesWords(const layouts::ElementMap &map) {
  if (map.replication() <= 1 || map.shape().empty())
    return "";
  // Counts the copies of an element that has the most. If all slots are used evenly, the other elements have as many.
  int64_t count = layouts::elementCount(map.shape()), element = 0;
  while (element < count && static_cast<int64_t>(map.slots(element).size()) < map.replication())
    ++element;
  if (element == count)
    return "";
  std::vector<int32_t> warps, threads;
  for (int32_t slot : map.slots(element)) {
    int32_t thread = map.ownerOf(slot).thread;
    if (threads.empty() || threads.back() != thread)
      threads.push_back(thread);
    if (int warp = map.warpOf(thread); warps.empty() || warps.back() != warp)
      warps.push_back(warp);
  }
  if (threads.size() <= 1)
    return "";
  bool even = int64_t(map.threads()) * map.values() == count * map.replication();
  std::string who = even ? "each element is held by " : "elements are held by up to ";
  size_t lanes = threads.size() / warps.size();
  if (warps.size() == 1)
    return text(who, threads.size(), " lanes of its warp");
  if (lanes == 1)
    return text(who, threads.size(), " threads, one in each of ", warps.size(), " warps");
  return text(who, threads.size(), " threads, ", lanes, " lanes in each of ", warps.size(), " warps");
}

void addWarps(Scene &scene, const layouts::ElementMap &map, const std::vector<bool> &present) {
  int warps = map.warps(), lanes = map.threadsPerWarp();
  for (int warp = 0; warp < std::min(warps, kListedWarps); ++warp) {
    if (!present[static_cast<size_t>(warp)])
      continue;
    LegendEntry entry;
    for (int i = 0; i < 4; ++i)
      entry.bands[static_cast<size_t>(i)] = laneColour(warp, i * (lanes - 1) / 3, lanes);
    entry.fill = entry.bands[0];
    entry.bandCount = 4;
    int first = warp * lanes, last = std::min(first + lanes, map.threads()) - 1;
    entry.text = text("warp ", warp, ": threads ", first, " to ", last, ", shaded by lane");
    scene.legend.push_back(std::move(entry));
  }
  if (warps > kListedWarps)
    scene.notes.push_back(text("The layout has ", warps, " warps; colours repeat every ", kListedWarps, " warps."));
}

void addBanks(Scene &scene, const std::vector<bool> &present) {
  for (int group = 0; group < kBankGroups; ++group) {
    if (!present[static_cast<size_t>(group)])
      continue;
    LegendEntry entry;
    for (int i = 0; i < 4; ++i)
      entry.bands[static_cast<size_t>(i)] = bankColour(group * 4 + i);
    entry.fill = entry.bands[0];
    entry.bandCount = 4;
    entry.text = text("banks ", group * 4, " to ", group * 4 + 3);
    scene.legend.push_back(std::move(entry));
  }
}

void addCoverage(Scene &scene, const layouts::Placement &placed) {
  std::string note = coverageNote(placed);
  if (note.empty())
    return;
  note[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(note[0])));
  note += '.';
  if (std::ranges::find(scene.notes, note) == scene.notes.end())
    scene.notes.push_back(std::move(note));
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
    return error("bad-slice", Message("the slice {shape} fixes more dimensions than the shape {other_shape} has",
                                      layouts::tupleText(slice), layouts::tupleText(shape)));
  for (size_t d = 0; d < slice.size(); ++d)
    if (slice[d] < 0 || slice[d] >= shape[d])
      return error("bad-slice",
                   Message("the slice's index {index} is outside dimension {dimension}, whose indices are 0 to {}",
                           slice[d], d, shape[d] - 1));
  return {};
}

Result<void> checkPicture(const layouts::Shape &shape, const LayoutSceneOptions &options) {
  if (Result<void> fits = checkSlice(shape, options.slice); !fits)
    return fits;
  if (options.colourBy != ColourBy::Custom)
    return {};
  int64_t count = layouts::elementCount(shape);
  if (!options.classes || static_cast<int64_t>(options.classes->of.size()) != count)
    return error("classes-missing",
                 Message("colouring by class needs a number for each of the array's {}", counted(count, "element")));
  for (int32_t item : options.classes->of)
    if (item >= kMostClasses)
      return error("class-too-large",
                   Message("classes are numbered 0 to {limit}, and one is {}", kMostClasses - 1, item));
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
