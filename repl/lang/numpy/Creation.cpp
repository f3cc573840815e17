// Arrays made of numbers, of lists, of nothing.
#include "repl/lang/numpy/Numpy.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>
#include <cmath>

namespace lanescope::repl {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

Result<std::optional<Dtype>> dtypeArgument(const A &args, size_t index, ArrayRules rules) {
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  auto ruled = [&](Dtype dtype) { return rules == ArrayRules::Jax ? narrowed(dtype) : dtype; };
  const Value &value = args[index].value;
  if (const BuiltinValue *type = value.asBuiltin()) {
    if (type->name == "float")
      return ruled(Dtype::F64);
    if (type->name == "int")
      return ruled(Dtype::I64);
  }
  return ruled(LANESCOPE_TRY(args.dtype(index)));
}

/// What an array of such numbers is without a dtype.
static Dtype defaultDtype(bool anyFloat, bool anyInt, ArrayRules rules) {
  if (anyFloat)
    return rules == ArrayRules::Jax ? Dtype::F32 : Dtype::F64;
  if (anyInt)
    return rules == ArrayRules::Jax ? Dtype::I32 : Dtype::I64;
  return Dtype::I1;
}

/// Arrays among nested lists: where their dtypes meet; nothing without any.
static Result<std::optional<Dtype>> dtypeOfParts(const Value &value, ArrayRules rules, int depth = 0) {
  constexpr int kDeepest = 16; // arrayOf() takes no deeper lists
  if (depth > kDeepest)
    return std::nullopt;
  if (const Array *array = value.asArray())
    return array->dtype;
  std::optional<Dtype> joint;
  const std::vector<Value> *items = value.asTuple();
  if (const ListData *list = value.asList())
    items = &list->items;
  for (const Value &item : items ? *items : std::vector<Value>{})
    if (auto dtype = LANESCOPE_TRY(dtypeOfParts(item, rules, depth + 1)))
      joint = joint ? LANESCOPE_TRY(promote(*joint, *dtype, rules)) : dtype;
  return joint;
}

static Result<Array> arrayFrom(const Value &value, ArrayRules rules, std::optional<Dtype> dtype) {
  if (const Array *array = value.asArray())
    return castUnder(*array, dtype ? *dtype : rules == ArrayRules::Jax ? narrowed(array->dtype) : array->dtype, rules);
  if (!dtype)
    dtype = LANESCOPE_TRY(dtypeOfParts(value, rules));
  if (dtype)
    return arrayOf(value, dtype);
  Array probe = LANESCOPE_TRY(arrayOf(value, std::nullopt));
  bool anyFloat = layouts::isFloat(probe.dtype) || probe.size() == 0, anyInt = probe.dtype == Dtype::I32;
  return arrayOf(value, defaultDtype(anyFloat, anyInt, rules));
}

Result<Array> arrayArgument(const A &args, size_t index, ArrayRules rules, std::optional<Dtype> dtype) {
  const Value &value = args[index].value;
  auto ofKernel = [](const Value &one) { return one.asObject() && one.typeName().starts_with("traced "); };
  const auto *parts = value.asTuple() ? value.asTuple() : value.asList() ? &value.asList()->items : nullptr;
  if (ofKernel(value) || (parts && std::ranges::any_of(*parts, ofKernel)))
    return args.wrongValue(
        index, text("this function is for arrays of the host, and kernels do not have it: arrays in registers "
                    "are combined element by element and reduced, others go through shared memory"));
  if (!value.asArray() && !value.number() && !parts)
    return args.wrongType(index, "an array, a number or a list of them");
  auto out = arrayFrom(value, rules, dtype);
  if (!out)
    return at(args[index].span, std::move(out.error()));
  return out;
}

Result<Shape> sizeArgument(const A &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return Shape{};
  return args.shape(index);
}

Result<int64_t> axisArgument(const A &args, size_t index, int64_t fallback, size_t rank) {
  int64_t axis = LANESCOPE_TRY(args.integerOr(index, fallback)), size = static_cast<int64_t>(rank);
  if (axis < -size || axis >= size)
    return args.has(index)
               ? Result<int64_t>(args.wrongValue(index, text("axis ", axis, " does not exist in rank ", size)))
               : Result<int64_t>(error("value", text("axis ", axis, " does not exist in rank ", size)));
  return axis < 0 ? axis + size : axis;
}

namespace {

R filled(C &context, const Shape &shape, Dtype dtype, const Value &number, ArrayRules rules) {
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  Array out = Array::zeros(dtype, shape);
  if (number.number() != 0.0)
    for (int64_t i = 0; i < out.size(); ++i)
      setElement(out, i, number);
  return Value(std::move(out), rules);
}

BuiltinCall constant(ArrayRules rules, int64_t number) {
  return [rules, number](C &context, const A &args) -> R {
    Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 1, rules)).value_or(defaultDtype(true, false, rules));
    return filled(context, LANESCOPE_TRY(args.shape(0)), dtype, Value(number), rules);
  };
}

