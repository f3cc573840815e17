// Elementwise functions: exp, log, sin, …, maximum, select.
#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/trace/Traced.h"
#include "repl/lang/values/ArrayOps.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

namespace lanescope::repl {

using core::BinaryKind;
using core::IrValue;
using core::MathKind;
using layouts::Dtype;
using layouts::Shape;

namespace {

/// A function of floats. Integers are first converted to f32, 64-bit ones to f64.
Result<Value> ofFloats(Tracer &tracer, Context &context, const BoundArguments &args, MathKind kind, bool approximate) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  Dtype dtype = commonDtype({x});
  if (!layouts::isFloat(dtype))
    dtype = floatOf(dtype);
  LANESCOPE_CHECK(tracer.checkComputes(dtype, args.function, context.span));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, dtype, x.shape()));
  return TracedValue::make(tracer, builder.math(kind, value, approximate), context.span);
}

template <MathKind kind> Result<Value> math(Tracer &tracer, Context &context, const BoundArguments &args) {
  return ofFloats(tracer, context, args, kind, LANESCOPE_TRY(args.booleanOr(1, tracer.approximate)));
}

/// A function of floats that has no fast form.
template <MathKind kind> Result<Value> exactly(Tracer &tracer, Context &context, const BoundArguments &args) {
  return ofFloats(tracer, context, args, kind, false);
}

Result<Value> absolute(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "abs"));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, commonDtype({x}), x.shape()));
  return TracedValue::make(tracer, builder.absolute(value), context.span);
}

template <BinaryKind kind> Result<Value> ofTwoFloats(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term a = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  Term b = LANESCOPE_TRY(termOf(tracer, args[1], args.function));
  Dtype dtype = commonDtype({a, b});
  if (!layouts::isFloat(dtype))
    dtype = floatOf(dtype);
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
    return args.wrongValue(1, Message("{dtype} has {bits} bits and {other_dtype} has {}; a bitcast keeps the width",
                                      name(from), layouts::bitwidth(from), name(dtype), layouts::bitwidth(dtype)));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, from, x.shape()));
  return TracedValue::make(tracer, builder.bitcast(value, dtype), context.span);
}

Result<Value> round(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "round"));
  if (LANESCOPE_TRY(args.integerOr(1, 0)) != 0)
    return args.wrongValue(1, "a kernel rounds to whole numbers; scale before and after");
  std::string mode = args.has(2) ? LANESCOPE_TRY(args.text(2)) : "even";
  if (mode != "even" && mode != "away")
    return args.wrongValue(2, "halves go to `\"even\"` or `\"away\"` from zero");
  Dtype dtype = commonDtype({x});
  core::KernelBuilder &builder = tracer.at(context.span);
  if (!layouts::isFloat(dtype)) // already an integer
    return TracedValue::make(tracer, LANESCOPE_TRY(shaped(tracer, x, dtype, x.shape())), context.span);
  LANESCOPE_CHECK(tracer.checkComputes(dtype, "round", context.span));
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
  bool numbers = tracer.repeatsNumbers() && !a.traced && !b.traced; // numbers are converted first, and then repeated
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

constexpr Primitive kMathPrimitives[] = {
    {"exp", kDeclared, kDeclared, math<MathKind::Exp>},
    {"exp2", kDeclared, kDeclared, math<MathKind::Exp2>},
    {"log", kDeclared, kDeclared, math<MathKind::Log>},
    {"log2", kDeclared, kDeclared, math<MathKind::Log2>},
    {"sin", kDeclared, kDeclared, math<MathKind::Sin>},
    {"cos", kDeclared, kDeclared, math<MathKind::Cos>},
    {"tanh", kDeclared, kDeclared, math<MathKind::Tanh>},
    {"rsqrt", kDeclared, kDeclared, math<MathKind::Rsqrt>},
    {"sqrt", kDeclared, kDeclared, math<MathKind::Sqrt>},
    {"erf", kDeclared, kDeclared, math<MathKind::Erf>},
    {"floor", kDeclared, kDeclared, exactly<MathKind::Floor>},
    {"ceil", kDeclared, kDeclared, exactly<MathKind::Ceil>},
    {"round", kDeclared, kDeclared, round},
    {"atan2", kDeclared, kDeclared, ofTwoFloats<BinaryKind::Atan2>},
    {"copysign", kDeclared, kDeclared, ofTwoFloats<BinaryKind::CopySign>},
    {"clamp", kDeclared, kDeclared, clamp},
    {"bitcast", kDeclared, kDeclared, bitcast},
    {"abs", kDeclared, kDeclared, absolute},
    {"maximum", kDeclared, kDeclared, extremum<BinaryKind::Maximum>},
    {"minimum", kDeclared, kDeclared, extremum<BinaryKind::Minimum>},
    {"select", kDeclared, kDeclared, select},
    {"where", kDeclared, kDeclared, select},
    {"astype", kDeclared, kDeclared, astype},
};

} // namespace

std::span<const Primitive> mathPrimitives() { return kMathPrimitives; }

} // namespace lanescope::repl
