// `tcgen05_mma`: products of Blackwell's tensor cores, which accumulate in tensor memory, and the barrier arrivals that
// signal their completion.
#include "core/gpu/ir/TensorRules.h"
#include "repl/kernel/gpu/memory/GpuRefs.h"
#include "repl/kernel/gpu/tensor/Tensor.h"
#include "repl/kernel/gpu/threads/GpuBarriers.h"
#include "repl/kernel/gpu/tmem/Tmem.h"
#include "repl/kernel/trace/Traced.h"

namespace lanescope::repl {

using core::MemorySpace;
using layouts::Dtype;

namespace {

core::Tcgen05Operand operandOf(const RefValue &ref) {
  core::Tcgen05Operand operand{ref.describe(), ref.dtype(), ref.shape()};
  if (ref.base().tensor) {
    operand.inTensor = true;
    operand.layout = ref.base().tensor->layout;
    operand.collective = ref.base().tensor->collective;
  }
  operand.transposed = ref.axes().size() == 2 && ref.axes()[0] > ref.axes()[1];
  return operand;
}

/// A barrier of this block at which the tensor core arrives.
Result<core::IrBarrier> commitBarrier(GpuTracer &tracer, const BoundArguments &args, size_t index) {
  auto barrier = LANESCOPE_TRY(barrierArgument(tracer, args, index));
  if (!barrier->ordersTensorCore())
    return error("type", args[index].span,
                 Message("the tensor core arrives at barriers that order it, and `{name}` does not; declare it with "
                         "`orders_tensor_core=True`",
                         barrier->name()),
                 {barrier->declared()});
  if (barrier->ofCluster())
    return error("type", args[index].span,
                 Message("`{name}` is a barrier of the cluster, and the tensor core arrives at those of its blocks: "
                         "use a `Barrier(orders_tensor_core=True)`",
                         barrier->name()),
                 {barrier->declared()});
  return barrier->ir();
}

/// Argument `index` as an operand in shared memory, or in tensor memory.
Result<std::shared_ptr<RefValue>> leftArgument(GpuTracer &tracer, const BoundArguments &args, size_t index) {
  auto ref = args[index].value.ref<RefValue>();
  if (!ref || (ref->space() != MemorySpace::Shared && ref->space() != MemorySpace::Tensor))
    return args.wrongType(index, "an SMEM or a TMEM reference");
  return refArgument(tracer, args, index, ref->space());
}

Result<std::shared_ptr<RefValue>> optionalArgument(GpuTracer &tracer, const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return nullptr;
  return refArgument(tracer, args, index, MemorySpace::Tensor);
}

Result<std::variant<bool, core::IrValue>> accumulateArgument(GpuTracer &tracer, const BoundArguments &args,
                                                             size_t index) {
  if (!args.has(index))
    return true;
  if (const bool *known = args[index].value.asBool())
    return *known;
  auto *traced = args[index].value.as<TracedValue>();
  if (!traced || !traced->ir().isScalar() || traced->ir().dtype != Dtype::I1)
    return args.wrongType(index, "True, False or a condition such as `step > 0`");
  Term condition = LANESCOPE_TRY(termOf(tracer, args[index], "tcgen05_mma"));
  return *condition.traced;
}

Result<Value> multiply(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kAcc, kA, kB, kBarrier, kAScale, kBScale, kMetadata, kAccumulate, kAxis };
  auto acc = LANESCOPE_TRY(refArgument(tracer, args, kAcc, MemorySpace::Tensor));
  auto a = LANESCOPE_TRY(leftArgument(tracer, args, kA));
  auto b = LANESCOPE_TRY(refArgument(tracer, args, kB, MemorySpace::Shared));
  auto aScale = LANESCOPE_TRY(optionalArgument(tracer, args, kAScale));
  auto bScale = LANESCOPE_TRY(optionalArgument(tracer, args, kBScale));
  auto metadata = LANESCOPE_TRY(optionalArgument(tracer, args, kMetadata));
  core::GpuBuilder::Tcgen05Options options;
  options.collective = LANESCOPE_TRY(pairArgument(tracer, args, kAxis));
  if (args.has(kBarrier) && !args[kBarrier].value.isNone())
    options.barrier = LANESCOPE_TRY(commitBarrier(tracer, args, kBarrier));
  options.accumulate = LANESCOPE_TRY(accumulateArgument(tracer, args, kAccumulate));