BuiltinCall like(ArrayRules rules, std::optional<int64_t> number) {
  return [rules, number](C &context, const A &args) -> R {
    // A traced array of a kernel has shape and dtype as well.
    Value shaped = LANESCOPE_TRY(context.evaluator.attribute(args[0].value, "shape", args[0].span));
    Value typed = LANESCOPE_TRY(context.evaluator.attribute(args[0].value, "dtype", args[0].span));
    size_t at = number ? 1 : 2;
    Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, at, rules)).value_or(*typed.asDtype());
    Shape shape;
    for (const Value &size : *shaped.asTuple())
      shape.push_back(*size.asInt());
    return filled(context, shape, dtype, number ? Value(*number) : args[1].value.plain(), rules);
  };
}

R full(C &context, const A &args, ArrayRules rules) {
  Value number = args[1].value.plain();
  auto dtype = LANESCOPE_TRY(dtypeArgument(args, 2, rules));
  if (const Array *array = args[1].value.asArray(); array && !dtype)
    dtype = array->dtype;
  if (!number.number())
    return args.wrongType(1, "a number");
  return filled(context, LANESCOPE_TRY(args.shape(0)),
                dtype.value_or(defaultDtype(number.asFloat(), number.asInt(), rules)), number, rules);
}

R arange(C &context, const A &args, ArrayRules rules) {
  auto given = [&](size_t i) { return args.has(i) && !args[i].value.isNone(); };
  Value bounds[3] = {Value(0), Value(), Value(1)};
  for (size_t i : {0, 1, 2}) {
    if (!given(i))
      continue;
    bounds[i] = args[i].value.plain();
    if (!bounds[i].number())
      return args.wrongType(i, "a number");
  }
  if (!given(1))
    bounds[1] = std::exchange(bounds[0], Value(0));
  bool floats = bounds[0].asFloat() || bounds[1].asFloat() || bounds[2].asFloat();
  double start = *bounds[0].number(), step = *bounds[2].number();
  if (step == 0)
    return args.wrongValue(2, "a step of 0");
  double count = std::ceil((*bounds[1].number() - start) / step);
  if (!(count < 2147483648.0))
    return args.wrongValue(0, "the result would have 2**31 elements or more");
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 3, rules)).value_or(defaultDtype(floats, true, rules));
  Shape shape = {static_cast<int64_t>(std::max(count, 0.0))};
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  Array out = Array::zeros(dtype, shape);
  for (int64_t i = 0; i < out.size(); ++i)
    setElement(out, i,
               floats ? Value(start + static_cast<double>(i) * step)
                      : Value(*bounds[0].integer() + i * *bounds[2].integer()));
  return Value(std::move(out), rules);
}

R linspace(C &context, const A &args, ArrayRules rules) {
  double start = LANESCOPE_TRY(args.number(0)), stop = LANESCOPE_TRY(args.number(1));
  int64_t count = LANESCOPE_TRY(args.integerOr(2, 50));
  bool endpoint = LANESCOPE_TRY(args.booleanOr(3, true));
  if (count < 0)
    return args.wrongValue(2, "a count is not negative");
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 4, rules)).value_or(defaultDtype(true, false, rules));
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, {count}, context.span));
  Array out = Array::zeros(dtype, {count});
  int64_t steps = endpoint ? count - 1 : count;
  double step = steps > 0 ? (stop - start) / static_cast<double>(steps) : 0;
  for (int64_t i = 0; i < count; ++i)
    setElement(out, i, Value(endpoint && i == count - 1 && i > 0 ? stop : start + static_cast<double>(i) * step));
  return Value(std::move(out), rules);
}

R eye(C &context, const A &args, ArrayRules rules) {
  int64_t rows = LANESCOPE_TRY(args.integer(0)), columns = LANESCOPE_TRY(args.integerOr(1, rows));
  int64_t diagonal = LANESCOPE_TRY(args.integerOr(2, 0));
  if (rows < 0 || columns < 0)
    return args.wrongValue(0, "a size is not negative");
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 3, rules)).value_or(defaultDtype(true, false, rules));
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, {rows, columns}, context.span));
  Array out = Array::zeros(dtype, {rows, columns});
  for (int64_t i = 0; i < rows; ++i)
    if (i + diagonal >= 0 && i + diagonal < columns)
      setElement(out, i * columns + i + diagonal, Value(1));
  return Value(std::move(out), rules);
}

