// How an array is split over devices that stand along named axes.
//
//   DeviceSplit{.names = {"x", "y"}, .sizes = {2, 2}, .along = {{"x"}, {}}}
//       rows are in 2 parts along x; devices that differ along y alone hold the same
//
// The last axis varies fastest: the device at x=1, y=0 is number 2.
#pragma once

#include "layouts/Shape.h"
#include "layouts/support/Diagnostic.h"

#include <string>
#include <vector>

namespace lanescope::viz {

struct DeviceSplit {
  std::vector<std::string> names; // of the axes
  layouts::Shape sizes;
  std::vector<std::vector<std::string>> along; // of each dimension of the array the axes; beyond the last: whole

  bool empty() const { return names.empty(); }
  bool operator==(const DeviceSplit &) const = default;

  int64_t devices() const { return layouts::elementCount(sizes); }
  /// The place of a device along the axes named, of which the last varies fastest.
  int64_t place(int64_t device, const std::vector<std::string> &axes) const;
  /// Parts of a dimension.
  int64_t parts(size_t dimension) const;
  /// Those that hold the part at that place: one number for each dimension of the array. Ascending.
  std::vector<int64_t> holders(const layouts::Shape &part) const;
  /// "x=1, y=0"
  std::string placeWords(int64_t device) const;
};

/// The largest number of devices that is drawn.
inline constexpr int64_t kMostDevices = 1024;

/// Whether it is one for arrays of that rank: axes that there are, each of which splits one dimension at most.
Result<void> checkSplit(const DeviceSplit &split, size_t rank);

} // namespace lanescope::viz
