// Emits the views of references, and loads and stores through them. The operations have the order of JAX's lowering
// (jax/_src/pallas/mosaic/sc_lowering.py, lowering.py).
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/tpu/memory/TpuRefs.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using core::Offset;
using core::TpuMemory;
using core::TpuRef;
using layouts::Dtype;
using layouts::Shape;

void IndexConstants::add(TpuTracer &tracer, const TpuRefValue &ref) {
  for (const TpuRefValue::View &view : ref.views()) {
    const auto *indexer = std::get_if<TpuRefValue::Indexer>(&view);
    if (!indexer)
      continue;
    for (const TpuRefValue::Entry &entry : indexer->entries) {
      if (const auto *known = std::get_if<int64_t>(&entry))
        constants_.emplace(&entry, tracer.builder().constant(Dtype::I32, {}, *known));
      else if (const auto *rows = std::get_if<TpuRefValue::Rows>(&entry))
        if (const auto *named = std::get_if<std::shared_ptr<TpuRefValue>>(rows))
          add(tracer, **named);
    }
  }
}

static Result<TpuRef> indexed(TpuTracer &tracer, const TpuRefValue &ref, const TpuRef &from,
                              const TpuRefValue::Indexer &indexer, const IndexConstants &constants) {
  if (!core::TpuBuilder::slices(from))
    return error("unsupported", indexer.span,
                 Message("`{name}` is tiled, and a part of tiled memory is no reference; load or store it whole, or "
                         "with an index in the access itself",
                         ref.name()),
                 {ref.declared()});
  std::vector<core::TpuSlice> dims;
  for (const TpuRefValue::Entry &entry : indexer.entries) {
    if (std::holds_alternative<int64_t>(entry)) {
      dims.push_back({constants.of(entry), int64_t{1}, false});
    } else if (const auto *index = std::get_if<IrValue>(&entry)) {
      dims.push_back({*index, int64_t{1}, false});
    } else if (const auto *part = std::get_if<TpuRefValue::Part>(&entry)) {
      if (part->stride != 1)
        return error("unsupported", indexer.span, "strided slices of references are unsupported: take step 1");
      dims.push_back({part->start, part->size, true});
    } else {
      return error("unsupported", indexer.span,
                   Message("`{name}` is indexed by rows, which only copies do (`async_copy`); elsewhere indices are "
                           "integers and slices; `load_gather` takes a vector's elements one by one",
                           ref.describe()),
                   {ref.declared()});
    }
  }
  return tracer.builder().slice(from, dims);
}

Result<TpuRef> viewed(TpuTracer &tracer, const TpuRefValue &ref, size_t count, const IndexConstants &constants) {
  TpuRef made = ref.base();
  for (size_t i = 0; i < count; ++i) {
    const TpuRefValue::View &view = ref.views()[i];
    if (const auto *indexer = std::get_if<TpuRefValue::Indexer>(&view)) {
      made = LANESCOPE_TRY(indexed(tracer, ref, made, *indexer, constants));
    } else if (const auto *cast = std::get_if<TpuRefValue::Bitcast>(&view)) {
      made = tracer.builder().bitcast(made, cast->dtype, cast->shape);
    } else {
      const auto &reshape = std::get<TpuRefValue::Reshape>(view);
      if (made.shape.size() < 2)
        return error("unsupported", reshape.span,
                     Message("a reference of one dimension is not reshaped; reshape what is loaded from `{name}`",
                             ref.describe()));
      made = tracer.builder().reshape(made, reshape.shape);
    }
  }
  return made;
}

Result<TpuRef> viewed(TpuTracer &tracer, const TpuRefValue &ref, const IndexConstants &constants) {
  return viewed(tracer, ref, ref.views().size(), constants);
}

