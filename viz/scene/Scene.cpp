#include "viz/scene/Scene.h"

#include <cmath>

namespace lanescope::viz {

std::vector<Line> withHeads(const std::vector<Line> &lines) {
  constexpr double kSpread = 0.42; // radians to either side
  std::vector<Line> out;
  out.reserve(lines.size());
  for (const Line &line : lines) {
    out.push_back(line);
    if (line.head <= 0)
      continue;
    out.back().head = 0;
    double angle = std::atan2(line.to.y - line.from.y, line.to.x - line.from.x);
    for (double side : {kSpread, -kSpread})
      out.push_back({line.to,
                     {line.to.x - line.head * std::cos(angle + side), line.to.y - line.head * std::sin(angle + side)},
                     line.colour,
                     line.width,
                     line.under});
  }
  return out;
}

int64_t boxAt(const Scene &scene, Point point) {
  const std::vector<Box> &boxes = scene.body.boxes;
  for (size_t i = boxes.size(); i-- > 0;)
    if (boxes[i].rect.contains(point))
      return static_cast<int64_t>(i);
  return -1;
}

bool linked(const Scene &scene, int32_t setA, int32_t setB) {
  if (setA < 0 || setB < 0)
    return false;
  if (setA == setB)
    return true;
  const auto &a = scene.linkSets[setA], &b = scene.linkSets[setB];
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j])
      return true;
    a[i] < b[j] ? ++i : ++j;
  }
  return false;
}

} // namespace lanescope::viz
