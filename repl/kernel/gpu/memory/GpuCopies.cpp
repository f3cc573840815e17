// Asynchronous copies between global and shared memory, and the functions that order them.
#include "repl/kernel/gpu/memory/CopyPartition.h"
#include "repl/kernel/gpu/memory/GpuMemory.h"
#include "repl/kernel/gpu/memory/GpuRefs.h"
#include "repl/kernel/gpu/threads/GpuAxes.h"
#include "repl/kernel/gpu/threads/GpuBarriers.h"
#include "repl/kernel/trace/Traced.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using layouts::Shape;

namespace {

/// Checks a copy in either direction: `shared` and `global` are arguments 0 and 1, or 1 and 0. If the slice is
/// `partitioned` along a dimension, `shared` is half as large.
Result<void> checkCopy(const BoundArguments &args, const RefValue &global, size_t globalIndex, const RefValue &shared,
                       size_t sharedIndex, std::optional<int64_t> partitioned = std::nullopt) {
  bool load = globalIndex == 0;
  std::string_view slice = load ? "the source slice" : "the destination slice";
  std::string_view tile = load ? "the destination tile" : "the source tile";
  if (global.dtype() != shared.dtype())
    return error("dtype-mismatch", args[0].span,
                 Message("{} has dtype {dtype} but {} has dtype {other_dtype}", tile, layouts::name(shared.dtype()),
                         slice, layouts::name(global.dtype())),
                 {shared.declared(), global.declared()});
  Shape expected = global.shape();
  if (partitioned)
    expected[static_cast<size_t>(*partitioned)] /= 2;
  if (expected != shared.shape())
    return error("shape-mismatch", args[0].span,
                 Message("{} has shape {shape} but {} has shape {other_shape}{}", tile,
                         layouts::tupleText(shared.shape()), slice, layouts::tupleText(global.shape()),
                         partitioned
                             ? text(", and each of the 2 blocks takes half of it along dimension ", *partitioned)
                             : text()),
                 {shared.declared(), global.declared()});
  if (sharedIndex != globalIndex && global.shape().empty())
    return error("unsupported", args[globalIndex].span,
                 Message("a copy moves a slice, and `{name}` is one element; read and write it", global.describe()));
  return {};
}

/// The shared side of a copy. A copy names global memory by base and indices, so if the global reference is transposed,
/// the shared side is transposed instead.
Result<core::IrRef> sharedSide(GpuTracer &tracer, const RefValue &shared, const RefValue &global) {
  std::vector<size_t> sorted = global.axes(), order;
  std::ranges::sort(sorted);
  for (size_t axis : sorted)
    order.push_back(static_cast<size_t>(std::ranges::find(global.axes(), axis) - global.axes().begin()));
  return shared.transposed(order)->materialize(tracer);
}

Result<std::optional<IrValue>> predicateArgument(GpuTracer &tracer, const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  Term wanted = LANESCOPE_TRY(termOf(tracer, args[index], "predicate"));
  if (!wanted.shape().empty())
    return args.wrongType(index, "a scalar condition");
  return LANESCOPE_TRY(shaped(tracer, wanted, layouts::Dtype::I1, {}));
}

/// Checks the restrictions of copies whose rows an array chooses.
Result<void> checkGather(GpuTracer &tracer, const Context &context, const RefValue &global, std::string_view extra) {
  if (!global.gathers())
    return {};
  std::string what = text("a copy whose rows are chosen by an array ");
  if (!extra.empty())
    return error("unsupported", context.span, what + std::string(extra), {global.declared()});
  if (global.shape().size() != 2)
    return error("unsupported", context.span, what + "takes a slice of the columns, not one of them: write `i:i + n`",
                 {global.declared()});
  if (tracer.warpAxis())
    return error("warp-level", context.span,
                 what + "is issued by all warps of a warpgroup; do it outside of `core_map(WarpMesh(…))`");
  return {};
}

/// Error unless the copy is along one axis of a cluster of two blocks. The error is at argument `index`, which asks for
/// a copy that the two blocks share.
Result<void> checkPair(const GpuTracer &tracer, const BoundArguments &args, size_t index,
                       const std::vector<int64_t> &collective, std::string_view shared) {
  if (collective.empty())
    return args.wrongValue(index, Message("only a copy with `collective_axes` is {blocks} blocks", shared));
  if (collective.size() != 1)
    return args.wrongValue(index, Message("a copy that is {blocks} blocks has one collective axis", shared));
  const Shape &cluster = tracer.axes().clusterShape;
  if (int64_t blocks = cluster[cluster.size() - 1 - static_cast<size_t>(collective[0])]; blocks != 2)
    return args.wrongValue(index, Message("a copy is {} 2 blocks, and the axis has {}", shared, blocks));
  if (int64_t blocks = layouts::elementCount(cluster); blocks != 2)
    return args.wrongValue(index, Message("a copy is {} a cluster of 2 blocks, and this has {}", shared, blocks));
  return {};
}

/// The dimension of the slice that the blocks divide among them (argument `index`, `axis`).
Result<int64_t> partitionedAxis(GpuTracer &tracer, const BoundArguments &args, size_t index, int64_t axis,
                                const std::vector<int64_t> &collective, const Shape &slice) {
  LANESCOPE_CHECK(checkPair(tracer, args, index, collective, "partitioned among"));
  if (axis < 0 || axis >= static_cast<int64_t>(slice.size()))
    return args.wrongValue(
        index, Message("the slice has {dimensions} dimensions, there is no dimension {dimension}", slice.size(), axis));
  if (slice[static_cast<size_t>(axis)] % 2 != 0)
    return args.wrongValue(index, Message("dimension {dimension} of size {size} is not divided by the 2 blocks", axis,
                                          slice[static_cast<size_t>(axis)]));
  return axis;
}

/// `partitioned_axis`: each block along the one collective axis loads a part of this dimension of the slice.
Result<std::optional<int64_t>> partitionedArgument(GpuTracer &tracer, const BoundArguments &args, size_t index,
                                                   const std::vector<int64_t> &collective, const Shape &slice) {
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  return LANESCOPE_TRY(partitionedAxis(tracer, args, index, LANESCOPE_TRY(args.integer(index)), collective, slice));
}

/// `oob_mode`: the fill for elements beyond the array's end.
Result<core::CopyFill> fillArgument(const BoundArguments &args, size_t index, const RefValue &source) {
  using enum core::CopyFill;
  if (!args.has(index) || args[index].value.isNone())
    return Zeros;
  std::string wanted = LANESCOPE_TRY(args.text(index));
  if (wanted == "zeros")
    return Zeros;
  if (wanted == "undefined")
    return Undefined;
  if (wanted == "nan") {
    if (!layouts::isFloat(source.dtype()) || layouts::bitwidth(source.dtype()) < 16)
      return args.wrongValue(
          index, Message("NaN fills floats of 16 bits and more, not {dtype}", layouts::name(source.dtype())));
    return Nan;
  }
  if (wanted != "promise_in_bounds")
    return args.wrongValue(index, "it is \"zeros\", \"nan\", \"undefined\" or \"promise_in_bounds\"");
  if (source.outside())
    return args.wrongValue(index, Message("the slice of shape {shape} reaches over the end of `{name}`",
                                          layouts::tupleText(source.shape()), source.name()));
  return InBounds;
}

enum Implementation : uint8_t { kTma, kCpAsync };

Result<Value> copyIn(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kSource, kTarget, kBarrier, kCollective, kPartitioned, kPredicate, kImplementation, kFill, kLeader };
  auto source = LANESCOPE_TRY(refArgument(tracer, args, kSource, core::MemorySpace::Global));
  auto target = LANESCOPE_TRY(refArgument(tracer, args, kTarget, core::MemorySpace::Shared));
  if (source->reach() == Reach::All)
    return error("unsupported", args[kSource].span,
                 Message("a copy reads the memory of one device, and `{name}` is all of theirs", source->describe()),
                 {source->declared()});
  core::GpuBuilder::LoadOptions options;
  options.collective = LANESCOPE_TRY(clusterAxes(tracer, args, kCollective));
  auto partitioned =
      LANESCOPE_TRY(partitionedArgument(tracer, args, kPartitioned, options.collective, source->shape()));
  if (args.has(kLeader) && !args[kLeader].value.isNone()) {
    auto *how = args[kLeader].value.as<CopyPartition>();
    if (!how)
      return args.wrongType(kLeader, "`CopyPartition.PARTITIONED(axis)` or `CopyPartition.REPLICATED`");
    if (partitioned)
      return args.wrongValue(kLeader, "`partitioned_axis` says the same; leave one of them out");
    if (how->axis())
      partitioned =
          LANESCOPE_TRY(partitionedAxis(tracer, args, kLeader, *how->axis(), options.collective, source->shape()));
    else
      LANESCOPE_CHECK(checkPair(tracer, args, kLeader, options.collective, "replicated in"));
    options.replicated = !how->axis();
  }
  LANESCOPE_CHECK(checkCopy(args, *source, kSource, *target, kTarget, partitioned));
  bool hasBarrier = args.has(kBarrier) && !args[kBarrier].value.isNone();
  std::shared_ptr<BarrierValue> barrier;
  if (hasBarrier) {
    barrier = LANESCOPE_TRY(barrierArgument(tracer, args, kBarrier));
    if (barrier->ofCluster())
      return error("type", args[kBarrier].span,
                   Message("`{name}` is a barrier of the cluster, which counts only arrivals; a copy's bytes are "
                           "counted by a `Barrier(…)`",
                           barrier->name()),
                   {barrier->declared()});
  }
  Implementation how = hasBarrier && tracer.target().tma ? kTma : kCpAsync;
  if (args.has(kImplementation) && !args[kImplementation].value.isNone()) {
    std::string wanted = LANESCOPE_TRY(args.text(kImplementation));
    if (wanted != "tma" && wanted != "cp_async")
      return args.wrongValue(kImplementation, "it is \"tma\" or \"cp_async\"");
    how = wanted == "tma" ? kTma : kCpAsync;
    if (how == kTma && !tracer.target().tma)
      return args.wrongValue(
          kImplementation,
          Message(
              "{target} has no TMA; leave the argument out: the threads copy, and the barrier counts their arrivals",
              tracer.target().name));
  }
  if (how == kTma && !hasBarrier)
    return error("arguments", context.span, "a copy by TMA needs a barrier that counts its bytes");
  if (partitioned) // a copy counts the dimensions in the order of memory
    options.partitionedAxis = std::ranges::count_if(
        source->axes(), [&](size_t axis) { return axis < source->axes()[static_cast<size_t>(*partitioned)]; });
  options.fill = LANESCOPE_TRY(fillArgument(args, kFill, *source));
  core::GpuBuilder &builder = tracer.at(context.span);
  options.predicate = LANESCOPE_TRY(predicateArgument(tracer, args, kPredicate));
  LANESCOPE_CHECK(checkGather(tracer, context, *source,
                              !tracer.target().tma ? "needs TMA, which this target lacks; compile with `--arch sm_100a`"
                              : how == kCpAsync    ? "needs TMA, and so a barrier"
                              : !options.collective.empty() ? "is each block's own: leave `collective_axes` out"
                              : options.predicate           ? "has no predicate; put it under `if`"
                                                            : ""));
  core::IrRef shared = LANESCOPE_TRY(sharedSide(tracer, *target, *source));
  if (how == kTma) {
    builder.asyncLoad(source->base(), source->dims(), shared, barrier->ir(), options);
    return Value();
  }
  // In the place of TMA, the threads do what TMA would. Where the user chose them, they stay in bounds.
  using core::CopyFill;
  bool replacesTma = hasBarrier && !tracer.target().tma;
  CopyFill fill = !replacesTma                          ? CopyFill::InBounds
                  : options.fill == CopyFill::Undefined ? CopyFill::Zeros
                                                        : options.fill;
  if (!replacesTma && (options.fill == CopyFill::Nan || options.fill == CopyFill::Undefined))
    return args.wrongValue(kFill, "a copy without TMA stays in bounds, and fills nothing in");
  if (!options.collective.empty())
    return args.wrongValue(kCollective, "copies without TMA are each block's own");
  if (options.predicate && !replacesTma)
    return args.wrongValue(kPredicate, "a copy that all threads issue has no predicate; put it under `if`");
  if (Shape slice = source->shape(); source->outside() && fill == CopyFill::InBounds)
    return error("out-of-bounds", args[kSource].span,
                 Message("the slice of shape {shape} reaches over the end of `{name}`; only copies {} may do so",
                         layouts::tupleText(slice), source->name(),
                         tracer.target().tma ? "by TMA, with a barrier," : "with a barrier"),
                 {source->declared()});
  builder.cpAsync(source->base(), source->dims(), shared, barrier ? std::optional(barrier->ir()) : std::nullopt, fill,
                  options.predicate);
  return Value();
}

