// Arrays joined, sorted, summed along the way.
#include "repl/lang/numpy/Numpy.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/values/ArrayViews.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

/// The lines of an array along an axis: `count` of them, of `length` elements `stride` apart.
struct Lines {
  int64_t count = 0, length = 0, stride = 1;
  int64_t start(int64_t line) const { return line / stride * stride * length + line % stride; }
};

Lines linesAlong(const Shape &shape, int64_t axis) {
  Lines lines;
  lines.length = shape[static_cast<size_t>(axis)];
  lines.stride = layouts::contiguousStrides(shape)[static_cast<size_t>(axis)];
  int64_t all = layouts::elementCount(shape);
  lines.count = lines.length == 0 ? 0 : all / lines.length;
  return lines;
}

R concatenate(C &context, const A &args, ArrayRules rules) {
  std::vector<Array> parts;
  std::optional<Dtype> dtype = LANESCOPE_TRY(dtypeArgument(args, 2, rules));
  std::optional<Dtype> joint;
  for (const Value &item : LANESCOPE_TRY(context.evaluator.iterate(args[0].value, args[0].span))) {
    Value array = item.asArray() ? item : underRules(Value(LANESCOPE_TRY(arrayOf(item, std::nullopt))), rules);
    parts.push_back(*array.asArray());
    joint = joint ? LANESCOPE_TRY(promote(*joint, parts.back().dtype, rules)) : parts.back().dtype;
  }
  if (parts.empty())
    return args.wrongValue(0, "there is nothing to join");
  if (args.has(1) && args[1].value.isNone())
    for (Array &part : parts)
      part.shape = {part.size()};
  int64_t axis = LANESCOPE_TRY(axisArgument(args, 1, 0, parts[0].shape.size()));
  auto at = static_cast<size_t>(axis);
  Shape shape = parts[0].shape;
  shape[at] = 0;
  for (const Array &part : parts) {
    Shape own = part.shape;
    if (own.size() == shape.size())
      own[at] = shape[at];
    if (own != shape)
      return error("shape-mismatch", args[0].span,
                   text("arrays of shapes ", layouts::tupleText(parts[0].shape), " and ",
                        layouts::tupleText(part.shape), " do not join along axis ", axis));
    shape[at] += part.shape[at];
  }
  Dtype to = dtype.value_or(*joint);
  LANESCOPE_CHECK(context.evaluator.reserveArray(to, shape, context.span));
  Array out = Array::zeros(to, shape);
  auto width = static_cast<size_t>(layouts::hostBytes(to));
  int64_t inner = layouts::contiguousStrides(shape)[at], row = inner * shape[at], begin = 0;
  for (const Array &given : parts) {
    Array part = LANESCOPE_TRY(cast(given, to));
    int64_t block = inner * part.shape[at];
    for (int64_t i = 0; block > 0 && i < part.size() / block; ++i)
      std::copy_n(part.bytes.data() + static_cast<size_t>(i * block) * width, static_cast<size_t>(block) * width,
                  out.bytes.data() + static_cast<size_t>(i * row + begin) * width);
    begin += block;
  }
  return Value(std::move(out), rules);
}

/// Positions in the order of the values; NaN last.
std::vector<int64_t> order(const Array &x, int64_t start, const Lines &lines) {
  std::vector<int64_t> out(static_cast<size_t>(lines.length));
  std::iota(out.begin(), out.end(), 0);
  auto at = [&](int64_t i) { return start + i * lines.stride; };
  bool floats = layouts::isFloat(x.dtype);
  std::ranges::stable_sort(out, [&](int64_t a, int64_t b) {
    if (!floats)
      return x.dtype == Dtype::U64 ? static_cast<uint64_t>(x.integer(at(a))) < static_cast<uint64_t>(x.integer(at(b)))
                                   : x.integer(at(a)) < x.integer(at(b));
    double p = x.number(at(a)), q = x.number(at(b));
    return std::isnan(q) ? !std::isnan(p) : p < q;
  });
  return out;
}

