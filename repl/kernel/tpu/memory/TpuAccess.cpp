// Loads and stores with a mask, and with indices for each lane. Semantics and errors:
// jax/_src/pallas/mosaic/sc_primitives.py.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/tpu/memory/TpuMemory.h"
#include "repl/kernel/tpu/memory/TpuRefs.h"

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;
using layouts::Shape;

namespace {

using RefPointer = std::shared_ptr<TpuRefValue>;

/// The value that an operation stores, which must have the reference's dtype and `shape`.
Result<IrValue> storedValue(TpuTracer &tracer, const BoundArguments &args, size_t index, const TpuRefValue &ref,
                            const Shape &shape) {
  Term value = LANESCOPE_TRY(termOf(tracer, args[index], args.function));
  if (value.traced && value.traced->dtype != ref.dtype())
    return error(
        "dtype-mismatch", args[index].span,
        Message(
            "reference and value must have the same dtype, and `{name}` has {dtype}, and the value has {other_dtype}",
            ref.describe(), name(ref.dtype()), name(value.traced->dtype)),
        {ref.declared()});
  if (value.traced && value.shape() != shape)
    return error("shape-mismatch", args[index].span,
                 Message("the value must have shape {shape}, and has {other_shape}", layouts::tupleText(shape),
                         layouts::tupleText(value.shape())),
                 {ref.declared()});
  return shaped(tracer, value, ref.dtype(), shape);
}

Result<Value> loadExpanded(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  RefPointer ref = LANESCOPE_TRY(refArgument(tracer, args, 0));
  auto mask = LANESCOPE_TRY(maskArgument(tracer, args, 1, ref->shape()));
  tracer.at(context.span);
  return ref->read(tracer, context.span, mask);
}

template <bool add, bool masked>
Result<Value> storeMasked(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  RefPointer ref = LANESCOPE_TRY(refArgument(tracer, args, 0));
  IrValue value = LANESCOPE_TRY(storedValue(tracer, args, 1, *ref, ref->shape()));
  std::optional<IrValue> mask;
  if (masked)
    mask = LANESCOPE_TRY(maskArgument(tracer, args, 2, ref->shape()));
  tracer.at(context.span);
  LANESCOPE_CHECK(ref->write(tracer, context.span, value, mask, add));
  return Value();
}

/// The target of a gather or scatter: the emitted reference, and an index vector for each of its dimensions.
struct Lanes {
  RefPointer ref;
  std::vector<IrValue> indices;
  Shape shape;
};

Result<Lanes> lanesOf(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  Lanes lanes{.ref = LANESCOPE_TRY(refArgument(tracer, args, 0)), .indices = {}, .shape = {}};
  const TpuRefValue &ref = *lanes.ref;
  if (ref.dtype() != Dtype::I32 && ref.dtype() != Dtype::F32)
    return args.wrongType(
        0, text("a reference to i32 or f32, which `", ref.describe(), "`, of ", name(ref.dtype()), ", is not"));
  if (ref.memory() != core::TpuMemory::Vmem || !ref.holdsNumbers())
    return args.wrongValue(0, Message("`{}` only takes references in VMEM, and `{name}` is in {memory}", args.function,
                                      ref.describe(), memoryName(ref.memory())));
  std::vector<Value> given = args[1].value.asTuple() || args[1].value.asList()
                                 ? LANESCOPE_TRY(context.evaluator.iterate(args[1].value, args[1].span))
                                 : std::vector{args[1].value};
  if (given.empty())
    return args.wrongValue(1, "indices must not be empty: one vector for each dimension of the reference");
  if (given.size() != ref.shape().size())
    return args.wrongValue(
        1, Message("the number of indices, {count}, does not match the {dimensions} dimensions of `{name}`",
                   given.size(), ref.shape().size(), ref.describe()));
  for (const Value &item : given) {
    Term index = LANESCOPE_TRY(termOf(tracer, {item, args[1].span}, "an index"));
    if (!index.traced || index.shape().size() != 1)
      return args.wrongValue(1, Message("indices must be arrays of one dimension, not of shape {coordinates}",
                                        layouts::tupleText(index.shape())));
    if (index.traced->dtype != Dtype::I32)
      return args.wrongType(1, text("i32 vectors, and this holds ", name(index.traced->dtype)));
    if (!lanes.indices.empty() && index.shape() != lanes.shape)
      return args.wrongValue(
          1, Message("indices must have the same size, not {} and {}", lanes.shape[0], index.shape()[0]));
    lanes.shape = index.shape();
    lanes.indices.push_back(*index.traced);
  }
  return lanes;
}

Result<core::TpuRef> emitted(TpuTracer &tracer, const TpuRefValue &ref) {
  IndexConstants constants;
  constants.add(tracer, ref);
  return viewed(tracer, ref, constants);
}

Result<Value> loadGather(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  Lanes lanes = LANESCOPE_TRY(lanesOf(tracer, context, args));
  LANESCOPE_CHECK(tracer.checkAccessed(lanes.ref->dtype(), lanes.shape, "gathers", context.span));
  auto mask = LANESCOPE_TRY(maskArgument(tracer, args, 2, lanes.shape));
  tracer.at(context.span);
  core::TpuRef ref = LANESCOPE_TRY(emitted(tracer, *lanes.ref));
  return TracedValue::make(tracer, tracer.builder().gather(ref, lanes.indices, mask), context.span);
}

template <bool add> Result<Value> storeScatter(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  Lanes lanes = LANESCOPE_TRY(lanesOf(tracer, context, args));
  IrValue value = LANESCOPE_TRY(storedValue(tracer, args, 2, *lanes.ref, lanes.shape));
  auto mask = LANESCOPE_TRY(maskArgument(tracer, args, 3, lanes.shape));
  tracer.at(context.span);
  core::TpuRef ref = LANESCOPE_TRY(emitted(tracer, *lanes.ref));
  tracer.builder().scatter(value, ref, lanes.indices, mask, add);
  return Value();
}

Result<Value> fetchAndAdd(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  RefPointer ref = LANESCOPE_TRY(refArgument(tracer, args, 0));
  auto refuse = [&](std::string_view why) { return args.wrongValue(0, std::string(why)); };
  const TpuRefValue::Indexer *indexer =
      ref->views().empty() ? nullptr : std::get_if<TpuRefValue::Indexer>(&ref->views().back());
  if (ref->memory() != core::TpuMemory::Smem || ref->dtype() != Dtype::I32 || !ref->shape().empty() || !indexer)
    return refuse("`fetch_and_add` takes one i32 in SMEM: `counts.at[i]`");
  Term value = LANESCOPE_TRY(termOf(tracer, args[1], "fetch_and_add"));
  Term subcore = LANESCOPE_TRY(termOf(tracer, args[2], "fetch_and_add"));
  core::TpuBuilder &builder = tracer.at(context.span);
  IrValue amount = LANESCOPE_TRY(shaped(tracer, value, Dtype::I32, {}));
  IrValue where = LANESCOPE_TRY(shaped(tracer, subcore, Dtype::I32, {}));
  IndexConstants constants;
  constants.add(tracer, *ref);
  core::TpuRef base = LANESCOPE_TRY(viewed(tracer, *ref, ref->views().size() - 1, constants));
  std::vector<IrValue> at;
  for (const TpuRefValue::Entry &entry : indexer->entries)
    at.push_back(std::holds_alternative<int64_t>(entry) ? constants.of(entry) : std::get<IrValue>(entry));
  return TracedValue::make(tracer, builder.fetchAndAdd(base, at, amount, where), context.span);
}

constexpr TpuPrimitive kTpuAccessPrimitives[] = {
    {"load_expanded", "load_expanded(ref, *, mask)",
     "The first elements of `ref`, in order, in the lanes that `mask` sets; the other lanes are undefined.",
     loadExpanded},
    {"store_compressed", "store_compressed(ref, x, *, mask)",
     "Stores the lanes of `x` that `mask` sets one after the other from the start of `ref`.", storeMasked<false, true>},
    {"addupdate", "addupdate(ref, x)",
     "Adds the vector `x` to what `ref` holds, element by element. Both have one shape and dtype.",
     storeMasked<true, false>},
    {"addupdate_compressed", "addupdate_compressed(ref, x, *, mask)",
     "Adds the lanes of `x` that `mask` sets, one after the other, to the first elements of `ref`.",
     storeMasked<true, true>},
    {"load_gather", "load_gather(ref, indices, *, mask=None)",
     "Each lane's element of `ref` in VMEM: `indices` holds one i32 vector for each dimension.", loadGather},
    {"store_scatter", "store_scatter(ref, indices, x, *, mask=None)",
     "Stores each lane of `x` at its own index; of lanes with one index the highest stays.", storeScatter<false>},
    {"addupdate_scatter", "addupdate_scatter(ref, indices, x, *, mask=None)",
     "Adds each lane of `x` to the element at its own index, lanes with one index one after the other.",
     storeScatter<true>},
    {"fetch_and_add", "fetch_and_add(ref, value, subcore_id)",
     "Adds to an i32 in the SMEM of a vector subcore of this core, and gives what was there.", fetchAndAdd},
};

} // namespace

std::span<const TpuPrimitive> tpuAccessPrimitives() { return kTpuAccessPrimitives; }

} // namespace lanescope::repl
