#include "repl/kernel/gpu/threads/GpuBarriers.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/kernel/gpu/threads/GpuThreads.h"
#include "repl/kernel/trace/Traced.h"

#include <algorithm>

namespace lanescope::repl {

std::string BarrierValue::repr() const {
  return single() ? text("<barrier ", name_, ">") : text("<", layouts::elementCount(shape_), " barriers ", name_, ">");
}

Result<Value> BarrierValue::attribute(Context &context, const std::string &name) {
  if (name == "at")
    return Value(shared_from_this()); // indexing a barrier does not read it
  return context.fail("no-attribute", Message("a barrier has no attribute `{attribute}`", name));
}

/// `barriers.at[2:4]`: in a group of one dimension, the barriers from the start up to the stop.
Result<Value> BarrierValue::row(GpuTracer &tracer, const SliceData &slice, const Span &span) const {
  if (shape_.size() != 1)
    return error(
        "type", span,
        Message("a slice is of a row of barriers, and `{name}` has {dimensions} dimensions", name_, shape_.size()),
        {declared()});
  const int64_t count = shape_.front();
  auto bound = [&](const Value &given, int64_t otherwise) -> std::optional<int64_t> {
    if (given.isNone())
      return otherwise;
    auto known = given.plain().integer();
    return known ? std::optional(std::clamp(*known < 0 ? *known + count : *known, int64_t{0}, count)) : std::nullopt;
  };
  auto start = bound(slice.start, 0), stop = bound(slice.stop, count);
  if (!start || !stop || *stop <= *start || slice.step.plain().integer().value_or(1) != 1)
    return error("type", span,
                 Message("a slice of `{name}` has ints for bounds, no step, and holds a barrier at least", name_),
                 {declared()});
  auto part = std::make_shared<BarrierValue>(*this);
  part->barrier_.index = addOffsets(tracer, part->barrier_.index, *start);
  part->shape_ = {*stop - *start};
  return Value(std::move(part));
}

Result<Value> BarrierValue::getItem(Context &context, const Arg &index) {
  GpuTracer *tracer = LANESCOPE_TRY(GpuTracer::of(context, trace_));
  tracer->at(context.span);
  std::vector<Value> entries = index.value.asTuple() ? *index.value.asTuple() : std::vector{index.value};
  if (const SliceData *slice = entries.size() == 1 ? entries.front().asSlice() : nullptr)
    return row(*tracer, *slice, index.span);
  auto one = std::make_shared<BarrierValue>(*this);
  if (entries.size() > std::max<size_t>(1, shape_.size()))
    return error("type", index.span,
                 Message("{indices} indices for `{name}`, whose barriers have {dimensions} dimensions", entries.size(),
                         name_, shape_.size()),
                 {declared()});
  if (shape_.empty())
    one->shape_ = {1};
  for (const Value &given : entries) {
    const Value entry = given.plain();
    int64_t count = one->shape_.front();
    one->shape_.erase(one->shape_.begin());
    int64_t stride = layouts::elementCount(one->shape_);
    if (const int64_t *known = entry.asInt()) {
      int64_t wanted = *known < 0 ? *known + count : *known;
      if (wanted < 0 || wanted >= count)
        return error("out-of-bounds", index.span,
                     Message("`{name}` has {}{}, there is no barrier {}", name_, counted(count, "barrier"),
                             shape_.size() > 1 ? " in this dimension" : "", *known),
                     {declared()});
      one->barrier_.index = addOffsets(*tracer, one->barrier_.index, wanted * stride);
      continue;
    }
    auto dynamic = tracedIndex(*tracer, entry);
    if (!dynamic)
      return error("type", index.span, Message("a barrier is indexed by an int, not `{type}`", entry.typeName()));
    core::GpuBuilder &builder = tracer->builder();
    if (stride != 1)
      dynamic = builder.binary(core::BinaryKind::Multiply, *dynamic, builder.constant(layouts::Dtype::I32, {}, stride));
    one->barrier_.index = addOffsets(*tracer, one->barrier_.index, *dynamic);
  }
  return Value(std::move(one));
}

Result<std::shared_ptr<BarrierValue>> barrierArgument(GpuTracer &tracer, const BoundArguments &args, size_t index) {
  auto barrier = args[index].value.ref<BarrierValue>();
  if (!barrier)
    return args.wrongType(index, "a barrier");
  LANESCOPE_CHECK(GpuTracer::of({tracer.evaluator(), args[index].span}, barrier->trace()));
  if (!barrier->single())
    return error("type", args[index].span,
                 Message("`{name}` is a group of barriers; choose one: `{}.at[i]`", barrier->name(), barrier->name()),
                 {barrier->declared()});
  return barrier;
}

namespace {

Result<Value> arrive(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto barrier = LANESCOPE_TRY(barrierArgument(tracer, args, 0));
  if (barrier->ofCluster() && tracer.warpAxis())
    return error("warp-level", context.span,
                 Message("`{name}` is a barrier of the cluster, at which whole warpgroups arrive: do it outside of "
                         "`core_map(WarpMesh(…))`",
                         barrier->name()),
                 {barrier->declared()});
  tracer.at(context.span).arrive(barrier->ir());
  return Value();
}

Result<Value> wait(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto barrier = LANESCOPE_TRY(barrierArgument(tracer, args, 0));
  tracer.at(context.span).wait(barrier->ir());
  return Value();
}

/// Bytes that one phase of an mbarrier can wait for (PTX ISA, "Tracking asynchronous operations by the mbarrier
/// object").
constexpr int64_t kMostBytes = (1 << 20) - 1;

Result<Value> arriveExpectTx(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto barrier = LANESCOPE_TRY(barrierArgument(tracer, args, 0));
  int64_t bytes = LANESCOPE_TRY(args.integer(1));
  if (barrier->ofCluster())
    return error(
        "type", args[0].span,
        Message("`{name}` is a barrier of the cluster, which counts only arrivals; bytes are counted by a `Barrier(…)`",
                barrier->name()),
        {barrier->declared()});
  if (bytes < 0 || bytes > kMostBytes)
    return args.wrongValue(
        1, Message("a phase of a barrier counts from 0 to {limit} bytes, not {bytes}", kMostBytes, bytes));
  tracer.at(context.span).arriveExpectTx(barrier->ir(), bytes);
  return Value();
}

Result<Value> test(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto barrier = LANESCOPE_TRY(barrierArgument(tracer, args, 0));
  tracer.at(context.span);
  tracer.meet(); // an arrival covers all warps of this warpgroup
  return TracedValue::make(tracer, tracer.at(context.span).test(barrier->ir()), context.span);
}

constexpr GpuPrimitive kBarrierPrimitives[] = {
    {"barrier_arrive", "barrier_arrive(barrier)",
     "The warpgroup (or warp) arrives at a barrier; at a `ClusterBarrier`, in each block of the cluster that it "
     "connects.",
     arrive},
    {"barrier_test", "barrier_test(barrier)",
     "True if the barrier's next phase is complete, without waiting; the phase then counts as waited for.", test},
    {"barrier_arrive_expect_tx", "barrier_arrive_expect_tx(barrier, bytes)",
     "The warpgroup arrives at a barrier and adds `bytes` to what its phase waits for, without starting a copy.\n\n"
     "`copy_gmem_to_smem` announces its own bytes; this is for bytes that something else brings.",
     arriveExpectTx},
    {"barrier_wait", "barrier_wait(barrier)",
     "Waits for the barrier's next phase: its arrivals, and the bytes of the copies that it counts.", wait},
};

} // namespace

std::span<const GpuPrimitive> barrierPrimitives() { return kBarrierPrimitives; }

} // namespace lanescope::repl
