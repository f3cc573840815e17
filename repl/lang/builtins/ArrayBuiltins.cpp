// Builtins that create, convert and compare host arrays.
#include "layouts/support/Try.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/values/ArrayNumbers.h"
#include "repl/lang/values/ArrayOps.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

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
    return args.wrongValue(2, Message("axis {dimension} does not exist in rank {rank}", axis, rank));
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

/// SplitMix64 of a counter: the same numbers on every machine, whatever the order in which they are made.
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
                           Message("low ({}) must be less than high ({})", floatText(low), floatText(high)));
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

/// The argument as an array; a number becomes an array.
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

/// The relative error of rounding to the dtype. Results cannot be expected to be closer than that.
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
    return error("shape-mismatch", Message("shapes {shape} and {other_shape} differ", layouts::tupleText(out.a.shape),
                                           layouts::tupleText(out.b.shape)));
  out.a = LANESCOPE_TRY(broadcastTo(out.a, shape));
  out.b = LANESCOPE_TRY(broadcastTo(out.b, shape));
  return out;
}

R allclose(C &, const A &args) {
  auto [a, b] = LANESCOPE_TRY(pairOf(args));
  double base = std::max(tolerance(a.dtype), tolerance(b.dtype));
  double relative = LANESCOPE_TRY(args.numberOr(2, base)), absolute = LANESCOPE_TRY(args.numberOr(3, base));
  bool close = true;
  forNumbers<2>({&a, &b}, [&](int64_t, const auto &numbers) {
    for (size_t i = 0; i < numbers[0].size() && close; ++i) {
      double x = numbers[0][i], y = numbers[1][i];
      close = x == y || (std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= absolute + relative * std::abs(y));
    }
    return close;
  });
  return Value(close);
}

R maxError(C &, const A &args) {
  auto [a, b] = LANESCOPE_TRY(pairOf(args));
  double largest = 0;
  forNumbers<2>({&a, &b}, [&](int64_t, const auto &numbers) {
    for (size_t i = 0; i < numbers[0].size(); ++i) {
      double x = numbers[0][i], y = numbers[1][i];
      double difference = x == y || (std::isnan(x) && std::isnan(y)) ? 0
                          : std::isnan(x) || std::isnan(y)           ? INFINITY
                                                                     : std::abs(x - y);
      largest = std::max(largest, difference);
    }
    return true;
  });
  return Value(largest);
}

} // namespace

Builtins arrayBuiltins() {
  Builtins out = {
      {"zeros", "zeros(shape, dtype=f32)", "An array of zeros. `shape` is a tuple of sizes, or one size.",
       [](C &c, const A &args) { return filled(c, args, 0); }},
      {"ones", "ones(shape, dtype=f32)", "An array of ones. `shape` is a tuple of sizes, or one size.",
       [](C &c, const A &args) { return filled(c, args, 1); }},
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
      {"allclose", "allclose(a, b, rtol=None, atol=None)",
       "True if |a - b| <= atol + rtol * |b| everywhere.\n\nBoth tolerances default to what the coarser dtype can "
       "promise: f64 1e-8, f32 1e-5, f16 1e-3, bf16 1e-2, f8 0.1; integers must be equal.",
       allclose},
      {"max_error", "max_error(a, b)",
       "The largest |a - b| of two arrays whose shapes broadcast, as a float. Two NaNs are equal; a NaN and a number "
       "differ by inf.",
       maxError},
  };
  // In a kernel, arrays with equal elements are constants.
  constexpr std::string_view kConstants[] = {"zeros", "ones", "full"};
  for (Builtin &builtin : out) {
    builtin.group = "arrays";
    bool constant = std::ranges::find(kConstants, builtin.name) != std::end(kConstants);
    builtin.worksIn = constant ? WorksIn::Both : WorksIn::Host;
  }
  for (layouts::Dtype dtype : layouts::allDtypes()) {
    bool sixBits = dtype == layouts::Dtype::F6E2M3FN || dtype == layouts::Dtype::F6E3M2FN;
    out.push_back({std::string(layouts::name(dtype)), "",
                   text("The element type of ",
                        sixBits ? "6 bits, which take a byte" : counted(layouts::bitwidth(dtype), "bit"), "."),
                   nullptr, Value(dtype), "dtypes"});
  }
  return out;
}

} // namespace lanescope::repl
