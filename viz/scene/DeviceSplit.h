// The split of an array over devices that are arranged along named axes.
//
//   DeviceSplit{.names = {"x", "y"}, .sizes = {2, 2}, .along = {{"x"}, {}}}
//       rows are in 2 parts along x; devices that differ only along y hold the same
//
// The last axis varies fastest: the device at x=1, y=0 is number 2.
#pragma once

#include "layouts/Shape.h"
#include "layouts/support/Diagnostic.h"

#include <string>
#include <vector>

namespace lanescope::viz {

struct DeviceSplit {
  std::vector<std::string> names; // names of the axes
  layouts::Shape sizes;
  // For each dimension of the array: the axes along which it is split. Dimensions beyond these are not split.
  std::vector<std::vector<std::string>> along;

  bool empty() const { return names.empty(); }
  bool operator==(const DeviceSplit &) const = default;

  int64_t devices() const { return layouts::elementCount(sizes); }
  /// The index of a device along the named axes. The last axis varies fastest.
  int64_t place(int64_t device, const std::vector<std::string> &axes) const;
  /// The number of parts of a dimension.
  int64_t parts(size_t dimension) const;
  /// The devices that hold a part, in ascending order. `part` has one index for each dimension of the array.
  std::vector<int64_t> holders(const layouts::Shape &part) const;
  /// "x=1, y=0"
  std::string placeWords(int64_t device) const;
};

/// The largest number of devices that a picture shows.
inline constexpr int64_t kMostDevices = 1024;

/// Checks that the split fits arrays of that rank: all axes exist, and each splits at most one dimension.
Result<void> checkSplit(const DeviceSplit &split, size_t rank);

} // namespace lanescope::viz
