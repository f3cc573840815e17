// Shared memory of the cluster's other blocks: references to it, and stores of arrays to it.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/memory/GpuMemory.h"
#include "repl/kernel/gpu/memory/GpuRefs.h"
#include "repl/kernel/gpu/threads/GpuAxes.h"
#include "repl/kernel/gpu/threads/GpuBarriers.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

Result<Value> clusterRef(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto ref = LANESCOPE_TRY(refArgument(tracer, args, 0, core::MemorySpace::Shared));
  auto place = LANESCOPE_TRY(blockPlace(tracer, context, args, "cluster_ref"));
  tracer.at(context.span);
  return Value(LANESCOPE_TRY(ref->inBlock(tracer, place)));
}

/// The atomic operation that an argument names (PTX ISA, `red.async`).
Result<std::optional<core::AtomicKind>> atomicArgument(const BoundArguments &args, size_t index, layouts::Dtype dtype) {
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  using enum core::AtomicKind;
  static constexpr std::pair<std::string_view, core::AtomicKind> kKinds[] = {
      {"add", Add}, {"min", Minimum}, {"max", Maximum}, {"and", And}, {"or", Or}, {"xor", Xor}};
  std::string wanted = LANESCOPE_TRY(args.text(index));
  const auto *found = std::ranges::find(kKinds, wanted, &std::pair<std::string_view, core::AtomicKind>::first);
  if (found == std::end(kKinds))
    return args.wrongValue(index,
                           Message("it is \"add\", \"min\", \"max\", \"and\", \"or\" or \"xor\", not \"{}\"", wanted));
  if (dtype != layouts::Dtype::I32 && dtype != layouts::Dtype::U32)
    return args.wrongValue(index, Message("an array that is sent to another block is combined with what is there as "
                                          "i32 or u32, not as {dtype}; send it, and let that block combine",
                                          layouts::name(dtype)));
  return found->second;
}

Result<Value> asyncStoreSmem(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kSource, kTarget, kBarrier, kAtomic };
  auto target = LANESCOPE_TRY(refArgument(tracer, args, kTarget, core::MemorySpace::Shared));
  auto barrier = LANESCOPE_TRY(barrierArgument(tracer, args, kBarrier));
  if (barrier->ofCluster())
    return error(
        "type", args[kBarrier].span,
        Message("`{name}` is a barrier of the cluster, which counts only arrivals; bytes are counted by a `Barrier(…)`",
                barrier->name()),
        {barrier->declared()});
  Term source = LANESCOPE_TRY(termOf(tracer, args[kSource], "async_store_smem"));
  if (source.shape().empty())
    return args.wrongType(kSource, "an array");
  if (source.traced->dtype != target->dtype())
    return error("dtype-mismatch", args[kSource].span,
                 Message("an array of dtype {dtype} is stored to `{name}` of dtype {other_dtype}",
                         layouts::name(source.traced->dtype), target->describe(), layouts::name(target->dtype())),
                 {target->declared()});
  if (source.shape() != target->shape())
    return error("shape-mismatch", args[kSource].span,
                 Message("an array of shape {shape} is stored to `{name}` of shape {other_shape}",
                         layouts::tupleText(source.shape()), target->describe(), layouts::tupleText(target->shape())),
                 {target->declared()});
  auto atomic = LANESCOPE_TRY(atomicArgument(args, kAtomic, target->dtype()));
  auto place = LANESCOPE_TRY(blockPlace(tracer, context, args, "async_store_smem"));
  core::GpuBuilder &builder = tracer.at(context.span);
  core::IrRef whole = LANESCOPE_TRY(target->materialize(tracer));
  builder.asyncStoreShared(*source.traced, whole, barrier->ir(), place, atomic);
  return Value();
}

constexpr GpuPrimitive kOtherBlockPrimitives[] = {
    {"cluster_ref", "cluster_ref(ref, **axes)",
     "The same place in the shared memory of another block of the cluster: `cluster_ref(tile, x=1)`. An axis that is "
     "left out keeps this block's index.",
     clusterRef},
    {"async_store_smem", "async_store_smem(src, ref, barrier, atomic=None, **axes)",
     "Sends an array to `ref` in the shared memory of another block of the cluster: `async_store_smem(v, tile, sent, "
     "x=1)`.\n\n"
     "`barrier` there counts one arrival and the bytes: that block waits for it before reading. An axis that is left "
     "out "
     "keeps this block's index. With `atomic`, `\"add\"`, `\"min\"`, `\"max\"`, `\"and\"`, `\"or\"` or `\"xor\"`, "
     "integers "
     "of 32 bits are combined with what is there.",
     asyncStoreSmem},
};

} // namespace

std::span<const GpuPrimitive> otherBlockPrimitives() { return kOtherBlockPrimitives; }

} // namespace lanescope::repl
