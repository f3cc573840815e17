#include "repl/kernel/gpu/threads/GpuSemaphores.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/kernel/gpu/threads/GpuDevices.h"
#include "repl/kernel/gpu/threads/GpuThreads.h"
#include "repl/kernel/trace/Traced.h"

namespace lanescope::repl {

using core::IrValue;
using core::SemaphoreScope;
using layouts::Dtype;

std::string SemaphoreValue::repr() const {
  return single() ? text("<semaphore ", name_, ">")
                  : text("<", layouts::elementCount(shape_), " semaphores ", name_, ">");
}

Result<Value> SemaphoreValue::attribute(Context &context, const std::string &name) {
  if (name == "at")
    return Value(shared_from_this()); // indexing a semaphore does not read it
  if (name == "shape")
    return Value::shape(shape_);
  return context.fail("no-attribute", Message("a semaphore has no attribute `{attribute}`", name));
}

Result<Value> SemaphoreValue::getItem(Context &context, const Arg &index) {
  GpuTracer *tracer = LANESCOPE_TRY(GpuTracer::of(context, trace_));
  auto part = std::make_shared<SemaphoreValue>(*this);
  std::vector<Value> places = index.value.asTuple() ? *index.value.asTuple() : std::vector{index.value};
  if (places.size() > shape_.size())
    return error("type", index.span,
                 shape_.size() == 1 ? Message("`{name}` has one dimension", name_)
                                    : Message("`{name}` has {dimensions} dimensions", name_, shape_.size()),
                 {declared()});
  auto combined = [&](BinaryOp op, const Value &a, const Value &b) {
    return context.evaluator.binary(op, {a, index.span}, {b, index.span}, index.span);
  };
  for (const Value &given : places) {
    Value place = given.plain();
    const int64_t count = part->shape_.front();
    if (const int64_t *known = place.asInt()) {
      int64_t wanted = *known < 0 ? *known + count : *known;
      if (wanted < 0 || wanted >= count)
        return error("out-of-bounds", index.span,
                     Message("`{name}` has {}, there is no semaphore {}", name_, counted(count, "semaphore"), *known),
                     {declared()});
      place = Value(wanted);
    } else if (!tracedIndex(*tracer, place)) {
      return error("type", index.span, Message("a semaphore is indexed by an int, not `{type}`", given.typeName()));
    }
    part->shape_.erase(part->shape_.begin());
    Value step = LANESCOPE_TRY(combined(BinaryOp::Multiply, place, Value(layouts::elementCount(part->shape_))));
    part->place_ = LANESCOPE_TRY(combined(BinaryOp::Add, part->place_, step));
  }
  if (const int64_t *known = part->place_.asInt())
    part->index_ = *known;
  else
    part->index_ = *tracedIndex(*tracer, part->place_);
  return Value(std::move(part));
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
        Message("`{name}` is a group of semaphores; choose one: `{}.at[i]`", semaphore->name(), semaphore->name()),
        {semaphore->declared()});
  return semaphore;
}

/// Argument 1: the amount to add, or to wait for.
Result<IrValue> amount(GpuTracer &tracer, const BoundArguments &args, const Context &context) {
  if (!args.has(1))
    return tracer.at(context.span).constant(Dtype::I32, {}, int64_t{1});
  if (const int64_t *known = args[1].value.asInt(); known && *known < 0)
    return args.wrongValue(1, Message("a semaphore counts from 0 up, so {} is no amount", *known));
  Term given = LANESCOPE_TRY(termOf(tracer, args[1], args.function));
  if (!given.shape().empty() || (given.traced ? given.traced->dtype != Dtype::I32 : !given.number.asInt()))
    return args.wrongType(1, "an int");
  tracer.at(context.span);
  return shaped(tracer, given, Dtype::I32, {});
}

/// The scope of a signal or a wait by default: it orders memory accesses for other devices if there are other devices.
SemaphoreScope scopeOf(const GpuTracer &tracer) {
  return tracer.axes().mesh.none() ? SemaphoreScope::Device : SemaphoreScope::System;
}

/// The scope that `memory_scope` asks for.
Result<SemaphoreScope> scopeArgument(const GpuTracer &tracer, const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return scopeOf(tracer);
  std::string scope = LANESCOPE_TRY(args.text(index));
  if (scope != "sys" && scope != "gpu")
    return args.wrongValue(index, Message("it is \"sys\" or \"gpu\", not \"{}\"", scope));
  return scope == "sys" ? SemaphoreScope::System : SemaphoreScope::Device;
}

struct Signal {
  core::IrRef memory;
  core::Offset index;
  IrValue value;
};

/// Arguments 0, 1 and `device`, `deviceType`: a semaphore, the amount, and the device.
Result<Signal> signalOf(GpuTracer &tracer, const Context &context, const BoundArguments &args, size_t device,
                        size_t deviceType) {
  auto semaphore = LANESCOPE_TRY(semaphoreArgument(tracer, args));
  Signal out{semaphore->memory(), semaphore->index(), LANESCOPE_TRY(amount(tracer, args, context))};
  if (args.has(device) && !args[device].value.isNone())
    out.memory =
        tracer.at(context.span).onDevice(out.memory, LANESCOPE_TRY(deviceArgument(tracer, args, device, deviceType)));
  return out;
}

