// Semaphores that subcores and cores signal and wait for.
#include "layouts/support/Try.h"
#include "repl/kernel/tpu/memory/TpuRefs.h"
#include "repl/kernel/tpu/threads/TpuThreads.h"

namespace lanescope::repl {

using core::IrValue;
using core::TpuElement;
using layouts::Dtype;

namespace {

Result<std::shared_ptr<TpuRefValue>> semaphoreArgument(TpuTracer &tracer, const BoundArguments &args, bool counts) {
  auto ref = LANESCOPE_TRY(refArgument(tracer, args, 0));
  bool fits =
      ref->base().element == TpuElement::Semaphore || (!counts && ref->base().element == TpuElement::DmaSemaphore);
  if (!fits)
    return args.wrongType(0, ref->holdsNumbers() ? "a semaphore"
                                                 : "a semaphore of `SemaphoreType.REGULAR`: only copies count in "
                                                   "those of `SemaphoreType.DMA`");
  if (!ref->shape().empty())
    return args.wrongValue(
        0, Message("one semaphore is meant, and `{name}` are several: `{}.at[i]`", ref->describe(), ref->name()));
  return ref;
}

Result<core::TpuRef> emitted(TpuTracer &tracer, const TpuRefValue &ref) {
  IndexConstants constants;
  constants.add(tracer, ref);
  return viewed(tracer, ref, constants);
}

Result<std::optional<IrValue>> scalarArgument(TpuTracer &tracer, const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  Term term = LANESCOPE_TRY(termOf(tracer, args[index], args.function));
  if (!term.shape().empty())
    return args.wrongType(index, "an i32");
  return LANESCOPE_TRY(shaped(tracer, term, Dtype::I32, {}));
}

Result<Value> read(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto ref = LANESCOPE_TRY(semaphoreArgument(tracer, args, false));
  tracer.at(context.span);
  core::TpuRef semaphore = LANESCOPE_TRY(emitted(tracer, *ref));
  return TracedValue::make(tracer, tracer.builder().readSemaphore(semaphore), context.span);
}

Result<IrValue> amount(TpuTracer &tracer, const BoundArguments &args) {
  if (auto given = LANESCOPE_TRY(scalarArgument(tracer, args, 1)))
    return *given;
  return tracer.builder().constant(Dtype::I32, {}, int64_t{1});
}

Result<Value> wait(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto ref = LANESCOPE_TRY(semaphoreArgument(tracer, args, true));
  tracer.at(context.span);
  IrValue count = LANESCOPE_TRY(amount(tracer, args));
  tracer.builder().constant(Dtype::I1, {}, int64_t{1}); // the unused `decrement` of JAX's wait
  tracer.builder().waitSemaphore(LANESCOPE_TRY(emitted(tracer, *ref)), count);
  return Value();
}

Result<Value> signal(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto ref = LANESCOPE_TRY(semaphoreArgument(tracer, args, true));
  tracer.at(context.span);
  IrValue count = LANESCOPE_TRY(amount(tracer, args));
  PlaceTerms places = LANESCOPE_TRY(placeArgument(tracer, args, 2));
  core::TpuBuilder::Elsewhere where = LANESCOPE_TRY(places.emitted(tracer));
  for (auto [index, part] : {std::pair(size_t{3}, &where.core), std::pair(size_t{4}, &where.subcore)})
    if (auto given = LANESCOPE_TRY(scalarArgument(tracer, args, index)))
      *part = given;
  core::TpuCore own = tracer.scalar() ? core::TpuCore::ScalarSubcore : core::TpuCore::VectorSubcore;
  if (ref->base().owner.value_or(own) != own && !where.core) // on this core, a semaphore of the other kind of subcore
    where.core = tracer.builder().gridIndex(0);
  tracer.builder().signalSemaphore(LANESCOPE_TRY(emitted(tracer, *ref)), count, where);
  return Value();
}

constexpr TpuPrimitive kTpuSemaphorePrimitives[] = {
    {"semaphore_read", "semaphore_read(sem)", "What a semaphore counts now.", read},
    {"semaphore_signal", "semaphore_signal(sem, inc=1, *, device_id=None, core_index=None, subcore_index=None)",
     "Adds `inc` to a semaphore, here or on another device, core or subcore.\n\n`device_id` may name places along "
     "axes: "
     "`{\"core\": 0, \"subcore\": 1}`; a name that no mesh has is the devices' axis.",
     signal},
    {"semaphore_wait", "semaphore_wait(sem, value=1)",
     "Waits until a semaphore counts `value`, and takes that away from it.", wait},
};

} // namespace

std::span<const TpuPrimitive> tpuSemaphorePrimitives() { return kTpuSemaphorePrimitives; }

} // namespace lanescope::repl
