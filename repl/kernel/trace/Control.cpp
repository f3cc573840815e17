// Staging: loops and branches that run on the device.
#include "repl/kernel/trace/Carried.h"
#include "repl/kernel/trace/Tracer.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <limits>

namespace lanescope::repl {

using core::IrValue;
using core::KernelBuilder;
using layouts::Dtype;
using layouts::Shape;

namespace {

/// The limit of attempts to trace a body until its variables' types are final. Each attempt finds at least one type.
constexpr int kMaxAttempts = 16;

std::unexpected<Diagnostics> unsettled(const Context &context) {
  return context.fail(
      "staging",
      "the types of the variables that this loop rebinds change in each round; give them their types before the loop");
}

/// Merges the values of two branches.
class Merge {
public:
  Merge(Tracer &tracer, Span span) : tracer_(tracer), span_(std::move(span)) {}

  /// `name`: the variable's name for messages.
  Result<void> add(const std::string &name, const std::optional<Value> &whenTrue,
                   const std::optional<Value> &whenFalse) {
    Slot &slot = slots_.emplace_back();
    if (!whenTrue || !whenFalse)
      return {};
    if (!sameStructure(*whenTrue, *whenFalse))
      return differ(name, *whenTrue, *whenFalse);
    slot.model = *whenTrue;
    std::vector<Value> a, b;
    flatten(*whenTrue, a);
    flatten(*whenFalse, b);
    for (size_t i = 0; i < a.size(); ++i) {
      Leaf &leaf = slot.leaves.emplace_back(Leaf{a[i], b[i], std::nullopt, {}});
      if (sameStatic(a[i], b[i]))
        continue;
      auto *x = a[i].as<TracedValue>(), *y = b[i].as<TracedValue>();
      auto known = [](const Value &value) { return value.number() || value.asArray(); };
      if ((!x && !known(a[i])) || (!y && !known(b[i])))
        return differ(name, a[i], b[i]);
      Term left = LANESCOPE_TRY(termOf(tracer_, {a[i], span_}, name));
      Term right = LANESCOPE_TRY(termOf(tracer_, {b[i], span_}, name));
      bool shapes = left.shape().empty() || right.shape().empty() || left.shape() == right.shape();
      if (!shapes || (left.traced && right.traced && left.traced->dtype != right.traced->dtype))
        return differ(name, a[i], b[i]);
      leaf.dtype = commonDtype({left, right});
      leaf.shape = left.shape().empty() ? right.shape() : left.shape();
    }
    return {};
  }

  Result<KernelBuilder::Values> yields(bool branch) {
    KernelBuilder::Values values;
    tracer_.at(span_);
    for (const Slot &slot : slots_)
      for (const Leaf &leaf : slot.leaves) {
        if (!leaf.dtype)
          continue;
        Term operand = LANESCOPE_TRY(termOf(tracer_, {branch ? leaf.whenTrue : leaf.whenFalse, span_}, "if"));
        values.push_back(LANESCOPE_TRY(shaped(tracer_, operand, *leaf.dtype, leaf.shape)));
      }
    return values;
  }

  Bindings after(const KernelBuilder::Values &results) const {
    Bindings bindings;
    size_t next = 0;
    for (const Slot &slot : slots_) {
      std::vector<Value> leaves;
      for (const Leaf &leaf : slot.leaves)
        leaves.push_back(leaf.dtype ? TracedValue::make(tracer_, results[next++], span_) : leaf.whenTrue);
      size_t at = 0;
      bindings.push_back(slot.model ? std::optional(rebuilt(*slot.model, leaves, at)) : std::nullopt);
    }
    return bindings;
  }

private:
  struct Leaf {
    Value whenTrue, whenFalse;
    std::optional<Dtype> dtype; // nullopt if both sides are the same
    Shape shape;
  };
  struct Slot {
    std::optional<Value> model; // nullopt if the name has no value after the branches
    std::vector<Leaf> leaves;
  };

  std::unexpected<Diagnostics> differ(const std::string &name, const Value &a, const Value &b) const {
    return error("staging", span_,
                 Message("`{name}` is {type} when the condition holds and {other_type} when it does not; the device "
                         "decides, so both must be of one type",
                         name, described(a), described(b)));
  }

