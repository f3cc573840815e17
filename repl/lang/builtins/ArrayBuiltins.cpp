// Builtins that make, convert, compare, load and save host arrays.
#include "layouts/support/Try.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/values/ArrayOps.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <cmath>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

Result<Array> blank(C &context, Dtype dtype, const Shape &shape) {
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  return Array::zeros(dtype, shape);
}

R filled(C &context, const A &args, int64_t value) {
  Shape shape = LANESCOPE_TRY(args.shape(0));
  Array out = LANESCOPE_TRY(blank(context, LANESCOPE_TRY(args.dtypeOr(1, Dtype::F32)), shape));
  if (value != 0)
    for (int64_t i = 0; i < out.size(); ++i)
      setElement(out, i, Value(value));
  return Value(std::move(out));
}

Dtype dtypeOfScalar(const Value &scalar) {
  return scalar.asFloat() ? Dtype::F32 : scalar.asBool() ? Dtype::I1 : Dtype::I32;
}

R full(C &context, const A &args) {
  Shape shape = LANESCOPE_TRY(args.shape(0));
  if (!args[1].value.number())
    return args.wrongType(1, "a number");
  Array out = LANESCOPE_TRY(blank(context, LANESCOPE_TRY(args.dtypeOr(2, dtypeOfScalar(args[1].value))), shape));
  for (int64_t i = 0; i < out.size(); ++i)
    setElement(out, i, args[1].value);
  return Value(std::move(out));
}

R makeArray(C &context, const A &args) {
  std::optional<Dtype> dtype;
  if (args.has(1) && !args[1].value.isNone())
    dtype = LANESCOPE_TRY(args.dtype(1));
  if (const Array *array = args[0].value.asArray()) {
    LANESCOPE_CHECK(context.evaluator.reserveArray(dtype.value_or(array->dtype), array->shape, context.span));
    return Value(LANESCOPE_TRY(cast(*array, dtype.value_or(array->dtype))));
  }
  Value nested = args[0].value;
  if (nested.asRange())
    nested = Value::list(LANESCOPE_TRY(context.evaluator.iterate(nested, args[0].span)));
  auto out = arrayOf(nested, dtype);
  if (!out)
    return at(args[0].span, std::move(out.error()));
  return Value(std::move(*out));
}

R iota(C &context, const A &args) {
  Shape shape = LANESCOPE_TRY(args.shape(0));
  Array out = LANESCOPE_TRY(blank(context, LANESCOPE_TRY(args.dtypeOr(1, Dtype::I32)), shape));
  int64_t axis = LANESCOPE_TRY(args.integerOr(2, -1)), rank = static_cast<int64_t>(shape.size());
  bool along = args.has(2) && !args[2].value.isNone();
  if (along && (axis < -rank || axis >= rank))
    return args.wrongValue(2, text("axis ", axis, " does not exist in rank ", rank));
  int64_t inner = 1, size = 1;
  if (along) {
    size_t dim = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    size = shape[dim];
    inner = layouts::contiguousStrides(shape)[dim];
  }
  for (int64_t i = 0; i < out.size(); ++i)
    setElement(out, i, Value(along ? i / inner % size : i));
  return Value(std::move(out));
}

R arange(C &context, const A &args) {
  bool oneBound = !args.has(1) || args[1].value.isNone();
  for (size_t i : {0, 1, 2})
    if (args.has(i) && !args[i].value.isNone() && !args[i].value.number())
      return args.wrongType(i, "a number");
  Value start = oneBound ? Value(0) : args[0].value, stop = oneBound ? args[0].value : args[1].value;
  Value step = args.has(2) ? args[2].value : Value(1);
  bool floats = start.asFloat() || stop.asFloat() || step.asFloat();
  if (*step.number() == 0)
    return args.wrongValue(2, "a step of 0");
  double span = std::ceil((*stop.number() - *start.number()) / *step.number());
  if (!(span < 2147483648.0))
    return args.wrongValue(0, "the result would have 2**31 elements or more");
  Shape shape = {static_cast<int64_t>(std::max(span, 0.0))};
  Array out = LANESCOPE_TRY(blank(context, LANESCOPE_TRY(args.dtypeOr(3, floats ? Dtype::F32 : Dtype::I32)), shape));
  for (int64_t i = 0; i < out.size(); ++i) {
    if (floats)
      setElement(out, i, Value(*start.number() + static_cast<double>(i) * *step.number()));
    else
      setElement(out, i, Value(*start.integer() + i * *step.integer()));
  }
  return Value(std::move(out));
}

