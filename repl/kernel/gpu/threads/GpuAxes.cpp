#include "repl/kernel/gpu/threads/GpuAxes.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/kernel/gpu/threads/GpuDevices.h"
#include "repl/kernel/gpu/threads/GpuThreads.h"
#include "repl/kernel/trace/Traced.h"

#include <algorithm>
#include <numeric>

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;

namespace {

std::string quoted(std::vector<std::string> names) {
  for (std::string &name : names)
    name = text("`", name, "`");
  return joined(names, ", ");
}

/// The index along dimension `dim` of the grid.
IrValue gridIndex(GpuTracer &tracer, const Context &context, size_t dim) {
  core::GpuBuilder &builder = tracer.at(context.span);
  const AxisNames &axes = tracer.axes();
  auto axis = static_cast<int>(gridAxisOf(axes, dim));
  bool clusters = layouts::elementCount(axes.clusterShape) > 1;
  return gridIndexIn(tracer, clusters ? builder.clusterId(axis) : builder.programId(axis), dim);
}

IrValue clusterIndex(GpuTracer &tracer, const Context &context, size_t dim) {
  size_t rank = tracer.axes().clusterShape.size();
  return tracer.at(context.span).blockInCluster(static_cast<int>(rank - 1 - dim));
}

Result<size_t> gridAxis(GpuTracer &tracer, const BoundArguments &args) {
  int64_t dim = LANESCOPE_TRY(args.integer(0));
  auto rank = static_cast<int64_t>(tracer.axes().gridShape.size());
  if (dim < 0 || dim >= rank)
    return args.wrongValue(0, Message("the grid has {}", counted(rank, "dimension")));
  return static_cast<size_t>(dim);
}

std::unexpected<Diagnostics> noAxis(const BoundArguments &args, const GpuTracer &tracer, const std::string &name) {
  const AxisNames &axes = tracer.axes();
  const std::string *warps = tracer.warpAxis();
  std::vector<std::string> known = axes.grid;
  known.insert(known.end(), axes.cluster.begin(), axes.cluster.end());
  known.insert(known.end(), axes.mesh.names.begin(), axes.mesh.names.end());
  if (!axes.thread.empty())
    known.push_back(axes.thread);
  if (warps)
    known.push_back(*warps);
  return args.wrongValue(
      0, known.empty() ? "the kernel names no axes; give it `grid_names=`, `cluster_names=`, `thread_name=` or `mesh=`"
                       : Message("the kernel has no axis `{axis}`, it has {}", name, quoted(known)));
}

/// The names in argument 0: one, or a tuple of several, the last of which varies fastest.
Result<std::vector<std::string>> axisNames(const BoundArguments &args) {
  const Value &value = args[0].value;
  const auto *parts = value.asTuple() ? value.asTuple() : value.asList() ? &value.asList()->items : nullptr;
  if (!parts)
    return std::vector<std::string>{LANESCOPE_TRY(args.text(0))};
  std::vector<std::string> names;
  for (const Value &part : *parts) {
    if (!part.asStr())
      return args.wrongType(0, "the name of an axis, or a tuple of names");
    names.push_back(*part.asStr());
  }
  return names;
}

Result<IrValue> indexAlong(GpuTracer &tracer, Context &context, const BoundArguments &args, const std::string &name) {
  const AxisNames &axes = tracer.axes();
  auto in = [&](const std::vector<std::string> &names) {
    return static_cast<size_t>(std::ranges::find(names, name) - names.begin());
  };
  if (size_t dim = in(axes.grid); dim < axes.grid.size())
    return gridIndex(tracer, context, dim);
  if (size_t own = in(axes.cluster); own < axes.cluster.size())
    return clusterIndex(tracer, context, own);
  if (auto own = axes.mesh.axis(name))
    return deviceIndex(tracer.at(context.span), axes.mesh, *own);
  if (!axes.thread.empty() && name == axes.thread)
    return tracer.at(context.span).warpgroupId();
  if (const std::string *warps = tracer.warpAxis(); warps && name == *warps)
    return tracer.at(context.span).warpId();
  return noAxis(args, tracer, name);
}

Result<int64_t> sizeAlong(const GpuTracer &tracer, const BoundArguments &args, const std::string &name) {
  const AxisNames &axes = tracer.axes();
  for (size_t i = 0; i < axes.grid.size(); ++i)
    if (axes.grid[i] == name)
      return axes.gridShape[i];
  for (size_t i = 0; i < axes.cluster.size(); ++i)
    if (axes.cluster[i] == name)
      return axes.clusterShape[i];
  if (auto own = axes.mesh.axis(name))
    return axes.mesh.sizes[*own];
  if (!axes.thread.empty() && name == axes.thread)
    return axes.warpgroups;
  if (const std::string *warps = tracer.warpAxis(); warps && name == *warps)
    return layouts::kWarpsPerWarpgroup;
  return noAxis(args, tracer, name);
}

Result<Value> axisIndex(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  std::vector<std::string> names = LANESCOPE_TRY(axisNames(args));
  core::GpuBuilder &builder = tracer.at(context.span);
  std::optional<IrValue> index;
  for (const std::string &name : names) {
    IrValue place = LANESCOPE_TRY(indexAlong(tracer, context, args, name));
    if (index) {
      IrValue size = builder.constant(Dtype::I32, {}, LANESCOPE_TRY(sizeAlong(tracer, args, name)));
      place = builder.binary(core::BinaryKind::Add, builder.binary(core::BinaryKind::Multiply, *index, size), place);
    }
    index = place;
  }
  if (!index)
    return args.wrongValue(0, "it names one axis at least");
  return TracedValue::make(tracer, *index, context.span);
}

Result<Value> axisSize(GpuTracer &tracer, Context &, const BoundArguments &args) {
  std::vector<std::string> names = LANESCOPE_TRY(axisNames(args));
  int64_t size = 1;
  for (const std::string &name : names)
    size *= LANESCOPE_TRY(sizeAlong(tracer, args, name));
  return Value(size);
}

Result<Value> programId(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  size_t dim = LANESCOPE_TRY(gridAxis(tracer, args));
  return TracedValue::make(tracer, gridIndex(tracer, context, dim), context.span);
}

Result<Value> numPrograms(GpuTracer &tracer, Context &, const BoundArguments &args) {
  return Value(tracer.axes().gridShape[LANESCOPE_TRY(gridAxis(tracer, args))]);
}

/// `multiple_of`: writes the value as a product with the multiple, so that lowering sees that it is one.
Result<Value> multipleOf(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  Term value = LANESCOPE_TRY(termOf(tracer, args[0], "multiple_of"));
  int64_t joint = 1;
  for (int64_t multiple : LANESCOPE_TRY(args.integers(1))) {
    constexpr int64_t kMost = 1 << 20;
    if (multiple < 1 || multiple > kMost || (joint = std::lcm(joint, multiple)) > kMost)
      return args.wrongValue(1, Message("nothing is a multiple of {} that an address could be", multiple));
  }
  if (!value.traced) // a number is returned unchanged
    return args[0].value;
  if (!value.traced->isScalar() || layouts::isFloat(value.traced->dtype))
    return args.wrongType(0, "an int");
  core::GpuBuilder &builder = tracer.at(context.span);
  IrValue unit = builder.constant(value.traced->dtype, {}, joint);
  IrValue count = builder.binary(core::BinaryKind::FloorDivide, *value.traced, unit);
  return TracedValue::make(tracer, builder.binary(core::BinaryKind::Multiply, count, unit), context.span);
}

Result<Value> setMaxRegisters(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  // The limits of `setmaxnreg` (PTX ISA).
  constexpr int64_t kFewest = 24, kMost = 256, kUnit = 8;
  int64_t registers = LANESCOPE_TRY(args.integer(0));
  std::string action = LANESCOPE_TRY(args.text(1));
  if (action != "increase" && action != "decrease")
    return args.wrongValue(1, Message("it is \"increase\" or \"decrease\", not \"{}\"", action));
  if (registers < kFewest || registers > kMost || registers % kUnit != 0)
    return args.wrongValue(0, Message("a thread has from {} to {limit} registers, a multiple of {}, not {}", kFewest,
                                      kMost, kUnit, registers));
  tracer.at(context.span).setMaxRegisters(registers, action == "increase");
  return Value();
}

constexpr GpuPrimitive kAxisPrimitives[] = {
    {"axis_index", "axis_index(name)",
     "The block's index along a named dimension of grid or cluster, the warpgroup's along `thread_name`, the warp's "
     "along the axis of a `WarpMesh`, or the device's along an axis of the kernel's `mesh`; along a tuple of names, in "
     "row-major order.",
     axisIndex},
    {"axis_size", "axis_size(name)",
     "The size of a named dimension of grid, cluster, block or mesh; of a tuple of names, the product.", axisSize},
    {"program_id", "program_id(axis)", "The block's index along grid dimension `axis`.", programId},
    {"num_programs", "num_programs(axis)", "The size of grid dimension `axis`.", numPrograms},
    {"multiple_of", "multiple_of(x, values)",
     "`x`, which is known to be a multiple of each of `values`: copies of whole tiles ask for that.", multipleOf},
    {"set_max_registers", "set_max_registers(n, action)",
     "The warpgroup's threads have `n` registers each from here on: `action=\"increase\"` takes what other warpgroups "
     "have given back by `\"decrease\"`.",
     setMaxRegisters},
};

} // namespace

