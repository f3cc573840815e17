// Temporary memory (`run_scoped`), and memory that belongs to the whole kernel although its body requests it
// (`get_global`).
#include "repl/kernel/tpu/memory/TpuMemory.h"
#include "repl/kernel/tpu/memory/TpuRefs.h"
#include "repl/kernel/tpu/specs/TpuSpecs.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

namespace lanescope::repl {

using core::IrValue;

namespace {

/// Allocates memory for a spec or for a tuple of specs in the open region. Returns the references to it.
Result<Value> allocated(TpuTracer &tracer, const Value &spec, const std::string &name, const Span &span) {
  if (spec.asTuple() || spec.asList()) {
    std::vector<Value> parts;
    for (const Value &part : spec.asTuple() ? *spec.asTuple() : spec.asList()->items)
      parts.push_back(LANESCOPE_TRY(allocated(tracer, part, name, span)));
    return Value::tuple(std::move(parts));
  }
  core::TpuMemoryType type = LANESCOPE_TRY(memoryTypeOf(spec, span));
  return Value(std::make_shared<TpuRefValue>(name, tracer.builder().allocate(type, name), tracer.id(), span));
}

/// The value of `run_scoped(…)` in `with run_scoped(…) as (a, b):`.
class TpuScope final : public Object {
public:
  TpuScope(std::vector<Arg> specs, TraceId trace) : specs_(std::move(specs)), trace_(trace) {}
  std::string typeName() const override { return "scope"; }
  Result<Value> enter(Context &context) override {
    TpuTracer *tracer = LANESCOPE_TRY(TpuTracer::of(context, trace_));
    tracer->at(context.span).openRegion();
    std::vector<Value> values;
    for (const Arg &spec : specs_)
      values.push_back(LANESCOPE_TRY(allocated(*tracer, spec.value, "scratch", spec.span)));
    return values.size() == 1 ? values.front() : Value::tuple(std::move(values));
  }
  Result<void> exit(Context &context) override {
    TpuTracer *tracer = LANESCOPE_TRY(TpuTracer::of(context, trace_));
    tracer->at(context.span).closeRegion({});
    return {};
  }

private:
  std::vector<Arg> specs_;
  TraceId trace_;
};

/// Makes the values that leave a region, which are traced values and tuples of them, the results of the region.
Result<Value> results(TpuTracer &tracer, const Value &value, std::vector<IrValue> &leaves, const Span &span) {
  if (const auto *items = value.asTuple()) {
    for (const Value &item : *items)
      LANESCOPE_CHECK(results(tracer, item, leaves, span));
  } else if (auto *traced = value.as<TracedValue>()) {
    leaves.push_back(traced->ir());
  } else if (value.as<TpuRefValue>()) {
    return error("kernel", span, "memory of a scope ends with it: `run_scoped` gives values, not references");
  }
  return value;
}

Value replaced(const TpuTracer &tracer, const Value &value, const std::vector<IrValue> &leaves, size_t &next,
               const Span &span) {
  if (const auto *items = value.asTuple()) {
    std::vector<Value> out;
    for (const Value &item : *items)
      out.push_back(replaced(tracer, item, leaves, next, span));
    return Value::tuple(std::move(out));
  }
  return value.as<TracedValue>() ? TracedValue::make(tracer, leaves[next++], span) : value;
}

Result<Value> runScoped(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  std::vector<Arg> specs = args.rest();
  const Object *object = specs.empty() ? nullptr : specs[0].value.asObject();
  bool called = !specs.empty() &&
                (specs[0].value.asFunction() || (object && object->callable() && !specs[0].value.as<SemaphoreKind>()));
  Arg function;
  if (called) {
    function = specs.front();
    specs.erase(specs.begin());
  }
  for (const KeywordArg &keyword : args.keywords()) {
    if (keyword.name == "collective_axes") {
      if (keyword.value.isNone() || (keyword.value.asTuple() && keyword.value.asTuple()->empty()))
        continue;
      return error("unsupported", keyword.span,
                   "a scope of a SparseCore's kernel is one subcore's: `run_scoped` does not support collective axes");
    }
    if (!called)
      return error("arguments", keyword.nameSpan, "`with run_scoped(…)` takes its arguments by position");
  }
  if (!called)
    return Value(std::make_shared<TpuScope>(std::move(specs), tracer.id()));
  core::TpuBuilder &builder = tracer.at(context.span);
  builder.openRegion();
  Arguments values;
  for (const Arg &spec : specs)
    values.positional.push_back({LANESCOPE_TRY(allocated(tracer, spec.value, "scratch", spec.span)), spec.span});
  for (const KeywordArg &keyword : args.keywords())
    if (keyword.name != "collective_axes")
      values.keyword.push_back({keyword.name, keyword.nameSpan,
                                LANESCOPE_TRY(allocated(tracer, keyword.value, keyword.name, keyword.span)),
                                keyword.span});
  Value result = LANESCOPE_TRY(context.evaluator.call(function.value, values, context.span));
  std::vector<IrValue> leaves;
  LANESCOPE_CHECK(results(tracer, result, leaves, context.span));
  leaves = tracer.at(context.span).closeRegion(leaves);
  size_t next = 0;
  return replaced(tracer, result, leaves, next, context.span);
}

Result<Value> getGlobal(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  core::TpuMemoryType type = LANESCOPE_TRY(memoryTypeOf(args[0].value, args[0].span));
  return Value(
      std::make_shared<TpuRefValue>("global", tracer.at(context.span).global(type), tracer.id(), args[0].span));
}

constexpr TpuPrimitive kTpuScopePrimitives[] = {
    {"run_scoped", "run_scoped(*arguments, **named)",
     "Memory and semaphores for a while: `with run_scoped(VMEM((16,), i32), SemaphoreType.DMA) as (tile, sem):`, or "
     "`run_scoped(f, VMEM((16,), i32), sem=SemaphoreType.DMA)`, which calls `f(tile, sem=sem)` and gives what it "
     "gives.",
     runScoped},
    {"get_global", "get_global(what)",
     "Memory of the whole kernel, `get_global(VMEM_SHARED((64, 16), f32))`: one of its own for each call, the same for "
     "all subcores of a core where it is shared.",
     getGlobal},
};

} // namespace

std::span<const TpuPrimitive> tpuScopePrimitives() { return kTpuScopePrimitives; }

} // namespace lanescope::repl
