// Functions across the lanes of a vector: scans, sorts, counts. Semantics and errors:
// jax/_src/pallas/mosaic/sc_primitives.py. Integers are compared with their sign.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/tpu/memory/TpuRefs.h"
#include "repl/kernel/tpu/vectors/Vectors.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using core::TpuScan;
using layouts::Dtype;
using layouts::Shape;

namespace {

/// Argument `index` as an array whose dtype is one of `dtypes`. A number is an error, since it has no lanes.
Result<IrValue> arrayArgument(TpuTracer &tracer, const BoundArguments &args, size_t index,
                              std::initializer_list<Dtype> dtypes, const Arg &given) {
  Term term = LANESCOPE_TRY(termOf(tracer, given, args.function));
  if (!term.traced || term.shape().empty())
    return error("type", given.span, Message("`{function}` works on arrays, and this is a scalar", args.function));
  if (dtypes.size() && std::ranges::find(dtypes, term.traced->dtype) == dtypes.end()) {
    std::vector<std::string> names;
    for (Dtype dtype : dtypes)
      names.emplace_back(name(dtype));
    return error(
        "unsupported", given.span,
        Message("`{function}` takes {}, not {dtype}", args.function, joined(names, ", "), name(term.traced->dtype)));
  }
  (void)index;
  return *term.traced;
}

Result<IrValue> maskOr(TpuTracer &tracer, const BoundArguments &args, size_t index, const Shape &shape) {
  if (auto mask = LANESCOPE_TRY(maskArgument(tracer, args, index, shape)))
    return *mask;
  return tracer.builder().constant(Dtype::I1, shape, int64_t{1});
}

template <TpuScan kind> Result<Value> running(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kArray, kAxis, kReverse, kMask };
  tracer.at(context.span);
  if (LANESCOPE_TRY(args.booleanOr(kReverse, false)))
    return error(
        "unsupported", args[kReverse].span,
        Message("`{function}` with reverse=True is not supported on a SparseCore; `rev` the lanes before and after",
                args.function));
  IrValue x = LANESCOPE_TRY(arrayArgument(tracer, args, 0, {Dtype::U32, Dtype::I32, Dtype::F32}, args[0]));
  if (x.shape.size() != 1)
    return args.wrongValue(
        0, Message("`{}` on a SparseCore takes an array of shape (n,): this has shape {shape}, and must be rank 1",
                   args.function, layouts::tupleText(x.shape)));
  int64_t axis = LANESCOPE_TRY(args.integerOr(kAxis, 0));
  if (axis != 0 && axis != -1)
    return args.wrongValue(kAxis, Message("a vector's only axis is 0, not {dimension}", axis));
  IrValue mask = LANESCOPE_TRY(maskOr(tracer, args, kMask, x.shape));
  return TracedValue::make(tracer, tracer.builder().scan(kind, x, mask), context.span);
}

/// A mask of all lanes, made as JAX's `jnp.full(shape, True)` makes it: a truth value is repeated as a number.
IrValue allLanes(core::TpuBuilder &builder, const Shape &shape) {
  auto number = [&](int64_t value) { return builder.constant(Dtype::I32, {}, value); };
  IrValue yes = builder.constant(Dtype::I1, {}, int64_t{1});
  IrValue one = number(1), zero = number(0);
  IrValue filled = builder.broadcastInDim(builder.select(yes, one, zero), shape, {});
  return builder.compare(core::CompareKind::Equal, filled, builder.constant(Dtype::I32, shape, int64_t{1}));
}

Result<Value> scanCount(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  tracer.at(context.span);
  IrValue x = LANESCOPE_TRY(arrayArgument(tracer, args, 0, {Dtype::U32, Dtype::I32, Dtype::F32}, args[0]));
  auto given = LANESCOPE_TRY(maskArgument(tracer, args, 1, x.shape));
  IrValue mask = given ? *given : allLanes(tracer.builder(), x.shape);
  auto [counts, last] = tracer.builder().scanCount(x, mask);
  return Value::tuple({TracedValue::make(tracer, counts, context.span), TracedValue::make(tracer, last, context.span)});
}

/// Error unless the array has the shape of the lanes.
Result<void> checkLanes(const TpuTracer &tracer, const IrValue &value, std::string_view what, const Span &span) {
  if (value.shape == Shape{tracer.lanes()})
    return {};
  return error("unsupported", span,
               Message("unsupported shape for {} of a sort: {shape}, expected {other_shape}, the lanes of {target}",
                       what, layouts::tupleText(value.shape), layouts::tupleText({tracer.lanes()}),
                       tracer.target().name));
}

Result<Value> sortKeyVal(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kKeys, kValues, kMask, kDescending };
  tracer.at(context.span);
  IrValue keys = LANESCOPE_TRY(arrayArgument(tracer, args, kKeys, {Dtype::U32, Dtype::I32, Dtype::F32}, args[kKeys]));
  IrValue values =
      LANESCOPE_TRY(arrayArgument(tracer, args, kValues, {Dtype::U32, Dtype::I32, Dtype::F32}, args[kValues]));
  LANESCOPE_CHECK(checkLanes(tracer, keys, "the keys", args[kKeys].span));
  LANESCOPE_CHECK(checkLanes(tracer, values, "the values", args[kValues].span));
  bool descending = LANESCOPE_TRY(args.booleanOr(kDescending, false));
  auto mask = LANESCOPE_TRY(maskArgument(tracer, args, kMask, keys.shape));
  core::TpuBuilder &builder = tracer.at(context.span);
  auto sorted = builder.sort(keys, values, mask ? *mask : builder.trueMask(keys.shape), descending);
  std::vector<Value> out{TracedValue::make(tracer, sorted.keys, context.span),
                         TracedValue::make(tracer, sorted.values, context.span)};
  if (mask)
    out.push_back(TracedValue::make(tracer, sorted.mask, context.span));
  return Value::tuple(std::move(out));
}