size_t gridAxisOf(const AxisNames &axes, size_t dim) { return std::min<size_t>(axes.gridShape.size() - 1 - dim, 2); }

IrValue gridIndexIn(GpuTracer &tracer, IrValue place, size_t dim) {
  core::GpuBuilder &builder = tracer.builder();
  const AxisNames &axes = tracer.axes();
  size_t rank = axes.gridShape.size();
  if (gridAxisOf(axes, dim) < 2 || rank <= 3)
    return place;
  int64_t below = 1;
  for (size_t i = dim + 1; i + 2 < rank; ++i)
    below *= axes.gridShape[i];
  auto constant = [&](int64_t value) { return builder.constant(Dtype::I32, {}, value); };
  if (below > 1)
    place = builder.binary(core::BinaryKind::FloorDivide, place, constant(below));
  return dim == 0 ? place : builder.binary(core::BinaryKind::Modulo, place, constant(axes.gridShape[dim]));
}

Result<int64_t> clusterAxis(const AxisNames &axes, const std::string &name, const Span &span) {
  for (size_t i = 0; i < axes.cluster.size(); ++i)
    if (axes.cluster[i] == name)
      return static_cast<int64_t>(axes.cluster.size() - 1 - i); // the last dimension is x
  return error(
      "value", span,
      axes.cluster.empty()
          ? Message("the cluster has no axis `{axis}`: the kernel has no `cluster=` with `cluster_names=`", name)
          : Message("the cluster has no axis `{axis}`, it has {}", name, quoted(axes.cluster)));
}

