#include "repl/kernel/pallas/ShardMap.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/values/ArrayOps.h"

#include <algorithm>
#include <utility>

namespace lanescope::repl {

Result<void> ShardRuns::all(Context &context, const std::function<Result<void>(int64_t device)> &run) {
  for (;;) {
    std::vector<int64_t> returned, waiting;
    for (device_ = 0; device_ < mesh_.devices(); ++device_) {
      next_ = 0;
      waits_ = false;
      auto ran = run(device_);
      if (!ran && !waits_)
        return std::unexpected(std::move(ran.error()));
      (waits_ ? waiting : returned).push_back(device_);
    }
    if (waiting.empty())
      return {};
    Meeting &meeting = meetings_.back();
    if (!returned.empty())
      return error("kernel", meeting.span,
                   Message("device {device} calls {}, and device {} has returned: all devices of a `shard_map` call "
                           "the same kernels and collectives",
                           waiting.front(), meeting.what, returned.front()));
    meeting.outputs = LANESCOPE_TRY(meeting.launch(context, meeting.arguments));
    meeting.done = true;
  }
}

Result<const std::vector<core::Array> *> ShardRuns::meet(Context &context, const std::string &what,
                                                         const Arguments &arguments, const Launch &launch) {
  if (next_ == meetings_.size())
    meetings_.push_back({what, context.span, {}, launch, {}, false});
  Meeting &meeting = meetings_[next_++];
  if (meeting.what != what)
    return context.fail("kernel", Message("device {device} calls {} where device 0 calls {}: all devices of a "
                                          "`shard_map` call the same kernels and collectives",
                                          device_, what, meeting.what));
  if (meeting.done)
    return &meeting.outputs;
  meeting.arguments.push_back(arguments);
  waits_ = true;
  return context.fail("kernel", "this device waits for the others");
}

namespace {

Result<std::vector<Value>> listArgument(const BoundArguments &args, size_t index) {
  const Value &given = args[index].value;
  if (const ListData *list = given.asList())
    return list->items;
  if (const auto *tuple = given.asTuple())
    return *tuple;
  return args.wrongType(index, "a list");
}

/// `_shard_run(function, mesh, operands, shardings)`: the function's results on each device, [devices, …].
Result<Value> run(Context &context, const BoundArguments &args, const CurrentShards &current) {
  enum : size_t { kFunction, kMesh, kOperands, kShardings };
  if (*current)
    return context.fail("unsupported", "there is one `shard_map` at a time: map over all axes of the mesh at once");
  ShardRuns runs(LANESCOPE_TRY(meshArgument(context, args, kMesh)));
  std::vector<Value> operands = LANESCOPE_TRY(listArgument(args, kOperands));
  std::vector<Value> shardings = LANESCOPE_TRY(listArgument(args, kShardings));
  std::vector<core::Array> parts;
  for (size_t i = 0; i < operands.size() && i < shardings.size(); ++i) {
    const core::Array *array = operands[i].asArray();
    if (!array)
      return args.wrongType(kOperands, "arrays");
    Sharding sharding = LANESCOPE_TRY(shardingOf(shardings[i], args[kShardings].span));
    parts.push_back(LANESCOPE_TRY(dealt(context, *array, runs.mesh(), sharding, text("operand ", i), context.span)));
  }
  std::vector<std::vector<core::Array>> outputs(static_cast<size_t>(runs.mesh().devices()));
  auto once = [&](int64_t device) -> Result<void> {
    Arguments mine;
    for (const core::Array &part : parts)
      mine.positional.push_back({underJaxRules(Value(partOf(part, device))), context.span});
    Value out = LANESCOPE_TRY(context.evaluator.call(args[kFunction].value, mine, context.span));
    std::vector<core::Array> &here = outputs[static_cast<size_t>(device)];
    here.clear();
    for (const Value &value : LANESCOPE_TRY(context.evaluator.iterate(out, context.span))) {
      Value array = underJaxRules(value);
      if (!array.asArray())
        return context.fail("type",
                            Message("a function under `shard_map` gives arrays, not `{type}`", value.typeName()));
      here.push_back(*array.asArray());
    }
    return {};
  };
  *current = &runs;
  auto ran = runs.all(context, once);
  *current = nullptr;
  LANESCOPE_CHECK(std::move(ran));
  std::vector<Value> all;
  for (size_t i = 0; i < outputs.front().size(); ++i) {
    std::vector<const core::Array *> same;
    for (const std::vector<core::Array> &here : outputs) {
      if (i >= here.size() || here[i].shape != outputs.front()[i].shape || here[i].dtype != outputs.front()[i].dtype)
        return context.fail("shape-mismatch",
                            Message("output {} does not have the same shape and dtype on all devices", i));
      same.push_back(&here[i]);
    }
    all.push_back(underJaxRules(Value(stacked(same))));
  }
  return Value::tuple(std::move(all));
}

/// `_shard_join(parts, mesh, sharding)`: the array whose parts are `parts`.
Result<Value> join(Context &context, const BoundArguments &args) {
  const core::Array *parts = LANESCOPE_TRY(args.array(0));
  DeviceMesh mesh = LANESCOPE_TRY(meshArgument(context, args, 1));
  Sharding sharding = LANESCOPE_TRY(shardingOf(args[2].value, args[2].span));
  GatheredArray whole = LANESCOPE_TRY(gathered(*parts, mesh, sharding, "an output", context.span));
  return underJaxRules(Value(std::move(whole.array)));
}

/// `lax.axis_index`, and the building block of `lax.axis_size`. Inside a kernel, the axis is the kernel's; otherwise it
/// is the devices'.
Builtin axisBuiltin(std::string name, std::string doc, CurrentShards current, bool size) {
  return {.name = name,
          .signature = name + "(axis_name)",
          .doc = std::move(doc),
          .call = [name = size ? "axis_size" : "axis_index", current,
                   size](Context &context, const BoundArguments &args) -> Result<Value> {
            if (context.evaluator.staging()) {
              Arguments own;
              own.positional = {args[0]};
              return context.evaluator.call(*context.evaluator.builtin(name), own, args.call);
            }
            if (!*current)
              return context.fail("kernel",
                                  Message("`lax.{}` is of a kernel, or of a function under `jax.shard_map`", name));
            const DeviceMesh &mesh = (*current)->mesh();
            Sharding named = LANESCOPE_TRY(shardingOf(Value::tuple({args[0].value}), args[0].span));
            for (const std::string &axis : named.front())
              if (!mesh.axis(axis))
                return args.wrongValue(0, Message("the mesh has no axis `{axis}`, it is {}", axis, mesh.describe()));
            return Value(size ? mesh.places(named.front()) : mesh.place((*current)->device(), named.front()));
          }};
}

/// `_shard_all(x)`: the arguments of all devices, [devices, …].
Result<Value> all(Context &context, const BoundArguments &args, const CurrentShards &current) {
  if (!*current)
    return context.fail("kernel", "devices meet in a function under `jax.shard_map`");
  Value mine = underJaxRules(args[0].value);
  if (!mine.asArray())
    return args.wrongType(0, "an array");
  auto together = [](Context &from, const std::vector<Arguments> &devices) -> Result<std::vector<core::Array>> {
    std::vector<const core::Array *> parts;
    for (const Arguments &each : devices) {
      parts.push_back(each.positional[0].value.asArray());
      if (parts.back()->shape != parts[0]->shape || parts.back()->dtype != parts[0]->dtype)
        return from.fail("shape-mismatch", "the devices meet with arrays of different shapes or dtypes");
    }
    layouts::Shape shape = parts[0]->shape;
    shape.insert(shape.begin(), static_cast<int64_t>(parts.size()));
    LANESCOPE_CHECK(from.evaluator.reserveArray(parts[0]->dtype, shape, from.span));
    return std::vector{stacked(parts)};
  };
  Arguments own;
  own.positional = {{mine, args[0].span}};
  const auto *found = LANESCOPE_TRY((*current)->meet(context, "a collective", own, together));
  return underJaxRules(Value(found->front()));
}

/// `_shard_group(axis)`: the devices that differ from this one only along the axis, in the order of the axis.
Result<Value> group(Context &context, const BoundArguments &args, const CurrentShards &current) {
  if (!*current)
    return context.fail("kernel", "devices meet in a function under `jax.shard_map`");
  const DeviceMesh &mesh = (*current)->mesh();
  Sharding named = LANESCOPE_TRY(shardingOf(Value::tuple({args[0].value}), args[0].span));
  std::vector<std::string> others;
  for (const std::string &axis : named.front())
    if (!mesh.axis(axis))
      return args.wrongValue(0, Message("the mesh has no axis `{axis}`, it is {}", axis, mesh.describe()));
  for (const std::string &name : mesh.names)
    if (std::ranges::find(named.front(), name) == named.front().end())
      others.push_back(name);
  std::vector<Value> devices(static_cast<size_t>(mesh.places(named.front())));
  for (int64_t device = 0; device < mesh.devices(); ++device)
    if (mesh.place(device, others) == mesh.place((*current)->device(), others))
      devices[static_cast<size_t>(mesh.place(device, named.front()))] = Value(device);
  return Value::list(std::move(devices));
}

} // namespace

Builtins shardAxes(const CurrentShards &current) {
  return {
      axisBuiltin("axis_index",
                  "The place along an axis: in a kernel, of its grid, cluster, warpgroups or devices; in a function "
                  "under `jax.shard_map`, of the device.",
                  current, false),
      axisBuiltin("_axis_size", "", current, true),
      {.name = "_shard_all",
       .signature = "_shard_all(x)",
       .doc = "",
       .call = [current](Context &context, const BoundArguments &args) { return all(context, args, current); }},
      {.name = "_shard_group",
       .signature = "_shard_group(axis)",
       .doc = "",
       .call = [current](Context &context, const BoundArguments &args) { return group(context, args, current); }}};
}

Builtins shardMapNatives(CurrentShards current) {
  return {{.name = "_shard_run",
           .signature = "_shard_run(function, mesh, operands, shardings)",
           .doc = "",
           .call = [current](Context &context, const BoundArguments &args) { return run(context, args, current); }},
          {.name = "_shard_join", .signature = "_shard_join(parts, mesh, sharding)", .doc = "", .call = join}};
}

} // namespace lanescope::repl