/// SplitMix64 of a counter: the same numbers on every machine, whatever the order they are made in.
uint64_t mix(uint64_t seed, uint64_t counter) {
  uint64_t z = seed * 0x9E3779B97F4A7C15ULL + (counter + 1) * 0xD1B54A32D192ED03ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

R random(C &context, const A &args) {
  Shape shape = LANESCOPE_TRY(args.shape(0));
  Dtype dtype = LANESCOPE_TRY(args.dtypeOr(1, Dtype::F32));
  auto seed = static_cast<uint64_t>(LANESCOPE_TRY(args.integerOr(2, 0)));
  Array out = LANESCOPE_TRY(blank(context, dtype, shape));
  int width = layouts::bitwidth(dtype);
  bool isFloat = layouts::isFloat(dtype), isSigned = layouts::isSignedInteger(dtype);
  double low = LANESCOPE_TRY(args.numberOr(3, isFloat ? -1 : !isSigned ? 0 : width == 4 ? -8 : -128));
  double high = LANESCOPE_TRY(args.numberOr(4, isFloat              ? 1
                                               : dtype == Dtype::I1 ? 2
                                               : !isSigned          ? (width == 4 ? 16 : 256)
                                               : width == 4         ? 8
                                                                    : 128));
  if (!(low < high) || !(high - low < 9e15) || std::abs(low) > 9e15)
    return args.wrongValue(args.has(4) ? 4 : 3,
                           text("low (", floatText(low), ") must be less than high (", floatText(high), ")"));
  for (int64_t i = 0; i < out.size(); ++i) {
    // 53 random bits, so that the unit interval and the product below are exact in f64.
    double unit = static_cast<double>(mix(seed, static_cast<uint64_t>(i)) >> 11) * 0x1p-53;
    if (isFloat)
      out.setNumber(i, low + unit * (high - low));
    else
      out.setInteger(i, static_cast<int64_t>(low + std::floor(unit * (std::floor(high) - std::ceil(low)))));
  }
  return Value(std::move(out));
}

R load(C &, const A &args) {
  std::string path = LANESCOPE_TRY(args.text(0));
  auto placed = [&](Diagnostics diagnostics) { return at(args[0].span, std::move(diagnostics)); };
  if (path.ends_with(".npz")) {
    auto arrays = core::loadNpz(path);
    if (!arrays)
      return placed(std::move(arrays.error()));
    std::vector<std::pair<std::string, Value>> out;
    for (core::NamedArray &named : *arrays)
      out.emplace_back(std::move(named.name), Value(std::move(named.array)));
    return Value::dict(std::move(out));
  }
  if (!path.ends_with(".npy"))
    return args.wrongValue(0, "only `.npy` and `.npz` files are read");
  std::optional<Dtype> dtype;
  if (args.has(1) && !args[1].value.isNone())
    dtype = LANESCOPE_TRY(args.dtype(1));
  auto array = core::loadNpy(path, dtype);
  if (!array)
    return placed(std::move(array.error()));
  return Value(std::move(*array));
}

R save(C &, const A &args) {
  std::string path = LANESCOPE_TRY(args.text(0));
  if (!path.ends_with(".npy")) // so that no snippet replaces anything but arrays
    return args.wrongValue(0, "only `.npy` files are written");
  const Array *array = LANESCOPE_TRY(args.array(1));
  auto done = core::saveNpy(path, *array);
  if (!done)
    return at(args[0].span, std::move(done.error()));
  return Value();
}

/// An array or a number, as an array.
Result<Array> arrayFrom(const A &args, size_t index) {
  const Value &value = args[index].value;
  if (const Array *array = value.asArray())
    return *array;
  if (value.number() || value.asList() || value.asTuple()) {
    auto out = arrayOf(value, value.asFloat() ? std::optional(Dtype::F64) : std::nullopt);
    if (!out)
      return at(args[index].span, std::move(out.error()));
    return out;
  }
  return args.wrongType(index, "an array or a number");
}

/// What rounding to the dtype loses, relatively: how close results of that dtype can be expected to be.
double tolerance(Dtype dtype) {
  switch (dtype) {
  case Dtype::F64: return 1e-8;
  case Dtype::F32: return 1e-5;
  case Dtype::TF32:
  case Dtype::F16: return 1e-3;
  case Dtype::BF16: return 1e-2;
  default: return layouts::isFloat(dtype) ? 1e-1 : 0;
  }
}

struct Pair {
  Array a, b;
};
Result<Pair> pairOf(const A &args) {
  Pair out{LANESCOPE_TRY(arrayFrom(args, 0)), LANESCOPE_TRY(arrayFrom(args, 1))};
  Shape shape = LANESCOPE_TRY(broadcastShapes(out.a.shape, out.b.shape));
  if (args[0].value.asArray() && args[1].value.asArray() && (out.a.shape != shape || out.b.shape != shape) &&
      !out.a.shape.empty() && !out.b.shape.empty())
    return error("shape-mismatch",
                 text("shapes ", layouts::tupleText(out.a.shape), " and ", layouts::tupleText(out.b.shape), " differ"));
  out.a = LANESCOPE_TRY(broadcastTo(out.a, shape));
  out.b = LANESCOPE_TRY(broadcastTo(out.b, shape));
  return out;
}

R allclose(C &, const A &args) {
  auto [a, b] = LANESCOPE_TRY(pairOf(args));
  double base = std::max(tolerance(a.dtype), tolerance(b.dtype));
  double relative = LANESCOPE_TRY(args.numberOr(2, base)), absolute = LANESCOPE_TRY(args.numberOr(3, base));
  for (int64_t i = 0; i < a.size(); ++i) {
    double x = a.number(i), y = b.number(i);
    bool same =
        x == y || (std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= absolute + relative * std::abs(y));
    if (!same)
      return Value(false);
  }
  return Value(true);
}

R maxError(C &, const A &args) {
  auto [a, b] = LANESCOPE_TRY(pairOf(args));
  double largest = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    double x = a.number(i), y = b.number(i);
    double difference = x == y || (std::isnan(x) && std::isnan(y)) ? 0
                        : std::isnan(x) || std::isnan(y)           ? INFINITY
                                                                   : std::abs(x - y);
    largest = std::max(largest, difference);
  }
  return Value(largest);
}