Result<std::vector<int64_t>> clusterAxes(GpuTracer &tracer, const BoundArguments &args, size_t index) {
  std::vector<int64_t> dims;
  if (!args.has(index) || args[index].value.isNone())
    return dims;
  const Value &given = args[index].value;
  std::vector<Value> names = given.asTuple()  ? *given.asTuple()
                             : given.asList() ? given.asList()->items
                                              : std::vector{given};
  for (const Value &name : names) {
    if (!name.asStr())
      return args.wrongType(index, "a cluster axis's name, or a tuple of names");
    int64_t dim = LANESCOPE_TRY(clusterAxis(tracer.axes(), *name.asStr(), args[index].span));
    if (std::ranges::find(dims, dim) != dims.end())
      return args.wrongValue(index, Message("the axis `{axis}` is named twice", *name.asStr()));
    dims.push_back(dim);
  }
  return dims;
}

Result<std::array<std::optional<IrValue>, 3>> blockPlace(GpuTracer &tracer, const Context &context,
                                                         const BoundArguments &args, std::string_view what) {
  if (args.keywords().empty())
    return error("arguments", context.span, Message("name the block by the cluster's axes: `{}(…, x=1)`", what));
  std::array<std::optional<IrValue>, 3> place;
  for (const KeywordArg &given : args.keywords()) {
    int64_t dim = LANESCOPE_TRY(clusterAxis(tracer.axes(), given.name, given.nameSpan));
    Term index = LANESCOPE_TRY(termOf(tracer, {given.value, given.span}, what));
    int64_t size = tracer.axes().clusterShape[tracer.axes().clusterShape.size() - 1 - static_cast<size_t>(dim)];
    if (const int64_t *known = given.value.asInt(); known && (*known < 0 || *known >= size))
      return error("out-of-bounds", given.span,
                   Message("the cluster has {} along `{name}`, there is no block {block}", counted(size, "block"),
                           given.name, *known));
    if (!index.shape().empty() || (index.traced && index.traced->dtype != Dtype::I32))
      return error("type", given.span, "a block of the cluster is named by an int");
    place[static_cast<size_t>(dim)] = LANESCOPE_TRY(shaped(tracer, index, Dtype::I32, {}));
  }
  return place;
}

std::span<const GpuPrimitive> axisPrimitives() { return kAxisPrimitives; }

} // namespace lanescope::repl
