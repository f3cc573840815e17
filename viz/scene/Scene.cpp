#include "viz/scene/Scene.h"

namespace lanescope::viz {

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
