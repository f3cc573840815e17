// Functions of elements that are no builtins of the language.
#include "repl/lang/numpy/Numpy.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

Dtype floatFor(Dtype dtype, ArrayRules rules) {
  if (layouts::isFloat(dtype))
    return dtype;
  if (rules == ArrayRules::Jax)
    return Dtype::F32;
  int bits = layouts::bitwidth(dtype);
  return bits <= 8 ? Dtype::F16 : bits == 16 ? Dtype::F32 : Dtype::F64;
}

Builtin unary(ArrayRules rules, std::string name, double (*function)(double)) {
  return {.name = name,
          .signature = name + "(x)",
          .doc = "Of each element.",
          .call = [rules, function](C &context, const A &args) -> R {
            Array x = LANESCOPE_TRY(arrayArgument(args, 0, rules));
            Array out = Array::zeros(floatFor(x.dtype, rules), x.shape);
            for (int64_t i = 0; i < out.size(); ++i)
              out.setNumber(i, function(x.number(i)));
            return Value(std::move(out), rules);
          }};
}

Builtin test(ArrayRules rules, std::string name, bool (*holds)(double)) {
  return {.name = name,
          .signature = name + "(x)",
          .doc = "Of each element.",
          .call = [rules, holds](C &context, const A &args) -> R {
            Array x = LANESCOPE_TRY(arrayArgument(args, 0, rules));
            Array out = Array::zeros(Dtype::I1, x.shape);
            for (int64_t i = 0; i < out.size(); ++i)
              out.setInteger(i, holds(x.number(i)));
            return Value(std::move(out), rules);
          }};
}

/// Rounds to an integer of the same dtype; integers stay.
Builtin toInteger(ArrayRules rules, std::string name, double (*function)(double)) {
  return {.name = name,
          .signature = name + "(x)",
          .doc = "Of each element.",
          .call = [rules, function](C &context, const A &args) -> R {
            Array x = LANESCOPE_TRY(arrayArgument(args, 0, rules));
            if (layouts::isFloat(x.dtype))
              for (int64_t i = 0; i < x.size(); ++i)
                x.setNumber(i, function(x.number(i)));
            return Value(std::move(x), rules);
          }};
}

/// Two operands that meet as `+` would have them; `ofFloats`: as floats.
Builtin binary(ArrayRules rules, std::string name, double (*function)(double, double), bool ofFloats) {
  return {.name = name,
          .signature = name + "(x, y)",
          .doc = "Of each pair of elements.",
          .call = [rules, function, ofFloats](C &context, const A &args) -> R {
            // The sum has the shape and dtype; a number stays weak.
            auto ruled = [&](const Value &value) { return value.asArray() ? underRules(value, rules) : value; };
            Arg a{ruled(args[0].value), args[0].span}, b{ruled(args[1].value), args[1].span};
            if (!a.value.asArray() && !b.value.asArray())
              a.value = underRules(a.value, rules);
            Value model = LANESCOPE_TRY(context.evaluator.binary(BinaryOp::Add, a, b, args.call));
            Dtype dtype = ofFloats ? floatFor(model.asArray()->dtype, rules) : model.asArray()->dtype;
            const Shape &shape = model.asArray()->shape;
            auto spread = [&](const Value &value) -> Result<Array> {
              Array array = value.asArray() ? *value.asArray() : LANESCOPE_TRY(arrayOf(value, Dtype::F64));
              return broadcastTo(array, shape);
            };
            Array x = LANESCOPE_TRY(spread(a.value)), y = LANESCOPE_TRY(spread(b.value));
            Array out = Array::zeros(dtype, shape);
            for (int64_t i = 0; i < out.size(); ++i)
              out.setNumber(i, function(x.number(i), y.number(i)));
            return Value(std::move(out), rules);
          }};
}

Builtin byOperator(std::string name, BinaryOp op) {
  return {.name = name,
          .signature = name + "(x, y)",
          .doc = text("x ", spelling(op), " y"),
          .call = [op](C &context, const A &args) -> R {
            return context.evaluator.binary(op, args[0], args[1], args.call);
          }};
}

Builtin byComparison(std::string name, CompareOp op) {
  return {.name = name,
          .signature = name + "(x, y)",
          .doc = text("x ", spelling(op), " y"),
          .call = [op](C &context, const A &args) -> R {
            return context.evaluator.compare(op, args[0], args[1], args.call);
          }};
}

