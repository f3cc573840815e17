// The host's part of the functions of elements, for numbers and for arrays that broadcast. Dtypes are promoted as for
// `+`. If all arguments are numbers, the result is a number.
#include "layouts/support/Try.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/values/ArrayFunctions.h"
#include "repl/lang/values/ArrayOps.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

/// The arguments of a function of elements, with one dtype and broadcast to one shape.
struct Operands {
  std::vector<Array> arrays;
  Dtype dtype = Dtype::F32;
  Shape shape;
  ArrayRules rules = ArrayRules::Snippet;
  bool numbers = true; // true if no array is among them

  R result(Array out) const { return numbers ? scalarOf(out, 0) : Value(std::move(out), rules); }
};

/// Promotes the arguments to a common dtype. If all are numbers, they keep the width of Python's numbers.
Result<Operands> commonOperands(const A &args, std::initializer_list<size_t> which) {
  Operands out;
  const Value *last = nullptr;
  for (size_t i : which) {
    const Value &value = args[i].value;
    if (!value.asArray() && !value.number())
      return args.wrongType(i, "a number or an array");
    if (!value.asArray())
      continue;
    out.rules = last ? commonRules(*last, value) : value.arrayRules();
    last = &value;
  }
  out.numbers = !last;
  std::optional<Dtype> dtype;
  for (size_t i : which)
    if (const Array *array = args[i].value.asArray()) {
      dtype = dtype ? LANESCOPE_TRY(promote(*dtype, array->dtype, out.rules)) : array->dtype;
      out.shape = LANESCOPE_TRY(broadcastShapes(out.shape, array->shape));
    }
  auto any = [&](auto holds) { return std::ranges::any_of(which, [&](size_t i) { return holds(args[i].value); }); };
  if (!dtype)
    dtype = any([](const Value &v) { return v.asFloat() != nullptr; }) ? Dtype::F64
            : any([](const Value &v) { return v.asInt() != nullptr; }) ? Dtype::I64
                                                                       : Dtype::I1;
  else
    for (size_t i : which)
      if (!args[i].value.asArray())
        dtype = promoteScalar(*dtype, args[i].value, out.rules);
  out.dtype = *dtype;
  return out;
}

/// The arguments as arrays of `in.dtype` and `in.shape`.
Result<void> spread(C &context, const A &args, std::initializer_list<size_t> which, Operands &in) {
  LANESCOPE_CHECK(context.evaluator.reserveArray(Dtype::F64, in.shape, context.span));
  for (size_t i : which) {
    const Value &value = args[i].value;
    Array array = Array::zeros(in.dtype, {});
    if (const Array *given = value.asArray()) {
      array = LANESCOPE_TRY(cast(*given, in.dtype));
    } else {
      setElement(array, 0, value);
      const int64_t *whole = value.asInt();
      if (whole && layouts::isInteger(in.dtype) && in.dtype != Dtype::I1 &&
          (array.integer(0) != *whole || (*whole < 0 && layouts::isUnsignedInteger(in.dtype))))
        return args.wrongValue(i, Message("{} does not fit in `{dtype}`", *whole, layouts::name(in.dtype)));
    }
    in.arrays.push_back(LANESCOPE_TRY(broadcastTo(array, in.shape)));
  }
  return {};
}

std::unexpected<Diagnostics> takes(const A &args, size_t index, std::string_view what, Dtype dtype) {
  return error("type", args[index].span,
               Message("`{function}` takes {}, not {dtype}", args.function, what, layouts::name(dtype)));
}

// --- functions of floats ---------------------------------------------------------------------------------------------

Builtin ofFloats(std::string_view name, double (*function)(double)) {
  return hostFunction(name, [function](C &context, const A &args) -> R {
    if (auto x = args[0].value.number())
      return Value(function(*x));
    const Array *array = args[0].value.asArray();
    if (!array)
      return args.wrongType(0, "a number or an array");
    LANESCOPE_CHECK(context.evaluator.reserveArray(Dtype::F64, array->shape, context.span));
    return Value(mapFloat(*array, function));
  });
}

