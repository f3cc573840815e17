#include "repl/kernel/Barriers.h"

#include "layouts/support/Text.h"
#include "repl/kernel/Primitives.h"
#include "repl/kernel/Traced.h"
#include "repl/lang/Try.h"

namespace lanescope::repl {

Note BarrierValue::declared() const { return {origin_, text("`", name_, "` is declared here")}; }

std::string BarrierValue::repr() const {
  return count_ == 1 ? text("<barrier ", name_, ">") : text("<", count_, " barriers ", name_, ">");
}

Result<Value> BarrierValue::attribute(Context &context, const std::string &name) {
  if (name == "at")
    return Value(shared_from_this()); // indexing a barrier never reads it
  return context.fail("attribute", text("a barrier has no attribute `", name, "`"));
}

Result<Value> BarrierValue::getItem(Context &context, const Arg &index) {
  Tracer *tracer = LANESCOPE_TRY(Tracer::of(context, trace_));
  auto one = std::make_shared<BarrierValue>(*this);
  one->count_ = 1;
  if (const int64_t *known = index.value.asInt()) {
    int64_t wanted = *known < 0 ? *known + count_ : *known;
    if (wanted < 0 || wanted >= count_)
      return error(
          "out-of-bounds", index.span,
          text("`", name_, "` has ", count_, count_ == 1 ? " barrier" : " barriers", ", there is no barrier ", *known),
          {declared()});
    if (wanted != 0)
      one->barrier_.index = wanted;
    return Value(std::move(one));
  }
  auto dynamic = tracedIndex(*tracer, index.value);
  if (!dynamic)
    return error("type", index.span, text("a barrier is indexed by an int, not `", index.value.typeName(), "`"));
  one->barrier_.index = *dynamic;
  return Value(std::move(one));
}

Result<std::optional<Value>> BarrierValue::applyBuiltin(Context &context, const std::string &name,
                                                        const Arguments &arguments) {
  return applyPrimitive(context, name, arguments);
}

Result<std::shared_ptr<BarrierValue>> barrierArgument(Tracer &tracer, const BoundArguments &args, size_t index) {
  auto barrier = args[index].value.ref<BarrierValue>();
  if (!barrier)
    return args.wrongType(index, "a barrier");
  LANESCOPE_CHECK(Tracer::of({tracer.evaluator(), args[index].span}, barrier->trace()));
  if (!barrier->single())
    return error("type", args[index].span,
                 text("`", barrier->name(), "` is a group of barriers; choose one: `", barrier->name(), ".at[i]`"),
                 {barrier->declared()});
  return barrier;
}

namespace {

Result<Value> arrive(Tracer &tracer, Context &context, const BoundArguments &args) {
  auto barrier = LANESCOPE_TRY(barrierArgument(tracer, args, 0));
  tracer.at(context.span).arrive(barrier->ir());
  return Value();
}

Result<Value> wait(Tracer &tracer, Context &context, const BoundArguments &args) {
  auto barrier = LANESCOPE_TRY(barrierArgument(tracer, args, 0));
  tracer.at(context.span).wait(barrier->ir());
  return Value();
}

/// Bytes that one phase of an mbarrier can wait for (PTX ISA, "Tracking asynchronous operations by the mbarrier
/// object").
constexpr int64_t kMostBytes = (1 << 20) - 1;

Result<Value> arriveExpectTx(Tracer &tracer, Context &context, const BoundArguments &args) {
  auto barrier = LANESCOPE_TRY(barrierArgument(tracer, args, 0));
  int64_t bytes = LANESCOPE_TRY(args.integer(1));
  if (bytes < 0 || bytes > kMostBytes)
    return args.wrongValue(1, text("a phase of a barrier counts from 0 to ", kMostBytes, " bytes, not ", bytes));
  tracer.at(context.span).arriveExpectTx(barrier->ir(), bytes);
  return Value();
}

constexpr Primitive kPrimitives[] = {
    {"barrier_arrive", "barrier_arrive(barrier)", "The warpgroup arrives at a barrier.", arrive},
    {"barrier_arrive_expect_tx", "barrier_arrive_expect_tx(barrier, bytes)",
     "The warpgroup arrives at a barrier and adds `bytes` to what its phase waits for, without starting a copy.\n\n"
     "`copy_gmem_to_smem` announces its own bytes; this is for bytes that something else brings.",
     arriveExpectTx},
    {"barrier_wait", "barrier_wait(barrier)",
     "Waits for the barrier's next phase: its arrivals, and the bytes of the copies that it counts.", wait},
};

} // namespace

std::span<const Primitive> barrierPrimitives() { return kPrimitives; }

} // namespace lanescope::repl
