// Cluster launch control: a running block takes over the work of a cluster that has not begun.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/memory/GpuMemory.h"
#include "repl/kernel/gpu/memory/GpuRefs.h"
#include "repl/kernel/gpu/threads/GpuAxes.h"
#include "repl/kernel/gpu/threads/GpuBarriers.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;

namespace {

constexpr int64_t kAnswerBits = 128; // PTX ISA, `clusterlaunchcontrol.try_cancel`

Result<void> checkTarget(const GpuTracer &tracer, const Context &context, std::string_view what) {
  if (tracer.target().launchControl)
    return {};
  return context.fail("unsupported", Message("`{function}` needs cluster launch control, which {target} does not have; "
                                             "compile with `--arch sm_100a`, or share the work out with `nd_loop`",
                                             what, tracer.target().name));
}

Result<std::shared_ptr<RefValue>> answerArgument(GpuTracer &tracer, const BoundArguments &args, size_t index) {
  auto answer = LANESCOPE_TRY(refArgument(tracer, args, index, core::MemorySpace::Shared));
  int64_t bits = layouts::elementCount(answer->shape()) * layouts::bitwidth(answer->dtype());
  if (bits == kAnswerBits && answer->shape().size() == 1 && answer->dtype() == Dtype::I8)
    return answer;
  return error("type", args[index].span,
               Message("the answer has {bits} bits, and `{name}` has {other_bits}{}", kAnswerBits, answer->describe(),
                       bits,
                       bits > kAnswerBits && bits % kAnswerBits == 0 && answer->shape().size() > 1
                           ? text("; choose one: `", answer->name(), ".at[i]`")
                           : text("; declare it as `TryClusterCancelResult()`")),
               {answer->declared()});
}

Result<Value> tryCancel(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  LANESCOPE_CHECK(checkTarget(tracer, context, "try_cluster_cancel"));
  auto answer = LANESCOPE_TRY(answerArgument(tracer, args, 0));
  auto barrier = LANESCOPE_TRY(barrierArgument(tracer, args, 1));
  if (barrier->ofCluster())
    return error("type", args[1].span,
                 Message("`{name}` is a barrier of the cluster, which counts only arrivals; the answer's bytes are "
                         "counted by a `Barrier(…)`",
                         barrier->name()),
                 {barrier->declared()});
  core::GpuBuilder &builder = tracer.at(context.span);
  core::IrRef memory = LANESCOPE_TRY(answer->materialize(tracer));
  if (tracer.axes().warpgroups == 1 || tracer.warpAxis()) {
    builder.tryClusterCancel(memory, barrier->ir());
    return Value();
  }
  // All warpgroups call it; the first one sends the request.
  IrValue first =
      builder.compare(core::CompareKind::Equal, builder.warpgroupId(), builder.constant(Dtype::I32, {}, int64_t{0}));
  LANESCOPE_CHECK(builder.ifElse(
      first,
      [&]() -> Result<void> {
        builder.tryClusterCancel(memory, barrier->ir());
        return {};
      },
      [&]() -> Result<void> {
        builder.arrive(barrier->ir());
        return {};
      },
      [](bool) -> Result<core::KernelBuilder::Values> { return core::KernelBuilder::Values{}; }));
  return Value();
}

Result<Value> query(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  LANESCOPE_CHECK(checkTarget(tracer, context, "query_cluster_cancel"));
  auto answer = LANESCOPE_TRY(answerArgument(tracer, args, 0));
  const Value &given = args[1].value;
  std::vector<Value> names = given.asTuple()  ? *given.asTuple()
                             : given.asList() ? given.asList()->items
                                              : std::vector{given};
  const AxisNames &axes = tracer.axes();
  std::vector<size_t> dims;
  for (const Value &name : names) {
    if (!name.asStr())
      return args.wrongType(1, "a tuple of names of the grid's axes");
    auto found = std::ranges::find(axes.grid, *name.asStr());
    if (found == axes.grid.end())
      return args.wrongValue(1, axes.grid.empty() ? "the kernel names no axes of its grid; give it `grid_names=`"
                                                  : Message("the grid has no axis `{axis}`, it has `{}`", *name.asStr(),
                                                            joined(axes.grid, "`, `")));
    dims.push_back(static_cast<size_t>(found - axes.grid.begin()));
  }
  core::GpuBuilder &builder = tracer.at(context.span);
  auto cancelled = builder.queryClusterCancel(LANESCOPE_TRY(answer->materialize(tracer)));
  std::vector<Value> indices;
  for (size_t dim : dims) {
    size_t axis = gridAxisOf(axes, dim);
    IrValue place = cancelled.block[axis];
    // The hardware counts blocks, and the kernel's grid counts clusters.
    if (size_t rank = axes.clusterShape.size(); axis < rank && axes.clusterShape[rank - 1 - axis] > 1)
      place = builder.binary(core::BinaryKind::TruncatingDivide, place,
                             builder.constant(Dtype::I32, {}, axes.clusterShape[rank - 1 - axis]));
    indices.push_back(TracedValue::make(tracer, gridIndexIn(tracer, place, dim), context.span));
  }
  return Value::tuple({Value::tuple(std::move(indices)), TracedValue::make(tracer, cancelled.success, context.span)});
}

constexpr GpuPrimitive kClusterCancelPrimitives[] = {
    {"try_cluster_cancel", "try_cluster_cancel(result, barrier)",
     "Asks to take over the work of a cluster that has not begun (cluster launch control, sm_100a); the answer arrives "
     "in `result`, a `TryClusterCancelResult()`, of every block of the cluster.\n\n"
     "All warpgroups of all blocks of the cluster call it, each of which arrives at `barrier`, and one asks: "
     "`Barrier(num_arrivals=…)` counts the block's warpgroups. Wait for it before `query_cluster_cancel`. "
     "`dynamic_scheduling_loop` does all of this.",
     tryCancel},
    {"query_cluster_cancel", "query_cluster_cancel(result, grid_names)",
     "The answer of `try_cluster_cancel`: the indices along these axes of the grid, and whether there was such a "
     "cluster; without one the indices are undefined.",
     query},
};

} // namespace

std::span<const GpuPrimitive> clusterCancelPrimitives() { return kClusterCancelPrimitives; }

} // namespace lanescope::repl
