// Transfers between tensor memory and registers: loads, stores, and waits for them.
#include "repl/kernel/gpu/tmem/Tmem.h"

#include "layouts/Catalogue.h"
#include "repl/kernel/gpu/threads/GpuAxes.h"

#include <algorithm>

namespace lanescope::repl {

using layouts::Dtype;
using layouts::Shape;

namespace {

/// Error for a transfer to or from registers that no instruction makes: it moves one tile of rows, and only the tensor
/// core reads the metadata of sparse operands.
Result<void> checkTransfer(const RefValue &ref, const Span &span) {
  const layouts::TMEMLayout &layout = ref.base().tensor->layout;
  auto refuse = [&](Message message) { return error("unsupported", span, std::move(message), {ref.declared()}); };
  if (layout == layouts::catalogue::sparseMeta())
    return refuse(Message("`{name}` holds metadata of a sparse operand, which only the tensor core reads; write it "
                          "with `async_copy_sparse_metadata_to_tmem`",
                          ref.describe()));
  if (int64_t rows = layout.tiled().baseTile()[0]; ref.shape()[0] != rows)
    return refuse(Message("`{name}` has {rows} rows, and a load or store moves one tile of {}", ref.describe(),
                          ref.shape()[0], rows));
  return {};
}

/// `reduce`: the reduction that a load also returns for each row (PTX ISA, `tcgen05.ld.red`).
Result<std::optional<core::RowReduction>> reductionArgument(const GpuTracer &tracer, const BoundArguments &args,
                                                            size_t index, const RefValue &ref) {
  using enum core::RowReduction;
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  std::string wanted = LANESCOPE_TRY(args.text(index));
  constexpr std::pair<std::string_view, core::RowReduction> kNames[] = {
      {"min", Minimum}, {"max", Maximum}, {"absmin", AbsMinimum}, {"absmax", AbsMaximum}};
  auto found = std::ranges::find(kNames, wanted, [](const auto &entry) { return entry.first; });
  if (found == std::end(kNames))
    return args.wrongValue(index, "it is \"min\", \"max\", \"absmin\" or \"absmax\"");
  Dtype dtype = ref.dtype();
  if (dtype != Dtype::F32 && dtype != Dtype::I32 && dtype != Dtype::U32)
    return args.wrongValue(
        index, Message("rows of f32, i32 and u32 are reduced while they are loaded, not of {dtype}", name(dtype)));
  if (dtype != Dtype::F32 && wanted.starts_with("abs"))
    return args.wrongValue(
        index, Message("magnitudes are those of f32; rows of {dtype} have \"min\" and \"max\"", name(dtype)));
  if (!tracer.target().tensorReductions)
    return args.wrongValue(index, Message("{target} does not reduce while it loads; compile with `--arch {}`, or load "
                                          "and reduce with `{}(x, axis=1)`",
                                          tracer.target().name,
                                          core::targetWith(&core::GpuTarget::tensorReductions, tracer.target()).name,
                                          wanted.substr(wanted.size() - 3)));
  if (dtype == Dtype::U32) // for integers, the instruction's forms for magnitudes compare unsigned numbers
    return found->second == Minimum ? AbsMinimum : AbsMaximum;
  return found->second;
}

Result<Value> load(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kSource, kLayout, kReduce };
  auto source = LANESCOPE_TRY(tmemArgument(tracer, args, kSource));
  LANESCOPE_CHECK(checkTransfer(*source, args[kSource].span));
  auto reduction = LANESCOPE_TRY(reductionArgument(tracer, args, kReduce, *source));
  LANESCOPE_CHECK(tracer.checkRegisters(source->dtype(), source->shape(), args[kSource].span));
  core::IrRef memory = LANESCOPE_TRY(source->materialize(tracer));
  core::GpuBuilder &builder = tracer.at(context.span);
  std::optional<Value> reduced;
  core::IrValue loaded;
  if (reduction) {
    auto [all, rows] = builder.asyncLoadTmem(memory, *reduction);
    loaded = std::move(all);
    reduced = TracedValue::make(tracer, std::move(rows), context.span);
  } else {
    loaded = builder.asyncLoadTmem(memory);
  }
  Value value = TracedValue::make(tracer, std::move(loaded), context.span);
  if (args.has(kLayout) && !args[kLayout].value.isNone()) {
    // The cast states the layout for the load; inference moves it into the load.
    Arguments cast;
    cast.positional = {{value, context.span}, args[kLayout]};
    value = *LANESCOPE_TRY(tracer.primitives().apply(context, "layout_cast", cast));
  }
  return reduced ? Value::tuple({std::move(value), *std::move(reduced)}) : value;
}

Result<Value> store(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kTarget, kValue };
  auto target = LANESCOPE_TRY(tmemArgument(tracer, args, kTarget));
  LANESCOPE_CHECK(checkTransfer(*target, args[kTarget].span));
  Term value = LANESCOPE_TRY(termOf(tracer, args[kValue], "async_store_tmem"));
  Shape mine = target->shape();
  if (value.traced && value.traced->dtype != target->dtype())
    return error(
        "dtype-mismatch", value.span,
        Message("a value of dtype {dtype} is stored to `{name}` of dtype {other_dtype}; convert it with `.astype({})`",
                name(value.traced->dtype), target->describe(), name(target->dtype()), name(target->dtype())),
        {target->declared()});
  if (!value.shape().empty() && value.shape() != mine)
    return error("shape-mismatch", value.span,
                 Message("an array of shape {shape} is stored to `{name}` of shape {other_shape}",
                         layouts::tupleText(value.shape()), target->describe(), layouts::tupleText(mine)),
                 {target->declared()});
  if (!value.traced && value.number.asFloat() && !layouts::isFloat(target->dtype()))
    return error("dtype-mismatch", value.span,
                 Message("a float is stored to `{name}` of dtype {dtype}", target->describe(), name(target->dtype())),
                 {target->declared()});
  core::GpuBuilder &builder = tracer.at(context.span);
  core::IrValue array = LANESCOPE_TRY(shaped(tracer, value, target->dtype(), mine));
  builder.asyncStoreTmem(array, LANESCOPE_TRY(target->materialize(tracer)));
  return Value();
}