/// `indices`: argsort, else sort.
R sorted(C &context, const A &args, ArrayRules rules, bool indices) {
  Array x = LANESCOPE_TRY(arrayArgument(args, 0, rules));
  if (x.shape.empty() || (args.has(1) && args[1].value.isNone()))
    x.shape = {x.size()};
  int64_t axis = LANESCOPE_TRY(axisArgument(args, args.has(1) && args[1].value.isNone() ? 2 : 1, -1, x.shape.size()));
  Array out = Array::zeros(indices ? (rules == ArrayRules::Jax ? Dtype::I32 : Dtype::I64) : x.dtype, x.shape);
  Lines lines = linesAlong(x.shape, axis);
  for (int64_t line = 0; line < lines.count; ++line) {
    LANESCOPE_CHECK(context.evaluator.poll(context.span));
    int64_t start = lines.start(line);
    std::vector<int64_t> places = order(x, start, lines);
    for (int64_t i = 0; i < lines.length; ++i) {
      int64_t from = places[static_cast<size_t>(i)], to = start + i * lines.stride;
      if (indices)
        out.setInteger(to, from);
      else
        setElement(out, to, elementOf(x, start + from * lines.stride));
    }
  }
  return Value(std::move(out), rules);
}

/// The place of the first extreme.
R argExtreme(C &, const A &args, ArrayRules rules, bool largest) {
  Array x = LANESCOPE_TRY(arrayArgument(args, 0, rules));
  bool all = !args.has(1) || args[1].value.isNone();
  bool keep = LANESCOPE_TRY(args.booleanOr(2, false));
  Shape whole = x.shape;
  if (all)
    x.shape = {x.size()};
  int64_t axis = all ? 0 : LANESCOPE_TRY(axisArgument(args, 1, 0, x.shape.size()));
  Lines lines = linesAlong(x.shape, axis);
  if (lines.length == 0)
    return args.wrongValue(0, "there is no element to choose");
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  Array out = Array::zeros(rules == ArrayRules::Jax ? Dtype::I32 : Dtype::I64, shape);
  for (int64_t line = 0; line < lines.count; ++line) {
    int64_t best = 0, start = lines.start(line);
    for (int64_t i = 1; i < lines.length; ++i) {
      double p = x.number(start + i * lines.stride), q = x.number(start + best * lines.stride);
      if ((largest ? p > q : p < q) || (std::isnan(p) && !std::isnan(q)))
        best = i;
    }
    out.setInteger(line, best);
  }
  if (keep) {
    out.shape = all ? Shape(whole.size(), 1) : x.shape;
    if (!all)
      out.shape[static_cast<size_t>(axis)] = 1;
  }
  return Value(std::move(out), rules);
}

R running(C &, const A &args, ArrayRules rules, bool product) {
  Array x = LANESCOPE_TRY(arrayArgument(args, 0, rules));
  if (!args.has(1) || args[1].value.isNone())
    x.shape = {x.size()};
  int64_t axis = LANESCOPE_TRY(axisArgument(args, 1, 0, x.shape.size()));
  Dtype dtype = x.dtype;
  if (!layouts::isFloat(dtype) && rules == ArrayRules::Numpy)
    dtype = layouts::isUnsignedInteger(dtype) && dtype != Dtype::I1 ? Dtype::U64 : Dtype::I64;
  else if (dtype == Dtype::I1)
    dtype = Dtype::I32;
  dtype = LANESCOPE_TRY(dtypeArgument(args, 2, rules)).value_or(dtype);
  Array out = Array::zeros(dtype, x.shape);
  Lines lines = linesAlong(x.shape, axis);
  bool floats = layouts::isFloat(dtype);
  for (int64_t line = 0; line < lines.count; ++line) {
    double number = product ? 1 : 0;
    uint64_t integer = product ? 1 : 0;
    for (int64_t i = 0; i < lines.length; ++i) {
      int64_t place = lines.start(line) + i * lines.stride;
      if (floats) {
        number = product ? number * x.number(place) : number + x.number(place);
        out.setNumber(place, number);
        number = out.number(place); // rounded at each step, as NumPy's running sums are
      } else {
        auto value = static_cast<uint64_t>(x.integer(place));
        integer = product ? integer * value : integer + value;
        out.setInteger(place, static_cast<int64_t>(integer));
      }
    }
  }
  return Value(std::move(out), rules);
}

