#include "viz/scene/DumpPage.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "viz/scene/Page.h"
#include "viz/scene/Palette.h"

#include <algorithm>
#include <set>

namespace lanescope::viz {

namespace {

constexpr double kWidth = 900, kHeight = 320, kLeastHeight = 14;

std::string fitting(std::string words, double size, double width) {
  if (textWidth(words, size) <= width)
    return words;
  while (!words.empty() && textWidth(words + "…", size) > width)
    dropLastCharacter(words);
  return words.size() < 4 ? "" : words + "…";
}

} // namespace

std::optional<Scene> memoryScene(const DumpPage &page, bool tensor, ColourTheme theme) {
  std::vector<const DumpMemory *> parts;
  int64_t extent = 0;
  for (const DumpMemory &part : page.memory)
    if (part.tensor == tensor && part.size > 0) {
      parts.push_back(&part);
      extent = std::max(extent, part.offset + part.size);
    }
  if (parts.empty() || page.rows.empty())
    return std::nullopt;
  Scene scene;
  const char *unit = tensor ? "columns of tensor memory" : "bytes of shared memory";
  scene.title = text(page.name, ": ", unit, " over the operations");
  scene.subtitle = text(extent, " ", unit, "; from an array's first use to its last");
  double column = kWidth / static_cast<double>(page.rows.size()), scale = kHeight / static_cast<double>(extent);
  scene.body.width = kWidth;
  double bottom = kHeight;
  std::set<int64_t> edges;
  for (size_t i = 0; i < parts.size(); ++i) {
    const DumpMemory &part = *parts[i];
    Box box;
    box.rect = {static_cast<double>(part.first) * column, static_cast<double>(part.offset) * scale,
                static_cast<double>(part.last - part.first + 1) * column,
                std::max(static_cast<double>(part.size) * scale, kLeastHeight)};
    bottom = std::max(bottom, box.rect.y + box.rect.height);
    box.fill = hue(static_cast<int64_t>(i));
    box.fill.a = 210; // parts may share bytes, so boxes are translucent
    box.stroke = mix(hue(static_cast<int64_t>(i)), kInk, 0.5);
    box.strokeWidth = 1;
    box.labelColour = kInk;
    if (box.rect.height >= kLeastHeight)
      box.label = fitting(part.name, box.labelSize, box.rect.width - 8);
    if (box.rect.height >= 2 * kLeastHeight)
      box.detail = fitting(part.storage, box.labelSize, box.rect.width - 8);
    box.tooltip = text(part.name, part.storage.empty() ? "" : ", ", part.storage, ": ", unit, " ", part.offset, " to ",
                       part.offset + part.size - 1, ", from operation ", part.first + 1, " to ", part.last + 1);
    scene.body.boxes.push_back(std::move(box));
    edges.insert(part.offset);
  }
  scene.body.height = bottom;
  double lastLabel = -100;
  scene.left.title = unit;
  for (int64_t edge : edges)
    if (double at = static_cast<double>(edge) * scale; at - lastLabel >= 16) {
      scene.left.ticks.push_back({at, text(edge)});
      lastLabel = at;
    }
  scene.top.title = "operation";
  size_t step = std::max<size_t>(1, (page.rows.size() + 19) / 20);
  for (size_t row = 0; row < page.rows.size(); row += step)
    scene.top.ticks.push_back({(static_cast<double>(row) + 0.5) * column, text("#", row + 1)});
  applyTheme(scene, theme);
  return scene;
}

} // namespace lanescope::viz