Builtin ofTwoFloats(std::string_view name, double (*function)(double, double)) {
  return hostFunction(name, [function](C &context, const A &args) -> R {
    Operands in = LANESCOPE_TRY(commonOperands(args, {0, 1}));
    if (!layouts::isFloat(in.dtype))
      in.dtype = floatOf(in.dtype);
    LANESCOPE_CHECK(spread(context, args, {0, 1}, in));
    Array out = Array::zeros(in.dtype, in.shape);
    for (int64_t i = 0; i < out.size(); ++i)
      out.setNumber(i, function(in.arrays[0].number(i), in.arrays[1].number(i)));
    return in.result(std::move(out));
  });
}

// --- functions of numbers --------------------------------------------------------------------------------------------

/// The larger or smaller number. -0 is below 0, as on the GPU; the result is NaN if either operand is.
double extremeOf(double x, double y, bool larger) {
  if (std::isnan(x) || std::isnan(y))
    return NAN;
  if (x == 0 && y == 0)
    return std::signbit(x) != larger ? x : y;
  return (larger ? x > y : x < y) ? x : y;
}
int64_t extremeOf(int64_t x, int64_t y, bool larger, Dtype dtype) {
  bool more = dtype == Dtype::U64 ? static_cast<uint64_t>(x) > static_cast<uint64_t>(y) : x > y;
  return more == larger ? x : y;
}

void takeExtreme(Array &out, const Array &other, bool larger) {
  for (int64_t i = 0; i < out.size(); ++i)
    if (layouts::isFloat(out.dtype))
      out.setNumber(i, extremeOf(out.number(i), other.number(i), larger));
    else
      out.setInteger(i, extremeOf(out.integer(i), other.integer(i), larger, out.dtype));
}

Builtin extreme(std::string_view name, bool larger) {
  return hostFunction(name, [larger](C &context, const A &args) -> R {
    Operands in = LANESCOPE_TRY(commonOperands(args, {0, 1}));
    LANESCOPE_CHECK(spread(context, args, {0, 1}, in));
    takeExtreme(in.arrays[0], in.arrays[1], larger);
    return in.result(in.arrays[0]);
  });
}

R clamp(C &context, const A &args) {
  Operands in = LANESCOPE_TRY(commonOperands(args, {0, 1, 2}));
  LANESCOPE_CHECK(spread(context, args, {0, 1, 2}, in));
  takeExtreme(in.arrays[1], in.arrays[0], true);
  takeExtreme(in.arrays[1], in.arrays[2], false);
  return in.result(in.arrays[1]);
}

R select(C &context, const A &args) {
  Operands in = LANESCOPE_TRY(commonOperands(args, {1, 2})), condition = LANESCOPE_TRY(commonOperands(args, {0}));
  if (in.numbers) { // the result is still an array, with the dtype that numbers get in an array
    in.numbers = false;
    in.rules = condition.rules;
    in.dtype = narrowed(in.dtype);
  }
  in.shape = condition.shape = LANESCOPE_TRY(broadcastShapes(in.shape, condition.shape));
  LANESCOPE_CHECK(spread(context, args, {1, 2}, in));
  LANESCOPE_CHECK(spread(context, args, {0}, condition));
  Array out = Array::zeros(in.dtype, in.shape);
  for (int64_t i = 0; i < out.size(); ++i)
    setElement(out, i, elementOf(in.arrays[condition.arrays[0].number(i) != 0 ? 0 : 1], i));
  return in.result(std::move(out));
}

enum class Rounded { Quotient, Remainder };

/// A quotient or remainder rounded towards zero, as in C.
template <Rounded what, bool integersOnly> R towardsZero(C &context, const A &args) {
  Operands in = LANESCOPE_TRY(commonOperands(args, {0, 1}));
  if (in.dtype == Dtype::I1)
    return error("type", args[0].span, Message("`{function}` takes numbers, not truth values", args.function));
  if (integersOnly && layouts::isFloat(in.dtype))
    return takes(args, 0, "integers", in.dtype);
  LANESCOPE_CHECK(spread(context, args, {0, 1}, in));
  Array out = Array::zeros(in.dtype, in.shape);
  for (int64_t i = 0; i < out.size(); ++i) {
    if (layouts::isFloat(in.dtype)) {
      double x = in.arrays[0].number(i), y = in.arrays[1].number(i);
      out.setNumber(i, what == Rounded::Quotient ? x / y : std::fmod(x, y));
      continue;
    }
    int64_t x = in.arrays[0].integer(i), y = in.arrays[1].integer(i);
    if (y == 0)
      return error("arithmetic", args[1].span, "division by zero");
    if (in.dtype == Dtype::U64) {
      auto a = static_cast<uint64_t>(x), b = static_cast<uint64_t>(y);
      out.setInteger(i, static_cast<int64_t>(what == Rounded::Quotient ? a / b : a % b));
    } else if (y == -1) { // the smallest integer has no opposite, so it wraps
      out.setInteger(i, what == Rounded::Quotient ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : 0);
    } else {
      out.setInteger(i, what == Rounded::Quotient ? x / y : x % y);
    }
  }
  return in.result(std::move(out));
}

