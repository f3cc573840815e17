#include "repl/kernel/gpu/threads/GpuDevices.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/kernel/trace/Traced.h"

#include <algorithm>

namespace lanescope::repl {

using core::BinaryKind;
using core::IrValue;
using layouts::Dtype;

IrValue deviceIndex(core::GpuBuilder &builder, const DeviceMesh &mesh, size_t axis) {
  IrValue place = builder.deviceId();
  auto constant = [&](int64_t value) { return builder.constant(Dtype::I32, {}, value); };
  if (int64_t stride = mesh.stride(axis); stride > 1)
    place = builder.binary(BinaryKind::FloorDivide, place, constant(stride));
  if (axis > 0)
    place = builder.binary(BinaryKind::Modulo, place, constant(mesh.sizes[axis]));
  return place;
}

namespace {

std::unexpected<Diagnostics> noMesh(const BoundArguments &args, size_t index) {
  return args.wrongValue(
      index, "the kernel is for one device; a mesh makes it one for several: `@kernel(mesh={\"x\": 2}, …)`");
}

Result<IrValue> placeOf(GpuTracer &tracer, const BoundArguments &args, size_t index, const Value &value, int64_t size,
                        const std::string &along) {
  const Value plain = value.plain();
  if (const int64_t *known = plain.asInt(); known && (*known < 0 || *known >= size))
    return error("out-of-bounds", args[index].span,
                 Message("the mesh has {}{}, there is no device {device}", counted(size, "device"), along, *known));
  Term term = LANESCOPE_TRY(termOf(tracer, {value, args[index].span}, args.function));
  if (!term.shape().empty() || (term.traced ? term.traced->dtype != Dtype::I32 : !term.number.asInt()))
    return args.wrongType(index, "an int, or ints along the axes of the mesh");
  return LANESCOPE_TRY(shaped(tracer, term, Dtype::I32, {}));
}

} // namespace

Result<IrValue> deviceArgument(GpuTracer &tracer, const BoundArguments &args, size_t index, size_t type) {
  const DeviceMesh &mesh = tracer.axes().mesh;
  if (mesh.none())
    return noMesh(args, index);
  bool logical = false;
  if (args.has(type) && !args[type].value.isNone()) {
    std::string wanted = LANESCOPE_TRY(args.text(type));
    if (wanted != "mesh" && wanted != "logical")
      return args.wrongValue(type, "it is \"mesh\" or \"logical\"");
    logical = wanted == "logical";
  }
  const Value &given = args[index].value;
  core::GpuBuilder &builder = tracer.builder();
  const DictData *named = given.asDict();
  const auto *places = given.asTuple() ? given.asTuple() : given.asList() ? &given.asList()->items : nullptr;
  if (logical || (!named && !places && mesh.names.size() == 1)) {
    if (named || places)
      return args.wrongType(index, "an int");
    return placeOf(tracer, args, index, given, mesh.devices(), "");
  }
  size_t rank = mesh.names.size();
  if (!named && (!places || places->size() != rank))
    return args.wrongValue(index,
                           Message("the mesh of devices is {}: name a device by {} along its axes, in order; or by "
                                   "some, `{{\"{}\": 1}}`; or by its number, with `device_id_type=\"logical\"`",
                                   mesh.describe(), counted(rank, "place"), mesh.names[0]));
  std::vector<std::optional<Value>> along(rank);
  for (size_t i = 0; places && i < rank; ++i)
    along[i] = (*places)[i];
  if (named)
    for (const auto &[name, place] : named->items()) {
      auto axis = name.asStr() ? mesh.axis(*name.asStr()) : std::nullopt;
      if (!axis)
        return args.wrongValue(index,
                               Message("the mesh of devices has no axis {}, it is {}", repr(name), mesh.describe()));
      along[*axis] = place;
    }
  std::optional<IrValue> number;
  for (size_t axis = 0; axis < rank; ++axis) {
    IrValue place = along[axis] ? LANESCOPE_TRY(placeOf(tracer, args, index, *along[axis], mesh.sizes[axis],
                                                        text(" along `", mesh.names[axis], "`")))
                                : deviceIndex(builder, mesh, axis);
    if (number) {
      IrValue size = builder.constant(Dtype::I32, {}, mesh.sizes[axis]);
      place = builder.binary(BinaryKind::Add, builder.binary(BinaryKind::Multiply, *number, size), place);
    }
    number = place;
  }
  return *number;
}

Result<void> checkAllDevices(GpuTracer &tracer, const BoundArguments &args, size_t index) {
  const DeviceMesh &mesh = tracer.axes().mesh;
  if (mesh.none())
    return noMesh(args, index);
  std::vector<std::string> axes;
  const Value &given = args[index].value;
  for (const Value &axis : given.asTuple()  ? *given.asTuple()
                           : given.asList() ? given.asList()->items
                                            : std::vector{given}) {
    if (!axis.asStr())
      return args.wrongType(index, "an axis of the mesh, or a tuple of axes");
    if (!mesh.axis(*axis.asStr()))
      return args.wrongValue(
          index, Message("the mesh of devices has no axis `{axis}`, it is {}", *axis.asStr(), mesh.describe()));
    axes.push_back(*axis.asStr());
  }
  for (const std::string &name : mesh.names)
    if (std::ranges::find(axes, name) == axes.end())
      return error("unsupported", args[index].span,
                   Message("an operation that reaches several devices at once reaches all of the mesh, so name all of "
                           "its axes: `{name}` is missing",
                           name));
  return {};
}

namespace {

Result<Value> deviceId(GpuTracer &tracer, Context &context, const BoundArguments &) {
  if (tracer.axes().mesh.none())
    return context.fail("kernel",
                        "the kernel is for one device; a mesh makes it one for several: `@kernel(mesh={\"x\": 2}, …)`");
  return TracedValue::make(tracer, tracer.at(context.span).deviceId(), context.span);
}

constexpr GpuPrimitive kDevicePrimitives[] = {
    {"device_id", "device_id()", "The number of this device among those of the kernel's `mesh`.", deviceId},
};

} // namespace

std::span<const GpuPrimitive> devicePrimitives() { return kDevicePrimitives; }

} // namespace lanescope::repl
