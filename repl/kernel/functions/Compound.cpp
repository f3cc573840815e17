// Functions composed of several operations, or of one operation with another interpretation: the logistic function and
// its relatives, signs, leading zeros, and shifts with an explicit fill. Formulas: jax.lax (`logistic`, `sign`, `clz`,
// `shift_right_logical`) and jax.nn (`gelu`, the form with tanh).
//
//   y = gelu(x)                        # 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))
//   top = 31 - clz(n)                  # the place of the highest bit of an i32
//   bits = shift_right_logical(n, 3)   # zeros from the left, for a signed n too
#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/trace/Traced.h"
#include "repl/lang/values/ArrayOps.h"

#include "layouts/support/Try.h"

namespace lanescope::repl {

using core::BinaryKind;
using core::CompareKind;
using core::IrValue;
using core::KernelBuilder;
using core::MathKind;
using layouts::Dtype;
using layouts::Shape;

namespace {

/// Operations on floats of one dtype and shape. Operands may also be numbers.
struct Floats {
  KernelBuilder &builder;
  Dtype dtype;
  Shape shape;
  IrValue number(double value) { return builder.constant(dtype, shape, value); }
  IrValue add(const IrValue &a, const IrValue &b) { return builder.binary(BinaryKind::Add, a, b); }
  IrValue multiply(const IrValue &a, const IrValue &b) { return builder.binary(BinaryKind::Multiply, a, b); }
  IrValue divide(const IrValue &a, const IrValue &b) { return builder.binary(BinaryKind::Divide, a, b); }
};

/// 1 / (1 + exp(-x)). If exp overflows, the quotient is 0, which is correct.
IrValue logistic(Floats &f, const IrValue &x, bool approximate) {
  IrValue power = f.builder.math(MathKind::Exp, f.builder.negate(x), approximate);
  return f.divide(f.number(1), f.add(f.number(1), power));
}

IrValue gelu(Floats &f, const IrValue &x, bool approximate) {
  constexpr double kRootOfTwoOverPi = 0.79788456080286535588;
  IrValue cube = f.multiply(f.multiply(x, x), x);
  IrValue inner = f.multiply(f.number(kRootOfTwoOverPi), f.add(x, f.multiply(f.number(0.044715), cube)));
  IrValue half = f.multiply(f.number(0.5), x);
  return f.multiply(half, f.add(f.number(1), f.builder.math(MathKind::Tanh, inner, approximate)));
}

/// A function of floats; f16 and bf16 are computed in f32 and rounded once.
template <IrValue (*function)(Floats &, const IrValue &, bool)>
Result<Value> ofFloats(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  bool approximate = LANESCOPE_TRY(args.booleanOr(1, tracer.approximate));
  Dtype dtype = commonDtype({x});
  if (!layouts::isFloat(dtype))
    dtype = floatOf(dtype);
  LANESCOPE_CHECK(tracer.checkComputes(dtype, args.function, context.span));
  KernelBuilder &builder = tracer.at(context.span);
  Dtype wide = layouts::bitwidth(dtype) < 32 ? Dtype::F32 : dtype;
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, wide, x.shape()));
  Floats floats{builder, wide, value.shape};
  return TracedValue::make(tracer, builder.cast(function(floats, value, approximate), dtype), context.span);
}

Result<Value> sign(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "sign"));
  Dtype dtype = commonDtype({x});
  LANESCOPE_CHECK(tracer.checkComputes(dtype, "sign", context.span));
  KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, dtype, x.shape()));
  if (auto made = tracer.sign(value))
    return TracedValue::make(tracer, *made, context.span);
  auto number = [&](int64_t one) { return builder.constant(dtype, value.shape, one); };
  IrValue above = builder.select(builder.compare(CompareKind::Greater, value, number(0)), number(1), value);
  if (!layouts::isFloat(dtype) && !layouts::isSignedInteger(dtype))
    return TracedValue::make(tracer, above, context.span);
  IrValue below = builder.compare(CompareKind::Less, value, number(0)); // zeros and NaN stay unchanged
  return TracedValue::make(tracer, builder.select(below, number(-1), above), context.span);
}

