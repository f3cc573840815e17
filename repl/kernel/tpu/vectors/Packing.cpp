// Functions that view a vector's bits in other widths, take parts of it, or rearrange its lanes.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/tpu/vectors/Vectors.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>

namespace lanescope::repl {

using core::BinaryKind;
using core::IrValue;
using core::TpuPacking;
using layouts::Dtype;
using layouts::Shape;

namespace {

/// The values `PackFormat.COMPRESSED` and `.INTERLEAVED`: strings, which can also be given directly.
class PackFormats final : public Object {
public:
  std::string typeName() const override { return "PackFormat"; }
  std::string repr() const override { return "PackFormat"; }
  std::vector<std::string> members() const override { return {"COMPRESSED", "INTERLEAVED"}; }
  Result<Value> attribute(Context &context, const std::string &name) override {
    if (name == "COMPRESSED")
      return Value("compressed");
    if (name == "INTERLEAVED")
      return Value("interleaved");
    return Object::attribute(context, name);
  }
};

Result<TpuPacking> packing(const BoundArguments &args, size_t index) {
  std::string name = LANESCOPE_TRY(args.text(index));
  if (name == "compressed")
    return TpuPacking::Compressed;
  if (name == "interleaved")
    return TpuPacking::Interleaved;
  return args.wrongValue(index, "a format is `PackFormat.COMPRESSED` or `PackFormat.INTERLEAVED`");
}

Result<IrValue> vectorArgument(TpuTracer &tracer, const BoundArguments &args, size_t index) {
  Term term = LANESCOPE_TRY(termOf(tracer, args[index], args.function));
  if (!term.traced || term.shape().empty())
    return args.wrongType(index, "an array");
  return *term.traced;
}

Result<Value> pack(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kFirst, kSecond, kFormat, kDtype };
  tracer.at(context.span);
  IrValue a = LANESCOPE_TRY(vectorArgument(tracer, args, kFirst)),
          b = LANESCOPE_TRY(vectorArgument(tracer, args, kSecond));
  TpuPacking format = LANESCOPE_TRY(packing(args, kFormat));
  if (a.shape != b.shape)
    return args.wrongValue(kSecond, Message("packed arrays must have the same shape, not {shape} and {other_shape}",
                                            layouts::tupleText(a.shape), layouts::tupleText(b.shape)));
  if (a.shape.size() != 1)
    return args.wrongValue(kFirst, Message("packed arrays have one dimension, not {count}", a.shape.size()));
  if (a.dtype != b.dtype)
    return args.wrongValue(kSecond, Message("packed arrays must have the same dtype, not {dtype} and {other_dtype}",
                                            name(a.dtype), name(b.dtype)));
  Dtype dtype = a.dtype == Dtype::F32 ? Dtype::BF16 : Dtype::I16;
  if (args.has(kDtype) && !args[kDtype].value.isNone()) {
    dtype = LANESCOPE_TRY(args.dtype(kDtype));
    if (layouts::bitwidth(dtype) * 2 != layouts::bitwidth(a.dtype))
      return args.wrongValue(kDtype, Message("packed elements have half the width, {bits} bits, and {dtype} has {}",
                                             layouts::bitwidth(a.dtype) / 2, name(dtype), layouts::bitwidth(dtype)));
  } else if (a.dtype != Dtype::F32 && a.dtype != Dtype::I32) {
    return args.wrongValue(
        kFirst, Message("only f32 and i32 are packed without `preferred_element_type=`, not {dtype}", name(a.dtype)));
  }
  return TracedValue::make(tracer, tracer.builder().pack(a, b, dtype, format), context.span);
}

Result<Value> unpack(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kPacked, kFormat, kDtype };
  tracer.at(context.span);
  IrValue ab = LANESCOPE_TRY(vectorArgument(tracer, args, kPacked));
  TpuPacking format = LANESCOPE_TRY(packing(args, kFormat));
  bool fits = format == TpuPacking::Interleaved ? ab.shape.size() == 1 && ab.shape[0] % 2 == 0
                                                : ab.shape.size() == 2 && ab.shape[1] == 2;
  if (!fits)
    return args.wrongValue(
        kPacked, format == TpuPacking::Interleaved
                     ? Message("an interleaved vector has one dimension of even size, not the shape {shape}",
                               layouts::tupleText(ab.shape))
                     : Message("a compressed vector has the shape (n, 2), not {shape}", layouts::tupleText(ab.shape)));
  Dtype dtype = ab.dtype == Dtype::BF16 ? Dtype::F32 : Dtype::I32;
  if (args.has(kDtype) && !args[kDtype].value.isNone()) {
    dtype = LANESCOPE_TRY(args.dtype(kDtype));
    if (layouts::bitwidth(dtype) != 2 * layouts::bitwidth(ab.dtype))
      return args.wrongValue(kDtype, Message("unpacked elements have twice the width, {bits} bits, and {dtype} has {}",
                                             2 * layouts::bitwidth(ab.dtype), name(dtype), layouts::bitwidth(dtype)));
  } else if (ab.dtype != Dtype::BF16 && ab.dtype != Dtype::I16) {
    return args.wrongValue(
        kPacked,
        Message("only bf16 and i16 are unpacked without `preferred_element_type=`, not {dtype}", name(ab.dtype)));
  }
  core::TpuBuilder &builder = tracer.builder();
  IrValue first = builder.unpack(ab, 0, dtype, format), second = builder.unpack(ab, 1, dtype, format);
  return Value::tuple(
      {TracedValue::make(tracer, first, context.span), TracedValue::make(tracer, second, context.span)});
}