Result<TpuRefValue::Access> TpuRefValue::access(TpuTracer &tracer, const Span &span, std::string_view verb,
                                                bool masked) const {
  auto refuse = [&](Message why) { return error("unsupported", span, std::move(why), {declared()}); };
  bool loads = verb == "load";
  if (!holdsNumbers())
    return refuse(Message("`{name}` is a semaphore: copies and `semaphore_signal`, `semaphore_wait` use it", name_));
  if (memory() == TpuMemory::Hbm || memory() == TpuMemory::VmemShared || memory() == TpuMemory::Host)
    return refuse(Message("{}{memory} is not supported. Copy the data to a memory of the core's own, VMEM say, with "
                          "`async_copy` or `sync_copy`",
                          loads ? "loading from " : "storing to ", memoryName(memory())));
  if (base_.dtype == Dtype::I1)
    return refuse(Message("{} do not support bool arrays; keep truth values as i32", loads ? "loads" : "stores"));
  // The last index belongs to the access itself. If no index is left, the access is to the whole reference.
  std::shared_ptr<TpuRefValue> whole;
  const TpuRefValue *ref = this;
  if (views_.empty() || !std::holds_alternative<Indexer>(views_.back())) {
    Indexer all{.entries = {}, .span = span};
    for (int64_t size : shape())
      all.entries.emplace_back(Part{int64_t{0}, size, 1});
    whole = with(std::move(all));
    ref = whole.get();
  }
  const auto &indexer = std::get<Indexer>(ref->views_.back());
  Shape kept = ref->shape();
  if (std::ranges::find(kept, core::kDynamicSize) != kept.end())
    return refuse(Message("a {} has a size that is known while tracing; copies (`async_copy`) take others", verb));
  IndexConstants constants;
  constants.add(tracer, *ref);
  Access out{.ref = LANESCOPE_TRY(viewed(tracer, *ref, ref->views_.size() - 1, constants)), .at = {}};
  core::TpuBuilder &builder = tracer.builder();
  bool keptBefore = false; // the dimensions of a vector must be the last dimensions of the memory
  for (const Entry &entry : indexer.entries) {
    const auto *part = std::get_if<Part>(&entry);
    if (!part && keptBefore && !std::holds_alternative<Rows>(entry))
      return refuse(Message("integer indexing that follows a slice is not supported: a {} takes neighbours along the "
                            "last dimensions; `load_gather` and `store_scatter` reach a column",
                            verb));
    keptBefore |= part != nullptr;
    if (part && part->stride != 1)
      return refuse(Message("a {} only supports slices with stride 1, not {stride}", verb, part->stride));
    if (std::holds_alternative<Rows>(entry))
      return error("unsupported", indexer.span,
                   "loads and stores take integers and slices as indices; `load_gather` and `store_scatter` take "
                   "vectors of them",
                   {declared()});
    if (std::holds_alternative<int64_t>(entry))
      out.at.push_back(builder.index(constants.of(entry)));
    else
      out.at.push_back(builder.index(part ? part->start : Offset(std::get<IrValue>(entry))));
  }
  if (kept.empty()) {
    if (masked)
      return refuse(Message("a masked {} takes vectors, and this is a scalar", verb));
    if (memory() != TpuMemory::Smem)
      return refuse(Message("scalars are {} SMEM only, and `{name}` is in {memory}{}",
                            loads ? "loaded from" : "stored to", name_, memoryName(memory()),
                            loads ? text(": load an array and take its element, `v = ", name_, "[ds(i, ",
                                         tracer.lanes(), ")]`, then `v[0]`")
                                  : std::string(": store a vector, with `store_scatter` and a mask where it is one "
                                                "element")));
    return out;
  }
  if (memory() == TpuMemory::Smem)
    return refuse(Message("only scalars are {} SMEM, not arrays of shape {shape}", loads ? "loaded from" : "stored to",
                          layouts::tupleText(kept)));
  LANESCOPE_CHECK(tracer.checkAccessed(ref->dtype(), kept, loads ? "loads" : "stores", span));
  LANESCOPE_CHECK(tracer.checkRegisters(ref->dtype(), kept, span));
  return out;
}

Result<Value> TpuRefValue::read(TpuTracer &tracer, const Span &span, const std::optional<IrValue> &mask) const {
  Access from = LANESCOPE_TRY(access(tracer, span, "load", mask.has_value()));
  return TracedValue::make(tracer, tracer.builder().load(from.ref, from.at, shape(), mask), span);
}

Result<void> TpuRefValue::write(TpuTracer &tracer, const Span &span, const IrValue &value,
                                const std::optional<IrValue> &mask, bool add) const {
  Access to = LANESCOPE_TRY(access(tracer, span, "store", mask.has_value()));
  if (value.isScalar() && add)
    return error("unsupported", span, "there is no atomic addition of scalars: load, add, and store", {declared()});
  core::TpuBuilder &builder = tracer.builder();
  // JAX's stores return the old value, so load it, although it is not used.
  builder.load(to.ref, to.at, value.shape, mask);
  builder.store(value, to.ref, to.at, mask, add);
  return {};
}

Result<void> TpuRefValue::write(TpuTracer &tracer, const Span &span, const Arg &value) const {
  Term term = LANESCOPE_TRY(termOf(tracer, value, "a store"));
  Shape wanted = shape();
  if (!term.shape().empty() && term.shape() != wanted)
    return error("shape-mismatch", value.span,
                 Message("`{name}` has shape {shape} here, and the value has shape {other_shape}", describe(),
                         layouts::tupleText(wanted), layouts::tupleText(term.shape())),
                 {declared()});
  if (term.traced && term.traced->dtype != dtype() && term.traced->dtype != Dtype::I1)
    LANESCOPE_CHECK(tracer.checkConverts(term.traced->dtype, dtype(), value.span));
  return write(tracer, span, LANESCOPE_TRY(shaped(tracer, term, dtype(), wanted)), std::nullopt, false);
}

} // namespace lanescope::repl