Result<Value> sort(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kOperand, kDimension, kDescending, kKeyCount };
  bool several = args[kOperand].value.asTuple() || args[kOperand].value.asList();
  std::vector<Value> items = several ? LANESCOPE_TRY(context.evaluator.iterate(args[kOperand].value, args[0].span))
                                     : std::vector{args[kOperand].value};
  if (items.empty())
    return args.wrongValue(kOperand, "there is nothing to sort");
  tracer.at(context.span);
  std::vector<IrValue> operands;
  for (const Value &item : items)
    operands.push_back(LANESCOPE_TRY(
        arrayArgument(tracer, args, kOperand, {Dtype::U32, Dtype::I32, Dtype::F32}, {item, args[kOperand].span})));
  int64_t dimension = LANESCOPE_TRY(args.integerOr(kDimension, -1));
  if (dimension != 0 && dimension != -1)
    return args.wrongValue(
        kDimension,
        Message("unsupported dimension {dimension}: vectors are sorted along their only one, 0 or -1", dimension));
  if (LANESCOPE_TRY(args.integerOr(kKeyCount, 1)) != 1)
    return args.wrongValue(kKeyCount, "multiple sort keys are not supported: one operand is the key");
  for (size_t i = 0; i < operands.size(); ++i)
    LANESCOPE_CHECK(checkLanes(tracer, operands[i], text("operand ", i), args[kOperand].span));
  bool descending = LANESCOPE_TRY(args.booleanOr(kDescending, false));
  core::TpuBuilder &builder = tracer.at(context.span);
  IrValue mask = builder.trueMask(operands[0].shape);
  if (operands.size() == 1) {
    IrValue keys = builder.sort(operands[0], operands[0], mask, descending).keys;
    Value sorted = TracedValue::make(tracer, keys, context.span);
    return several ? Value::tuple({sorted}) : sorted;
  }
  std::vector<Value> out;
  for (size_t i = 1; i < operands.size(); ++i) { // the sort is stable, so each value follows its key
    auto sorted = builder.sort(operands[0], operands[i], mask, descending);
    if (i == 1)
      out.push_back(TracedValue::make(tracer, sorted.keys, context.span));
    out.push_back(TracedValue::make(tracer, sorted.values, context.span));
  }
  return Value::tuple(std::move(out));
}

template <bool first> Result<Value> allReduce(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  tracer.at(context.span);
  Term mask = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  if (!mask.traced || mask.traced->dtype != Dtype::I1)
    return args.wrongType(0, text("an array of truth values",
                                  mask.traced ? text(", and this holds ", name(mask.traced->dtype)) : text()));
  if (mask.shape().size() != 1)
    return args.wrongValue(0, Message("`{}` takes arrays of one dimension, not of shape {shape}", args.function,
                                      layouts::tupleText(mask.shape())));
  int64_t reduce = LANESCOPE_TRY(args.integerOr(1, 1)), size = mask.shape()[0];
  if (reduce < 1)
    return args.wrongValue(1, Message("reduce must be >= 1, not {}", reduce));
  if (size % reduce != 0)
    return args.wrongValue(1, Message("reduce={} must divide the dimension's size {size}", reduce, size));
  core::TpuBuilder &builder = tracer.builder();
  return TracedValue::make(
      tracer, first ? builder.firstSet(*mask.traced, size / reduce) : builder.countSet(*mask.traced, size / reduce),
      context.span);
}

constexpr TpuPrimitive kTpuLanePrimitives[] = {
    {"cumsum", "cumsum(x, axis=0, reverse=False, *, mask=None)",
     "The running sum of a vector's lanes; those that `mask` leaves out add nothing.", running<TpuScan::Sum>},
    {"cummax", "cummax(x, axis=0, reverse=False, *, mask=None)",
     "The running maximum of a vector's lanes; those that `mask` leaves out do not take part, and lanes before the "
     "first that does keep their own values.",
     running<TpuScan::Maximum>},
    {"cummin", "cummin(x, axis=0, reverse=False, *, mask=None)",
     "The running minimum of a vector's lanes; see `cummax`.", running<TpuScan::Minimum>},
    {"scan_count", "scan_count(x, mask=None)",
     "How often each lane's value occurred so far, from 1 on, and a mask of the last occurrences.", scanCount},
    {"sort", "sort(operands, dimension=-1, *, descending=False, num_keys=1)",
     "Sorts a vector; of a tuple the first is the key, and the others go where it goes. Stable.", sort},
    {"sort_key_val", "sort_key_val(keys, values, *, mask=None, descending=False)",
     "Sorts `keys`, and `values` with them; with a mask, lanes that it leaves out go last, and the sorted mask is the "
     "third result.",
     sortKeyVal},
    {"all_reduce_population_count", "all_reduce_population_count(mask, *, reduce=1)",
     "How many lanes of a mask are set, in each lane of an i32 vector.", allReduce<false>},
    {"all_reduce_ffs", "all_reduce_ffs(mask, *, reduce=1)",
     "The first lane that a mask sets, in each lane of an i32 vector; the number of lanes where it sets none.",
     allReduce<true>},
};

} // namespace

std::span<const TpuPrimitive> tpuLanePrimitives() { return kTpuLanePrimitives; }

} // namespace lanescope::repl