/// The reduction that an argument names. PTX ISA, `cp.reduce.async.bulk.tensor`, lists the dtypes of each reduction.
Result<core::CopyReduction> reductionArgument(const BoundArguments &args, size_t index, layouts::Dtype dtype) {
  using layouts::Dtype;
  std::string wanted = LANESCOPE_TRY(args.text(index));
  bool half = dtype == Dtype::F16 || dtype == Dtype::BF16, single = dtype == Dtype::F32;
  bool i32 = dtype == Dtype::I32 || dtype == Dtype::U32, i64 = dtype == Dtype::I64 || dtype == Dtype::U64;
  struct Known {
    std::string_view name;
    core::CopyReduction reduction;
    bool has;
  };
  using enum core::CopyReduction;
  bool integer = i32 || i64, isSigned = layouts::isSignedInteger(dtype);
  const Known table[] = {
      {"add", Add, half || single || integer},
      {"min", Minimum, half || integer},
      {"max", Maximum, half || integer},
      {"smin", Minimum, integer && isSigned},
      {"smax", Maximum, integer && isSigned},
      {"umin", Minimum, integer && !isSigned},
      {"umax", Maximum, integer && !isSigned},
      {"inc", Increment, i32},
      {"dec", Decrement, i32},
      {"and", And, integer},
      {"or", Or, integer},
      {"xor", Xor, integer},
  };
  for (const Known &known : table) {
    if (known.name != wanted)
      continue;
    if (!known.has)
      return args.wrongValue(
          index,
          Message("copies do not combine elements of {dtype} by `{}`: `add` is for f16, bf16, f32, i32 and i64, `min` "
                  "and `max` for f16, bf16 and integers, `inc` and `dec` for i32 and u32, the others for integers",
                  layouts::name(dtype), wanted));
    return known.reduction;
  }
  return args.wrongValue(index, "it is \"add\", \"min\", \"max\", \"inc\", \"dec\", \"and\", \"or\" or \"xor\"");
}

