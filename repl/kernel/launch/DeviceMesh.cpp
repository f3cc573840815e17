#include "repl/kernel/launch/DeviceMesh.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>
#include <cstring>

namespace lanescope::repl {

using layouts::Shape;

std::optional<size_t> DeviceMesh::axis(std::string_view name) const {
  auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<size_t>(found - names.begin()));
}

int64_t DeviceMesh::stride(size_t axis) const {
  int64_t stride = 1;
  for (size_t i = axis + 1; i < sizes.size(); ++i)
    stride *= sizes[i];
  return stride;
}

int64_t DeviceMesh::place(int64_t device, const std::vector<std::string> &axes) const {
  int64_t place = 0;
  for (const std::string &name : axes)
    if (auto at = axis(name))
      place = place * sizes[*at] + device / stride(*at) % sizes[*at];
  return place;
}

int64_t DeviceMesh::places(const std::vector<std::string> &axes) const {
  int64_t places = 1;
  for (const std::string &name : axes)
    if (auto at = axis(name))
      places *= sizes[*at];
  return places;
}

std::string DeviceMesh::describe() const {
  std::vector<std::string> parts;
  for (size_t i = 0; i < names.size(); ++i)
    parts.push_back(text(names[i], "=", sizes[i]));
  return joined(parts, ", ");
}

DeviceMesh lineOf(int64_t devices) { return {{"device"}, {devices}}; }
Sharding alongLine() { return {{"device"}}; }

//===------------------------------------ meshes and shardings in the snippet -------------------------------------===//

namespace {

constexpr int64_t kMostDevices = 64;

Result<void> addAxis(DeviceMesh &mesh, const BoundArguments &args, size_t index, const Value &name, const Value &size) {
  Value plain = size.plain();
  if (!name.asStr() || !plain.asInt())
    return args.wrongType(index, "a dict of axis names and sizes, `{\"x\": 2}`");
  if (mesh.axis(*name.asStr()))
    return args.wrongValue(index, Message("the axis `{axis}` is named twice", *name.asStr()));
  mesh.names.push_back(*name.asStr());
  mesh.sizes.push_back(*plain.asInt());
  if (*plain.asInt() < 1 || *plain.asInt() > kMostDevices || mesh.devices() > kMostDevices)
    return args.wrongValue(index, Message("a mesh has from 1 to {limit} devices", kMostDevices));
  return {};
}

} // namespace

Result<DeviceMesh> meshArgument(Context &context, const BoundArguments &args, size_t index) {
  DeviceMesh mesh;
  if (!args.has(index) || args[index].value.isNone())
    return mesh;
  const Value &given = args[index].value;
  if (const DictData *axes = given.asDict()) {
    for (const auto &[name, size] : axes->items())
      LANESCOPE_CHECK(addAxis(mesh, args, index, name, size));
  } else if (given.asTuple() || given.asList()) {
    for (const Value &pair : given.asTuple() ? *given.asTuple() : given.asList()->items) {
      if (!pair.asTuple() || pair.asTuple()->size() != 2)
        return args.wrongType(index, "a dict of axis names and sizes, `{\"x\": 2}`");
      LANESCOPE_CHECK(addAxis(mesh, args, index, pair.asTuple()->front(), pair.asTuple()->back()));
    }
  } else {
    auto names = context.evaluator.attribute(given, "axis_names", args[index].span);
    auto sizes = context.evaluator.attribute(given, "shape", args[index].span);
    if (!names || !sizes || !names->asTuple() || !sizes->asDict())
      return args.wrongType(index, "a mesh of devices: `{\"x\": 2}`, or JAX's");
    for (const auto &[name, size] : sizes->asDict()->items())
      LANESCOPE_CHECK(addAxis(mesh, args, index, name, size));
  }
  if (mesh.none())
    return args.wrongValue(index, "a mesh names one axis of devices at least, `{\"x\": 2}`");
  return mesh;
}