Result<Value> bitcast(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  Dtype dtype = LANESCOPE_TRY(tracer.kernelDtype(LANESCOPE_TRY(args.dtype(1)), args[1].span));
  tracer.at(context.span);
  Term term = LANESCOPE_TRY(termOf(tracer, args[0], "bitcast"));
  Dtype from = commonDtype({term});
  IrValue x = LANESCOPE_TRY(shaped(tracer, term, from, term.shape()));
  int width = layouts::bitwidth(from), wanted = layouts::bitwidth(dtype);
  if (x.isScalar()) {
    if (width != wanted)
      return args.wrongValue(
          1, Message("a scalar keeps its width in a bitcast: {dtype} has {bits} bits, {other_dtype} has {}", name(from),
                     width, name(dtype), wanted));
    return TracedValue::make(tracer, tracer.builder().bitcast(x, dtype), context.span);
  }
  if (x.shape.back() * width % wanted != 0)
    return args.wrongValue(1, Message("the last dimension, {elements} elements of {bits} bits, is not divisible by the "
                                      "{other_bits} bits of {dtype}",
                                      x.shape.back(), width, wanted, name(dtype)));
  if (from == dtype)
    return args[0].value;
  return TracedValue::make(tracer, tracer.builder().reinterpret(x, dtype), context.span);
}

Result<Value> bitcastConvert(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  Dtype dtype = LANESCOPE_TRY(tracer.kernelDtype(LANESCOPE_TRY(args.dtype(1)), args[1].span));
  tracer.at(context.span);
  Term term = LANESCOPE_TRY(termOf(tracer, args[0], args.function));
  Dtype from = commonDtype({term});
  if (layouts::bitwidth(from) != layouts::bitwidth(dtype))
    return args.wrongValue(
        1,
        Message(
            "changing the width is not supported here, {dtype} to {other_dtype}; `bitcast` does, in the last dimension",
            name(from), name(dtype)));
  IrValue x = LANESCOPE_TRY(shaped(tracer, term, from, term.shape()));
  return TracedValue::make(tracer, tracer.builder().bitcast(x, dtype), context.span);
}

Result<Value> rev(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  tracer.at(context.span);
  IrValue x = LANESCOPE_TRY(vectorArgument(tracer, args, 0));
  for (int64_t axis : LANESCOPE_TRY(args.integersOr(1, {0})))
    if (axis != 0 && !(axis == -1 && x.shape.size() == 1))
      return args.wrongValue(
          1, Message("dimension {dimension} is not reversed on a SparseCore: vectors are, along 0", axis));
  if (x.shape != Shape{tracer.lanes()})
    return args.wrongValue(0, Message("an array of {lanes} lanes is reversed, not of shape {shape}", tracer.lanes(),
                                      layouts::tupleText(x.shape)));
  core::TpuBuilder &builder = tracer.builder();
  IrValue last = builder.constant(Dtype::I32, x.shape, x.shape[0] - 1);
  IrValue places = builder.binary(BinaryKind::Subtract, last, builder.iota(Dtype::I32, x.shape, 0));
  return TracedValue::make(tracer, builder.dynamicGather(x, places), context.span);
}

/// Error unless the gather's mode promises indices in bounds, since no mode that checks them is supported.
Result<void> checkMode(const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return {};
  std::string mode = LANESCOPE_TRY(args.text(index));
  if (mode == "promise_in_bounds")
    return {};
  return error(
      "unsupported", args[index].span,
      Message(
          "unsupported gather: a SparseCore's registers are gathered from with mode=\"promise_in_bounds\", not \"{}\"",
          mode));
}

Result<Value> takeAlongAxis(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kArray, kIndices, kAxis, kMode };
  tracer.at(context.span);
  LANESCOPE_CHECK(checkMode(args, kMode));
  IrValue x = LANESCOPE_TRY(vectorArgument(tracer, args, kArray)),
          indices = LANESCOPE_TRY(vectorArgument(tracer, args, kIndices));
  if (indices.dtype != Dtype::I32)
    return args.wrongType(kIndices, text("an array of i32, and this holds ", name(indices.dtype)));
  int64_t rank = static_cast<int64_t>(x.shape.size()), axis = LANESCOPE_TRY(args.integerOr(kAxis, -1));
  if (axis < -rank || axis >= rank)
    return args.wrongValue(kAxis, Message("there is no axis {dimension} in an array of rank {rank}", axis, rank));
  if (x.shape != indices.shape)
    return args.wrongValue(kIndices,
                           Message("array and indices must have the same shape, not {shape} and {other_shape}",
                                   layouts::tupleText(x.shape), layouts::tupleText(indices.shape)));
  if (rank > 1 && !tracer.layoutPasses())
    return args.wrongValue(kArray,
                           Message("only arrays of one dimension are gathered from registers, not of shape {shape}; "
                                   "take rows one by one, or give the kernel `needs_layout_passes=True`",
                                   layouts::tupleText(x.shape)));
  return TracedValue::make(tracer, tracer.builder().dynamicGather(x, indices, axis < 0 ? axis + rank : axis),
                           context.span);
}