R placed(const A &args, size_t index, Result<Array> out) {
  if (!out)
    return at(args[index].span, std::move(out.error()));
  return Value(std::move(*out));
}

R transposeBuiltin(C &context, const A &args) {
  const Array *array = LANESCOPE_TRY(args.array(0));
  LANESCOPE_CHECK(context.evaluator.reserveArray(array->dtype, array->shape, context.span));
  auto axes = LANESCOPE_TRY(args.integersOr(1, {}));
  return placed(args, args.has(1) ? 1 : 0, transpose(*array, std::move(axes)));
}
R reshapeBuiltin(C &context, const A &args) {
  const Array *array = LANESCOPE_TRY(args.array(0));
  LANESCOPE_CHECK(context.evaluator.reserveArray(array->dtype, array->shape, context.span));
  return placed(args, 1, reshape(*array, LANESCOPE_TRY(args.integers(1))));
}
R astypeBuiltin(C &context, const A &args) {
  const Array *array = LANESCOPE_TRY(args.array(0));
  Dtype dtype = LANESCOPE_TRY(args.dtype(1));
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, array->shape, context.span));
  return placed(args, 0, cast(*array, dtype));
}
R mean(C &, const A &args) {
  LANESCOPE_CHECK(args.array(0));
  return reduce(Reduction::Mean, args[0].value, LANESCOPE_TRY(args.integersOr(1, {})),
                LANESCOPE_TRY(args.booleanOr(2, false)));
}
R broadcastBuiltin(C &context, const A &args) {
  const Array *array = LANESCOPE_TRY(args.array(0));
  Shape shape = LANESCOPE_TRY(args.shape(1));
  LANESCOPE_CHECK(context.evaluator.reserveArray(array->dtype, shape, context.span));
  return placed(args, 1, broadcastTo(*array, shape));
}

Builtin mathFunction(std::string name, std::string doc, double (*function)(double)) {
  return {
      name, name + "(x)",
      doc + "\n\nFor a number, or for each element of an array; computed in f64 and rounded once to the array's dtype.",
      [function](C &context, const A &args) -> R {
        if (auto x = args[0].value.number())
          return Value(function(*x));
        const Array *array = args[0].value.asArray();
        if (!array)
          return args.wrongType(0, "a number or an array");
        LANESCOPE_CHECK(context.evaluator.reserveArray(Dtype::F64, array->shape, context.span));
        return Value(mapFloat(*array, function));
      }};
}