  Tracer &tracer_;
  Span span_;
  std::vector<Slot> slots_;
};

} // namespace

Result<IrValue> Tracer::integer(const Context &context, const Value &value) {
  if (auto known = value.integer()) {
    if (*known < std::numeric_limits<int32_t>::min() || *known > std::numeric_limits<int32_t>::max())
      return context.fail("range", Message("a loop on the device counts with 32 bits, and {} needs more", *known));
    return builder_.constant(Dtype::I32, {}, *known);
  }
  if (auto traced = tracedIndex(*this, value))
    return *traced;
  return context.fail("type", Message("the bounds of a range must be integers, not `{type}`", value.typeName()));
}

Result<IrValue> Tracer::stepNumber(const Context &context, const RangeData &range, const IrValue &number) {
  IrValue scale = LANESCOPE_TRY(integer(context, range.step));
  IrValue start = LANESCOPE_TRY(integer(context, range.start));
  return builder_.binary(core::BinaryKind::Add, start, builder_.binary(core::BinaryKind::Multiply, number, scale));
}

Result<IrValue> Tracer::roundsDown(const Context &context, const RangeData &range) {
  int64_t step = -*range.step.integer();
  if (step > std::numeric_limits<int32_t>::max())
    return context.fail("range",
                        Message("a loop on the device counts with 32 bits, and a step of {} needs more", -step));
  IrValue start = LANESCOPE_TRY(integer(context, range.start));
  IrValue stop = LANESCOPE_TRY(integer(context, range.stop));
  auto number = [&](int64_t value) { return builder_.constant(Dtype::I32, {}, value); };
  IrValue distance = builder_.binary(core::BinaryKind::Subtract, start, stop);
  return builder_.binary(core::BinaryKind::FloorDivide,
                         builder_.binary(core::BinaryKind::Add, distance, number(step - 1)), number(step));
}

Result<Tracer::Counting> Tracer::counting(Context &context, const RangeData &range) {
  // To count down, the loop counts the same number of iterations upwards, and computes the index.
  std::optional<int64_t> count = range.count();
  bool down = *range.step.integer() < 0;
  IrValue lower = LANESCOPE_TRY(integer(context, down ? Value(0) : range.start));
  IrValue upper = down && !count ? LANESCOPE_TRY(roundsDown(context, range))
                                 : LANESCOPE_TRY(integer(context, down ? Value(*count) : range.stop));
  IrValue stride = LANESCOPE_TRY(integer(context, down ? Value(1) : range.step));
  auto position = [this, &context, &range, down](const IrValue &index) -> Result<IrValue> {
    return down ? stepNumber(context, range, index) : Result<IrValue>(index);
  };
  return Counting{lower, upper, stride, position};
}

Result<IrValue> Tracer::conditionOf(Context &context, const Value &condition, std::string_view what) {
  if (auto *traced = condition.as<TracedValue>(); traced && !traced->ir().isScalar())
    return context.fail("type", Message("an array of shape {shape} is neither true nor false, so it cannot decide "
                                        "`{function}`; choose element by element with `select`",
                                        layouts::tupleText(traced->ir().shape), what));
  Term operand = LANESCOPE_TRY(termOf(*this, {condition, context.span}, what));
  return shaped(*this, operand, Dtype::I1, {});
}

Result<Bindings> Tracer::forRange(Context &context, const ForStmt &, const RangeData &range,
                                  const std::vector<std::string> &names, const Bindings &initial,
                                  const LoopBody &body) {
  std::optional<int64_t> step = range.step.integer(), count = range.count();
  if (!step)
    return context.fail("unsupported", "the step of a loop on the device must be known while tracing");
  if (count == 0) {
    Bindings unchanged = initial;
    return unchanged;
  }
  bool once = unrollsOne() && count == 1 && range.atOnce == 1;
  bool unrolls = (range.atOnce > 1 || once) && range.form != RangeData::Form::Independent;
  if (*step < 0 && !count && unrolls)
    return context.fail("unsupported", "an unrolled loop that counts down needs bounds that are known while tracing");
  if (unrolls) {
    LANESCOPE_CHECK(checkUnroll(context, range));
    auto result = LANESCOPE_TRY(unrolledRange(context, range, names, initial, body));
    looped(range);
    return result;
  }
  Carried carried(*this, names, initial, context.span);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    at(context.span);
    auto values = LANESCOPE_TRY(carried.initialValues());
    at(context.span);
    Counting counts = LANESCOPE_TRY(counting(context, range));
    Parts parts(*this);
    auto round = [&](const IrValue &index, const KernelBuilder::Values &inside) -> Result<KernelBuilder::MaybeValues> {
      parts.begin();
      IrValue position = LANESCOPE_TRY(counts.position(index));
      auto results = LANESCOPE_TRY(body(TracedValue::make(*this, position, context.span), carried.inside(inside)));
      return carried.absorb(results);
    };
    auto results = LANESCOPE_TRY(builder_.forLoop(counts.lower, counts.upper, counts.step, values, round));
    parts.end();
    if (results) {
      looped(range);
      return carried.after(*results);
    }
    LANESCOPE_CHECK(evaluator_.poll(context.span));
  }
  return unsettled(context);
}