R makeArray(C &context, const A &args, ArrayRules rules) {
  auto dtype = LANESCOPE_TRY(dtypeArgument(args, 1, rules));
  if (context.evaluator.staging() && context.evaluator.staging()->isTraced(args[0].value)) {
    if (!dtype)
      return args[0].value;
    Arguments cast;
    cast.positional = {args[0], {Value(*dtype), args.call}};
    return context.evaluator.call(*context.evaluator.builtin("astype"), cast, args.call);
  }
  if (const Array *array = args[0].value.asArray())
    LANESCOPE_CHECK(context.evaluator.reserveArray(dtype.value_or(array->dtype), array->shape, context.span));
  if (args[0].value.asRange() || args[0].value.asObject()) {
    auto items = LANESCOPE_TRY(context.evaluator.iterate(args[0].value, args[0].span));
    auto out = arrayFrom(Value::list(std::move(items)), rules, dtype);
    if (!out)
      return at(args[0].span, std::move(out.error()));
    return Value(std::move(*out), rules);
  }
  return Value(LANESCOPE_TRY(arrayArgument(args, 0, rules, dtype)), rules);
}

/// The array itself where nothing about it changes.
R asArray(C &context, const A &args, ArrayRules rules) {
  const ArrayData *data = args[0].value.asArrayData();
  auto dtype = LANESCOPE_TRY(dtypeArgument(args, 1, rules));
  bool same = data && data->rules == rules && dtype.value_or(data->array.dtype) == data->array.dtype;
  if (same && !(args.has(2) && LANESCOPE_TRY(args.booleanOr(2, false))))
    return args[0].value;
  return makeArray(context, args, rules);
}

/// The same, of elements that lie row by row.
R asContiguous(C &context, const A &args, ArrayRules rules) {
  const ArrayData *data = args[0].value.asArrayData();
  bool even = !data || data->base.isNone() || data->places.strides == layouts::contiguousStrides(data->places.shape);
  return even ? asArray(context, args, rules) : makeArray(context, args, rules);
}

} // namespace

Builtins creationNatives(ArrayRules rules) {
  auto with = [rules](R (*function)(C &, const A &, ArrayRules)) {
    return [rules, function](C &context, const A &args) { return function(context, args, rules); };
  };
  return {
      {"zeros", "zeros(shape, dtype=None, *, order=None)", "An array of zeros.", constant(rules, 0)},
      {"empty", "empty(shape, dtype=None, *, order=None)", "An array of zeros.", constant(rules, 0)},
      {"ones", "ones(shape, dtype=None, *, order=None)", "An array of ones.", constant(rules, 1)},
      {"zeros_like", "zeros_like(x, dtype=None, shape=None)", "Zeros of x's shape and dtype.", like(rules, 0)},
      {"empty_like", "empty_like(x, dtype=None, shape=None)", "Zeros of x's shape and dtype.", like(rules, 0)},
      {"ones_like", "ones_like(x, dtype=None, shape=None)", "Ones of x's shape and dtype.", like(rules, 1)},
      {"full_like", "full_like(x, fill_value, dtype=None, shape=None)", "A number in x's shape and dtype.",
       like(rules, std::nullopt)},
      {"full", "full(shape, fill_value, dtype=None)", "An array with one number everywhere.", with(full)},
      {"arange", "arange(start, stop=None, step=1, dtype=None)",
       "The numbers from start up to stop, stop not included; with one bound, from 0.", with(arange)},
      {"linspace", "linspace(start, stop, num=50, endpoint=True, dtype=None)", "Evenly spaced numbers.",
       with(linspace)},
      {"eye", "eye(N, M=None, k=0, dtype=None)", "Ones on a diagonal.", with(eye)},
      {"array", "array(values, dtype=None, copy=True, ndmin=0)", "An array of an array, a number, or nested lists.",
       with(makeArray)},
      {"asarray", "asarray(values, dtype=None, copy=None)", "An array of a number or nested lists; an array as it is.",
       with(asArray)},
      {"ascontiguousarray", "ascontiguousarray(values, dtype=None, copy=None)",
       "As `asarray`, with the elements row by row.", with(asContiguous)},
  };
}

} // namespace lanescope::repl