R choose(C &context, const A &args, bool larger) {
  Value condition = LANESCOPE_TRY(
      context.evaluator.compare(larger ? CompareOp::GreaterEqual : CompareOp::LessEqual, args[0], args[1], args.call));
  Value sum = LANESCOPE_TRY(
      context.evaluator.binary(BinaryOp::Add, args[0], args[1], args.call)); // for its dtype, shape and NaNs
  if (const bool *first = condition.asBool())
    return args[*first ? 0 : 1].value;
  const Array *mask = condition.asArray();
  const Array *shape = sum.asArray();
  if (!mask || !shape)
    return args.wrongType(0, "a number or an array");
  Array a = LANESCOPE_TRY(broadcastTo(LANESCOPE_TRY(arrayFrom(args, 0)), mask->shape));
  Array b = LANESCOPE_TRY(broadcastTo(LANESCOPE_TRY(arrayFrom(args, 1)), mask->shape));
  Array out = Array::zeros(shape->dtype, mask->shape);
  for (int64_t i = 0; i < out.size(); ++i) {
    if (layouts::isFloat(out.dtype) && std::isnan(shape->number(i)) &&
        (std::isnan(a.number(i)) || std::isnan(b.number(i))))
      out.setNumber(i, NAN);
    else if (layouts::isFloat(out.dtype) && a.number(i) == 0 && b.number(i) == 0)
      setElement(out, i, elementOf(std::signbit(a.number(i)) != larger ? a : b, i)); // -0 is below 0, as on the GPU
    else
      setElement(out, i, elementOf(mask->integer(i) ? a : b, i));
  }
  return Value(std::move(out));
}

R select(C &context, const A &args) {
  Array condition = LANESCOPE_TRY(arrayFrom(args, 0)), a = LANESCOPE_TRY(arrayFrom(args, 1)),
        b = LANESCOPE_TRY(arrayFrom(args, 2));
  bool weakA = !args[1].value.asArray(), weakB = !args[2].value.asArray();
  Dtype dtype = weakA && !weakB   ? promoteScalar(b.dtype, args[1].value)
                : weakB && !weakA ? promoteScalar(a.dtype, args[2].value)
                                  : LANESCOPE_TRY(promote(a.dtype, b.dtype));
  if (weakA && weakB && layouts::isFloat(dtype))
    dtype = Dtype::F32;
  Shape shape = LANESCOPE_TRY(broadcastShapes(LANESCOPE_TRY(broadcastShapes(condition.shape, a.shape)), b.shape));
  LANESCOPE_CHECK(context.evaluator.reserveArray(Dtype::F64, shape, context.span));
  condition = LANESCOPE_TRY(broadcastTo(condition, shape));
  a = LANESCOPE_TRY(broadcastTo(a, shape));
  b = LANESCOPE_TRY(broadcastTo(b, shape));
  Array out = Array::zeros(dtype, shape);
  for (int64_t i = 0; i < out.size(); ++i)
    setElement(out, i, elementOf(condition.number(i) != 0 ? a : b, i));
  return Value(std::move(out));
}

R signOf(C &context, const A &args) {
  if (auto x = args[0].value.number()) {
    int sign = (*x > 0) - (*x < 0);
    return args[0].value.asFloat() ? Value(std::isnan(*x) ? *x : static_cast<double>(sign)) : Value(sign);
  }
  const Array *array = LANESCOPE_TRY(args.array(0));
  LANESCOPE_CHECK(context.evaluator.reserveArray(array->dtype, array->shape, context.span));
  Array out = *array;
  for (int64_t i = 0; i < out.size(); ++i) {
    double x = array->number(i);
    if (!std::isnan(x) && x != 0)
      setElement(out, i, Value(x > 0 ? 1 : -1));
  }
  return Value(std::move(out));
}

} // namespace

