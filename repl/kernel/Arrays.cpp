// Functions that make or reshape arrays: iota, broadcasts, layout casts; block and warpgroup numbers.
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

Result<Value> gridIndex(Tracer &tracer, Context &context, int64_t dim) {
  // The last grid dimension is x, the fastest.
  return TracedValue::make(
      tracer, tracer.at(context.span).programId(static_cast<int>(tracer.axes().gridRank - 1 - dim)), context.span);
}

Result<Value> axisIndex(Tracer &tracer, Context &context, const BoundArguments &args) {
  std::string axis = LANESCOPE_TRY(args.text(0));
  const AxisNames &axes = tracer.axes();
  if (auto found = std::ranges::find(axes.grid, axis); found != axes.grid.end())
    return gridIndex(tracer, context, found - axes.grid.begin());
  if (!axes.thread.empty() && axis == axes.thread)
    return TracedValue::make(tracer, tracer.at(context.span).warpgroupId(), context.span);
  std::vector<std::string> known = axes.grid;
  if (!axes.thread.empty())
    known.push_back(axes.thread);
  for (std::string &name : known)
    name = text("`", name, "`");
  return args.wrongValue(0, known.empty() ? text("the kernel names no axes; give it `grid_names=` or `thread_name=`")
                                          : text("the kernel has no axis `", axis, "`, it has ", joined(known, ", ")));
}

Result<Value> programId(Tracer &tracer, Context &context, const BoundArguments &args) {
  int64_t dim = LANESCOPE_TRY(args.integer(0));
  if (dim < 0 || dim >= static_cast<int64_t>(tracer.axes().gridRank))
    return args.wrongValue(0, text("the grid has ", tracer.axes().gridRank, " dimensions"));
  return gridIndex(tracer, context, dim);
}

constexpr Primitive kPrimitives[] = {
    {"layout_cast", "layout_cast(x, layout)", "The same array in another register layout.", layoutCast},
    {"broadcasted_iota", "broadcasted_iota(dtype, shape, dimension, layout=None)",
     "0, 1, 2, … along a dimension, constant along the others.", broadcastedIota},
    {"broadcast_in_dim", "broadcast_in_dim(x, shape, broadcast_dimensions, layout=None)",
     "Repeats an array: its dimension i becomes dimension `broadcast_dimensions[i]` of the result.", broadcastInDim},
    {"axis_index", "axis_index(name)",
     "The block's index along a named grid dimension, or the warpgroup's along `thread_name`.", axisIndex},
    {"program_id", "program_id(axis)", "The block's index along grid dimension `axis`.", programId},
};

} // namespace

std::span<const Primitive> arrayPrimitives() { return kPrimitives; }

} // namespace lanescope::repl
