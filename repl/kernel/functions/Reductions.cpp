// sum, max, min, prod, mean, any and all of arrays in a kernel, over some or all of their axes.
#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/trace/Expanded.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::repl {

using core::BinaryKind;
using core::IrValue;
using core::ReduceKind;
using layouts::Dtype;
using layouts::Shape;

namespace {

/// The axes that argument `index` names, in order; all when it is left out.
Result<std::vector<int64_t>> axesOf(const BoundArguments &args, size_t index, const Shape &shape) {
  auto rank = static_cast<int64_t>(shape.size());
  std::vector<int64_t> axes;
  if (!args.has(index) || args[index].value.isNone()) {
    for (int64_t d = 0; d < rank; ++d)
      axes.push_back(d);
    return axes;
  }
  for (int64_t axis : LANESCOPE_TRY(args.integers(index))) {
    if (axis < -rank || axis >= rank)
      return args.wrongValue(index,
                             text("there is no axis ", axis, " in an array of shape ", layouts::tupleText(shape)));
    axes.push_back(axis < 0 ? axis + rank : axis);
  }
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end())
    return args.wrongValue(index, "an axis is named twice");
  return axes;
}

Result<IrValue> reduced(Tracer &tracer, Context &context, const BoundArguments &args, const Arg &operand, size_t axis,
                        ReduceKind kind) {
  Term x = LANESCOPE_TRY(termOf(tracer, operand, args.function));
  Dtype dtype = commonDtype({x});
  if (dtype == Dtype::I1)
    dtype = Dtype::I32; // sum counts what holds
  if (layouts::bitwidth(dtype) < 8 || (layouts::isFloat(dtype) && layouts::bitwidth(dtype) == 8))
    return error("type", operand.span,
                 text("`", args.function, "` does not take ", name(dtype), "; convert with `x.astype(",
                      layouts::isFloat(dtype) ? "f32" : "i32", ")`"));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, dtype, x.shape()));
  if (value.isScalar())
    return error("type", operand.span, text("`", args.function, "` reduces arrays, and this is a scalar"));
  std::vector<int64_t> axes = LANESCOPE_TRY(axesOf(args, axis, value.shape));
  LANESCOPE_CHECK(tracer.checkReduces(dtype, value.shape, axes, args.function, context.span));
  return axes.empty() ? value : builder.reduce(kind, value, axes);
}

/// The result, with the reduced axes as dimensions of size 1 where argument `index`, `keepdims`, says so.
Result<Value> kept(Tracer &tracer, const Context &context, const BoundArguments &args, size_t index, const Arg &operand,
                   size_t axis, const IrValue &value) {
  Value out = TracedValue::make(tracer, value, context.span);
  if (!LANESCOPE_TRY(args.booleanOr(index, false)))
    return out;
  Term x = LANESCOPE_TRY(termOf(tracer, operand, args.function));
  return keptDimensions(out, x.shape(), LANESCOPE_TRY(axesOf(args, axis, x.shape())));
}

Result<Value> sum(Tracer &tracer, Context &context, const BoundArguments &args) {
  return kept(tracer, context, args, 2, args[0], 1,
              LANESCOPE_TRY(reduced(tracer, context, args, args[0], 1, ReduceKind::Sum)));
}

Result<Value> product(Tracer &tracer, Context &context, const BoundArguments &args) {
  return kept(tracer, context, args, 2, args[0], 1,
              LANESCOPE_TRY(reduced(tracer, context, args, args[0], 1, ReduceKind::Product)));
}

/// Of one array over axes, or of several values element by element.
template <ReduceKind over, BinaryKind between>
Result<Value> extreme(Tracer &tracer, Context &context, const BoundArguments &args) {
  const std::vector<Arg> &values = args.rest();
  if (values.empty())
    return context.fail("type", text("`", args.function, "` takes at least one value"));
  if (values.size() == 1)
    return kept(tracer, context, args, 2, values[0], 1, LANESCOPE_TRY(reduced(tracer, context, args, values[0], 1, over)));
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
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "mean"));
  IrValue total = LANESCOPE_TRY(reduced(tracer, context, args, args[0], 1, ReduceKind::Sum));
  core::KernelBuilder &builder = tracer.at(context.span);
  if (!layouts::isFloat(total.dtype))
    total = builder.cast(total, Dtype::F32);
  double count = static_cast<double>(layouts::elementCount(x.shape()) / layouts::elementCount(total.shape));
  IrValue divisor = builder.constant(total.dtype, total.shape, count);
  return kept(tracer, context, args, 2, args[0], 1, builder.binary(BinaryKind::Divide, total, divisor));
}

/// any and all: the largest and smallest of truth values.
template <ReduceKind kind> Result<Value> truth(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  if (x.shape().empty())
    return error("type", args[0].span, text("`", args.function, "` reduces arrays, and this is a scalar"));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue held = builder.cast(builder.cast(*x.traced, Dtype::I1), Dtype::I32);
  std::vector<int64_t> axes = LANESCOPE_TRY(axesOf(args, 1, held.shape));
  LANESCOPE_CHECK(tracer.checkReduces(held.dtype, held.shape, axes, args.function, context.span));
  IrValue result = axes.empty() ? held : builder.reduce(kind, held, axes);
  return kept(tracer, context, args, 2, args[0], 1, builder.cast(result, Dtype::I1));
}

constexpr Primitive kPrimitives[] = {
    {"sum", "sum(x, axis=None, keepdims=False)", "The sum over `axis` (an int or a tuple; all without it), in the array's dtype.", sum},
    {"prod", "prod(x, axis=None, keepdims=False)", "The product over `axis` (an int or a tuple; all without it).", product},
    {"max", "max(*values, axis=None, keepdims=False)",
     "The largest element of an array over `axis` (an int or a tuple; all without it), NaN where one is; of several "
     "values, element by element.",
     extreme<ReduceKind::Maximum, BinaryKind::Maximum>},
    {"min", "min(*values, axis=None, keepdims=False)",
     "The smallest element of an array over `axis` (an int or a tuple; all without it), NaN where one is; of several "
     "values, element by element.",
     extreme<ReduceKind::Minimum, BinaryKind::Minimum>},
    {"mean", "mean(x, axis=None, keepdims=False)", "The mean over `axis`: the sum divided by the number of elements.", mean},
    {"any", "any(x, axis=None, keepdims=False)", "Whether an element over `axis` (an int or a tuple; all without it) is not zero.",
     truth<ReduceKind::Maximum>},
    {"all", "all(x, axis=None, keepdims=False)", "Whether no element over `axis` (an int or a tuple; all without it) is zero.",
     truth<ReduceKind::Minimum>},
};

} // namespace

std::span<const Primitive> reductionPrimitives() { return kPrimitives; }

} // namespace lanescope::repl