Result<Value> copyOut(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto source = LANESCOPE_TRY(refArgument(tracer, args, 0, core::MemorySpace::Shared));
  auto target = LANESCOPE_TRY(refArgument(tracer, args, 1, core::MemorySpace::Global));
  LANESCOPE_CHECK(checkCopy(args, *target, 1, *source, 0));
  if (!target->writable())
    return error("read-only", args[1].span,
                 Message("`{name}` is an input, so it cannot be written; declare it `InOut(…)`", target->name()),
                 {target->declared()});
  core::GpuBuilder &builder = tracer.at(context.span);
  auto predicate = LANESCOPE_TRY(predicateArgument(tracer, args, 2));
  bool commit = LANESCOPE_TRY(args.booleanOr(3, true));
  std::optional<core::CopyReduction> reduction;
  if (args.has(4) && !args[4].value.isNone())
    reduction = LANESCOPE_TRY(reductionArgument(args, 4, target->dtype()));
  if (reduction && target->reach() == Reach::All)
    return args.wrongValue(4, "a copy to all devices overwrites; `atomic_add(multicast_ref(…), value)` combines");
  LANESCOPE_CHECK(checkGather(tracer, context, *target,
                              predicate   ? "has no predicate; put it under `if`"
                              : reduction ? "overwrites: leave `reduction_op` out"
                                          : ""));
  builder.asyncStore(LANESCOPE_TRY(sharedSide(tracer, *source, *target)), target->base(), target->dims(), commit,
                     predicate, reduction);
  return Value();
}

