// Functions that make or reshape arrays: iota, broadcasts, layout casts.
#include "repl/kernel/Primitives.h"
#include "repl/kernel/Traced.h"

#include "layouts/support/Text.h"
#include "repl/lang/Try.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;
using layouts::Shape;

namespace {

Result<IrValue> withLayout(Tracer &tracer, const IrValue &value, const layouts::RegisterLayout &layout,
                           const Span &span) {
  if (std::holds_alternative<layouts::WGSplatFragLayout>(layout))
    return error("layout", span, "a splat layout holds one value; an array cannot be cast to it");
  if (value.isScalar())
    return error("layout", span, "a scalar has no layout");
  if (const auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout))
    if (strided->shape() != value.shape)
      return error("layout", span,
                   text("this layout is for arrays of shape ", layouts::tupleText(strided->shape()),
                        ", and the array has shape ", layouts::tupleText(value.shape)));
  if (const auto *tiled = std::get_if<layouts::TiledLayout>(&layout))
    if (auto registers = tiled->registersShape(value.shape); !registers)
      return error("layout", span,
                   text("an array of shape ", layouts::tupleText(value.shape),
                        " cannot have this layout: ", registers.error().front().message));
  return tracer.builder().layoutCast(value, layout);
}

Result<Value> layoutCast(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "layout_cast"));
  auto layout = LANESCOPE_TRY(args.registerLayout(1));
  tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, commonDtype({x}), x.shape()));
  return TracedValue::make(tracer, LANESCOPE_TRY(withLayout(tracer, value, layout, args[1].span)), context.span);
}

Result<Value> broadcastedIota(Tracer &tracer, Context &context, const BoundArguments &args) {
  Dtype dtype = LANESCOPE_TRY(kernelDtype(LANESCOPE_TRY(args.dtype(0)), args[0].span));
  Shape shape = LANESCOPE_TRY(args.shape(1));
  int64_t dimension = LANESCOPE_TRY(args.integer(2));
  if (shape.empty() || std::ranges::find(shape, 0) != shape.end())
    return args.wrongValue(1, text("the shape is ", layouts::tupleText(shape), ", expected one or more sizes above 0"));
  auto rank = static_cast<int64_t>(shape.size());
  if (dimension < -rank || dimension >= rank)
    return args.wrongValue(2, text("there is no dimension ", dimension, " in the shape ", layouts::tupleText(shape)));
  LANESCOPE_CHECK(checkRegisters(dtype, shape, context.span));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = builder.iota(Dtype::I32, shape, dimension < 0 ? dimension + rank : dimension);
  if (args.has(3) && !args[3].value.isNone())
    value = LANESCOPE_TRY(withLayout(tracer, value, LANESCOPE_TRY(args.registerLayout(3)), args[3].span));
  return TracedValue::make(tracer, builder.cast(value, dtype), context.span);
}

Result<Value> broadcastInDim(Tracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "broadcast_in_dim"));
  Shape shape = LANESCOPE_TRY(args.shape(1));
  std::vector<int64_t> dims = LANESCOPE_TRY(args.integers(2));
  Shape from = x.shape();
  if (dims.size() != from.size())
    return args.wrongValue(
        2, text("expected one dimension for each of the operand's ", from.size(), ", got ", dims.size()));
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= static_cast<int64_t>(shape.size()))
      return args.wrongValue(2, text("there is no dimension ", dims[i], " in the shape ", layouts::tupleText(shape)));
    if (i > 0 && dims[i] <= dims[i - 1])
      return args.wrongValue(2, "the dimensions must increase");
    int64_t target = shape[static_cast<size_t>(dims[i])];
    if (from[i] != 1 && from[i] != target)
      return args.wrongValue(2, text("a dimension of size ", from[i], " cannot be spread over one of size ", target));
  }
  LANESCOPE_CHECK(checkRegisters(commonDtype({x}), shape, context.span));
  core::KernelBuilder &builder = tracer.at(context.span);
  IrValue value = LANESCOPE_TRY(shaped(tracer, x, commonDtype({x}), from));
  value = shape.empty() ? value : builder.broadcastInDim(value, shape, dims);
  if (args.has(3) && !args[3].value.isNone())
    value = LANESCOPE_TRY(withLayout(tracer, value, LANESCOPE_TRY(args.registerLayout(3)), args[3].span));
  return TracedValue::make(tracer, value, context.span);
}

constexpr Primitive kPrimitives[] = {
    {"layout_cast", "layout_cast(x, layout)", "The same array in another register layout.", layoutCast},
    {"broadcasted_iota", "broadcasted_iota(dtype, shape, dimension, layout=None)",
     "0, 1, 2, … along a dimension, constant along the others.", broadcastedIota},
    {"broadcast_in_dim", "broadcast_in_dim(x, shape, broadcast_dimensions, layout=None)",
     "Repeats an array: its dimension i becomes dimension `broadcast_dimensions[i]` of the result.", broadcastInDim},
};

} // namespace

std::span<const Primitive> arrayPrimitives() { return kPrimitives; }

} // namespace lanescope::repl