Result<Value> take(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  tracer.at(context.span);
  LANESCOPE_CHECK(checkMode(args, 2));
  IrValue x = LANESCOPE_TRY(vectorArgument(tracer, args, 0)), indices = LANESCOPE_TRY(vectorArgument(tracer, args, 1));
  if (indices.dtype != Dtype::I32)
    return args.wrongType(1, text("an array of i32, and this holds ", name(indices.dtype)));
  if (x.shape.size() != 1)
    return args.wrongValue(0, Message("only arrays of one dimension are gathered from registers, not of shape {shape}; "
                                      "take rows one by one, or `load_gather` from VMEM",
                                      layouts::tupleText(x.shape)));
  if (x.shape != indices.shape)
    return args.wrongValue(1, Message("array and indices must have the same shape, not {shape} and {other_shape}",
                                      layouts::tupleText(x.shape), layouts::tupleText(indices.shape)));
  return TracedValue::make(tracer, tracer.builder().dynamicGather(x, indices), context.span);
}

Result<Value> split(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  tracer.at(context.span);
  IrValue x = LANESCOPE_TRY(vectorArgument(tracer, args, 0));
  std::vector<int64_t> sizes = LANESCOPE_TRY(args.integers(1));
  int64_t axis = LANESCOPE_TRY(args.integerOr(2, 0)), rank = static_cast<int64_t>(x.shape.size());
  if (axis < -rank || axis >= rank)
    return args.wrongValue(2, Message("there is no axis {dimension} in an array of rank {rank}", axis, rank));
  auto along = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  int64_t total = 0;
  for (int64_t size : sizes) {
    if (size < 1)
      return args.wrongValue(1, Message("a part has a size above 0, not {size}", size));
    total += size;
  }
  if (total != x.shape[along])
    return args.wrongValue(1, Message("the sizes add up to {}, and the dimension has {}", total, x.shape[along]));
  std::vector<Value> parts;
  std::vector<int64_t> starts(x.shape.size(), 0);
  Shape shape = x.shape;
  for (int64_t size : sizes) {
    shape[along] = size;
    parts.push_back(TracedValue::make(tracer, tracer.builder().part(x, starts, shape), context.span));
    starts[along] += size;
  }
  return Value::tuple(std::move(parts));
}

constexpr TpuPrimitive kTpuPackingPrimitives[] = {
    {"pack", "pack(a, b, *, format, preferred_element_type=None)",
     "Narrows two vectors into one of half the width: `PackFormat.INTERLEAVED` alternates them, `COMPRESSED` puts them "
     "side by side in a second dimension. f32 becomes bf16 and i32 becomes i16, unless `preferred_element_type` says "
     "otherwise.",
     pack},
    {"unpack", "unpack(ab, *, format, preferred_element_type=None)",
     "The two vectors of which `pack` made one, in its `format`. bf16 becomes f32 and i16 becomes i32, unless "
     "`preferred_element_type` says otherwise.",
     unpack},
    {"bitcast", "bitcast(x, dtype)",
     "The same bits as another dtype; the last dimension grows or shrinks with the width.", bitcast},
    {"bitcast_convert_type", "bitcast_convert_type(x, dtype)", "The same bits as another dtype of the same width.",
     bitcastConvert},
    {"rev", "rev(x, dimensions=0)",
     "A vector's lanes in the opposite order. `dimensions` is 0, the only dimension of a vector.", rev},
    {"take", "take(x, indices, *, mode=\"promise_in_bounds\")",
     "Lane i of the result is lane `indices[i]` of `x`, counted modulo the lanes.", take},
    {"take_along_axis", "take_along_axis(x, indices, axis=-1, mode=\"promise_in_bounds\")",
     "Each element of the result is the element of `x` at the same place, except along `axis`, where `indices` gives "
     "its index.",
     takeAlongAxis},
    {"split", "split(x, sizes, axis=0)",
     "Parts of these sizes, one after the other along `axis`. The sizes sum up to that of the dimension.", split},
};

} // namespace

std::span<const TpuPrimitive> tpuPackingPrimitives() { return kTpuPackingPrimitives; }

Builtins tpuVectorBuiltins() {
  return {{.name = "PackFormat",
           .doc = "How `pack` puts two vectors into one: `PackFormat.COMPRESSED`, `PackFormat.INTERLEAVED`.",
           .constant = Value(std::make_shared<PackFormats>()),
           .group = "SparseCore"}};
}

} // namespace lanescope::repl