Result<Value> prefetch(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto ref = LANESCOPE_TRY(refArgument(tracer, args, 0, core::MemorySpace::Global));
  if (ref->reach() == Reach::All)
    return error("unsupported", args[0].span, "a prefetch is of one device's memory", {ref->declared()});
  if (ref->shape().empty())
    return error("unsupported", args[0].span,
                 Message("a prefetch takes a slice, and `{name}` is one element", ref->describe()));
  auto collective = LANESCOPE_TRY(clusterAxes(tracer, args, 1));
  LANESCOPE_CHECK(partitionedArgument(tracer, args, 2, collective, ref->shape()));
  core::GpuBuilder &builder = tracer.at(context.span);
  auto predicate = LANESCOPE_TRY(predicateArgument(tracer, args, 3));
  LANESCOPE_CHECK(checkGather(tracer, context, *ref, "is not prefetched"));
  builder.asyncPrefetch(ref->base(), ref->dims(), predicate, collective);
  return Value();
}

Result<Value> waitIn(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  int64_t pending = LANESCOPE_TRY(args.integer(0));
  constexpr int64_t kMaxGroups = 1 << 20;
  if (pending < 0 || pending > kMaxGroups)
    return args.wrongValue(0, Message("a count of groups cannot be {}", pending));
  tracer.at(context.span).waitCpAsync(pending);
  return Value();
}

