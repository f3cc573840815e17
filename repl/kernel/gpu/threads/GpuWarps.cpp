// Warp-level code, and other kernels of the stream.
#include "repl/kernel/gpu/threads/GpuThreads.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <array>

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;

namespace {

//===------------------------------------ warp-level code ---------------------------------------------------------===//

/// The value of `WarpMesh(axis_name="warp")`.
class WarpMesh final : public Object {
public:
  explicit WarpMesh(std::string axis) : axis_(std::move(axis)) {}
  const std::string &axis() const { return axis_; }
  std::string typeName() const override { return "WarpMesh"; }
  std::string repr() const override { return text("WarpMesh(axis_name=\"", axis_, "\")"); }

private:
  std::string axis_;
};

/// The value of `core_map(mesh)`, which is called with the function that each warp runs.
class CoreMap final : public Object {
public:
  CoreMap(std::string axis, TraceId trace) : axis_(std::move(axis)), trace_(trace) {}
  std::string typeName() const override { return "core map"; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override {
    GpuTracer *tracer = LANESCOPE_TRY(GpuTracer::of(context, trace_));
    if (arguments.positional.size() != 1 || !arguments.keyword.empty())
      return context.fail("arguments",
                          "it takes the function that each warp runs: `core_map(WarpMesh(axis_name=\"warp\"))"
                          "(body)`");
    const Value &body = arguments.positional[0].value;
    if (tracer->warpAxis())
      return context.fail("warp-level", "warp-level code is not nested");
    tracer->at(context.span);
    tracer->meet();
    tracer->enterWarps(axis_);
    auto done = tracer->at(context.span).warps([&]() -> Result<void> {
      Value result = LANESCOPE_TRY(context.evaluator.call(body, {}, context.span));
      if (!result.isNone())
        return context.fail(
            "warp-level",
            Message("the warps give nothing back, and this function returned a {type}; write it to a reference",
                    result.typeName()));
      return {};
    });
    tracer->leaveWarps();
    LANESCOPE_CHECK(std::move(done));
    tracer->at(context.span);
    tracer->meet();
    return Value();
  }

private:
  std::string axis_;
  TraceId trace_;
};

Result<Value> coreMap(GpuTracer &tracer, Context &, const BoundArguments &args) {
  auto *mesh = args[0].value.as<WarpMesh>();
  if (!mesh)
    return args.wrongType(0, "a `WarpMesh(axis_name=…)`");
  const AxisNames &axes = tracer.axes();
  auto taken = [&](const std::vector<std::string> &names) {
    return std::find(names.begin(), names.end(), mesh->axis()) != names.end();
  };
  if (taken(axes.grid) || taken(axes.cluster) || axes.thread == mesh->axis())
    return args.wrongValue(0, Message("the kernel has an axis `{axis}` already", mesh->axis()));
  return Value(std::make_shared<CoreMap>(mesh->axis(), tracer.id()));
}

//===------------------------------------ other kernels -----------------------------------------------------------===//

template <bool launch> Result<Value> gridDependency(GpuTracer &tracer, Context &context, const BoundArguments &) {
  tracer.at(context.span).gridDependency(launch);
  return Value();
}

constexpr GpuPrimitive kWarpPrimitives[] = {
    {"core_map", "core_map(mesh)",
     "`core_map(WarpMesh(axis_name=\"warp\"))(body)`: each of the warpgroup's four warps runs `body()` by itself.\n\n"
     "`axis_index(\"warp\")` is the warp's number. A warp has scalars, references, copies and barriers, no arrays; at "
     "a "
     "barrier it counts as a warpgroup. Phases of barriers are counted by each warp: what one warp has waited for, the "
     "others have not. The warps do not meet at the end.",
     coreMap},
    {"griddepcontrol_wait", "griddepcontrol_wait()",
     "Waits until the kernel before this one in the stream has ended (programmatic dependent launch). lanescope itself "
     "launches one kernel after the other, so there it never waits.",
     gridDependency<false>},
    {"griddepcontrol_launch_dependents", "griddepcontrol_launch_dependents()",
     "Lets the next kernel in the stream start, as far as this one is concerned (programmatic dependent launch).",
     gridDependency<true>},
};

} // namespace

std::span<const GpuPrimitive> warpPrimitives() { return kWarpPrimitives; }

Builtin warpMeshBuiltin() {
  return {.name = "WarpMesh",
          .signature = "WarpMesh(axis_name)",
          .doc = "The four warps of a warpgroup along a named axis, for `core_map`.",
          .call = [](Context &, const BoundArguments &args) -> Result<Value> {
            std::string axis = LANESCOPE_TRY(args.text(0));
            if (axis.empty())
              return args.wrongValue(0, "an axis needs a name");
            return Value(std::make_shared<WarpMesh>(std::move(axis)));
          }};
}

} // namespace lanescope::repl
