// Warps of a warpgroup by themselves, barriers of chosen warpgroups and warps, other blocks and other kernels.
#include "repl/kernel/gpu/threads/Axes.h"
#include "repl/kernel/gpu/threads/Barriers.h"
#include "repl/kernel/trace/Primitives.h"
#include "repl/kernel/gpu/memory/Refs.h"
#include "repl/kernel/trace/Traced.h"

#include "layouts/support/Text.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "layouts/support/Try.h"

#include <array>

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;

namespace {

//===------------------------------------ warp-level code ---------------------------------------------------------===//

/// `WarpMesh(axis_name="warp")`
class WarpMesh final : public Object {
public:
  explicit WarpMesh(std::string axis) : axis_(std::move(axis)) {}
  const std::string &axis() const { return axis_; }
  std::string typeName() const override { return "WarpMesh"; }
  std::string repr() const override { return text("WarpMesh(axis_name=\"", axis_, "\")"); }

private:
  std::string axis_;
};

/// `core_map(mesh)`: called with the function that each warp runs.
class CoreMap final : public Object {
public:
  CoreMap(std::string axis, uint64_t trace) : axis_(std::move(axis)), trace_(trace) {}
  std::string typeName() const override { return "core map"; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override {
    Tracer *tracer = LANESCOPE_TRY(Tracer::of(context, trace_));
    if (arguments.positional.size() != 1 || !arguments.keyword.empty())
      return context.fail("arguments",
                          "it takes the function that each warp runs: `core_map(WarpMesh(axis_name=\"warp\"))"
                          "(body)`");
    const Value &body = arguments.positional[0].value;
    if (tracer->warpAxis())
      return context.fail("warp-level", "warp-level code is not nested");
    tracer->enterWarps(axis_);
    auto done = tracer->at(context.span).warps([&]() -> Result<void> {
      Value result = LANESCOPE_TRY(context.evaluator.call(body, {}, context.span));
      if (!result.isNone())
        return context.fail("warp-level", text("the warps give nothing back, and this function returned a ",
                                               result.typeName(), "; write it to a reference"));
      return {};
    });
    tracer->leaveWarps();
    LANESCOPE_CHECK(std::move(done));
    return Value();
  }

private:
  std::string axis_;
  uint64_t trace_;
};

Result<Value> coreMap(Tracer &tracer, Context &, const BoundArguments &args) {
  auto *mesh = args[0].value.as<WarpMesh>();
  if (!mesh)
    return args.wrongType(0, "a `WarpMesh(axis_name=…)`");
  const AxisNames &axes = tracer.axes();
  auto taken = [&](const std::vector<std::string> &names) {
    return std::find(names.begin(), names.end(), mesh->axis()) != names.end();
  };
  if (taken(axes.grid) || taken(axes.cluster) || axes.thread == mesh->axis())
    return args.wrongValue(0, text("the kernel has an axis `", mesh->axis(), "` already"));
  return Value(std::make_shared<CoreMap>(mesh->axis(), tracer.id()));
}

//===------------------------------------ named barriers ----------------------------------------------------------===//

template <bool arriveOnly> Result<Value> namedBarrier(Tracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kId, kWarpgroups, kWarps };
  // Of the 16 that a block has, one is the block's and one each warpgroup's. PTX ISA, `barrier.cta`.
  int64_t count = 15 - tracer.axes().warpgroups, id = LANESCOPE_TRY(args.integer(kId));
  if (id < 0 || id >= count)
    return args.wrongValue(kId, text("a block with ", tracer.axes().warpgroups,
                                     tracer.axes().warpgroups == 1 ? " warpgroup" : " warpgroups",
                                     " has named barriers 0 to ", count - 1, ", not ", id));
  bool groups = args.has(kWarpgroups) && !args[kWarpgroups].value.isNone();
  bool warps = args.has(kWarps) && !args[kWarps].value.isNone();
  if (groups == warps)
    return error("arguments", context.span, "say who meets: `num_warpgroups=` or `num_warps=`");
  size_t given = groups ? kWarpgroups : kWarps;
  int64_t many = LANESCOPE_TRY(args.integer(given));
  int64_t most = tracer.axes().warpgroups * (groups ? 1 : layouts::kWarpsPerWarpgroup);
  if (many < 1 || many > most)
    return args.wrongValue(given, text("the block has ", most, groups ? " warpgroup" : " warp", most == 1 ? "" : "s", ", not ", many));
  if (!tracer.warpAxis() && warps && many < layouts::kWarpsPerWarpgroup)
    return args.wrongValue(kWarps, text("a whole warpgroup comes to this barrier, which is 4 warps"));
  int64_t threads = many * (groups ? layouts::kThreadsPerWarpgroup : layouts::kLanesPerWarp);
  tracer.at(context.span).namedBarrier(id, threads, arriveOnly);
  return Value();
}

//===------------------------------------ other kernels, other blocks ---------------------------------------------===//

template <bool launch> Result<Value> gridDependency(Tracer &tracer, Context &context, const BoundArguments &) {
  tracer.at(context.span).gridDependency(launch);
  return Value();
}

Result<Value> asyncStoreSmem(Tracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kSource, kTarget, kBarrier };
  auto target = LANESCOPE_TRY(refArgument(tracer, args, kTarget, core::MemorySpace::Shared));
  auto barrier = LANESCOPE_TRY(barrierArgument(tracer, args, kBarrier));
  if (barrier->ofCluster())
    return error("type", args[kBarrier].span,
                 text("`", barrier->name(),
                      "` is a barrier of the cluster, which counts arrivals alone; bytes are counted "
                      "by a `Barrier(…)`"),
                 {barrier->declared()});
  Term source = LANESCOPE_TRY(termOf(tracer, args[kSource], "async_store_smem"));
  if (source.shape().empty())
    return args.wrongType(kSource, "an array");
  if (source.traced->dtype != target->dtype())
    return error("dtype-mismatch", args[kSource].span,
                 text("an array of dtype ", layouts::name(source.traced->dtype), " is stored to `", target->describe(),
                      "` of dtype ", layouts::name(target->dtype())),
                 {target->declared()});
  if (source.shape() != target->shape())
    return error("shape-mismatch", args[kSource].span,
                 text("an array of shape ", layouts::tupleText(source.shape()), " is stored to `", target->describe(),
                      "` of shape ", layouts::tupleText(target->shape())),
                 {target->declared()});
  auto place = LANESCOPE_TRY(blockPlace(tracer, context, args, "async_store_smem"));
  core::KernelBuilder &builder = tracer.at(context.span);
  core::IrRef whole = LANESCOPE_TRY(target->materialize(tracer));
  builder.asyncStoreShared(*source.traced, whole, barrier->ir(), place);
  return Value();
}