Result<Value> waitOut(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  int64_t pending = LANESCOPE_TRY(args.integer(0));
  if (pending < 0)
    return args.wrongValue(0, Message("a count of groups cannot be {}", pending));
  constexpr int64_t kMaxGroups = 1 << 20;
  if (pending > kMaxGroups)
    return args.wrongValue(0, Message("there are never {} groups pending", pending));
  bool readOnly = LANESCOPE_TRY(args.booleanOr(1, false));
  tracer.at(context.span).waitSmemToGmem(pending, readOnly);
  return Value();
}

Result<Value> commitSmem(GpuTracer &tracer, Context &context, const BoundArguments &) {
  tracer.at(context.span).commitSmem();
  return Value();
}

Result<Value> commitGroup(GpuTracer &tracer, Context &context, const BoundArguments &) {
  tracer.at(context.span).commitGroup();
  return Value();
}

constexpr GpuPrimitive kCopyPrimitives[] = {
    {"copy_gmem_to_smem",
     "copy_gmem_to_smem(src, dst, barrier=None, collective_axes=None, partitioned_axis=None, predicate=None, "
     "implementation=None, oob_mode=None, leader_tracked=None)",
     "Starts a copy from global to shared memory. The barrier counts its bytes and one arrival: wait on it before "
     "reading `dst`.\n\n"
     "With `collective_axes` the blocks along these axes of the cluster load it together: each loads a part and sends "
     "it to all. When `predicate` does not hold, the arrival comes without a copy. Elements past the array's end are "
     "filled with zeros; `oob_mode=\"nan\"` fills them with NaN, \"undefined\" with any value, and "
     "\"promise_in_bounds\" says that there are none: then a contiguous slice needs no descriptor and may be of any "
     "length; it begins at a multiple of "
     "16 bytes and has a multiple of 16 bytes, as with a descriptor. The emulator reports a slice for which that does "
     "not hold. "
     "Without a barrier (or with "
     "`implementation=\"cp_async\"`) the threads copy without TMA, as they always do before sm_90: wait at the "
     "barrier, "
     "or without one with `wait_gmem_to_smem`.\n\n"
     "On sm_100a (`--arch sm_100a`): rows that an array of integers without sign chooses, "
     "`copy_gmem_to_smem(x.at[rows, 64:], tile, barrier)`, are gathered, four with each instruction; the layout of the "
     "array is `TMA_INDICES` or `TMA_INDICES_4`. With `partitioned_axis` each of a cluster's 2 blocks takes half of "
     "`src` along this dimension, and only the barrier of the first block counts both halves; "
     "`leader_tracked=CopyPartition.PARTITIONED(axis)` says the same, and with `CopyPartition.REPLICATED` each block "
     "takes all of `src`, which the first block's barrier counts for both.",
     copyIn},
    {"async_prefetch", "async_prefetch(ref, collective_axes=None, partitioned_axis=None, predicate=None)",
     "Brings a slice of global memory into the L2 cache, for a later copy.", prefetch},
    {"wait_gmem_to_smem", "wait_gmem_to_smem(n)",
     "Waits until at most `n` copies from global memory without a barrier are pending.", waitIn},
    {"copy_smem_to_gmem", "copy_smem_to_gmem(src, dst, predicate=None, commit_group=True, reduction_op=None)",
     "Starts a copy from shared to global memory. Call `commit_smem()` after writing `src`, and `wait_smem_to_gmem` "
     "before writing it again or ending the kernel.\n\n"
     "`dst` may be on another device, `remote_ref(out, d)`, or on all, `multicast_ref(out, \"x\")`.\n\n"
     "With `reduction_op` what `dst` holds is combined with it: \"add\", \"min\", \"max\", \"and\", \"or\", \"xor\", "
     "\"inc\", \"dec\". On sm_100a `dst` may be rows that an array chooses, `out.at[rows, :]`: a scatter.",
     copyOut},
    {"wait_smem_to_gmem", "wait_smem_to_gmem(n, wait_read_only=False)",
     "Waits until at most `n` groups of copies to global memory are pending; with `wait_read_only`, until their "
     "sources have been read.",
     waitOut},
    {"commit_smem", "commit_smem()", "Makes the warpgroup's writes to shared memory visible to copies.", commitSmem},
    {"commit_smem_to_gmem_group", "commit_smem_to_gmem_group()",
     "Closes the group of copies to global memory started with `commit_group=False`.", commitGroup},
};

} // namespace

std::span<const GpuPrimitive> copyPrimitives() { return kCopyPrimitives; }

} // namespace lanescope::repl
