#include "viz/scene/DeviceSplit.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::viz {

int64_t DeviceSplit::place(int64_t device, const std::vector<std::string> &axes) const {
  layouts::Shape at = layouts::unravelIndex(device, sizes);
  int64_t place = 0;
  for (const std::string &axis : axes) {
    auto found = static_cast<size_t>(std::ranges::find(names, axis) - names.begin());
    place = place * sizes[found] + at[found];
  }
  return place;
}

int64_t DeviceSplit::parts(size_t dimension) const {
  int64_t parts = 1;
  if (dimension < along.size())
    for (const std::string &axis : along[dimension])
      parts *= sizes[static_cast<size_t>(std::ranges::find(names, axis) - names.begin())];
  return parts;
}

std::vector<int64_t> DeviceSplit::holders(const layouts::Shape &part) const {
  std::vector<int64_t> out;
  for (int64_t device = 0; device < devices(); ++device) {
    bool holds = true;
    for (size_t d = 0; d < part.size() && d < along.size(); ++d)
      holds &= place(device, along[d]) == part[d];
    if (holds)
      out.push_back(device);
  }
  return out;
}

std::string DeviceSplit::placeWords(int64_t device) const {
  std::vector<std::string> words;
  for (const std::string &axis : names)
    words.push_back(text(axis, "=", place(device, {axis})));
  return joined(words, ", ");
}

Result<void> checkSplit(const DeviceSplit &split, size_t rank) {
  auto bad = [](Message message) { return error("bad-view", std::move(message)); };
  if (split.names.size() != split.sizes.size() || split.empty())
    return bad("an array is split over devices along named axes: `mesh=((\"x\", 2),)`");
  int64_t devices = 1;
  for (size_t i = 0; i < split.sizes.size(); ++i) {
    if (split.sizes[i] < 1 || split.sizes[i] > kMostDevices || (devices *= split.sizes[i]) > kMostDevices)
      return bad(Message("a mesh has 1 to {limit} devices to be drawn", kMostDevices));
    if (std::ranges::count(split.names, split.names[i]) > 1)
      return bad(Message("the mesh has two axes `{}`", split.names[i]));
  }
  if (split.along.size() > rank)
    return bad(
        Message("the array has {dimensions} dimensions, and {count} are said to be split", rank, split.along.size()));
  std::vector<std::string> used;
  for (const std::vector<std::string> &axes : split.along)
    for (const std::string &axis : axes) {
      if (std::ranges::find(split.names, axis) == split.names.end())
        return bad(Message("the mesh has no axis `{axis}`; it has {}", axis, joined(split.names, ", ")));
      if (std::ranges::find(used, axis) != used.end())
        return bad(Message("`{}` splits the array twice", axis));
      used.push_back(axis);
    }
  return {};
}

} // namespace lanescope::viz