Result<Value> signal(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kDevice = 2, kDeviceType, kScope };
  Signal made = LANESCOPE_TRY(signalOf(tracer, context, args, kDevice, kDeviceType));
  SemaphoreScope scope = LANESCOPE_TRY(scopeArgument(tracer, args, kScope));
  if (scope == SemaphoreScope::Device && args.has(kDevice) && !args[kDevice].value.isNone())
    return args.wrongValue(kScope, "a signal to another device is of the system's scope, \"sys\"");
  tracer.at(context.span).semaphoreSignal(made.memory, made.index, made.value, scope);
  return Value();
}

/// The value of `SemaphoreSignal(…)`, for `semaphore_signal_parallel`.
class SemaphoreSignalValue final : public Object {
public:
  SemaphoreSignalValue(Signal signal, TraceId trace) : signal_(std::move(signal)), trace_(trace) {}
  const Signal &signal() const { return signal_; }
  TraceId trace() const { return trace_; }
  std::string typeName() const override { return "SemaphoreSignal"; }

private:
  Signal signal_;
  TraceId trace_;
};

Result<Value> semaphoreSignal(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kDevice = 2, kDeviceType };
  Signal made = LANESCOPE_TRY(signalOf(tracer, context, args, kDevice, kDeviceType));
  return Value(std::make_shared<SemaphoreSignalValue>(std::move(made), tracer.id()));
}

Result<Value> signalParallel(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  if (args.rest().empty())
    return {};
  std::vector<const Signal *> signals;
  for (const Arg &given : args.rest()) {
    auto *signal = given.value.as<SemaphoreSignalValue>();
    if (!signal)
      return error("type", given.span, "`semaphore_signal_parallel` takes `SemaphoreSignal(semaphore, inc=1, …)`");
    LANESCOPE_CHECK(GpuTracer::of({context.evaluator, given.span}, signal->trace()));
    signals.push_back(&signal->signal());
  }
  core::GpuBuilder &builder = tracer.at(context.span);
  builder.releaseFence();
  for (const Signal *signal : signals)
    builder.semaphoreSignal(signal->memory, signal->index, signal->value, SemaphoreScope::System,
                            core::SignalOrder::Relaxed);
  return Value();
}

Result<Value> signalMulticast(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto semaphore = LANESCOPE_TRY(semaphoreArgument(tracer, args));
  LANESCOPE_CHECK(checkAllDevices(tracer, args, 2));
  IrValue value = LANESCOPE_TRY(amount(tracer, args, context));
  core::GpuBuilder &builder = tracer.at(context.span);
  builder.semaphoreSignal(builder.onAllDevices(semaphore->memory()), semaphore->index(), value, SemaphoreScope::System);
  return Value();
}

Result<Value> waitForSemaphore(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto semaphore = LANESCOPE_TRY(semaphoreArgument(tracer, args));
  SemaphoreScope scope = LANESCOPE_TRY(scopeArgument(tracer, args, 3));
  IrValue value = LANESCOPE_TRY(amount(tracer, args, context));
  bool decrement = LANESCOPE_TRY(args.booleanOr(2, true));
  tracer.at(context.span)
      .semaphoreWait(semaphore->memory(), semaphore->index(), value,
                     decrement ? core::SemaphoreWait::Decrement : core::SemaphoreWait::Keep, scope);
  return Value();
}

Result<Value> read(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto semaphore = LANESCOPE_TRY(semaphoreArgument(tracer, args));
  IrValue count = tracer.at(context.span).semaphoreRead(semaphore->memory(), semaphore->index(), scopeOf(tracer));
  return TracedValue::make(tracer, count, context.span);
}

constexpr GpuPrimitive kSemaphorePrimitives[] = {
    {"semaphore_signal",
     "semaphore_signal(semaphore, inc=1, *, device_id=None, device_id_type=\"mesh\", memory_scope=None)",
     "Adds `inc` to a semaphore, this device's or that of device `device_id` (as for `remote_ref`). A warpgroup that "
     "waits for it sees this warpgroup's earlier writes: with `memory_scope=\"gpu\"` on this device, with \"sys\", the "
     "default in kernels for several devices, on others, too.",
     signal},
    {"semaphore_wait", "semaphore_wait(semaphore, value=1, decrement=True, memory_scope=None)",
     "Waits until a semaphore of this device is at least `value`, then takes `value` from it unless `decrement=False`.",
     waitForSemaphore},
    {"semaphore_read", "semaphore_read(semaphore)", "A semaphore's count at some moment.", read},
    {"SemaphoreSignal", "SemaphoreSignal(ref, inc=1, *, device_id=None, device_id_type=\"mesh\")",
     "A semaphore, what to add to it, and on which device, for `semaphore_signal_parallel`.", semaphoreSignal},
    {"semaphore_signal_parallel", "semaphore_signal_parallel(*signals)",
     "Adds to several semaphores, `SemaphoreSignal(s.at[0], device_id=1)`, each after what this warpgroup did before: "
     "one "
     "fence orders it for all of them.",
     signalParallel},
    {"semaphore_signal_multicast", "semaphore_signal_multicast(semaphore, value=1, *, collective_axes)",
     "Adds `value` to a semaphore on all devices, this one included. `collective_axes` names all axes of the mesh.",
     signalMulticast},
};

} // namespace

std::span<const GpuPrimitive> semaphorePrimitives() { return kSemaphorePrimitives; }

} // namespace lanescope::repl