  core::Tcgen05Product product{.acc = operandOf(*acc), .a = operandOf(*a), .b = operandOf(*b)};
  for (const auto &[ref, operand] :
       {std::pair(aScale, &product.aScale), {bScale, &product.bScale}, {metadata, &product.metadata}})
    if (ref)
      *operand = operandOf(*ref);
  product.collective = options.collective.has_value();
  if (auto problem = core::checkTcgen05(product)) {
    using Part = core::Tcgen05Problem::Part;
    auto [index, ref] = problem->part == Part::Acc        ? std::pair(kAcc, acc)
                        : problem->part == Part::A        ? std::pair(kA, a)
                        : problem->part == Part::B        ? std::pair(kB, b)
                        : problem->part == Part::AScale   ? std::pair(kAScale, aScale)
                        : problem->part == Part::BScale   ? std::pair(kBScale, bScale)
                        : problem->part == Part::Metadata ? std::pair(kMetadata, metadata)
                                                          : std::pair(kAcc, nullptr);
    return error(problem->kind, ref ? args[index].span : context.span, std::move(problem->message),
                 {ref ? ref->declared() : acc->declared()});
  }

  core::GpuBuilder &builder = tracer.at(context.span);
  if (aScale)
    options.aScale = LANESCOPE_TRY(aScale->materialize(tracer)),
    options.bScale = LANESCOPE_TRY(bScale->materialize(tracer));
  if (metadata)
    options.aSparseMetadata = LANESCOPE_TRY(metadata->materialize(tracer));
  core::IrRef sum = LANESCOPE_TRY(acc->materialize(tracer));
  core::IrRef left = LANESCOPE_TRY(a->materialize(tracer)), right = LANESCOPE_TRY(b->materialize(tracer));
  builder.tcgen05Mma(sum, left, right, options);
  return Value();
}

Result<Value> commitArrive(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  core::IrBarrier barrier = LANESCOPE_TRY(commitBarrier(tracer, args, 0));
  auto collective = LANESCOPE_TRY(pairArgument(tracer, args, 1));
  tracer.at(context.span).tcgen05CommitArrive(barrier, collective);
  return Value();
}

constexpr GpuPrimitive kTcgen05Primitives[] = {
    {"tcgen05_mma",
     "tcgen05_mma(acc, a, b, barrier=None, *, a_scale=None, b_scale=None, a_sparse_metadata=None, accumulate=True, "
     "collective_axis=None)",
     "Starts `acc += a @ b` on the tensor core (sm_100a), `acc` in tensor memory: `a` of (M, K) in shared or tensor "
     "memory, `b` of (K, N) in shared memory, tiled and swizzled.\n\n"
     "It returns at once. `barrier` (with `orders_tensor_core=True`) counts an arrival when it is done, and everything "
     "that this thread started on the tensor core before; without one, call `tcgen05_commit_arrive`. With "
     "`accumulate=False` the accumulator is overwritten; a condition known on the device does too.\n\n"
     "f16, bf16 and f32 (as tf32), 8-bit floats and integers are multiplied as they are, 8-bit floats and f4e2m1fn "
     "also "
     "with block scales in tensor memory: `a_scale` of (128, K / block), `b_scale` of (N up to a multiple of 128, "
     "K / block). With `a_sparse_metadata` half of each row's elements are stored, (M, K / 2), and the metadata, "
     "(M, K / 2) of u2 in tensor memory, say which.\n\n"
     "Along `collective_axis` two blocks compute 256 (or 128) rows together: each has half of the rows of `a` and "
     "`acc`, all of N in `acc`, and half of the columns in `b`. The first block starts the product; in the other the "
     "call does nothing. The barrier of each counts an arrival.",
     multiply},
    {"tcgen05_commit_arrive", "tcgen05_commit_arrive(barrier, collective_axis=None)",
     "The barrier counts an arrival when all that this thread has started on the tensor core is done: products, and "
     "copies to tensor memory. Along `collective_axis`, that of the first block for both, at the barrier of each.",
     commitArrive},
};

} // namespace

std::span<const GpuPrimitive> tcgen05Primitives() { return kTcgen05Primitives; }

} // namespace lanescope::repl