Result<void> checkTarget(const GpuTracer &tracer, const Context &context, std::string_view what) {
  if (tracer.target().tcgen05)
    return {};
  return context.fail(
      "unsupported",
      Message("`{function}` waits for tensor memory, which {target} does not have; compile with `--arch {}`", what,
              tracer.target().name, core::targetWith(&core::GpuTarget::tcgen05, tracer.target()).name));
}

Result<Value> waitLoads(GpuTracer &tracer, Context &context, const BoundArguments &) {
  LANESCOPE_CHECK(checkTarget(tracer, context, "wait_load_tmem"));
  tracer.at(context.span).waitLoadTmem();
  return Value();
}

Result<Value> commit(GpuTracer &tracer, Context &context, const BoundArguments &) {
  LANESCOPE_CHECK(checkTarget(tracer, context, "commit_tmem"));
  tracer.at(context.span).commitTmem();
  return Value();
}

constexpr GpuPrimitive kTmemTransferPrimitives[] = {
    {"async_load_tmem", "async_load_tmem(src, layout=None, reduce=None)",
     "Starts to read a matrix of tensor memory into registers: each warp its quarter of the lanes.\n\n"
     "Call `wait_load_tmem()` before the memory is written again, by a store or a product. `layout` is the result's: "
     "`TCGEN05`, `TMEM_NATIVE` (a row to a thread), or what the memory's layout has instead.\n\n`reduce`, "
     "\"min\", \"max\", \"absmin\" or \"absmax\", on sm_103a: the result is `(array, rows)`, `rows` the least or the "
     "largest of each row.",
     load},
    {"async_store_tmem", "async_store_tmem(ref, value)",
     "Starts to write an array to tensor memory, which has its shape and dtype. Call `commit_tmem()` before it is "
     "read.",
     store},
    {"wait_load_tmem", "wait_load_tmem()",
     "Waits until the warpgroup's loads from tensor memory are complete; its threads meet. Another warpgroup may then "
     "write the memory, after a barrier with `orders_tensor_core=True`.",
     waitLoads},
    {"commit_tmem", "commit_tmem()",
     "Waits until the warpgroup's stores to tensor memory are there, for its loads and for products that it starts; "
     "its "
     "threads meet.",
     commit},
};

} // namespace

Result<std::shared_ptr<RefValue>> tmemArgument(GpuTracer &tracer, const BoundArguments &args, size_t index) {
  auto ref = LANESCOPE_TRY(refArgument(tracer, args, index, core::MemorySpace::Tensor));
  if (ref->shape().size() != 2)
    return error("shape-mismatch", args[index].span,
                 Message("`{name}` of shape {shape} is several matrices; choose one: `{}.at[i]`", ref->describe(),
                         layouts::tupleText(ref->shape()), ref->name()),
                 {ref->declared()});
  return ref;
}

Result<std::optional<int64_t>> pairArgument(GpuTracer &tracer, const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  std::vector<int64_t> dims = LANESCOPE_TRY(clusterAxes(tracer, args, index));
  const Shape &cluster = tracer.axes().clusterShape;
  if (dims.size() != 1 || dims.front() != 0)
    return args.wrongValue(
        index, Message("two blocks work together along the cluster's last axis{}",
                       tracer.axes().cluster.empty() ? text() : text(", `", tracer.axes().cluster.back(), "`")));
  if (cluster.back() != 2)
    return args.wrongValue(index, Message("two blocks work together, and the axis has {}", cluster.back()));
  return dims.front();
}

std::span<const GpuPrimitive> tmemTransferPrimitives() { return kTmemTransferPrimitives; }

} // namespace lanescope::repl
