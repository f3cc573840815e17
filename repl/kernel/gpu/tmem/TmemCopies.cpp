// Copies from shared to tensor memory by the tensor core (PTX ISA, `tcgen05.cp`): matrices, block scales, metadata of
// sparse operands.
#include "repl/kernel/gpu/tmem/Tmem.h"

#include "layouts/Catalogue.h"

#include <algorithm>

namespace lanescope::repl {

using layouts::Dtype;
using layouts::kTmemLanes;
using layouts::Shape;
using layouts::tupleText;

namespace {

enum : size_t { kSource, kTarget, kAxis };

struct Copy {
  std::shared_ptr<RefValue> source, target;
  std::optional<int64_t> collective;
};

/// Reads both references, which must have one dtype.
Result<Copy> copyOf(GpuTracer &tracer, const BoundArguments &args) {
  Copy copy;
  copy.source = LANESCOPE_TRY(refArgument(tracer, args, kSource, core::MemorySpace::Shared));
  copy.target = LANESCOPE_TRY(tmemArgument(tracer, args, kTarget));
  copy.collective = LANESCOPE_TRY(pairArgument(tracer, args, kAxis));
  if (copy.source->dtype() != copy.target->dtype())
    return error("dtype-mismatch", args[kSource].span,
                 Message("`{name}` has dtype {dtype} and `{other_name}` has {other_dtype}", copy.source->describe(),
                         name(copy.source->dtype()), copy.target->describe(), name(copy.target->dtype())),
                 {copy.source->declared(), copy.target->declared()});
  if (copy.collective && !copy.target->base().tensor->collective)
    return error("value", args[kTarget].span,
                 Message("a copy for two blocks (`collective_axis`) takes tensor memory that is allocated in both: "
                         "declare `{name}` with `collective=True`",
                         copy.target->name()),
                 {copy.target->declared()});
  return copy;
}

/// Error unless the memory is contiguous, which copies of `what` require.
Result<void> checkContiguous(const RefValue &source, const Span &span, std::string_view what) {
  size_t kept = 0;
  bool good = std::ranges::is_sorted(source.axes());
  for (size_t axis = 0; axis < source.dims().size(); ++axis) {
    const core::SliceDim &dim = source.dims()[axis];
    const auto *start = std::get_if<int64_t>(&dim.start);
    bool whole = dim.keep && start && *start == 0 && dim.length == source.base().shape[axis];
    // Memory is contiguous if single indices come first, and then whole dimensions.
    good = good && (dim.keep ? whole : kept == 0);
    kept += dim.keep;
  }
  if (good)
    return {};
  return error(
      "unsupported", span,
      Message("{} are copied from memory that lies together, and `{name}` is a slice", what, source.describe()),
      {source.declared()});
}

Result<void> checkSourceShape(const Copy &copy, const Shape &wanted, const Span &span, std::string_view mend) {
  if (copy.source->shape() == wanted)
    return {};
  return error("shape-mismatch", span,
               Message("`{name}` of shape {shape} is copied from the shape {other_shape}, and `{other_name}` has {}{}",
                       copy.target->describe(), tupleText(copy.target->shape()), tupleText(wanted),
                       copy.source->describe(), tupleText(copy.source->shape()), mend),
               {copy.source->declared(), copy.target->declared()});
}

Result<Value> copyScales(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  Copy copy = LANESCOPE_TRY(copyOf(tracer, args));
  const RefValue &target = *copy.target;
  auto refuse = [&](std::string kind, Message message) {
    return error(std::move(kind), args[kTarget].span, std::move(message), {target.declared()});
  };
  if (target.dtype() != Dtype::F8E8M0FNU && target.dtype() != Dtype::F8E4M3FN)
    return refuse("dtype-mismatch", Message("scales are f8e8m0fnu or f8e4m3fn, and `{name}` has dtype {dtype}",
                                            target.describe(), name(target.dtype())));
  const layouts::TMEMLayout &layout = target.base().tensor->layout;
  bool usual = layout == layouts::catalogue::scales(), halves = layout == layouts::catalogue::bScalesM64Collective();
  if (!usual && !halves)
    return refuse("layout", Message("scales have the layout `scales_layout()`, or for `b` of two blocks of 64 rows "
                                    "`b_scales_m64_collective_layout()`; declare `{target}` with it",
                                    target.name()));
  int64_t rows = target.shape()[0], columns = target.shape()[1];
  if (rows > 2 * kTmemLanes)
    return refuse("unsupported", Message("scales of up to {rows} rows are copied, not of {}", 2 * kTmemLanes, rows));
  Shape wanted = usual ? Shape{rows / kTmemLanes, columns / 4, 32, 16} : Shape{1, columns / 4, 64, 16};
  LANESCOPE_CHECK(checkSourceShape(copy, wanted, args[kSource].span,
                                   usual ? "; `format_tcgen05_scales` brings scales into it" : ""));
  LANESCOPE_CHECK(checkContiguous(*copy.source, args[kSource].span, "scales"));
  core::GpuBuilder &builder = tracer.at(context.span);
  core::IrRef from = LANESCOPE_TRY(copy.source->materialize(tracer)), to = LANESCOPE_TRY(target.materialize(tracer));
  builder.copyScalesToTensor(from, to, copy.collective);
  return Value();
}

Result<Value> copyMetadata(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  Copy copy = LANESCOPE_TRY(copyOf(tracer, args));
  const RefValue &target = *copy.target;
  auto refuse = [&](std::string kind, Message message) {
    return error(std::move(kind), args[kTarget].span, std::move(message), {target.declared()});
  };
  if (target.dtype() != Dtype::U2)
    return refuse("dtype-mismatch", Message("metadata of sparse operands are u2, and `{name}` has dtype {dtype}",
                                            target.describe(), name(target.dtype())));
  if (target.base().tensor->layout != layouts::catalogue::sparseMeta())
    return refuse(
        "layout",
        Message("metadata of sparse operands have the layout `sparse_meta_layout()`; declare `{target}` with it",
                target.name()));
  int64_t rows = target.shape()[0], columns = target.shape()[1];
  if (rows != kTmemLanes)
    return refuse("unsupported", Message("metadata of {limit} rows are copied, not of {rows}", kTmemLanes, rows));
  if (columns % 64 != 0)
    return refuse(
        "shape-mismatch",
        Message("metadata are copied in tiles of 64 columns, and {columns} is not a multiple of 64", columns));
  LANESCOPE_CHECK(checkSourceShape(copy, {rows / kTmemLanes, columns / 64, kTmemLanes, 64}, args[kSource].span,
                                   "; `format_tcgen05_sparse_metadata` brings metadata into it"));
  LANESCOPE_CHECK(checkContiguous(*copy.source, args[kSource].span, "metadata"));
  core::GpuBuilder &builder = tracer.at(context.span);
  core::IrRef from = LANESCOPE_TRY(copy.source->materialize(tracer)), to = LANESCOPE_TRY(target.materialize(tracer));
  builder.copySparseMetadataToTensor(from, to, copy.collective);
  return Value();
}

Result<Value> copyMatrix(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  Copy copy = LANESCOPE_TRY(copyOf(tracer, args));
  const RefValue &target = *copy.target;
  if (copy.source->shape() != target.shape())
    return error("shape-mismatch", args[kSource].span,
                 Message("`{name}` has shape {shape} and `{other_name}` has {other_shape}", copy.source->describe(),
                         tupleText(copy.source->shape()), target.describe(), tupleText(target.shape())),
                 {copy.source->declared(), target.declared()});
  int64_t packing = layouts::kTmemCellBits / layouts::bitwidth(target.dtype());
  auto wanted = layouts::catalogue::tmemDefault(packing);
  if (target.shape()[0] != kTmemLanes || !wanted || target.base().tensor->layout != *wanted)
    return error("layout", args[kTarget].span,
                 Message("a copy writes {limit} rows of fully packed elements, the layout `tmem_default_layout({})`; "
                         "declare `{target}` with {} rows{}",
                         kTmemLanes, packing, target.name(), kTmemLanes, packing > 1 ? " and `packed=True`" : ""),
                 {target.declared()});
  core::GpuBuilder &builder = tracer.at(context.span);
  core::IrRef from = LANESCOPE_TRY(copy.source->materialize(tracer)), to = LANESCOPE_TRY(target.materialize(tracer));
  builder.copyToTensor(from, to, copy.collective);
  return Value();
}

constexpr GpuPrimitive kTmemCopyPrimitives[] = {
    {"async_copy_smem_to_tmem", "async_copy_smem_to_tmem(smem_ref, tmem_ref, collective_axis=None)",
     "The tensor core copies a tiled, swizzled matrix of 128 rows from shared memory to tensor memory, fully "
     "packed.\n\n"
     "Products that the same thread starts afterwards see it; for others, `tcgen05_commit_arrive(barrier)` and wait. "
     "Along `collective_axis` the first of two blocks copies for both.",
     copyMatrix},
    {"async_copy_scales_to_tmem", "async_copy_scales_to_tmem(smem_ref, tmem_ref, collective_axis=None)",
     "The tensor core copies block scales, in shared memory as `format_tcgen05_scales` brings them, to a `TMEM(…, "
     "layout=scales_layout())`. It is ordered as `async_copy_smem_to_tmem` is.",
     copyScales},
    {"async_copy_sparse_metadata_to_tmem",
     "async_copy_sparse_metadata_to_tmem(smem_ref, tmem_ref, collective_axis=None)",
     "The tensor core copies the metadata of a sparse operand, in shared memory as `format_tcgen05_sparse_metadata` "
     "brings them, to a `TMEM((128, n), u2, layout=sparse_meta_layout())`. It is ordered as `async_copy_smem_to_tmem` "
     "is.",
     copyMetadata},
};

} // namespace

std::span<const GpuPrimitive> tmemCopyPrimitives() { return kTmemCopyPrimitives; }

} // namespace lanescope::repl