R sign(C &context, const A &args) {
  Operands in = LANESCOPE_TRY(commonOperands(args, {0}));
  LANESCOPE_CHECK(spread(context, args, {0}, in));
  Array out = in.arrays[0];
  for (int64_t i = 0; i < out.size(); ++i) {
    double x = out.number(i);
    if (!std::isnan(x) && x != 0) // zeros keep their sign
      setElement(out, i, Value(x > 0 ? 1 : -1));
  }
  return in.result(std::move(out));
}

R absolute(C &context, const A &args) {
  Operands in = LANESCOPE_TRY(commonOperands(args, {0}));
  if (in.numbers && in.dtype == Dtype::I1)
    in.dtype = Dtype::I64; // abs(True) is 1
  LANESCOPE_CHECK(spread(context, args, {0}, in));
  Array out = in.arrays[0];
  if (in.numbers && in.dtype == Dtype::I64 && out.integer(0) == INT64_MIN)
    return args.wrongValue(0, "the result does not fit in 64 bits");
  for (int64_t i = 0; i < out.size(); ++i)
    if (layouts::isFloat(out.dtype))
      out.setNumber(i, std::abs(out.number(i)));
    else if (layouts::isSignedInteger(out.dtype) && out.integer(i) < 0)
      out.setInteger(i, static_cast<int64_t>(-static_cast<uint64_t>(out.integer(i))));
  return in.result(std::move(out));
}

// --- functions of integers -------------------------------------------------------------------------------------------

uint64_t maskOf(int width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

/// The lowest `width` bits as a signed integer.
int64_t signedBits(int64_t value, int width) {
  int unused = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

enum class Shift { Left, Logical, Arithmetic };

template <Shift kind> R shift(C &context, const A &args) {
  Operands in = LANESCOPE_TRY(commonOperands(args, {0, 1}));
  if (layouts::isFloat(in.dtype) || in.dtype == Dtype::I1)
    return takes(args, 0, "integers", in.dtype);
  LANESCOPE_CHECK(spread(context, args, {0, 1}, in));
  int width = layouts::bitwidth(in.dtype);
  Array out = Array::zeros(in.dtype, in.shape);
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t x = in.arrays[0].integer(i);
    uint64_t count = static_cast<uint64_t>(in.arrays[1].integer(i)) & maskOf(width);
    bool all = count >= static_cast<uint64_t>(width);
    int64_t moved = 0;
    if (kind == Shift::Arithmetic)
      moved = signedBits(x, width) >> (all ? width - 1 : static_cast<int>(count));
    else if (!all)
      moved = kind == Shift::Left ? static_cast<int64_t>(static_cast<uint64_t>(x) << count)
                                  : static_cast<int64_t>((static_cast<uint64_t>(x) & maskOf(width)) >> count);
    out.setInteger(i, moved);
  }
  return in.result(std::move(out));
}

R leadingZeros(C &context, const A &args) {
  Operands in = LANESCOPE_TRY(commonOperands(args, {0}));
  if (layouts::isFloat(in.dtype) || in.dtype == Dtype::I1)
    return takes(args, 0, "integers", in.dtype);
  if (in.numbers)
    in.dtype = Dtype::I32; // in a kernel, a number has this dtype
  LANESCOPE_CHECK(spread(context, args, {0}, in));
  int width = layouts::bitwidth(in.dtype);
  Array out = in.arrays[0];
  for (int64_t i = 0; i < out.size(); ++i)
    out.setInteger(i, std::countl_zero(static_cast<uint64_t>(out.integer(i)) & maskOf(width)) - (64 - width));
  return in.result(std::move(out));
}

// --- functions of dtypes ---------------------------------------------------------------------------------------------

R astype(C &context, const A &args) {
  Dtype dtype = LANESCOPE_TRY(args.dtype(1));
  Operands in = LANESCOPE_TRY(commonOperands(args, {0}));
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, in.shape, context.span));
  LANESCOPE_CHECK(spread(context, args, {0}, in));
  in.numbers = false; // a number has no dtype, so it becomes an array
  return in.result(LANESCOPE_TRY(cast(in.arrays[0], dtype)));
}

