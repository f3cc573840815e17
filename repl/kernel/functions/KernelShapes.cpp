// Functions that create or reshape arrays: iota, broadcasts, parts, joined arrays.
#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/trace/Expanded.h"
#include "repl/kernel/trace/Traced.h"
#include "repl/lang/values/ArrayFunctions.h"
#include "repl/lang/values/ArrayOps.h"

#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;
using layouts::Shape;

namespace {

Result<Value> broadcastedIota(Tracer &tracer, Context &context, const BoundArguments &args) {
  Dtype dtype = LANESCOPE_TRY(tracer.kernelDtype(LANESCOPE_TRY(args.dtype(0)), args[0].span));
  Shape shape = LANESCOPE_TRY(args.shape(1));
  if (shape.empty() || std::ranges::find(shape, 0) != shape.end())
    return args.wrongValue(
        1, Message("the shape is {shape}, expected one or more sizes above 0", layouts::tupleText(shape)));
  int64_t dimension = LANESCOPE_TRY(dimensionArgument(args, 2, shape));
  LANESCOPE_CHECK(tracer.checkRegisters(dtype, shape, context.span));
  LANESCOPE_CHECK(tracer.checkComputes(dtype, "broadcasted_iota", args[0].span));
  LANESCOPE_CHECK(tracer.checkIota(dtype, shape, context.span));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = builder.iota(dtype == Dtype::I1 ? Dtype::I32 : dtype, shape, dimension);
  if (args.has(3) && !args[3].value.isNone())
    value = LANESCOPE_TRY(tracer.withLayout(value, args, 3));
  return TracedValue::make(tracer, builder.cast(value, dtype), context.span);
}

Result<Value> broadcastInDim(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "broadcast_in_dim"));
  Shape shape = LANESCOPE_TRY(args.shape(1));
  std::vector<int64_t> dims = LANESCOPE_TRY(args.integers(2));
  Shape from = x.shape();
  LANESCOPE_CHECK(checkBroadcastDimensions(args, from, shape, dims));
  LANESCOPE_CHECK(tracer.checkRegisters(commonDtype({x}), shape, context.span));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, commonDtype({x}), from));
  // Dimensions of size 1 that grow are dropped, and come back as new dimensions.
  Shape kept;
  std::vector<int64_t> keptDims;
  for (size_t i = 0; i < dims.size(); ++i)
    if (from[i] == shape[static_cast<size_t>(dims[i])]) {
      kept.push_back(from[i]);
      keptDims.push_back(dims[i]);
    }
  if (kept.size() != from.size() && !kept.empty())
    value = builder.reshape(value, kept);
  else
    keptDims = dims;
  value = shape.empty() ? value : builder.broadcastInDim(value, shape, keptDims);
  if (args.has(3) && !args[3].value.isNone())
    value = LANESCOPE_TRY(tracer.withLayout(value, args, 3));
  return TracedValue::make(tracer, value, context.span);
}

/// `broadcast_to`: broadcasts as `+` does. Also accepts an array with added dimensions, such as `x[:, None]`.
Result<Value> broadcastTo(Tracer &tracer, Context &context, const BoundArguments &args) {
  Shape shape = LANESCOPE_TRY(args.shape(1));
  if (args[0].value.as<ExpandedValue>())
    return spreadOver(context, args[0].value, shape);
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "broadcast_to"));
  auto joint = broadcastShapes(x.shape(), shape);
  if (!joint || *joint != shape)
    return args.wrongValue(1, Message("an array of shape {shape} does not broadcast to {other_shape}, whose last "
                                      "dimensions it has to have; `broadcast_in_dim` says which are which",
                                      layouts::tupleText(x.shape()), layouts::tupleText(shape)));
  tracer.at(context.span);
  return TracedValue::make(tracer, LANESCOPE_TRY(shaped(tracer, x, commonDtype({x}), shape)), context.span);
}

