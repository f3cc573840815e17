// The host's part of the functions that create, repeat and join arrays.
#include "layouts/support/Try.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/values/ArrayFunctions.h"
#include "repl/lang/values/ArrayViews.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

R placed(const A &args, size_t index, Result<Array> out, ArrayRules rules) {
  if (!out)
    return at(args[index].span, std::move(out.error()));
  return Value(std::move(*out), rules);
}

/// The argument as an array; a number becomes an array of rank 0.
Result<Array> operand(const A &args, size_t index) {
  if (args[index].value.number())
    return arrayOf(args[index].value, args[index].value.asFloat() ? std::optional(Dtype::F32) : std::nullopt);
  return *LANESCOPE_TRY(args.array(index));
}

R transposedArray(C &context, const A &args) {
  const Array *array = LANESCOPE_TRY(args.array(0));
  LANESCOPE_CHECK(context.evaluator.reserveArray(array->dtype, array->shape, context.span));
  auto out = transposed(args[0].value, LANESCOPE_TRY(args.integersOr(1, {})));
  if (!out)
    return at(args[args.has(1) ? 1 : 0].span, std::move(out.error()));
  return out;
}

R reshapedArray(C &context, const A &args) {
  Value array = args[0].value;
  if (!array.asArray())
    array = Value(LANESCOPE_TRY(operand(args, 0)));
  LANESCOPE_CHECK(context.evaluator.reserveArray(array.asArray()->dtype, array.asArray()->shape, context.span));
  auto out = reshaped(array, LANESCOPE_TRY(args.integers(1)));
  if (!out)
    return at(args[1].span, std::move(out.error()));
  return out;
}

R broadcast(C &context, const A &args) {
  Array array = LANESCOPE_TRY(operand(args, 0));
  Shape shape = LANESCOPE_TRY(args.shape(1));
  LANESCOPE_CHECK(context.evaluator.reserveArray(array.dtype, shape, context.span));
  return placed(args, 1, broadcastTo(array, shape), args[0].value.arrayRules());
}

/// Error for a layout: host arrays lie in memory row by row, so they have none.
Result<void> withoutLayout(const A &args, size_t index) {
  if (args.has(index) && !args[index].value.isNone())
    return args.wrongValue(index, "an array of the host has no layout; leave it out");
  return {};
}

R broadcastInDim(C &context, const A &args) {
  Array array = LANESCOPE_TRY(operand(args, 0));
  Shape shape = LANESCOPE_TRY(args.shape(1));
  std::vector<int64_t> dims = LANESCOPE_TRY(args.integers(2));
  LANESCOPE_CHECK(withoutLayout(args, 3));
  LANESCOPE_CHECK(checkBroadcastDimensions(args, array.shape, shape, dims));
  LANESCOPE_CHECK(context.evaluator.reserveArray(array.dtype, shape, context.span));
  Shape aligned(shape.size(), 1);
  for (size_t i = 0; i < dims.size(); ++i)
    aligned[static_cast<size_t>(dims[i])] = array.shape[i];
  return placed(args, 1, broadcastTo(LANESCOPE_TRY(reshape(array, aligned)), shape), args[0].value.arrayRules());
}

R broadcastedIota(C &context, const A &args) {
  Dtype dtype = LANESCOPE_TRY(args.dtype(0));
  Shape shape = LANESCOPE_TRY(args.shape(1));
  int64_t dimension = LANESCOPE_TRY(dimensionArgument(args, 2, shape));
  LANESCOPE_CHECK(withoutLayout(args, 3));
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  Array out = Array::zeros(dtype, shape);
  int64_t size = shape[static_cast<size_t>(dimension)];
  int64_t inner = layouts::contiguousStrides(shape)[static_cast<size_t>(dimension)];
  for (int64_t i = 0; i < out.size(); ++i)
    setElement(out, i, Value(i / inner % size));
  return Value(std::move(out));
}

R concatenated(C &context, const A &args) {
  std::vector<Array> parts;
  std::optional<Dtype> dtype;
  if (args.has(2) && !args[2].value.isNone())
    dtype = LANESCOPE_TRY(args.dtype(2));
  std::optional<Dtype> joint;
  for (const Value &item : LANESCOPE_TRY(context.evaluator.iterate(args[0].value, args[0].span))) {
    parts.push_back(item.asArray() ? *item.asArray() : LANESCOPE_TRY(arrayOf(item, std::nullopt)));
    joint = joint ? LANESCOPE_TRY(promote(*joint, parts.back().dtype)) : parts.back().dtype;
  }
  if (parts.empty())
    return args.wrongValue(0, "there is nothing to join");
  if (args.has(1) && args[1].value.isNone())
    for (Array &part : parts)
      part.shape = {part.size()};
  int64_t axis = LANESCOPE_TRY(args.integerOr(1, 0)), rank = static_cast<int64_t>(parts[0].shape.size());
  if (axis < -rank || axis >= rank)
    return args.wrongValue(1, Message("there is no axis {dimension} in {dimensions} dimensions", axis, rank));
  axis += axis < 0 ? rank : 0;
  auto at = static_cast<size_t>(axis);
  Shape shape = parts[0].shape;
  shape[at] = 0;
  for (const Array &part : parts) {
    Shape own = part.shape;
    if (own.size() == shape.size())
      own[at] = shape[at];
    if (own != shape)
      return error("shape-mismatch", args[0].span,
                   Message("arrays of shapes {shape} and {other_shape} do not join along axis {axis}",
                           layouts::tupleText(parts[0].shape), layouts::tupleText(part.shape), axis));
    shape[at] += part.shape[at];
  }
  Dtype to = dtype.value_or(*joint);
  LANESCOPE_CHECK(context.evaluator.reserveArray(to, shape, context.span));
  Array out = Array::zeros(to, shape);
  auto width = static_cast<size_t>(layouts::hostBytes(to));
  int64_t inner = layouts::contiguousStrides(shape)[at], row = inner * shape[at], begin = 0;
  for (const Array &given : parts) {
    Array part = LANESCOPE_TRY(cast(given, to));
    int64_t block = inner * part.shape[at];
    for (int64_t i = 0; block > 0 && i < part.size() / block; ++i)
      std::copy_n(part.bytes.data() + static_cast<size_t>(i * block) * width, static_cast<size_t>(block) * width,
                  out.bytes.data() + static_cast<size_t>(i * row + begin) * width);
    begin += block;
  }
  return Value(std::move(out));
}

} // namespace

Builtins shapeFunctions() {
  Builtins out = {
      hostFunction("reshape", reshapedArray),
      hostFunction("broadcast_to", broadcast),
      hostFunction("broadcast_in_dim", broadcastInDim),
      hostFunction("broadcasted_iota", broadcastedIota),
      hostFunction("concatenate", concatenated),
      {.name = "transpose",
       .signature = "transpose(x, axes=None)",
       .doc = "The array with its dimensions in the order `axes`; without it, reversed.\n\nIn a kernel a reference is "
              "transposed: `ref.T`.",
       .call = transposedArray,
       .group = "arrays",
       .worksIn = WorksIn::Host},
  };
  return out;
}

} // namespace lanescope::repl