Result<Value> leadingZeros(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "clz"));
  Dtype dtype = commonDtype({x});
  if (layouts::isFloat(dtype) || dtype == Dtype::I1)
    return error("type", args[0].span, Message("`clz` takes integers, not {dtype}", name(dtype)));
  LANESCOPE_CHECK(tracer.checkComputes(dtype, "clz", context.span));
  KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, dtype, x.shape()));
  return TracedValue::make(tracer, builder.leadingZeros(value), context.span);
}

Dtype withSign(Dtype dtype, bool sign) {
  switch (layouts::bitwidth(dtype)) {
  case 8: return sign ? Dtype::I8 : Dtype::U8;
  case 16: return sign ? Dtype::I16 : Dtype::U16;
  case 32: return sign ? Dtype::I32 : Dtype::U32;
  default: return sign ? Dtype::I64 : Dtype::U64;
  }
}

/// A shift that treats integers as signed or as unsigned, which decides the bits that come in from the left.
template <BinaryKind kind, bool asSigned>
Result<Value> shift(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  Term by = LANESCOPE_TRY(termOf(tracer, args[1], args.function));
  Dtype dtype = commonDtype({x, by});
  if (layouts::isFloat(dtype) || dtype == Dtype::I1)
    return error("type", args[0].span, Message("`{function}` takes integers, not {dtype}", args.function, name(dtype)));
  LANESCOPE_CHECK(tracer.checkComputes(dtype, args.function, context.span));
  Shape shape = LANESCOPE_TRY(commonShape(context, {x, by}, args.function));
  KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, dtype, shape)),
          count = LANESCOPE_TRY(shaped(tracer, by, dtype, shape));
  Dtype read = withSign(dtype, asSigned);
  IrValue result = builder.binary(kind, builder.cast(value, read), builder.cast(count, read));
  return TracedValue::make(tracer, builder.cast(result, dtype), context.span);
}

/// A quotient or remainder rounded towards zero, as in C. Floats are divided directly, or refused if `integersOnly`.
template <BinaryKind integers, BinaryKind floats, bool integersOnly = false>
Result<Value> towardsZero(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  Term y = LANESCOPE_TRY(termOf(tracer, args[1], args.function));
  Dtype dtype = commonDtype({x, y});
  if (dtype == Dtype::I1)
    return error("type", args[0].span, Message("`{function}` takes numbers, not truth values", args.function));
  if (integersOnly && layouts::isFloat(dtype))
    return error("type", args[0].span, Message("`{function}` takes integers, not {dtype}", args.function, name(dtype)));
  LANESCOPE_CHECK(tracer.checkComputes(dtype, args.function, context.span));
  if (!layouts::isFloat(dtype) && !y.traced && y.number.integer() == 0)
    return context.fail("arithmetic", "division by zero");
  Shape shape = LANESCOPE_TRY(commonShape(context, {x, y}, args.function));
  KernelBuilder &builder = tracer.at(context.span);
  IrValue a = LANESCOPE_TRY(shaped(tracer, x, dtype, shape)), b = LANESCOPE_TRY(shaped(tracer, y, dtype, shape));
  return TracedValue::make(tracer, builder.binary(layouts::isFloat(dtype) ? floats : integers, a, b), context.span);
}

constexpr Primitive kCompoundPrimitives[] = {
    {"div", kDeclared, kDeclared, towardsZero<BinaryKind::TruncatingDivide, BinaryKind::Divide>},
    {"trunc_div", kDeclared, kDeclared, towardsZero<BinaryKind::TruncatingDivide, BinaryKind::Divide, true>},
    {"rem", kDeclared, kDeclared, towardsZero<BinaryKind::Remainder, BinaryKind::Remainder>},
    {"fmod", kDeclared, kDeclared, towardsZero<BinaryKind::Remainder, BinaryKind::Remainder>},
    {"logistic", kDeclared, kDeclared, ofFloats<logistic>},
    {"gelu", kDeclared, kDeclared, ofFloats<gelu>},
    {"sign", kDeclared, kDeclared, sign},
    {"clz", kDeclared, kDeclared, leadingZeros},
    {"shift_left", kDeclared, kDeclared, shift<BinaryKind::ShiftLeft, true>},
    {"shift_right_logical", kDeclared, kDeclared, shift<BinaryKind::ShiftRight, false>},
    {"shift_right_arithmetic", kDeclared, kDeclared, shift<BinaryKind::ShiftRight, true>},
};

} // namespace

std::span<const Primitive> compoundPrimitives() { return kCompoundPrimitives; }

} // namespace lanescope::repl
