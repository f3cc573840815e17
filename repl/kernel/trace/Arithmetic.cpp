// Operators on traced values.
#include "repl/kernel/trace/Expanded.h"
#include "repl/kernel/trace/Traced.h"
#include "repl/lang/values/ArrayOps.h"

#include "layouts/support/Try.h"

#include <cmath>

namespace lanescope::repl {

using core::BinaryKind;
using core::CompareKind;
using core::IrValue;
using core::KernelBuilder;
using layouts::Dtype;
using layouts::Shape;

namespace {

std::optional<BinaryKind> kindOf(BinaryOp op, bool floats) {
  switch (op) {
  case BinaryOp::Add: return BinaryKind::Add;
  case BinaryOp::Subtract: return BinaryKind::Subtract;
  case BinaryOp::Multiply: return BinaryKind::Multiply;
  case BinaryOp::Divide: return BinaryKind::Divide;
  case BinaryOp::FloorDivide: return BinaryKind::FloorDivide;
  case BinaryOp::Modulo: return BinaryKind::Modulo;
  case BinaryOp::BitAnd: return floats ? std::nullopt : std::optional(BinaryKind::And);
  case BinaryOp::BitOr: return floats ? std::nullopt : std::optional(BinaryKind::Or);
  case BinaryOp::BitXor: return floats ? std::nullopt : std::optional(BinaryKind::Xor);
  case BinaryOp::ShiftLeft: return floats ? std::nullopt : std::optional(BinaryKind::ShiftLeft);
  case BinaryOp::ShiftRight: return floats ? std::nullopt : std::optional(BinaryKind::ShiftRight);
  default: return std::nullopt;
  }
}

bool isBitwise(BinaryOp op) { return op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor; }

/// A power: `x ** n` for a small integer n by repeated squaring, `x ** -n`, or `x ** 0.5`.
Result<Value> power(Tracer &tracer, const Context &context, const Term &base, const Term &exponent) {
  if (exponent.traced)
    return context.fail("unsupported", "`**` needs an exponent that is known while tracing");
  KernelBuilder &builder = tracer.at(context.span);
  if (!base.traced)
    return context.fail("unsupported", "`**` does not take a traced exponent; use `exp2(x * c)`");
  IrValue x = *base.traced;
  if (const double *real = exponent.number.asFloat(); real && *real == 0.5 && layouts::isFloat(x.dtype))
    return TracedValue::make(tracer, builder.math(core::MathKind::Sqrt, x, false), context.span);
  double wanted = *exponent.number.number();
  constexpr double kMaxPower = 64;
  if (wanted != std::trunc(wanted) || std::abs(wanted) > kMaxPower || (wanted < 0 && !layouts::isFloat(x.dtype)))
    return context.fail("unsupported", Message("`**` in a kernel takes a whole exponent from {} to 64, or 0.5",
                                               layouts::isFloat(x.dtype) ? "-64" : "0"));
  if (exponent.number.asFloat() && !layouts::isFloat(x.dtype))
    x = builder.cast(x, Dtype::F32);
  IrValue result = builder.constant(x.dtype, x.shape, int64_t{1});
  bool first = true;
  for (auto n = static_cast<uint64_t>(std::abs(wanted)); n > 0; n >>= 1) {
    if (n & 1) {
      result = first ? x : builder.binary(BinaryKind::Multiply, result, x);
      first = false;
    }
    if (n > 1)
      x = builder.binary(BinaryKind::Multiply, x, x);
  }
  if (wanted < 0)
    result = builder.binary(BinaryKind::Divide, builder.constant(result.dtype, result.shape, int64_t{1}), result);
  return TracedValue::make(tracer, result, context.span);
}

/// True for `1 / x` with an x of f8e8m0fnu, whose values are powers of two and so have reciprocals. The dtype has no
/// other arithmetic.
bool isPowersReciprocal(BinaryOp op, Dtype dtype, const Term &left) {
  return op == BinaryOp::Divide && dtype == Dtype::F8E8M0FNU && !left.traced && left.number.number() == 1.0;
}

} // namespace

Result<std::optional<Value>> TracedValue::binary(Context &context, BinaryOp op, const Arg &other, bool reflected) {
  if (auto *expanded = other.value.as<ExpandedValue>())
    return expanded->binary(context, op, {Value(shared_from_this()), context.span}, !reflected);
  Tracer *tracer = LANESCOPE_TRY(Tracer::of(context, trace_));
  std::string_view sign = spelling(op);
  Term mine{value_, {}, context.span, origin_};
  Term theirs = LANESCOPE_TRY(termOf(*tracer, other, sign));
  Term &left = reflected ? theirs : mine, &right = reflected ? mine : theirs;
  if (op == BinaryOp::MatrixMultiply)
    return context.fail("unsupported", Message("kernels do not have `@`; use {}", tracer->matrixProducts()));
  if (op == BinaryOp::Power)
    return LANESCOPE_TRY(power(*tracer, context, left, right));

  Dtype dtype = commonDtype({left, right});
  if (dtype == Dtype::I1 && !isBitwise(op))
    dtype = Dtype::I32; // True + True is 2
  if (op == BinaryOp::Divide && !layouts::isFloat(dtype))
    dtype = Dtype::F32;
  auto kind = kindOf(op, layouts::isFloat(dtype));
  if (!kind)
    return context.fail("type", Message("`{}` is for integers, not {dtype}", sign, name(dtype)));
  if (!isBitwise(op) && !isPowersReciprocal(op, dtype, left))
    LANESCOPE_CHECK(tracer->checkComputes(dtype, sign, context.span));
  if (!layouts::isFloat(dtype) && (op == BinaryOp::FloorDivide || op == BinaryOp::Modulo) && !right.traced &&
      right.number.integer() == 0)
    return context.fail("arithmetic", "division by zero");
  Shape shape = LANESCOPE_TRY(commonShape(context, {left, right}, sign));
  KernelBuilder &builder = tracer->at(context.span);
  if (op == BinaryOp::Modulo)
    if (auto made = LANESCOPE_TRY(tracer->modulo(left, right, dtype, shape)))
      return make(*tracer, *made, context.span);
  IrValue a = LANESCOPE_TRY(shaped(*tracer, left, dtype, shape));
  IrValue b = LANESCOPE_TRY(shaped(*tracer, right, dtype, shape));
  return make(*tracer, builder.binary(*kind, a, b), context.span);
}

Result<std::optional<Value>> TracedValue::compare(Context &context, CompareOp op, const Arg &other) {
  CompareKind kind;
  switch (op) {
  case CompareOp::Equal: kind = CompareKind::Equal; break;
  case CompareOp::NotEqual: kind = CompareKind::NotEqual; break;
  case CompareOp::Less: kind = CompareKind::Less; break;
  case CompareOp::LessEqual: kind = CompareKind::LessEqual; break;
  case CompareOp::Greater: kind = CompareKind::Greater; break;
  case CompareOp::GreaterEqual: kind = CompareKind::GreaterEqual; break;
  default: return std::nullopt;
  }
  if (auto *expanded = other.value.as<ExpandedValue>()) {
    auto spread =
        LANESCOPE_TRY(spreadOver(context, Value(std::static_pointer_cast<Object>(expanded->shared_from_this())),
                                 LANESCOPE_TRY(broadcastShapes(expanded->view(), value_.shape))));
    return LANESCOPE_TRY(
        context.evaluator.compare(op, {Value(shared_from_this()), context.span}, {spread, other.span}, context.span));
  }
  if (!other.value.number() && !other.value.as<TracedValue>() && kind <= CompareKind::NotEqual &&
      !other.value.asObject() && !other.value.asArray())
    return std::nullopt; // `x == None` has Python's meaning: not equal
  Tracer *tracer = LANESCOPE_TRY(Tracer::of(context, trace_));
  Term mine{value_, {}, context.span, origin_};
  Term theirs = LANESCOPE_TRY(termOf(*tracer, other, spelling(op)));
  Dtype dtype = commonDtype({mine, theirs});
  if (layouts::bitwidth(dtype) < 16 && dtype != Dtype::I1 && (layouts::isFloat(dtype) || layouts::bitwidth(dtype) == 4))
    dtype = layouts::isFloat(dtype) ? Dtype::F32 : layouts::isSignedInteger(dtype) ? Dtype::I8 : Dtype::U8;
  Shape shape = LANESCOPE_TRY(commonShape(context, {mine, theirs}, spelling(op)));
  KernelBuilder &builder = tracer->at(context.span);
  IrValue a = LANESCOPE_TRY(shaped(*tracer, mine, dtype, shape));
  IrValue b = LANESCOPE_TRY(shaped(*tracer, theirs, dtype, shape));
  return make(*tracer, builder.compare(kind, a, b), context.span);
}

Result<Value> TracedValue::unary(Context &context, UnaryOp op) {
  Tracer *tracer = LANESCOPE_TRY(Tracer::of(context, trace_));
  KernelBuilder &builder = tracer->at(context.span);
  switch (op) {
  case UnaryOp::Plus: return Value(shared_from_this());
  case UnaryOp::Negate:
    LANESCOPE_CHECK(tracer->checkComputes(value_.dtype, "-", context.span));
    return make(*tracer, builder.negate(value_.dtype == Dtype::I1 ? builder.cast(value_, Dtype::I32) : value_),
                context.span);
  case UnaryOp::Invert:
    if (layouts::isFloat(value_.dtype))
      return context.fail("type", Message("`~` is for integers, not {dtype}", name(value_.dtype)));
    return make(*tracer, builder.bitwiseNot(value_), context.span);
  case UnaryOp::Not:
    if (!value_.isScalar())
      LANESCOPE_CHECK(truth(context)); // always an error here: an array is neither true nor false
    return make(*tracer, builder.bitwiseNot(builder.cast(value_, Dtype::I1)), context.span);
  }
  return Value();
}

Result<Value> castTo(Context &context, const Value &value, Dtype dtype) {
  auto *traced = value.as<TracedValue>();
  Tracer *tracer = LANESCOPE_TRY(Tracer::of(context, traced->trace()));
  LANESCOPE_CHECK(tracer->kernelDtype(dtype, context.span));
  LANESCOPE_CHECK(tracer->checkConverts(traced->ir().dtype, dtype, context.span));
  return TracedValue::make(*tracer, tracer->at(context.span).cast(traced->ir(), dtype), context.span);
}

} // namespace lanescope::repl