constexpr Primitive kPrimitives[] = {
    {"core_map", "core_map(mesh)",
     "`core_map(WarpMesh(axis_name=\"warp\"))(body)`: each of the warpgroup's four warps runs `body()` by itself.\n\n"
     "`axis_index(\"warp\")` is the warp's number. A warp has scalars, references, copies and barriers, no arrays; at "
     "a "
     "barrier it counts as a warpgroup. Phases of barriers are counted by each warp: what one warp has waited for, the "
     "others have not. The warps do not meet at the end.",
     coreMap},
    {"named_barrier_sync", "named_barrier_sync(id, num_warpgroups=None, num_warps=None)",
     "Waits at one of the block's named barriers until as many warpgroups (or warps) have come, this one among them.",
     namedBarrier<false>},
    {"named_barrier_arrive", "named_barrier_arrive(id, num_warpgroups=None, num_warps=None)",
     "Counts at a named barrier, like `named_barrier_sync`, without waiting.", namedBarrier<true>},
    {"griddepcontrol_wait", "griddepcontrol_wait()",
     "Waits until the kernel before this one in the stream has ended (programmatic dependent launch). lanescope itself "
     "launches one kernel after the other, so there it never waits.",
     gridDependency<false>},
    {"griddepcontrol_launch_dependents", "griddepcontrol_launch_dependents()",
     "Lets the next kernel in the stream start, as far as this one is concerned (programmatic dependent launch).",
     gridDependency<true>},
    {"async_store_smem", "async_store_smem(src, ref, barrier, **axes)",
     "Sends an array to `ref` in the shared memory of another block of the cluster: `async_store_smem(v, tile, sent, "
     "x=1)`.\n\n"
     "`barrier` there counts one arrival and the bytes: that block waits for it before reading. An axis that is left "
     "out "
     "keeps this block's index.",
     asyncStoreSmem},
};

} // namespace

std::span<const Primitive> warpPrimitives() { return kPrimitives; }

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
