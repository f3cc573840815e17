// Devices along named axes, and arrays that are split over them.
//
//   mesh {"x": 2, "y": 4}         8 devices; that at x=1, y=2 is number 6: the last axis varies fastest
//   sharding ("x", None)          the first half of the rows is in devices 0 to 3, the second in 4 to 7
//
// On its way to the devices an array becomes one of [devices, …the part of each], which runs take and give
// (core/gpu/kernel/Launch.h).
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

  /// No mesh: one device, which knows of no others.
  bool none() const { return names.empty(); }
  int64_t devices() const { return layouts::elementCount(sizes); }
  /// The axis of that name.
  std::optional<size_t> axis(std::string_view name) const;
  /// Devices from one place along the axis to the next.
  int64_t stride(size_t axis) const;
  /// The place of a device along the axes named, the last of which varies fastest.
  int64_t place(int64_t device, const std::vector<std::string> &axes) const;
  /// Places along the axes named.
  int64_t places(const std::vector<std::string> &axes) const;
  std::string describe() const; // "x=2, y=4"
};

/// For each dimension of an array, the axes of the mesh that it is split along; dimensions beyond are whole.
using Sharding = std::vector<std::vector<std::string>>;

/// So many devices in a row, and how arrays are split over them along their first dimension.
DeviceMesh lineOf(int64_t devices);
Sharding alongLine();

/// Argument `index`: `{"x": 2}`, pairs of names and sizes, or an object with `axis_names` and `shape`, as JAX's meshes
/// are. None: no mesh.
Result<DeviceMesh> meshArgument(Context &context, const BoundArguments &args, size_t index);
/// `("x", None)`: for each dimension the name of an axis, a tuple of names, or None; one name alone is the first's.
Result<Sharding> shardingOf(const Value &value, const Span &span);
/// `("x", None)`
std::string shardingText(const Sharding &sharding);

/// The shape of each device's part. `name`: what the array is called. Errors: the mesh lacks an axis, or one is named
/// twice; a dimension is not divided evenly.
Result<layouts::Shape> partShape(const layouts::Shape &whole, const DeviceMesh &mesh, const Sharding &sharding,
                                 const Span &span, const std::string &name = "the array");
/// The parts of an array, device by device: [devices, …]. Errors as of `partShape`, and of memory.
Result<core::Array> dealt(Context &context, const core::Array &whole, const DeviceMesh &mesh, const Sharding &sharding,
                          const std::string &name, const Span &span);

struct GatheredArray {
  core::Array array;
  /// The first device whose part is not what another one, which has the same place in the array, holds there.
  std::optional<std::pair<int64_t, int64_t>> differing = std::nullopt;
};
/// The array of which `parts`, [devices, …], are the parts. Errors as of `partShape`.
Result<GatheredArray> gathered(const core::Array &parts, const DeviceMesh &mesh, const Sharding &sharding,
                               const std::string &name, const Span &span);

/// Part number `device` of [devices, …].
core::Array partOf(const core::Array &parts, int64_t device);
/// [devices, …] of as many arrays of one shape.
core::Array stacked(const std::vector<const core::Array *> &parts);

} // namespace lanescope::repl
