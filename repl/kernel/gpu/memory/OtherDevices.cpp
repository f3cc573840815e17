// Global memory of other devices: references to it, stores to all devices' memory, loads that combine all devices'
// values.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/memory/GpuMemory.h"
#include "repl/kernel/gpu/memory/GpuRefs.h"
#include "repl/kernel/gpu/threads/GpuDevices.h"

#include <algorithm>

namespace lanescope::repl {

using layouts::Dtype;

namespace {

Result<Value> remoteRef(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto ref = LANESCOPE_TRY(refArgument(tracer, args, 0, core::MemorySpace::Global));
  tracer.at(context.span);
  core::IrValue device = LANESCOPE_TRY(deviceArgument(tracer, args, 1, 2));
  return Value(LANESCOPE_TRY(ref->onDevice(tracer, device, context.span)));
}

Result<Value> multicastRef(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto ref = LANESCOPE_TRY(refArgument(tracer, args, 0, core::MemorySpace::Global));
  LANESCOPE_CHECK(checkAllDevices(tracer, args, 1));
  return Value(LANESCOPE_TRY(ref->onAllDevices(tracer, context.span)));
}

/// Argument `index` as memory that all devices have, for a store or a load on all of them.
Result<std::shared_ptr<RefValue>> ownRef(GpuTracer &tracer, const BoundArguments &args, size_t index) {
  auto ref = LANESCOPE_TRY(refArgument(tracer, args, index, core::MemorySpace::Global));
  if (ref->reach() != Reach::Own)
    return error("type", args[index].span,
                 Message("`{name}` leads to other devices already; give the device's own reference", ref->describe()),
                 {ref->declared()});
  if (ref->shape().empty())
    return error(
        "unsupported", args[index].span,
        Message("`{name}` is one element, and all devices' memory is reached with arrays: write `{}.at[i:i + 128]`",
                ref->describe(), ref->name()),
        {ref->declared()});
  if (ref->gathers() || ref->outside())
    return error("out-of-bounds", args[index].span,
                 Message("`{name}` is more than a slice of `{other_name}`", ref->describe(), ref->name()),
                 {ref->declared()});
  if (tracer.warpAxis())
    return error(
        "warp-level", args[index].span,
        Message("`{function}` is for whole warpgroups; do it outside of `core_map(WarpMesh(…))`", args.function));
  return ref;
}

Result<Value> multimemStore(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  LANESCOPE_CHECK(checkAllDevices(tracer, args, 2));
  auto ref = LANESCOPE_TRY(ownRef(tracer, args, 1));
  if (!ref->writable())
    return error("read-only", args[1].span,
                 Message("`{name}` is an input, so it cannot be written; declare it `InOut(…)`", ref->name()),
                 {ref->declared()});
  Term source = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  if (source.traced && source.traced->dtype != ref->dtype())
    return error("dtype-mismatch", args[0].span,
                 Message("a value of dtype {dtype} is stored to `{name}` of dtype {other_dtype}",
                         layouts::name(source.traced->dtype), ref->describe(), layouts::name(ref->dtype())),
                 {ref->declared()});
  if (!source.shape().empty() && source.shape() != ref->shape())
    return error("shape-mismatch", args[0].span,
                 Message("an array of shape {shape} is stored to `{name}` of shape {other_shape}",
                         layouts::tupleText(source.shape()), ref->describe(), layouts::tupleText(ref->shape())),
                 {ref->declared()});
  core::GpuBuilder &builder = tracer.at(context.span);
  core::IrValue value = LANESCOPE_TRY(shaped(tracer, source, ref->dtype(), ref->shape()));
  builder.storeToAll(value, LANESCOPE_TRY(ref->materialize(tracer)));
  return Value();
}

/// The reduction that an argument names. PTX ISA, `multimem.ld_reduce`, lists the reductions of each dtype.
Result<core::MultimemKind> multimemArgument(const BoundArguments &args, size_t index, Dtype dtype) {
  using enum core::MultimemKind;
  struct Known {
    std::string_view name;
    core::MultimemKind kind;
    bool ofFloats, ofF32;
  };
  constexpr Known kTable[] = {{"add", Add, true, true},   {"min", Minimum, true, false}, {"max", Maximum, true, false},
                              {"and", And, false, false}, {"or", Or, false, false},      {"xor", Xor, false, false}};
  std::string wanted = LANESCOPE_TRY(args.text(index));
  auto found = std::ranges::find(kTable, wanted, &Known::name);
  if (found == std::end(kTable))
    return args.wrongValue(index, "it is \"add\", \"min\", \"max\", \"and\", \"or\" or \"xor\"");
  bool integer = dtype == Dtype::I32 || dtype == Dtype::U32 || dtype == Dtype::I64 || dtype == Dtype::U64;
  bool narrow = dtype == Dtype::F16 || dtype == Dtype::BF16 || dtype == Dtype::F8E4M3FN || dtype == Dtype::F8E5M2;
  if (integer || (narrow && found->ofFloats) || (dtype == Dtype::F32 && found->ofF32))
    return found->kind;
  return args.wrongValue(index, Message("devices do not combine {dtype} by `{}`: integers of 32 and 64 bits have all "
                                        "reductions, f16, bf16, f8e4m3fn and f8e5m2 `add`, `min` and `max`, f32 `add`",
                                        layouts::name(dtype), wanted));
}

Result<Value> loadReduce(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  LANESCOPE_CHECK(checkAllDevices(tracer, args, 1));
  auto ref = LANESCOPE_TRY(ownRef(tracer, args, 0));
  core::MultimemKind kind = LANESCOPE_TRY(multimemArgument(args, 2, ref->dtype()));
  core::GpuBuilder &builder = tracer.at(context.span);
  return TracedValue::make(tracer, builder.loadReduce(LANESCOPE_TRY(ref->materialize(tracer)), kind), context.span);
}

constexpr GpuPrimitive kOtherDevicePrimitives[] = {
    {"remote_ref", "remote_ref(ref, device_id, device_id_type=\"mesh\")",
     "The same place in the global memory of another device of the kernel's `mesh`: an array that the kernel takes, or "
     "a "
     "part of one.\n\n"
     "It is read, written, copied from and to, and updated by `atomic_add` and its like, as the device's own; "
     "`semaphore_signal(…, device_id=d)` signals the other device that it is done. `device_id` is a place along the "
     "mesh's axis; "
     "where there are several axes a tuple of places, or a dict of some, `{\"x\": 1}`, which keeps this device's own "
     "along the others; or, with `device_id_type=\"logical\"`, the device's number.",
     remoteRef},
    {"multicast_ref", "multicast_ref(ref, collective_axes)",
     "The same place in the global memory of all devices at once, for copies from shared memory and for `atomic_add` "
     "and "
     "its like. `collective_axes` names all axes of the mesh.",
     multicastRef},
    {"multimem_store", "multimem_store(source, ref, collective_axes)",
     "Writes an array to `ref` on all devices at once. Each thread moves 4, 8 or 16 bytes with an instruction.",
     multimemStore},
    {"multimem_load_reduce", "multimem_load_reduce(ref, collective_axes, reduction_op)",
     "The values of `ref` on all devices, combined on the way by \"add\", \"min\", \"max\", \"and\", \"or\" or "
     "\"xor\". Sums of f16 and bf16 are made in f32, and rounded once.",
     loadReduce},
};

} // namespace

std::span<const GpuPrimitive> otherDevicePrimitives() { return kOtherDevicePrimitives; }

} // namespace lanescope::repl
