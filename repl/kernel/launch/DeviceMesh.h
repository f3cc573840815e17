// Devices along named axes, and arrays that are split over them.
//
//   mesh {"x": 2, "y": 4}         8 devices; the one at x=1, y=2 is number 6, since the last axis varies fastest
//   sharding ("x", None)          the first half of the rows is in devices 0 to 3, the second in 4 to 7
//
// For a run on several devices, an array is converted to the shape [devices, …the shape of a part]. Runs take and
// return this form (core/gpu/kernel/Launch.h).
#pragma once

#include "core/data/Array.h"
#include "repl/lang/values/Builtin.h"

#include <optional>
#include <string>
#include <vector>

namespace lanescope::repl {

struct DeviceMesh {
  std::vector<std::string> names;
  layouts::Shape sizes;

  /// True if there is no mesh, only one device without others.
  bool none() const { return names.empty(); }
  int64_t devices() const { return layouts::elementCount(sizes); }
  /// The axis of that name.
  std::optional<size_t> axis(std::string_view name) const;
  /// The distance of device numbers between neighbours along the axis.
  int64_t stride(size_t axis) const;
  /// The index of a device along the named axes, the last of which varies fastest.
  int64_t place(int64_t device, const std::vector<std::string> &axes) const;
  /// The number of places along the named axes.
  int64_t places(const std::vector<std::string> &axes) const;
  std::string describe() const; // a text such as "x=2, y=4"
};

/// For each dimension of an array, the axes of the mesh along which it is split. Dimensions without an entry are whole.
using Sharding = std::vector<std::vector<std::string>>;

/// A row of `devices` devices, and the split of arrays over them along the first dimension.
DeviceMesh lineOf(int64_t devices);
Sharding alongLine();

/// Reads argument `index`: `{"x": 2}`, pairs of names and sizes, or an object with `axis_names` and `shape`, like JAX's
/// meshes. None: no mesh.
Result<DeviceMesh> meshArgument(Context &context, const BoundArguments &args, size_t index);
/// Reads a sharding such as `("x", None)`: for each dimension the name of an axis, a tuple of names, or None. A single
/// name applies to the first dimension.
Result<Sharding> shardingOf(const Value &value, const Span &span);
/// The sharding as text: `("x", None)`.
std::string shardingText(const Sharding &sharding);

/// The shape of each device's part. `name`: the array's name. Errors: the mesh lacks an axis, or one is named twice; a
/// dimension is not divided evenly.
Result<layouts::Shape> partShape(const layouts::Shape &whole, const DeviceMesh &mesh, const Sharding &sharding,
                                 const Span &span, const std::string &name = "the array");
/// The parts of an array, device by device: [devices, …]. Errors: those of `partShape`; not enough memory.
Result<core::Array> dealt(Context &context, const core::Array &whole, const DeviceMesh &mesh, const Sharding &sharding,
                          const std::string &name, const Span &span);

struct GatheredArray {
  core::Array array;
  /// The first device whose part differs from that of another device that has the same place in the array.
  std::optional<std::pair<int64_t, int64_t>> differing = std::nullopt;
};
/// The array whose parts are given as [devices, …]. Errors: those of `partShape`.
Result<GatheredArray> gathered(const core::Array &parts, const DeviceMesh &mesh, const Sharding &sharding,
                               const std::string &name, const Span &span);

/// Part number `device` of [devices, …].
core::Array partOf(const core::Array &parts, int64_t device);
/// Joins arrays of one shape into [devices, …].
core::Array stacked(const std::vector<const core::Array *> &parts);

} // namespace lanescope::repl