Builtins arrayBuiltins() {
  Builtins out = {
      {"zeros", "zeros(shape, dtype=f32)", "An array of zeros.",
       [](C &c, const A &args) { return filled(c, args, 0); }},
      {"ones", "ones(shape, dtype=f32)", "An array of ones.", [](C &c, const A &args) { return filled(c, args, 1); }},
      {"full", "full(shape, value, dtype=None)",
       "An array with `value` everywhere; without a dtype, f32, i32 or i1 by the value.", full},
      {"array", "array(values, dtype=None)",
       "An array of nested lists of numbers; without a dtype, f32, i32 or i1 by the values.", makeArray},
      {"iota", "iota(shape, dtype=i32, axis=None)",
       "The array of row-major indices 0, 1, 2, …; with `axis`, of the index along that dimension.", iota},
      {"arange", "arange(start, stop=None, step=1, dtype=None)",
       "The numbers from start up to stop, stop not included; with one bound, from 0.", arange},
      {"random", "random(shape, dtype=f32, *, seed=0, low=None, high=None)",
       "Evenly spread random numbers, the same on every machine for the same seed.\n\nFloats lie in [low, high), by "
       "default [-1, 1); integers from low up to high - 1, by default all of 8 bits.",
       random},
      {"load", "load(path, dtype=None)",
       "The array of a `.npy` file, or a dict of the arrays of a `.npz` file.\n\n`dtype` names what NumPy stores as "
       "raw bytes (bf16, f8…).",
       load},
      {"save", "save(path, x)", "Writes an array as a `.npy` file.", save},
      {"allclose", "allclose(a, b, rtol=None, atol=None)",
       "Whether |a - b| <= atol + rtol * |b| everywhere.\n\nBoth tolerances default to what the coarser dtype can "
       "promise: f64 1e-8, f32 1e-5, f16 1e-3, bf16 1e-2, f8 0.1; integers must be equal.",
       allclose},
      {"max_error", "max_error(a, b)", "The largest |a - b|.", maxError},
      {"transpose", "transpose(x, axes=None)",
       "The array with its dimensions in the order `axes`; without it, reversed.", transposeBuiltin},
      {"reshape", "reshape(x, shape)",
       "The elements in the same row-major order under another shape; one size may be -1.", reshapeBuiltin},
      {"astype", "astype(x, dtype)",
       "The elements converted: floats round to nearest even, floats to integers lose their fraction, integers wrap.",
       astypeBuiltin},
      {"mean", "mean(x, axis=None, keepdims=False)",
       "The mean of an array, over `axis` (an int or a tuple; all without it).", mean},
      {"broadcast_to", "broadcast_to(x, shape)", "The array repeated along dimensions of size 1 and new leading ones.",
       broadcastBuiltin},
      {"maximum", "maximum(a, b)", "The larger of the two, element by element; NaN where either is.",
       [](C &c, const A &args) { return choose(c, args, true); }},
      {"minimum", "minimum(a, b)", "The smaller of the two, element by element; NaN where either is.",
       [](C &c, const A &args) { return choose(c, args, false); }},
      {"select", "select(condition, a, b)", "a where the condition holds, b elsewhere, element by element.", select},
      mathFunction("exp", "e to the power of x.", [](double x) { return std::exp(x); }),
      mathFunction("exp2", "2 to the power of x.", [](double x) { return std::exp2(x); }),
      mathFunction("log", "The natural logarithm.", [](double x) { return std::log(x); }),
      mathFunction("log2", "The logarithm to base 2.", [](double x) { return std::log2(x); }),
      mathFunction("sin", "The sine, of radians.", [](double x) { return std::sin(x); }),
      mathFunction("cos", "The cosine, of radians.", [](double x) { return std::cos(x); }),
      mathFunction("tanh", "The hyperbolic tangent.", [](double x) { return std::tanh(x); }),
      mathFunction("sqrt", "The square root.", [](double x) { return std::sqrt(x); }),
      mathFunction("rsqrt", "One over the square root.", [](double x) { return 1 / std::sqrt(x); }),
      mathFunction("floor", "The largest integer not above x, as a float.", [](double x) { return std::floor(x); }),
      {"where", "where(condition, a, b)", "a where the condition holds, b elsewhere, element by element.", select},
      {"sign", "sign(x)", "-1, 0 or 1 of each element, in its dtype; NaN where one is.", signOf},
      mathFunction("ceil", "The smallest integer not below x, as a float.", [](double x) { return std::ceil(x); }),
      mathFunction("logistic", "1 / (1 + exp(-x)).", [](double x) { return 1 / (1 + std::exp(-x)); }),
      mathFunction(
          "gelu",
          "x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))), the usual approximation of the "
          "Gaussian error linear unit.",
          [](double x) { return x / 2 * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))); }),
      mathFunction("erf", "The error function.", [](double x) { return std::erf(x); }),
  };
  for (Builtin &builtin : out)
    builtin.group = "arrays";
  for (layouts::Dtype dtype : layouts::allDtypes())
    out.push_back(
        {std::string(layouts::name(dtype)), "",
         text("The element type of ", layouts::bitwidth(dtype), layouts::bitwidth(dtype) == 1 ? " bit." : " bits."),
         nullptr, Value(dtype), "dtypes"});
  return out;
}

} // namespace lanescope::repl