Result<Bindings> Tracer::unrolledRange(Context &context, const RangeData &range, const std::vector<std::string> &names,
                                       const Bindings &initial, const LoopBody &body) {
  std::optional<int64_t> count = range.count();
  if (!count)
    return context.fail("unsupported", "a loop with `unroll=` has bounds that are known while tracing");
  int64_t rounds = *count / range.atOnce, left = *count;
  Bindings bindings = initial;
  if (rounds > 1) { // a loop of one iteration is not built as a loop
    left = *count % range.atOnce;
    auto result = LANESCOPE_TRY(unrolledRounds(context, range, *count - left, names, initial, body));
    bindings = std::move(result);
  }
  for (int64_t step = *count - left; step < *count; ++step) {
    LANESCOPE_CHECK(evaluator_.poll(context.span));
    if (auto grown = checked(context); !grown)
      return std::unexpected(std::move(grown.error()));
    at(context.span);
    Value known(*range.start.integer() + step * *range.step.integer());
    IrValue index = LANESCOPE_TRY(integer(context, known));
    auto result = LANESCOPE_TRY(body(TracedValue::make(*this, index, context.span), bindings));
    bindings = std::move(result);
  }
  for (size_t i = 0; i < names.size(); ++i)
    if (!initial[i]) // the name is local to the body
      bindings[i].reset();
  return bindings;
}

Result<Bindings> Tracer::unrolledRounds(Context &context, const RangeData &range, int64_t steps,
                                        const std::vector<std::string> &names, const Bindings &initial,
                                        const LoopBody &body) {
  Carried carried(*this, names, initial, context.span);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    at(context.span);
    IrValue lower = LANESCOPE_TRY(integer(context, Value(0)));
    IrValue upper = LANESCOPE_TRY(integer(context, Value(steps)));
    IrValue stride = LANESCOPE_TRY(integer(context, Value(range.atOnce)));
    auto values = LANESCOPE_TRY(carried.initialValues());
    Parts parts(*this);
    auto round = [&](const IrValue &index, const KernelBuilder::Values &inside) -> Result<KernelBuilder::MaybeValues> {
      parts.begin();
      Bindings bindings = carried.inside(inside);
      for (int64_t i = 0; i < range.atOnce; ++i) {
        LANESCOPE_CHECK(evaluator_.poll(context.span));
        if (auto grown = checked(context); !grown)
          return std::unexpected(std::move(grown.error()));
        IrValue ahead = LANESCOPE_TRY(integer(context, Value(i)));
        IrValue number = i == 0 ? index : builder_.binary(core::BinaryKind::Add, index, ahead);
        IrValue position = LANESCOPE_TRY(stepNumber(context, range, number));
        auto results = LANESCOPE_TRY(body(TracedValue::make(*this, position, context.span), bindings));
        bindings = std::move(results);
      }
      return carried.absorb(bindings);
    };
    auto results = LANESCOPE_TRY(builder_.forLoop(lower, upper, stride, values, round));
    parts.end();
    if (results)
      return carried.after(*results);
    LANESCOPE_CHECK(evaluator_.poll(context.span));
  }
  return unsettled(context);
}

Result<Bindings> Tracer::whileLoop(Context &context, const WhileStmt &, const Value &first,
                                   const std::vector<std::string> &names, const Bindings &initial,
                                   const LoopCondition &condition, const WhileBody &body) {
  using Values = KernelBuilder::Values;
  IrValue start = LANESCOPE_TRY(conditionOf(context, first, "while"));
  Carried carried(*this, names, initial, context.span);
  // The condition is carried before the names' values, so that it is evaluated once per iteration.
  auto without = [](const Values &values) { return Values(values.begin() + 1, values.end()); };
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    at(context.span);
    Values values{start};
    for (const IrValue &value : LANESCOPE_TRY(carried.initialValues()))
      values.push_back(value);
    auto decide = [](const Values &inside) -> Result<IrValue> { return inside.front(); };
    Parts parts(*this);
    auto round = [&](const Values &inside) -> Result<KernelBuilder::MaybeValues> {
      parts.begin();
      auto results = LANESCOPE_TRY(body(carried.inside(without(inside))));
      auto next = LANESCOPE_TRY(carried.absorb(results));
      if (!next)
        return KernelBuilder::MaybeValues();
      Value decided = LANESCOPE_TRY(condition(results));
      next->insert(next->begin(), LANESCOPE_TRY(conditionOf(context, decided, "while")));
      return KernelBuilder::MaybeValues(std::move(next));
    };
    auto results = LANESCOPE_TRY(builder_.whileLoop(values, decide, round));
    parts.end();
    if (results)
      return carried.after(without(*results));
    LANESCOPE_CHECK(evaluator_.poll(context.span));
  }
  return unsettled(context);
}