Result<Sharding> shardingOf(const Value &value, const Span &span) {
  auto wrong = [&] {
    return error(
        "type", span,
        "a sharding names, for each dimension, an axis of the mesh, a tuple of axes, or None: `(\"x\", None)`");
  };
  if (value.isNone())
    return Sharding{};
  if (value.asStr())
    return Sharding{{*value.asStr()}};
  if (!value.asTuple() && !value.asList())
    return wrong();
  Sharding sharding;
  for (const Value &dim : value.asTuple() ? *value.asTuple() : value.asList()->items) {
    std::vector<std::string> &axes = sharding.emplace_back();
    if (dim.isNone())
      continue;
    if (!dim.asStr() && !dim.asTuple())
      return wrong();
    for (const Value &axis : dim.asStr() ? std::vector{dim} : *dim.asTuple()) {
      if (!axis.asStr())
        return wrong();
      axes.push_back(*axis.asStr());
    }
  }
  return sharding;
}

std::string shardingText(const Sharding &sharding) {
  auto quoted = [](const std::string &name) { return text("\"", name, "\""); };
  std::vector<std::string> dims;
  for (const std::vector<std::string> &axes : sharding) {
    std::vector<std::string> names;
    for (const std::string &axis : axes)
      names.push_back(quoted(axis));
    dims.push_back(names.empty() ? "None" : names.size() == 1 ? names.front() : text("(", joined(names, ", "), ")"));
  }
  return text("(", joined(dims, ", "), dims.size() == 1 ? ",)" : ")");
}

//===------------------------------------ splitting and joining arrays --------------------------------------------===//

namespace {

Result<void> checkAxes(const DeviceMesh &mesh, const Sharding &sharding, size_t rank, const std::string &name,
                       const Span &span) {
  std::vector<std::string> seen;
  for (const std::vector<std::string> &axes : sharding)
    for (const std::string &axis : axes) {
      if (!mesh.axis(axis))
        return error(
            "kernel", span,
            Message("`{name}` is split along `{}`, and the mesh of devices has {}", name, axis, mesh.describe()));
      if (std::ranges::find(seen, axis) != seen.end())
        return error("kernel", span, Message("`{name}` is split along `{}` twice", name, axis));
      seen.push_back(axis);
    }
  if (sharding.size() > rank)
    return error("kernel", span,
                 Message("`{name}` has {}, and its sharding {} names {count}", name, counted(rank, "dimension"),
                         shardingText(sharding), sharding.size()));
  return {};
}

/// Calls `visit(offset in the part, offset in the whole, bytes)` for each run of bytes that is contiguous in both.
template <typename Visit>
void forRuns(const Shape &part, const Shape &whole, const Shape &start, size_t elementBytes, Visit visit) {
  size_t rank = part.size();
  size_t run = rank ? static_cast<size_t>(part.back()) * elementBytes : elementBytes;
  if (layouts::elementCount(part) == 0)
    return;
  Shape at(rank, 0);
  for (size_t from = 0;; from += run) {
    int64_t to = 0;
    for (size_t d = 0; d < rank; ++d)
      to = to * whole[d] + start[d] + at[d];
    visit(from, static_cast<size_t>(to) * elementBytes, run);
    size_t d = rank ? rank - 1 : 0; // continue with the next row
    for (; d > 0 && ++at[d - 1] == part[d - 1]; --d)
      at[d - 1] = 0;
    if (d == 0)
      return;
  }
}

Shape startOf(const DeviceMesh &mesh, const Sharding &sharding, const Shape &part, int64_t device) {
  Shape start(part.size(), 0);
  for (size_t d = 0; d < sharding.size(); ++d)
    start[d] = mesh.place(device, sharding[d]) * part[d];
  return start;
}

} // namespace