R nonzero(C &, const A &args, ArrayRules rules) {
  Array x = LANESCOPE_TRY(arrayArgument(args, 0, rules));
  Shape strides = layouts::contiguousStrides(x.shape);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < x.size(); ++i)
    if (x.number(i) != 0)
      places.push_back(i);
  std::vector<Value> out;
  for (size_t d = 0; d < x.shape.size(); ++d) {
    Array along =
        Array::zeros(rules == ArrayRules::Jax ? Dtype::I32 : Dtype::I64, {static_cast<int64_t>(places.size())});
    for (size_t i = 0; i < places.size(); ++i)
      along.setInteger(static_cast<int64_t>(i), places[i] / strides[d] % x.shape[d]);
    out.emplace_back(std::move(along), rules);
  }
  return Value::tuple(std::move(out));
}

R repeat(C &context, const A &args, ArrayRules rules) {
  Array x = LANESCOPE_TRY(arrayArgument(args, 0, rules));
  if (!args.has(2) || args[2].value.isNone())
    x.shape = {x.size()};
  int64_t axis = LANESCOPE_TRY(axisArgument(args, 2, 0, x.shape.size()));
  Array counts = LANESCOPE_TRY(arrayArgument(args, 1, rules));
  int64_t size = x.shape[static_cast<size_t>(axis)], total = 0;
  counts = LANESCOPE_TRY(broadcastTo(counts, {size}));
  Array places = Array::zeros(Dtype::I64, {0});
  for (int64_t i = 0; i < size; ++i) {
    if (counts.integer(i) < 0)
      return args.wrongValue(1, "a count is not negative");
    total += counts.integer(i);
    LANESCOPE_CHECK(context.evaluator.reserveItems(total, context.span));
  }
  places = Array::zeros(Dtype::I64, {total});
  for (int64_t i = 0, to = 0; i < size; ++i)
    for (int64_t k = 0; k < counts.integer(i); ++k)
      places.setInteger(to++, i);
  std::vector<Value> index(static_cast<size_t>(axis), Value::slice({}, {}, {}));
  index.emplace_back(std::move(places), ArrayRules::Numpy);
  return arrayGetItem(x, Value::tuple(std::move(index)), rules);
}

R broadcastShapesNative(C &, const A &args) {
  Shape out;
  for (const Arg &arg : args.rest()) {
    Shape shape;
    std::vector<Value> items = arg.value.asTuple() ? *arg.value.asTuple() : std::vector{arg.value};
    for (const Value &item : items) {
      if (!item.plain().asInt())
        return error("type", arg.span, "a shape is a tuple of ints");
      shape.push_back(*item.plain().asInt());
    }
    auto joint = broadcastShapes(out, shape);
    if (!joint)
      return at(arg.span, std::move(joint.error()));
    out = std::move(*joint);
  }
  return Value::shape(out);
}

} // namespace

Builtins movingNatives(ArrayRules rules) {
  auto with = [rules](R (*function)(C &, const A &, ArrayRules)) {
    return [rules, function](C &context, const A &args) { return function(context, args, rules); };
  };
  auto either = [rules](R (*function)(C &, const A &, ArrayRules, bool), bool which) {
    return [rules, function, which](C &context, const A &args) { return function(context, args, rules, which); };
  };
  return {
      {"concatenate", "concatenate(arrays, axis=0, dtype=None)", "The arrays one after the other along an axis.",
       with(concatenate)},
      {"sort", "sort(x, axis=-1, _last=-1)", "The elements of each line along an axis in order.",
       either(sorted, false)},
      {"argsort", "argsort(x, axis=-1, _last=-1, *, kind=None, stable=None)",
       "Where the elements of each line stand, in order.", either(sorted, true)},
      {"argmax", "argmax(x, axis=None, keepdims=False)", "The place of the largest element.", either(argExtreme, true)},
      {"argmin", "argmin(x, axis=None, keepdims=False)", "The place of the smallest element.",
       either(argExtreme, false)},
      {"cumsum", "cumsum(x, axis=None, dtype=None)", "Running sums.", either(running, false)},
      {"cumprod", "cumprod(x, axis=None, dtype=None)", "Running products.", either(running, true)},
      {"nonzero", "nonzero(x)", "Where elements are not zero: an array of places for each dimension.", with(nonzero)},
      {"repeat", "repeat(x, repeats, axis=None)", "Each element several times.", with(repeat)},
      {"_raveled", "_raveled(x)", "The elements of an array of the host as one of rank 1.",
       [](C &, const A &args) -> R { return raveled(args[0].value); }},
      {"broadcast_shapes", "broadcast_shapes(*shapes)", "The shape that arrays of these shapes broadcast to.",
       broadcastShapesNative},
  };
}

} // namespace lanescope::repl