Result<Bindings> Tracer::ifElse(Context &context, const IfStmt &, const Value &condition,
                                const std::vector<std::string> &names, const Bindings &, const Branch &whenTrue,
                                const Branch &whenFalse) {
  at(context.span);
  IrValue decided = decision(LANESCOPE_TRY(conditionOf(context, condition, "if")));
  Merge merge(*this, context.span);
  Parts parts(*this);
  Bindings ifTrue, ifFalse;
  auto run = [&](const Branch &branch, Bindings &into) -> Result<void> {
    parts.begin();
    into = LANESCOPE_TRY(branch());
    return {};
  };
  auto yields = [&](bool branch) -> Result<KernelBuilder::Values> {
    parts.join();
    if (branch)
      for (size_t i = 0; i < names.size(); ++i)
        LANESCOPE_CHECK(merge.add(names[i], ifTrue[i], ifFalse[i]));
    return merge.yields(branch);
  };
  auto results = LANESCOPE_TRY(
      builder_.ifElse(decided, [&] { return run(whenTrue, ifTrue); }, [&] { return run(whenFalse, ifFalse); }, yields));
  parts.end();
  return merge.after(results);
}

Result<Value> Tracer::conditional(Context &context, const Value &condition, const Operand &whenTrue,
                                  const Operand &whenFalse) {
  at(context.span);
  IrValue decided = decision(LANESCOPE_TRY(conditionOf(context, condition, "if")));
  Merge merge(*this, context.span);
  Parts parts(*this);
  Value ifTrue, ifFalse;
  auto run = [&](const Operand &branch, Value &into) -> Result<void> {
    parts.begin();
    into = LANESCOPE_TRY(branch());
    return {};
  };
  auto yields = [&](bool branch) -> Result<KernelBuilder::Values> {
    parts.join();
    if (branch)
      LANESCOPE_CHECK(merge.add("this expression", ifTrue, ifFalse));
    return merge.yields(branch);
  };
  auto results = LANESCOPE_TRY(
      builder_.ifElse(decided, [&] { return run(whenTrue, ifTrue); }, [&] { return run(whenFalse, ifFalse); }, yields));
  parts.end();
  return *merge.after(results).front();
}

Result<Value> Tracer::boolean(Context &context, BoolOp op, const Value &left, const Operand &right) {
  std::string_view what = spelling(op);
  at(context.span);
  IrValue decided = LANESCOPE_TRY(conditionOf(context, left, what));
  // `a and b` is b if a is true, else False. `a or b` is True if a is true, else b. In the other case, b is not
  // evaluated.
  bool isAnd = op == BoolOp::And;
  std::optional<IrValue> other;
  Parts parts(*this);
  auto evaluate = [&]() -> Result<void> {
    parts.begin();
    Value value = LANESCOPE_TRY(right());
    other = LANESCOPE_TRY(conditionOf(context, value, what));
    return {};
  };
  auto nothing = []() -> Result<void> { return {}; };
  auto yields = [&](bool branch) -> Result<KernelBuilder::Values> {
    if (branch == isAnd)
      return KernelBuilder::Values{*other};
    return KernelBuilder::Values{at(context.span).constant(Dtype::I1, {}, int64_t{!isAnd})};
  };
  auto results = LANESCOPE_TRY(isAnd ? builder_.ifElse(decided, evaluate, nothing, yields)
                                     : builder_.ifElse(decided, nothing, evaluate, yields));
  parts.end();
  return TracedValue::make(*this, results.front(), context.span);
}

Result<void> Tracer::assertion(Context &context, const Value &condition, const std::string &message) {
  IrValue holds = LANESCOPE_TRY(conditionOf(context, condition, "assert"));
  LineColumn place = context.span.source ? context.span.source->lineColumn(context.span.begin) : LineColumn{};
  at(context.span).check(holds, text("line ", place.line, ": ", message));
  return {};
}

} // namespace lanescope::repl
