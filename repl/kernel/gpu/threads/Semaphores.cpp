#include "repl/kernel/gpu/threads/Semaphores.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/threads/Threads.h"
#include "repl/kernel/trace/Traced.h"

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;

std::string SemaphoreValue::repr() const {
  return single() ? text("<semaphore ", name_, ">") : text("<", memory_.shape[0], " semaphores ", name_, ">");
}

Result<Value> SemaphoreValue::attribute(Context &context, const std::string &name) {
  if (name == "at")
    return Value(shared_from_this()); // indexing a semaphore never reads it
  return context.fail("no-attribute", text("a semaphore has no attribute `", name, "`"));
}

Result<Value> SemaphoreValue::getItem(Context &context, const Arg &index) {
  GpuTracer *tracer = LANESCOPE_TRY(GpuTracer::of(context, trace_));
  int64_t count = memory_.shape[0];
  auto one = std::make_shared<SemaphoreValue>(*this);
  if (indexed_)
    return error("type", index.span, text("`", name_, "` has one dimension"), {declared()});
  one->indexed_ = true;
  if (const int64_t *known = index.value.asInt()) {
    int64_t wanted = *known < 0 ? *known + count : *known;
    if (wanted < 0 || wanted >= count)
      return error("out-of-bounds", index.span,
                   text("`", name_, "` has ", count, count == 1 ? " semaphore" : " semaphores",
                        ", there is no semaphore ", *known),
                   {declared()});
    one->index_ = wanted;
    return Value(std::move(one));
  }
  auto dynamic = tracedIndex(*tracer, index.value);
  if (!dynamic)
    return error("type", index.span, text("a semaphore is indexed by an int, not `", index.value.typeName(), "`"));
  one->index_ = *dynamic;
  return Value(std::move(one));
}

namespace {

Result<std::shared_ptr<SemaphoreValue>> semaphoreArgument(GpuTracer &tracer, const BoundArguments &args) {
  auto semaphore = args[0].value.ref<SemaphoreValue>();
  if (!semaphore)
    return args.wrongType(0, "a semaphore");
  LANESCOPE_CHECK(GpuTracer::of({tracer.evaluator(), args[0].span}, semaphore->trace()));
  if (!semaphore->single())
    return error(
        "type", args[0].span,
        text("`", semaphore->name(), "` is a group of semaphores; choose one: `", semaphore->name(), ".at[i]`"),
        {semaphore->declared()});
  return semaphore;
}

/// Argument 1: how much to add, or to wait for.
Result<IrValue> amount(GpuTracer &tracer, const BoundArguments &args, const Context &context) {
  if (!args.has(1))
    return tracer.at(context.span).constant(Dtype::I32, {}, int64_t{1});
  if (const int64_t *known = args[1].value.asInt(); known && *known < 0)
    return args.wrongValue(1, text("a semaphore counts from 0 up, so ", *known, " is no amount"));
  Term given = LANESCOPE_TRY(termOf(tracer, args[1], args.function));
  if (!given.shape().empty() || (given.traced ? given.traced->dtype != Dtype::I32 : !given.number.asInt()))
    return args.wrongType(1, "an int");
  tracer.at(context.span);
  return shaped(tracer, given, Dtype::I32, {});
}

Result<Value> signal(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto semaphore = LANESCOPE_TRY(semaphoreArgument(tracer, args));
  IrValue value = LANESCOPE_TRY(amount(tracer, args, context));
  tracer.at(context.span).semaphoreSignal(semaphore->memory(), semaphore->index(), value);
  return Value();
}

Result<Value> wait(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto semaphore = LANESCOPE_TRY(semaphoreArgument(tracer, args));
  IrValue value = LANESCOPE_TRY(amount(tracer, args, context));
  bool decrement = LANESCOPE_TRY(args.booleanOr(2, true));
  tracer.at(context.span).semaphoreWait(semaphore->memory(), semaphore->index(), value, decrement);
  return Value();
}

Result<Value> read(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto semaphore = LANESCOPE_TRY(semaphoreArgument(tracer, args));
  IrValue count = tracer.at(context.span).semaphoreRead(semaphore->memory(), semaphore->index());
  return TracedValue::make(tracer, count, context.span);
}

constexpr GpuPrimitive kPrimitives[] = {
    {"semaphore_signal", "semaphore_signal(semaphore, inc=1)",
     "Adds `inc` to a semaphore. What the warpgroup did before is seen by who waits for it.", signal},
    {"semaphore_wait", "semaphore_wait(semaphore, value=1, decrement=True)",
     "Waits until a semaphore is at least `value`, then takes `value` from it unless `decrement=False`.", wait},
    {"semaphore_read", "semaphore_read(semaphore)", "A semaphore's count at some moment.", read},
};

} // namespace

std::span<const GpuPrimitive> semaphorePrimitives() { return kPrimitives; }

} // namespace lanescope::repl
