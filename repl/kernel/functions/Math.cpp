// Elementwise functions: exp, log, sin, …, maximum, select.
#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/trace/Traced.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

namespace lanescope::repl {

using core::BinaryKind;
using core::IrValue;
using core::MathKind;
using layouts::Dtype;
using layouts::Shape;

namespace {

template <MathKind kind> Result<Value> math(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  bool approximate = LANESCOPE_TRY(args.booleanOr(1, tracer.approximate));
  Dtype dtype = commonDtype({x});
  if (!layouts::isFloat(dtype) && x.traced)
    return error("type", args[0].span,
                 text("`", args.function, "` takes floats, not ", name(dtype), "; convert with `x.astype(f32)`"));
  LANESCOPE_CHECK(tracer.checkComputes(x.traced ? dtype : Dtype::F32, args.function, context.span));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, x.traced ? dtype : Dtype::F32, x.shape()));
  return TracedValue::make(tracer, builder.math(kind, value, approximate), context.span);
}

Result<Value> absolute(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "abs"));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, commonDtype({x}), x.shape()));
  return TracedValue::make(tracer, builder.absolute(value), context.span);
}

/// Two floats, or two values for which the operation exists.
template <BinaryKind kind, bool floatsOnly>
Result<Value> pair(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term a = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  Term b = LANESCOPE_TRY(termOf(tracer, args[1], args.function));
  Dtype dtype = commonDtype({a, b});
  if (floatsOnly != layouts::isFloat(dtype))
    return error("type", args[0].span,
                 text("`", args.function, "` takes ", floatsOnly ? "floats" : "integers", ", not ", name(dtype)));
  LANESCOPE_CHECK(tracer.checkComputes(dtype, args.function, context.span));
  Shape shape = LANESCOPE_TRY(commonShape(context, {a, b}, args.function));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue x = LANESCOPE_TRY(shaped(tracer, a, dtype, shape)), y = LANESCOPE_TRY(shaped(tracer, b, dtype, shape));
  return TracedValue::make(tracer, builder.binary(kind, x, y), context.span);
}

Result<Value> clamp(Tracer &tracer, Context &context, const BoundArguments &args) {
  std::vector<Term> terms;
  for (size_t i = 0; i < 3; ++i)
    terms.push_back(LANESCOPE_TRY(termOf(tracer, args[i], "clamp")));
  Dtype dtype = commonDtype(terms);
  LANESCOPE_CHECK(tracer.checkComputes(dtype, "clamp", context.span));
  Shape shape = LANESCOPE_TRY(commonShape(context, terms, "clamp"));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue low = LANESCOPE_TRY(shaped(tracer, terms[0], dtype, shape));
  IrValue x = LANESCOPE_TRY(shaped(tracer, terms[1], dtype, shape));
  IrValue high = LANESCOPE_TRY(shaped(tracer, terms[2], dtype, shape));
  return TracedValue::make(
      tracer, builder.binary(BinaryKind::Minimum, builder.binary(BinaryKind::Maximum, x, low), high), context.span);
}

Result<Value> bitcast(Tracer &tracer, Context &context, const BoundArguments &args) {
  Dtype dtype = LANESCOPE_TRY(tracer.kernelDtype(LANESCOPE_TRY(args.dtype(1)), args[1].span));
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "bitcast"));
  Dtype from = commonDtype({x});
  if (layouts::bitwidth(from) != layouts::bitwidth(dtype))
    return args.wrongValue(1, text(name(from), " has ", layouts::bitwidth(from), " bits and ", name(dtype), " has ",
                                   layouts::bitwidth(dtype), "; a bitcast keeps the width"));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, from, x.shape()));
  return TracedValue::make(tracer, builder.bitcast(value, dtype), context.span);
}

Result<Value> round(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "round"));
  std::string mode = args.has(1) ? LANESCOPE_TRY(args.text(1)) : "even";
  if (mode != "even" && mode != "away")
    return args.wrongValue(1, "halves go to `\"even\"` or `\"away\"` from zero");
  Dtype dtype = x.traced ? x.traced->dtype : Dtype::F32;
  if (!layouts::isFloat(dtype))
    return error("type", args[0].span, text("`round` takes floats, not ", name(dtype)));
  LANESCOPE_CHECK(tracer.checkComputes(dtype, "round", context.span));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, dtype, x.shape()));
  return TracedValue::make(tracer, builder.math(mode == "even" ? MathKind::RoundEven : MathKind::Round, value, false),
                           context.span);
}

template <BinaryKind kind> Result<Value> extremum(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term a = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  Term b = LANESCOPE_TRY(termOf(tracer, args[1], args.function));
  Dtype dtype = commonDtype({a, b});
  LANESCOPE_CHECK(tracer.checkComputes(dtype, args.function, context.span));
  Shape shape = LANESCOPE_TRY(commonShape(context, {a, b}, args.function));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue x = LANESCOPE_TRY(shaped(tracer, a, dtype, shape)), y = LANESCOPE_TRY(shaped(tracer, b, dtype, shape));
  return TracedValue::make(tracer, builder.binary(kind, x, y), context.span);
}

