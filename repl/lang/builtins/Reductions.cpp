// The host's part of sum, prod, mean, max, min, any and all: for arrays over axes, for collections, for several values.
#include "layouts/support/Try.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/evaluate/Iterators.h"
#include "repl/lang/evaluate/Operators.h"
#include "repl/lang/evaluate/Sorting.h"
#include "repl/lang/values/ArrayFunctions.h"
#include "repl/lang/values/ArrayOps.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

/// Reduces an array, in `dtype` if argument `dtypeIndex` names one.
R overAxes(C &context, const A &args, const Value &array, Reduction reduction, size_t axis, size_t keepDims,
           std::optional<size_t> dtypeIndex = std::nullopt) {
  Value operand = array;
  if (dtypeIndex && args.has(*dtypeIndex) && !args[*dtypeIndex].value.isNone()) {
    Dtype dtype = LANESCOPE_TRY(args.dtype(*dtypeIndex));
    LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, array.asArray()->shape, context.span));
    operand = Value(LANESCOPE_TRY(cast(*array.asArray(), dtype)), array.arrayRules());
  }
  return reduce(reduction, operand, LANESCOPE_TRY(args.axes(axis, array.asArray()->shape)),
                LANESCOPE_TRY(args.booleanOr(keepDims, false)));
}

/// The largest or smallest item by the key that `key` gives.
R extremeItem(C &context, const A &args, const std::vector<Value> &items, bool isMax) {
  enum : size_t { kAxis = 1, kKey = 3, kDefault = 4 };
  if (args.has(kAxis) && !args[kAxis].value.isNone())
    return args.wrongValue(kAxis, "only an array has axes");
  if (items.empty()) {
    if (args.has(kDefault))
      return args[kDefault].value;
    return error("value", args.call,
                 Message("`{function}` of nothing; `default=` gives a value for that case", args.function));
  }
  const Arg *key = args.has(kKey) && !args[kKey].value.isNone() ? args.get(kKey) : nullptr;
  size_t best = 0;
  Value bestKey = key ? LANESCOPE_TRY(apply(context, *key, items[0])) : items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    LANESCOPE_CHECK(context.evaluator.poll(args.call));
    Value candidate = key ? LANESCOPE_TRY(apply(context, *key, items[i])) : items[i];
    bool better = LANESCOPE_TRY(isMax ? lessThan(bestKey, candidate) : lessThan(candidate, bestKey));
    if (better) {
      best = i;
      bestKey = std::move(candidate);
    }
  }
  return items[best];
}

template <bool isMax> R extreme(C &context, const A &args) {
  const auto &given = args.rest();
  if (given.empty())
    return error("arguments", Message("`{function}` needs values or one collection of them", args.function));
  if (given.size() == 1 && given[0].value.asArray())
    return overAxes(context, args, given[0].value, isMax ? Reduction::Max : Reduction::Min, 1, 2);
  std::vector<Value> items;
  if (given.size() == 1)
    items = LANESCOPE_TRY(context.evaluator.iterate(given[0].value, given[0].span));
  else
    for (const Arg &item : given)
      items.push_back(item.value);
  return extremeItem(context, args, items, isMax);
}

R sum(C &context, const A &args) {
  enum : size_t { kX, kAxis, kDtype, kKeepDims, kStart };
  if (args[kX].value.asArray()) {
    Value total = LANESCOPE_TRY(overAxes(context, args, args[kX].value, Reduction::Sum, kAxis, kKeepDims, kDtype));
    return args.has(kStart) ? context.evaluator.binary(BinaryOp::Add, {total, args.call}, args[kStart], args.call)
                            : R(std::move(total));
  }
  std::vector<Value> items = LANESCOPE_TRY(context.evaluator.iterate(args[kX].value, args[kX].span));
  const Arg *start = args.has(kStart) ? args.get(kStart) : args.get(kAxis); // Python's second argument is the start
  Arg total{start ? start->value : Value(0), args.call};
  if (total.value.asStr())
    return args.wrongValue(args.has(kStart) ? kStart : kAxis, "strings are put together with `\"\".join(…)`");
  for (Value &item : items) {
    LANESCOPE_CHECK(context.evaluator.poll(args.call));
    total.value =
        LANESCOPE_TRY(context.evaluator.binary(BinaryOp::Add, total, {std::move(item), args[kX].span}, args.call));
  }
  return std::move(total.value);
}

template <Reduction reduction> R ofArray(C &context, const A &args) {
  LANESCOPE_CHECK(args.array(0));
  return overAxes(context, args, args[0].value, reduction, 1, 3, 2);
}

template <bool isAll> R quantifier(C &context, const A &args) {
  if (args[0].value.asArray())
    return overAxes(context, args, args[0].value, isAll ? Reduction::All : Reduction::Any, 1, 2);
  auto items = LANESCOPE_TRY(Iterator::of(context, args[0].value, args[0].span));
  while (auto item = LANESCOPE_TRY(items->next(context)))
    if (LANESCOPE_TRY(context.evaluator.truth(*item, args[0].span)) != isAll)
      return Value(!isAll);
  return Value(isAll);
}

} // namespace

Builtins reductions() {
  Builtins out = {
      hostFunction("min", extreme<false>),   hostFunction("max", extreme<true>),     hostFunction("sum", sum),
      hostFunction("all", quantifier<true>), hostFunction("any", quantifier<false>),
  };
  for (Builtin &builtin : out) { // Python has these functions for collections of any values
    builtin.group = "Python";
    builtin.worksIn = WorksIn::Both;
  }
  out.push_back(hostFunction("prod", ofArray<Reduction::Product>));
  out.push_back(hostFunction("mean", ofArray<Reduction::Mean>));
  return out;
}

} // namespace lanescope::repl