R bitcast(C &context, const A &args) {
  Dtype dtype = LANESCOPE_TRY(args.dtype(1));
  Operands in = LANESCOPE_TRY(commonOperands(args, {0}));
  if (in.numbers) // as in a kernel, a number alone has this dtype
    in.dtype = in.dtype == Dtype::F64 ? Dtype::F32 : in.dtype == Dtype::I64 ? Dtype::I32 : in.dtype;
  if (layouts::bitwidth(in.dtype) != layouts::bitwidth(dtype))
    return args.wrongValue(1, Message("{dtype} has {bits} bits and {other_dtype} has {}; a bitcast keeps the width",
                                      layouts::name(in.dtype), layouts::bitwidth(in.dtype), layouts::name(dtype),
                                      layouts::bitwidth(dtype)));
  LANESCOPE_CHECK(spread(context, args, {0}, in));
  Array out{dtype, in.shape, in.arrays[0].bytes};
  if (int width = layouts::bitwidth(dtype); width < 8) // an element takes a whole byte, of which some bits are unused
    for (std::byte &byte : out.bytes)
      byte &= static_cast<std::byte>(maskOf(width));
  return in.result(std::move(out));
}

R optimizationBarrier(C &, const A &args) {
  std::vector<Value> values;
  for (const Arg &arg : args.rest())
    values.push_back(arg.value);
  if (values.empty())
    return error("type", "`optimization_barrier` takes at least one value");
  return values.size() == 1 ? values[0] : Value::tuple(std::move(values));
}

} // namespace

Builtins elementFunctions() {
  return {
      ofFloats("exp", [](double x) { return std::exp(x); }),
      ofFloats("exp2", [](double x) { return std::exp2(x); }),
      ofFloats("log", [](double x) { return std::log(x); }),
      ofFloats("log2", [](double x) { return std::log2(x); }),
      ofFloats("sin", [](double x) { return std::sin(x); }),
      ofFloats("cos", [](double x) { return std::cos(x); }),
      ofFloats("tanh", [](double x) { return std::tanh(x); }),
      ofFloats("sqrt", [](double x) { return std::sqrt(x); }),
      ofFloats("rsqrt", [](double x) { return 1 / std::sqrt(x); }),
      ofFloats("floor", [](double x) { return std::floor(x); }),
      ofFloats("ceil", [](double x) { return std::ceil(x); }),
      ofFloats("erf", [](double x) { return std::erf(x); }),
      ofFloats("logistic", [](double x) { return 1 / (1 + std::exp(-x)); }),
      ofFloats("gelu",
               [](double x) { return x / 2 * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))); }),
      ofTwoFloats("atan2", [](double y, double x) { return std::atan2(y, x); }),
      ofTwoFloats("copysign", [](double x, double sign) { return std::copysign(x, sign); }),
      extreme("maximum", true),
      extreme("minimum", false),
      hostFunction("clamp", clamp),
      hostFunction("select", select),
      hostFunction("where", select),
      hostFunction("div", towardsZero<Rounded::Quotient, false>),
      hostFunction("rem", towardsZero<Rounded::Remainder, false>),
      hostFunction("fmod", towardsZero<Rounded::Remainder, false>),
      hostFunction("trunc_div", towardsZero<Rounded::Quotient, true>),
      hostFunction("sign", sign),
      hostFunction("abs", absolute),
      hostFunction("clz", leadingZeros),
      hostFunction("shift_left", shift<Shift::Left>),
      hostFunction("shift_right_logical", shift<Shift::Logical>),
      hostFunction("shift_right_arithmetic", shift<Shift::Arithmetic>),
      hostFunction("astype", astype),
      hostFunction("bitcast", bitcast),
      hostFunction("optimization_barrier", optimizationBarrier),
  };
}

} // namespace lanescope::repl