/// The neighbour of x towards y, among the floats of its dtype.
Builtin nextAfter(ArrayRules rules) {
  return {.name = "nextafter",
          .signature = "nextafter(x, y)",
          .doc = "The next float after x towards y, of x's dtype.",
          .call = [rules](C &, const A &args) -> R {
            Array x = LANESCOPE_TRY(arrayArgument(args, 0, rules)), y = LANESCOPE_TRY(arrayArgument(args, 1, rules));
            Array to = LANESCOPE_TRY(broadcastTo(y, x.shape));
            if (x.dtype != Dtype::F32 && x.dtype != Dtype::F64)
              return args.wrongType(0, "an array of f32 or f64");
            for (int64_t i = 0; i < x.size(); ++i)
              x.setNumber(i, x.dtype == Dtype::F32
                                 ? std::nextafter(static_cast<float>(x.number(i)), static_cast<float>(to.number(i)))
                                 : std::nextafter(x.number(i), to.number(i)));
            return Value(std::move(x), rules);
          }};
}

double heaviside(double x, double y) { return x < 0 ? 0 : x > 0 ? 1 : y; }

} // namespace

Builtins elementwiseNatives(ArrayRules rules) {
  Builtins out = {
      unary(rules, "_log1p", std::log1p),
      unary(rules, "_expm1", std::expm1),
      unary(rules, "_log10", std::log10),
      unary(rules, "_tan", std::tan),
      unary(rules, "arcsin", std::asin),
      unary(rules, "arccos", std::acos),
      unary(rules, "arctan", std::atan),
      unary(rules, "_sinh", std::sinh),
      unary(rules, "_cosh", std::cosh),
      unary(rules, "cbrt", std::cbrt),
      unary(rules, "deg2rad", [](double x) { return x * std::numbers::pi / 180; }),
      unary(rules, "rad2deg", [](double x) { return x * 180 / std::numbers::pi; }),
      test(rules, "_isnan", [](double x) { return std::isnan(x); }),
      test(rules, "_isinf", [](double x) { return std::isinf(x); }),
      test(rules, "_isfinite", [](double x) { return std::isfinite(x); }),
      unary(rules, "_logistic", [](double x) { return 1 / (1 + std::exp(-x)); }),
      test(rules, "signbit", [](double x) { return std::signbit(x); }),
      toInteger(rules, "_rint", std::nearbyint),
      toInteger(rules, "_trunc", std::trunc),
      toInteger(rules, "_floor", std::floor),
      toInteger(rules, "_ceil", std::ceil),
      binary(rules, "_arctan2", std::atan2, true),
      binary(rules, "_hypot", std::hypot, true),
      binary(rules, "_copysign", std::copysign, true),
      nextAfter(rules),
      binary(rules, "heaviside", heaviside, true),
      binary(rules, "_fmod", std::fmod, false),
      binary(rules, "_fmax", std::fmax, false),
      binary(rules, "_fmin", std::fmin, false),
      binary(
          rules, "_logaddexp",
          [](double x, double y) {
            double top = std::max(x, y);
            return std::isinf(top) ? top : top + std::log1p(std::exp(-std::abs(x - y)));
          },
          true),
      byOperator("add", BinaryOp::Add),
      byOperator("subtract", BinaryOp::Subtract),
      byOperator("multiply", BinaryOp::Multiply),
      byOperator("divide", BinaryOp::Divide),
      byOperator("true_divide", BinaryOp::Divide),
      byOperator("floor_divide", BinaryOp::FloorDivide),
      byOperator("mod", BinaryOp::Modulo),
      byOperator("remainder", BinaryOp::Modulo),
      byOperator("power", BinaryOp::Power),
      byOperator("matmul", BinaryOp::MatrixMultiply),
      byOperator("bitwise_and", BinaryOp::BitAnd),
      byOperator("bitwise_or", BinaryOp::BitOr),
      byOperator("bitwise_xor", BinaryOp::BitXor),
      byOperator("left_shift", BinaryOp::ShiftLeft),
      byOperator("right_shift", BinaryOp::ShiftRight),
      byComparison("equal", CompareOp::Equal),
      byComparison("not_equal", CompareOp::NotEqual),
      byComparison("less", CompareOp::Less),
      byComparison("less_equal", CompareOp::LessEqual),
      byComparison("greater", CompareOp::Greater),
      byComparison("greater_equal", CompareOp::GreaterEqual),
  };
  return out;
}

} // namespace lanescope::repl