Result<Value> reshape(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "reshape"));
  std::vector<int64_t> sizes = LANESCOPE_TRY(args.integers(1));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, commonDtype({x}), x.shape()));
  int64_t count = layouts::elementCount(value.shape), known = 1;
  auto open = std::ranges::find(sizes, -1);
  for (int64_t size : sizes)
    if (size < -1 || __builtin_mul_overflow(known, size == -1 ? 1 : size, &known))
      return args.wrongValue(1, Message("a shape has no size {size}", size));
  if (open != sizes.end() && known != 0 && count % known == 0)
    *open = count / known;
  if (layouts::elementCount(sizes) != count || std::ranges::find(sizes, -1) != sizes.end())
    return args.wrongValue(
        1, Message("an array of shape {shape} has {elements} elements, which the shape {other_shape} does not have",
                   layouts::tupleText(value.shape), count, layouts::tupleText(sizes)));
  if (value.isScalar() || sizes.empty())
    return sizes.empty() ? args.wrongValue(1, "an array in registers keeps one dimension at least")
                         : Result<Value>(TracedValue::make(tracer, builder.splat(value, sizes), context.span));
  return TracedValue::make(tracer, builder.reshape(value, sizes), context.span);
}

Result<Value> concatenate(Tracer &tracer, Context &context, const BoundArguments &args) {
  std::vector<Term> terms;
  for (const Value &item : LANESCOPE_TRY(context.evaluator.iterate(args[0].value, args[0].span)))
    terms.push_back(LANESCOPE_TRY(termOf(tracer, {item, args[0].span}, "concatenate")));
  if (terms.empty() || terms[0].shape().empty())
    return args.wrongValue(0, "there must be at least one array");
  int64_t axis = LANESCOPE_TRY(args.integerOr(1, 0)), rank = static_cast<int64_t>(terms[0].shape().size());
  if (axis < -rank || axis >= rank)
    return args.wrongValue(1, Message("there is no axis {dimension} in arrays of rank {rank}", axis, rank));
  axis += axis < 0 ? rank : 0;
  Dtype dtype = commonDtype(terms);
  if (args.has(2) && !args[2].value.isNone())
    dtype = LANESCOPE_TRY(tracer.kernelDtype(LANESCOPE_TRY(args.dtype(2)), args[2].span));
  std::vector<IrValue> values;
  Shape whole = terms[0].shape();
  whole[axis] = 0;
  for (const Term &term : terms) {
    Shape mine = term.shape(), other = terms[0].shape();
    if (mine.size() == other.size()) {
      whole[axis] += mine[axis];
      mine[axis] = other[axis] = 0;
    }
    if (mine != other)
      return args.wrongValue(
          0, Message("arrays of shapes {shape} and {other_shape} cannot be joined along axis {dimension}",
                     layouts::tupleText(terms[0].shape()), layouts::tupleText(term.shape()), axis));
    values.push_back(LANESCOPE_TRY(shaped(tracer, term, dtype, term.shape())));
  }
  LANESCOPE_CHECK(tracer.checkRegisters(dtype, whole, context.span));
  core::KernelBuilder &builder = tracer.at(context.span);
  return TracedValue::make(tracer, values.size() == 1 ? values[0] : builder.concatenate(values, axis), context.span);
}

Result<Value> optimizationBarrier(Tracer &tracer, Context &context, const BoundArguments &args) {
  std::vector<IrValue> values;
  for (const Arg &arg : args.rest()) {
    Term term = LANESCOPE_TRY(termOf(tracer, arg, "optimization_barrier"));
    values.push_back(LANESCOPE_TRY(shaped(tracer, term, commonDtype({term}), term.shape())));
  }
  if (values.empty())
    return context.fail("type", "`optimization_barrier` takes at least one value");
  std::vector<Value> out;
  for (const IrValue &value : tracer.at(context.span).optimizationBarrier(values))
    out.push_back(TracedValue::make(tracer, value, context.span));
  return out.size() == 1 ? out[0] : Value::tuple(std::move(out));
}

constexpr Primitive kShapePrimitives[] = {
    {"broadcasted_iota", kDeclared, kDeclared, broadcastedIota},
    {"broadcast_in_dim", kDeclared, kDeclared, broadcastInDim},
    {"broadcast_to", kDeclared, kDeclared, broadcastTo},
    {"reshape", kDeclared, kDeclared, reshape},
    {"concatenate", kDeclared, kDeclared, concatenate},
    {"optimization_barrier", kDeclared, kDeclared, optimizationBarrier},
};

} // namespace

std::span<const Primitive> shapePrimitives() { return kShapePrimitives; }

} // namespace lanescope::repl