Result<Value> select(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term condition = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  Term a = LANESCOPE_TRY(termOf(tracer, args[1], args.function));
  Term b = LANESCOPE_TRY(termOf(tracer, args[2], args.function));
  Dtype dtype = commonDtype({a, b});
  Shape shape = LANESCOPE_TRY(commonShape(context, {condition, a, b}, args.function));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue choose = LANESCOPE_TRY(shaped(tracer, condition, Dtype::I1, shape));
  bool numbers = tracer.repeatsNumbers() && !a.traced && !b.traced; // both, and then what they are repeated to
  Shape first = numbers ? Shape{} : shape;
  IrValue x = LANESCOPE_TRY(shaped(tracer, a, dtype, first)), y = LANESCOPE_TRY(shaped(tracer, b, dtype, first));
  if (numbers) {
    x = builder.broadcastInDim(x, shape, {});
    y = builder.broadcastInDim(y, shape, {});
  }
  return TracedValue::make(tracer, builder.select(choose, x, y), context.span);
}

Result<Value> astype(Tracer &tracer, Context &context, const BoundArguments &args) {
  Dtype dtype = LANESCOPE_TRY(tracer.kernelDtype(LANESCOPE_TRY(args.dtype(1)), args[1].span));
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "astype"));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, commonDtype({x}), x.shape()));
  LANESCOPE_CHECK(tracer.checkConverts(value.dtype, dtype, args[0].span));
  return TracedValue::make(tracer, builder.cast(value, dtype), context.span);
}

#define LANESCOPE_MATH(name, kind, what)                                                                               \
  {name, name "(x, approx=False)", what " `approx` allows the hardware's fast form.", math<MathKind::kind>}

constexpr Primitive kPrimitives[] = {
    LANESCOPE_MATH("exp", Exp, "e to the power of each element."),
    LANESCOPE_MATH("exp2", Exp2, "2 to the power of each element."),
    LANESCOPE_MATH("log", Log, "The natural logarithm of each element."),
    LANESCOPE_MATH("log2", Log2, "The logarithm to base 2 of each element."),
    LANESCOPE_MATH("sin", Sin, "The sine of each element, in radians."),
    LANESCOPE_MATH("cos", Cos, "The cosine of each element, in radians."),
    LANESCOPE_MATH("tanh", Tanh, "The hyperbolic tangent of each element."),
    LANESCOPE_MATH("rsqrt", Rsqrt, "One over the square root of each element."),
    LANESCOPE_MATH("sqrt", Sqrt, "The square root of each element."),
    LANESCOPE_MATH("floor", Floor, "The largest whole number that is not above each element."),
    LANESCOPE_MATH("erf", Erf, "The error function of each element."),
    LANESCOPE_MATH("ceil", Ceil, "The smallest whole number that is not below each element."),
    {"round", "round(x, halves=\"even\")",
     "The nearest whole number, as a float; halves go to the even one, or with `halves=\"away\"` away from zero.",
     round},
    {"atan2", "atan2(y, x)", "The angle of the point (x, y), in radians from -pi to pi.",
     pair<BinaryKind::Atan2, true>},
    {"copysign", "copysign(x, sign)", "The magnitude of `x` with the sign of `sign`.",
     pair<BinaryKind::CopySign, true>},
    {"fmod", "fmod(a, b)", "The remainder with the sign of `a`, as C's fmod.", pair<BinaryKind::Remainder, true>},
    {"trunc_div", "trunc_div(a, b)", "The quotient of integers rounded towards zero, as C's `/`.",
     pair<BinaryKind::TruncatingDivide, false>},
    {"clamp", "clamp(low, x, high)", "`x`, but at least `low` and at most `high`.", clamp},
    {"bitcast", "bitcast(x, dtype)", "The same bits read as another dtype of the same width.", bitcast},
    {"abs", "abs(x)", "The absolute value of each element.", absolute},
    {"maximum", "maximum(a, b)", "The larger of two, element by element; NaN where one is.",
     extremum<BinaryKind::Maximum>},
    {"minimum", "minimum(a, b)", "The smaller of two, element by element; NaN where one is.",
     extremum<BinaryKind::Minimum>},
    {"select", "select(condition, a, b)", "`a` where the condition holds, else `b`, element by element.", select},
    {"where", "where(condition, a, b)", "`a` where the condition holds, else `b`, element by element.", select},
    {"astype", "astype(x, dtype)", "The same values in another dtype; the same as `x.astype(dtype)`.", astype},
};

#undef LANESCOPE_MATH

} // namespace

std::span<const Primitive> mathPrimitives() { return kPrimitives; }

} // namespace lanescope::repl
