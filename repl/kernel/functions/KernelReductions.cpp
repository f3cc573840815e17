// sum, max, min, prod, mean, any and all of arrays in a kernel, over some or all of their axes.
#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/trace/Expanded.h"
#include "repl/lang/evaluate/Iterators.h"
#include "repl/lang/values/ArrayOps.h"

#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::repl {

using core::BinaryKind;
using core::IrValue;
using core::ReduceKind;
using layouts::Dtype;
using layouts::Shape;

namespace {

Result<IrValue> reduced(Tracer &tracer, Context &context, const BoundArguments &args, const Arg &operand, size_t axis,
                        ReduceKind kind, std::optional<size_t> dtypeIndex = std::nullopt) {
  Term x = LANESCOPE_TRY(termOf(tracer, operand, args.function));
  Dtype dtype = commonDtype({x});
  if (dtypeIndex && args.has(*dtypeIndex) && !args[*dtypeIndex].value.isNone())
    dtype = LANESCOPE_TRY(tracer.kernelDtype(LANESCOPE_TRY(args.dtype(*dtypeIndex)), args[*dtypeIndex].span));
  if (dtype == Dtype::I1)
    dtype = Dtype::I32; // sum counts the true elements
  if (layouts::bitwidth(dtype) < 8 || (layouts::isFloat(dtype) && layouts::bitwidth(dtype) == 8))
    return error("type", operand.span,
                 Message("`{function}` does not take {dtype}; convert with `x.astype({})`", args.function, name(dtype),
                         layouts::isFloat(dtype) ? "f32" : "i32"));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, dtype, x.shape()));
  if (value.isScalar())
    return error("type", operand.span, Message("`{function}` reduces arrays, and this is a scalar", args.function));
  std::vector<int64_t> axes = LANESCOPE_TRY(args.axes(axis, value.shape));
  LANESCOPE_CHECK(tracer.checkReduces(dtype, value.shape, axes, args.function, context.span));
  return axes.empty() ? value : builder.reduce(kind, value, axes);
}

/// The result, with the reduced axes as dimensions of size 1 if argument `index`, `keepdims`, is true.
Result<Value> kept(Tracer &tracer, const Context &context, const BoundArguments &args, size_t index, const Arg &operand,
                   size_t axis, const IrValue &value) {
  Value out = TracedValue::make(tracer, value, context.span);
  if (!LANESCOPE_TRY(args.booleanOr(index, false)))
    return out;
  Term x = LANESCOPE_TRY(termOf(tracer, operand, args.function));
  return keptDimensions(out, x.shape(), LANESCOPE_TRY(args.axes(axis, x.shape())));
}

enum : size_t { kX, kAxis, kDtype, kKeepDims, kStart };

template <ReduceKind kind> Result<Value> total(Tracer &tracer, Context &context, const BoundArguments &args) {
  IrValue value = LANESCOPE_TRY(reduced(tracer, context, args, args[kX], kAxis, kind, kDtype));
  return kept(tracer, context, args, kKeepDims, args[kX], kAxis, value);
}

Result<Value> sum(Tracer &tracer, Context &context, const BoundArguments &args) {
  // Python's sum of the items of a list, a tuple or an iterator.
  if (const Value &x = args[kX].value; x.asList() || x.asTuple() || x.as<Iterator>()) {
    const Arg *start = args.has(kStart) ? args.get(kStart) : args.get(kAxis);
    Value sum = start ? start->value : Value(0);
    for (Value &item : LANESCOPE_TRY(context.evaluator.iterate(x, args[kX].span)))
      sum = LANESCOPE_TRY(
          context.evaluator.binary(BinaryOp::Add, {sum, context.span}, {std::move(item), args[kX].span}, context.span));
    return sum;
  }
  Value out = LANESCOPE_TRY(total<ReduceKind::Sum>(tracer, context, args));
  if (!args.has(kStart))
    return out;
  return context.evaluator.binary(BinaryOp::Add, {out, context.span}, args[kStart], context.span);
}

/// Reduces one array over axes, or several values element by element.
template <ReduceKind over, BinaryKind between>
Result<Value> extreme(Tracer &tracer, Context &context, const BoundArguments &args) {
  const std::vector<Arg> &values = args.rest();
  if (values.empty())
    return context.fail("type", Message("`{function}` takes at least one value", args.function));
  constexpr size_t kKey = 3;
  if (args.has(kKey) && !args[kKey].value.isNone())
    return args.wrongValue(kKey, "values of a kernel are compared as they are; leave it out");
  if (values.size() == 1)
    return kept(tracer, context, args, 2, values[0], 1,
                LANESCOPE_TRY(reduced(tracer, context, args, values[0], 1, over)));
  std::vector<Term> terms;
  for (const Arg &value : values)
    terms.push_back(LANESCOPE_TRY(termOf(tracer, value, args.function)));
  Dtype dtype = commonDtype(terms);
  Shape shape = LANESCOPE_TRY(commonShape(context, terms, args.function));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue result = LANESCOPE_TRY(shaped(tracer, terms[0], dtype, shape));
  for (size_t i = 1; i < terms.size(); ++i)
    result = builder.binary(between, result, LANESCOPE_TRY(shaped(tracer, terms[i], dtype, shape)));
  return TracedValue::make(tracer, result, context.span);
}

Result<Value> mean(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[kX], "mean"));
  IrValue total = LANESCOPE_TRY(reduced(tracer, context, args, args[kX], kAxis, ReduceKind::Sum, kDtype));
  core::KernelBuilder &builder = tracer.at(context.span);
  if (!layouts::isFloat(total.dtype))
    total = builder.cast(total, floatOf(total.dtype));
  const int64_t count = layouts::elementCount(x.shape()) / layouts::elementCount(total.shape);
  IrValue divisor = builder.constant(total.dtype, total.shape, static_cast<double>(count));
  return kept(tracer, context, args, kKeepDims, args[kX], kAxis, builder.binary(BinaryKind::Divide, total, divisor));
}

/// any and all: the maximum and minimum of truth values.
template <ReduceKind kind> Result<Value> truth(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  if (x.shape().empty())
    return error("type", args[0].span, Message("`{function}` reduces arrays, and this is a scalar", args.function));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue held = builder.cast(builder.cast(*x.traced, Dtype::I1), Dtype::I32);
  std::vector<int64_t> axes = LANESCOPE_TRY(args.axes(1, held.shape));
  LANESCOPE_CHECK(tracer.checkReduces(held.dtype, held.shape, axes, args.function, context.span));
  IrValue result = axes.empty() ? held : builder.reduce(kind, held, axes);
  return kept(tracer, context, args, 2, args[0], 1, builder.cast(result, Dtype::I1));
}

constexpr Primitive kReductionPrimitives[] = {
    {"sum", kDeclared, kDeclared, sum},
    {"prod", kDeclared, kDeclared, total<ReduceKind::Product>},
    {"max", kDeclared, kDeclared, extreme<ReduceKind::Maximum, BinaryKind::Maximum>},
    {"min", kDeclared, kDeclared, extreme<ReduceKind::Minimum, BinaryKind::Minimum>},
    {"mean", kDeclared, kDeclared, mean},
    {"any", kDeclared, kDeclared, truth<ReduceKind::Maximum>},
    {"all", kDeclared, kDeclared, truth<ReduceKind::Minimum>},
};

} // namespace

std::span<const Primitive> reductionPrimitives() { return kReductionPrimitives; }

} // namespace lanescope::repl