Result<Shape> partShape(const Shape &whole, const DeviceMesh &mesh, const Sharding &sharding, const Span &span,
                        const std::string &name) {
  LANESCOPE_CHECK(checkAxes(mesh, sharding, whole.size(), name, span));
  Shape part = whole;
  for (size_t d = 0; d < sharding.size(); ++d) {
    int64_t places = mesh.places(sharding[d]);
    if (part[d] % places != 0)
      return error(
          "shape-mismatch", span,
          Message(
              "`{name}` is split as {}, and dimension {dimension} of size {size} is not divided into {} equal parts",
              name, shardingText(sharding), d, part[d], places));
    part[d] /= places;
  }
  return part;
}

Result<core::Array> dealt(Context &context, const core::Array &whole, const DeviceMesh &mesh, const Sharding &sharding,
                          const std::string &name, const Span &span) {
  Shape part = LANESCOPE_TRY(partShape(whole.shape, mesh, sharding, span, name));
  Shape shape = part;
  shape.insert(shape.begin(), mesh.devices());
  LANESCOPE_CHECK(context.evaluator.reserveArray(whole.dtype, shape, span));
  core::Array parts = core::Array::zeros(whole.dtype, shape);
  size_t bytes = parts.bytes.size() / static_cast<size_t>(mesh.devices());
  size_t element = whole.size() ? whole.bytes.size() / static_cast<size_t>(whole.size()) : 0;
  for (int64_t device = 0; device < mesh.devices(); ++device)
    forRuns(part, whole.shape, startOf(mesh, sharding, part, device), element, [&](size_t to, size_t from, size_t run) {
      std::memcpy(parts.bytes.data() + static_cast<size_t>(device) * bytes + to, whole.bytes.data() + from, run);
    });
  return parts;
}

Result<GatheredArray> gathered(const core::Array &parts, const DeviceMesh &mesh, const Sharding &sharding,
                               const std::string &name, const Span &span) {
  Shape part(parts.shape.begin() + 1, parts.shape.end()), whole = part;
  LANESCOPE_CHECK(checkAxes(mesh, sharding, part.size(), name, span));
  for (size_t d = 0; d < sharding.size(); ++d)
    whole[d] *= mesh.places(sharding[d]);
  GatheredArray out{.array = core::Array::zeros(parts.dtype, whole)};
  size_t bytes = parts.bytes.size() / static_cast<size_t>(mesh.devices());
  size_t element = parts.size() ? parts.bytes.size() / static_cast<size_t>(parts.size()) : 0;
  std::vector<std::pair<Shape, int64_t>> first; // for each place in the array, the first device whose part is there
  for (int64_t device = 0; device < mesh.devices(); ++device) {
    const std::byte *mine = parts.bytes.data() + static_cast<size_t>(device) * bytes;
    Shape start = startOf(mesh, sharding, part, device);
    if (auto same = std::ranges::find(first, start, &std::pair<Shape, int64_t>::first); same != first.end()) {
      if (!out.differing &&
          std::memcmp(mine, parts.bytes.data() + static_cast<size_t>(same->second) * bytes, bytes) != 0)
        out.differing = {same->second, device};
      continue;
    }
    first.emplace_back(start, device);
    forRuns(part, whole, start, element,
            [&](size_t from, size_t to, size_t run) { std::memcpy(out.array.bytes.data() + to, mine + from, run); });
  }
  return out;
}

core::Array partOf(const core::Array &parts, int64_t device) {
  core::Array part;
  part.dtype = parts.dtype;
  part.shape.assign(parts.shape.begin() + 1, parts.shape.end());
  size_t bytes = parts.bytes.size() / static_cast<size_t>(parts.shape.front());
  part.bytes.assign(std::span(parts.bytes).subspan(static_cast<size_t>(device) * bytes, bytes));
  return part;
}

core::Array stacked(const std::vector<const core::Array *> &parts) {
  core::Array all;
  all.dtype = parts.front()->dtype;
  all.shape = parts.front()->shape;
  all.shape.insert(all.shape.begin(), static_cast<int64_t>(parts.size()));
  for (const core::Array *part : parts)
    all.bytes.append(part->bytes);
  return all;
}

} // namespace lanescope::repl
