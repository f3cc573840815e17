// Loops in Pallas' spelling: special ranges, and functions that are called for each iteration.
//
//   for i in parallel_loop(0, 64, step=16): …            iterations that do not depend on each other
//   total = fori_loop(0, n, lambda i, acc: acc + x[i], x[0])
//   total = parallel_loop(0, n, carry=x[0])(lambda i, acc: acc + x[i])
//   when(i == 0)(lambda: sync_copy(x, out))
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/tpu/memory/TpuRefs.h"
#include "repl/kernel/tpu/threads/TpuThreads.h"
#include "repl/kernel/trace/Carried.h"
#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

namespace {

using Form = RangeData::Form;

Result<Value> rangeOf(const BoundArguments &args, Form form) {
  enum : size_t { kLower, kUpper, kStep, kUnroll };
  for (size_t i : {kLower, kUpper, kStep})
    if (args.has(i) && !args[i].value.asInt() && !args[i].value.as<TracedValue>())
      return args.wrongType(i, "an int");
  RangeData range{.start = args[kLower].value,
                  .stop = args[kUpper].value,
                  .step = args.has(kStep) ? args[kStep].value : Value(1),
                  .form = form};
  if (const int64_t *step = range.step.asInt(); step && *step < 1)
    return args.wrongValue(kStep, Message("the step of this loop is above 0, not {step}", *step));
  range.atOnce = LANESCOPE_TRY(args.integerOr(kUnroll, 1));
  if (range.atOnce < 1)
    return args.wrongValue(kUnroll, Message("a loop is unrolled by a number above 0, not {}", range.atOnce));
  return Value::range(std::move(range));
}

/// Runs a loop over a range. Each iteration calls `body`, and passes a value to the next iteration.
Result<Value> looped(Context &context, const RangeData &range, const Arg &body, const std::optional<Value> &initial,
                     const std::function<Result<void>(const Value &)> &check) {
  Staging *staging = context.evaluator.staging();
  static const std::vector<std::string> kNames{"the carried value"};
  std::vector<std::string> names = initial ? kNames : std::vector<std::string>();
  Bindings start = initial ? Bindings{initial} : Bindings{};
  auto round = [&](const Value &index, const Bindings &inside) -> Result<Bindings> {
    Arguments arguments;
    arguments.positional.push_back({index, body.span});
    if (initial)
      arguments.positional.push_back({*inside[0], body.span});
    Value result = LANESCOPE_TRY(context.evaluator.callStaged(body.value, arguments, body.span));
    if (!initial)
      return Bindings{};
    LANESCOPE_CHECK(check(result));
    return Bindings{result};
  };
  static const ForStmt kNone{TextRange{}};
  Bindings after = LANESCOPE_TRY(staging->forRange(context, kNone, range, names, start, round));
  return initial ? *after[0] : Value();
}

Result<void> checkCarry(const Value &carry, const Span &span) {
  std::vector<Value> leaves;
  flatten(carry, leaves);
  for (const Value &leaf : leaves)
    if (auto *ref = leaf.as<TpuRefValue>())
      return error("type", span, Message("carried values may not be refs, and this holds `{name}`", ref->describe()));
  return {};
}

/// The value of `parallel_loop(0, n, carry=…)` or `loop(0, n, carry=…)`, which is called with the body.
class CarryingLoop final : public Object {
public:
  CarryingLoop(RangeData range, Value carry) : range_(std::move(range)), carry_(std::move(carry)) {}
  std::string typeName() const override { return "loop"; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override {
    if (arguments.positional.size() != 1 || !arguments.keyword.empty())
      return context.fail("arguments", "a loop with a carried value is called with its body, `body(i, carry)`");
    auto check = [&](const Value &result) -> Result<void> {
      if (!sameStructure(carry_, result) || result.isNone())
        return context.fail(
            "type",
            Message("the body's result should have the same structure as the carried value: {type}, not {other_type}",
                    described(carry_), described(result)));
      return {};
    };
    return looped(context, range_, arguments.positional[0], carry_, check);
  }

private:
  RangeData range_;
  Value carry_;
};

template <Form form> Result<Value> loop(TpuTracer &, Context &, const BoundArguments &args) {
  enum : size_t { kCarry = 4 };
  Value range = LANESCOPE_TRY(rangeOf(args, form));
  if (!args.has(kCarry) || args[kCarry].value.isNone())
    return range;
  LANESCOPE_CHECK(checkCarry(args[kCarry].value, args[kCarry].span));
  return Value(std::make_shared<CarryingLoop>(*range.asRange(), args[kCarry].value));
}

Result<Value> foriLoop(TpuTracer &, Context &context, const BoundArguments &args) {
  enum : size_t { kLower, kUpper, kBody, kInitial, kUnroll };
  RangeData range{.start = args[kLower].value, .stop = args[kUpper].value, .step = Value(1)};
  for (size_t i : {kLower, kUpper})
    if (!args[i].value.asInt() && !args[i].value.as<TracedValue>())
      return args.wrongType(i, "an int");
  if (args.has(kUnroll) && args[kUnroll].value.asBool())
    range.atOnce = *args[kUnroll].value.asBool() ? std::max<int64_t>(1, range.count().value_or(1)) : 1;
  else
    range.atOnce = LANESCOPE_TRY(args.integerOr(kUnroll, 1));
  LANESCOPE_CHECK(checkCarry(args[kInitial].value, args[kInitial].span));
  bool carries = !args[kInitial].value.isNone();
  auto check = [&](const Value &result) -> Result<void> {
    if (!sameStructure(args[kInitial].value, result))
      return context.fail(
          "type",
          Message("the body's result should have the same structure as the initial value: {type}, not {other_type}",
                  described(args[kInitial].value), described(result)));
    return {};
  };
  if (carries)
    return looped(context, range, args[kBody], args[kInitial].value, check);
  // No value is carried, but the body still takes two arguments.
  auto round = [&](const Value &index, const Bindings &) -> Result<Bindings> {
    Arguments arguments;
    arguments.positional.push_back({index, args[kBody].span});
    arguments.positional.push_back({Value(), args[kBody].span});
    LANESCOPE_CHECK(context.evaluator.callStaged(args[kBody].value, arguments, args[kBody].span));
    return Bindings{};
  };
  static const ForStmt kNone{TextRange{}};
  LANESCOPE_CHECK(context.evaluator.staging()->forRange(context, kNone, range, {}, {}, round));
  return Value();
}

/// `while_loop`: as in JAX, the condition is computed from the carried values before each iteration.
Result<Value> whileLoop(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kCondition, kBody, kInitial };
  using Values = core::KernelBuilder::Values;
  LANESCOPE_CHECK(checkCarry(args[kInitial].value, args[kInitial].span));
  const Value &initial = args[kInitial].value;
  std::vector<Value> leaves;
  flatten(initial, leaves);
  core::TpuBuilder &builder = tracer.at(context.span);
  Values start;
  auto emitted = [&](const Value &leaf, size_t index) -> Result<core::IrValue> {
    Term term = LANESCOPE_TRY(termOf(tracer, {leaf, args[index].span}, args.function));
    return shaped(tracer, term, commonDtype({term}), term.shape());
  };
  for (const Value &leaf : leaves)
    start.push_back(LANESCOPE_TRY(emitted(leaf, kInitial)));
  Tracer::Parts loop(tracer);
  auto called = [&](size_t function, const Values &inside) -> Result<Value> {
    loop.begin();
    std::vector<Value> values;
    for (const core::IrValue &value : inside)
      values.push_back(TracedValue::make(tracer, value, args[function].span));
    size_t next = 0;
    Arguments arguments;
    arguments.positional.push_back({rebuilt(initial, values, next), args[function].span});
    return context.evaluator.callStaged(args[function].value, arguments, args[function].span);
  };
  auto condition = [&](const Values &inside) -> Result<core::IrValue> {
    Value decided = LANESCOPE_TRY(called(kCondition, inside));
    core::IrValue value = LANESCOPE_TRY(emitted(decided, kCondition));
    if (!value.isScalar() || value.dtype != layouts::Dtype::I1)
      return args.wrongType(kCondition, text("a function that gives a truth value, not ", described(decided)));
    return value;
  };
  auto body = [&](const Values &inside) -> Result<core::KernelBuilder::MaybeValues> {
    Value result = LANESCOPE_TRY(called(kBody, inside));
    if (!sameStructure(initial, result))
      return context.fail(
          "type",
          Message("the body's result should have the same structure as the initial value: {type}, not {other_type}",
                  described(initial), described(result)));
    std::vector<Value> parts;
    flatten(result, parts);
    Values next;
    for (size_t k = 0; k < parts.size(); ++k) {
      Term term = LANESCOPE_TRY(termOf(tracer, {parts[k], args[kBody].span}, args.function));
      if (term.traced && (term.traced->dtype != start[k].dtype || term.shape() != start[k].shape))
        return context.fail(
            "type",
            Message("the body makes {type} of the initial value's {other_type}: what a loop carries keeps its type",
                    described(parts[k]), described(TracedValue::make(tracer, start[k], context.span))));
      next.push_back(LANESCOPE_TRY(shaped(tracer, term, start[k].dtype, start[k].shape)));
    }
    return core::KernelBuilder::MaybeValues(std::move(next));
  };
  auto results = LANESCOPE_TRY(builder.whileLoop(start, condition, body));
  loop.end();
  std::vector<Value> values;
  for (const core::IrValue &value : *results)
    values.push_back(TracedValue::make(tracer, value, context.span));
  size_t next = 0;
  return rebuilt(initial, values, next);
}

constexpr TpuPrimitive kTpuLoopPrimitives[] = {
    {"while_loop", "while_loop(cond_fun, body_fun, init_val)",
     "`body_fun(value)` as long as `cond_fun(value)` holds, from `init_val` on, each round's result the next one's "
     "value; gives the last.",
     whileLoop},
    {"parallel_loop", "parallel_loop(lower, upper, step=1, *, unroll=1, carry=None)",
     "`for i in parallel_loop(0, 64, 16):` a loop whose rounds do not depend on what others store, so that they may be "
     "run at once.\n\nVariables that the body rebinds are carried, references are not. With `carry=` it is called with "
     "the body instead: `total = parallel_loop(0, n, carry=zero)(lambda i, acc: acc + x[i])`.",
     loop<Form::Independent>},
    {"loop", "loop(lower, upper, step=1, *, unroll=1, carry=None)",
     "`for i in loop(0, n):` a loop on the device as Pallas' `pl.loop` makes it: over the number of the round. "
     "`carry=` as "
     "for `parallel_loop`.",
     loop<Form::Rounds>},
    {"fori_loop", "fori_loop(lower, upper, body, init, unroll=1)",
     "`body(i, value)` for each i, from `init` on, each round's result the next one's value; gives the last.",
     foriLoop},
};

} // namespace

std::span<const TpuPrimitive> tpuLoopPrimitives() { return kTpuLoopPrimitives; }

} // namespace lanescope::repl
