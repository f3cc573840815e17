// Copies between memories: direct copies, and copies of rows that a vector or a reference names. The choice between
// them, and the order in which references are emitted, follow jax/_src/pallas/mosaic/sc_lowering.py
// (`_prepare_dma_refs`).
#include "repl/kernel/tpu/memory/TpuMemory.h"
#include "repl/kernel/tpu/memory/TpuRefs.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using core::TpuMemory;
using core::TpuRef;
using layouts::Dtype;
using layouts::Shape;

namespace {

using RefPointer = std::shared_ptr<TpuRefValue>;

struct CopyRequest {
  // `sourceSemaphore` is null unless the target is on another device.
  RefPointer source, target, semaphore, sourceSemaphore;
  PlaceTerms where; // the target's device, core or subcore, where it is not this one's
  std::optional<IrValue> filter;
  bool add = false;
  int64_t priority = 0;
};

/// The index of the first view of a reference that takes rows.
std::optional<size_t> rowsView(const TpuRefValue &ref) {
  for (size_t i = 0; i < ref.views().size(); ++i)
    if (const auto *indexer = std::get_if<TpuRefValue::Indexer>(&ref.views()[i]))
      if (std::ranges::any_of(indexer->entries, [](const TpuRefValue::Entry &entry) {
            return std::holds_alternative<TpuRefValue::Rows>(entry);
          }))
        return i;
  return std::nullopt;
}

class CopyEmitter {
public:
  CopyEmitter(TpuTracer &tracer, const CopyRequest &request, Span span)
      : tracer_(tracer), request_(request), span_(std::move(span)) {}

  /// Emits the constants of all indices now, so that the start and the wait share them. Without this call, each of the
  /// two emits its own constants.
  void emitConstants() {
    for (const RefPointer &ref : {request_.source, request_.target, request_.semaphore, request_.sourceSemaphore})
      if (ref)
        constants_.add(tracer_, *ref);
    kept_ = true;
  }

  Result<void> start() {
    auto where = LANESCOPE_TRY(request_.where.emitted(tracer_));
    auto ends = LANESCOPE_TRY(prepare(request_.add));
    TpuRef semaphore = LANESCOPE_TRY(viewed(tracer_, *request_.semaphore, constants_));
    std::optional<TpuRef> sourceSemaphore;
    if (request_.sourceSemaphore)
      sourceSemaphore = LANESCOPE_TRY(viewed(tracer_, *request_.sourceSemaphore, constants_));
    core::TpuBuilder &builder = tracer_.builder();
    std::optional<IrValue> filter = request_.filter;
    if (!filter && ignored_)
      filter = builder.constant(Dtype::I32, {}, *ignored_);
    if (ends.offsets)
      builder.startIndirect(ends.source, ends.target, *ends.offsets, semaphore, filter, request_.add);
    else
      builder.startCopy(ends.source, ends.target, semaphore, sourceSemaphore, where, request_.priority);
    return {};
  }

  enum class Awaited { Both, Sent, Received };
  /// Waits for the data that this device sends, then for the data that it receives. A copy within one device only
  /// receives.
  Result<void> wait(Awaited awaited) {
    const bool sent = awaited != Awaited::Received, come = awaited != Awaited::Sent;
    auto where = LANESCOPE_TRY(device());
    auto ends = LANESCOPE_TRY(prepare(false));
    if (request_.sourceSemaphore && sent) {
      TpuRef semaphore = LANESCOPE_TRY(viewed(tracer_, *request_.sourceSemaphore, constants_));
      tracer_.builder().waitCopy(ends.target, ends.source, semaphore, {.device = where});
      if (come)
        where = LANESCOPE_TRY(device());
    }
    if (!come)
      return {};
    TpuRef semaphore = LANESCOPE_TRY(viewed(tracer_, *request_.semaphore, constants_));
    if (ends.offsets)
      tracer_.builder().waitIndirect(ends.source, ends.target, semaphore);
    else
      tracer_.builder().waitCopy(ends.source, ends.target, semaphore, {.device = where});
    return {};
  }

private:
  struct Ends {
    TpuRef source, target;
    std::optional<core::TpuBuilder::Offsets> offsets;
  };

  /// The number of the target's device, which is all that a wait needs of the target.
  Result<std::optional<IrValue>> device() {
    if (!request_.where.device)
      return std::nullopt;
    return LANESCOPE_TRY(shaped(tracer_, *request_.where.device, Dtype::I32, {}));
  }

  std::unexpected<Diagnostics> refuse(Message why) const {
    return error("unsupported", span_, std::move(why), {request_.source->declared(), request_.target->declared()});
  }

  Result<Ends> prepare(bool add) {
    const TpuRefValue &source = *request_.source, &target = *request_.target;
    if (!kept_) {
      constants_ = {};
      emitConstants();
      kept_ = false;
    }
    auto shared = [](TpuMemory memory) { return memory == TpuMemory::Hbm || memory == TpuMemory::VmemShared; };
    bool gathers = shared(source.memory()) && target.memory() == TpuMemory::Vmem;
    bool scatters = source.memory() == TpuMemory::Vmem && shared(target.memory());
    Ends ends;
    columns_.clear();
    std::string pair = text("from ", memoryName(source.memory()), " to ", memoryName(target.memory()));
    if (gathers || scatters) {
      const TpuRefValue &direct = gathers ? target : source, &indexed = gathers ? source : target;
      if (rowsView(direct))
        return refuse(Message("only the {} of a {} can be indexed by rows, and `{name}` is its {}",
                              gathers ? "source" : "destination", gathers ? "gather" : "scatter", direct.describe(),
                              gathers ? "destination" : "source"));
      TpuRef plain = LANESCOPE_TRY(viewed(tracer_, direct, constants_));
      size_t views = indexed.views().size();
      if (auto at = rowsView(indexed)) {
        ends.offsets = LANESCOPE_TRY(offsets(indexed, *at, plain.shape));
        views = *at;
      }
      TpuRef other = LANESCOPE_TRY(viewed(tracer_, indexed, views, constants_));
      if (!columns_.empty())
        other = tracer_.builder().slice(other, columns_);
      ends.source = gathers ? other : plain;
      ends.target = gathers ? plain : other;
      if (ends.offsets && request_.sourceSemaphore)
        return refuse("gathers and scatters to or from another device are not supported");
      if (add && !ends.offsets)
        return refuse(Message("a copy that adds names the rows along the first dimension of its {}: write "
                              "`{}.at[iota]`, or `{}.at[indices_ref]`",
                              gathers ? "source" : "destination", indexed.name(), indexed.name()));
    } else {
      if (rowsView(source) || rowsView(target))
        return refuse(
            Message("a gather or scatter {} is not supported: one side is VMEM, the other HBM or VMEM_SHARED", pair));
      if (add)
        return refuse(Message("copies that add are only supported between VMEM and HBM or VMEM_SHARED, not {}", pair));
      ends.source = LANESCOPE_TRY(viewed(tracer_, source, constants_));
      ends.target = LANESCOPE_TRY(viewed(tracer_, target, constants_));
    }
    LANESCOPE_CHECK(checkAlike(ends));
    return ends;
  }

  Result<void> checkAlike(const Ends &ends) const {
    if (request_.source->dtype() != request_.target->dtype())
      return error("dtype-mismatch", span_,
                   Message("the source holds {dtype} and the destination {other_dtype}; copies do not convert",
                           name(request_.source->dtype()), name(request_.target->dtype())),
                   {request_.source->declared(), request_.target->declared()});
    if (!ends.offsets && ends.source.shape != ends.target.shape)
      return error("shape-mismatch", span_,
                   Message("the source has shape {shape} and the destination {other_shape}",
                           layouts::tupleText(ends.source.shape), layouts::tupleText(ends.target.shape)),
                   {request_.source->declared(), request_.target->declared()});
    return {};
  }

  /// The row numbers of view `at` of `ref`, for a copy whose other side has the shape `wanted`.
  Result<core::TpuBuilder::Offsets> offsets(const TpuRefValue &ref, size_t at, const Shape &wanted) {
    const auto &indexer = std::get<TpuRefValue::Indexer>(ref.views()[at]);
    ignored_ = indexer.ignored;
    Shape whole = ref.base().shape;
    if (at > 0) {
      TpuRefValue before = ref;
      before = *std::make_shared<TpuRefValue>(ref.name(), ref.base(), ref.trace(), ref.origin());
      for (size_t i = 0; i < at; ++i)
        before = *before.with(ref.views()[i]);
      whole = before.shape();
    }
    const auto *rows = std::get_if<TpuRefValue::Rows>(&indexer.entries.front());
    bool major = rows != nullptr, all = true;
    std::vector<core::TpuSlice> columns{{int64_t{0}, whole[0], true}};
    for (size_t d = 1; major && d < indexer.entries.size(); ++d) {
      const auto *part = std::get_if<TpuRefValue::Part>(&indexer.entries[d]);
      const auto *size = part ? std::get_if<int64_t>(&part->size) : nullptr;
      major = size && part->stride == 1;
      if (!major)
        break;
      all = all && takesAll(indexer.entries[d], whole[d]);
      columns.push_back({part->start, *size, true});
      whole[d] = *size;
    }
    if (major && !all)
      columns_ = std::move(columns); // taken from all rows first; the rows are chosen afterwards
    if (!major)
      return refuse(Message("`{name}`: only indexing along the major (first) dimension is supported in gathers and "
                            "scatters, with slices of the others",
                            ref.describe()));
    core::TpuBuilder::Offsets out;
    Shape shape;
    if (const auto *vector = std::get_if<IrValue>(rows)) {
      out = *vector;
      shape = vector->shape;
    } else {
      const TpuRefValue &named = *std::get<RefPointer>(*rows);
      if (named.dtype() != Dtype::I32 || !named.holdsNumbers())
        return refuse(Message("only i32 indices are supported by gathers and scatters, and `{name}` holds {}",
                              named.describe(), named.holdsNumbers() ? text(name(named.dtype())) : text("semaphores")));
      shape = named.shape();
      if (named.memory() != TpuMemory::Vmem)
        return refuse(Message("the indices of a gather or scatter must be in VMEM, and `{name}` is in {memory}",
                              named.describe(), memoryName(named.memory())));
      out = LANESCOPE_TRY(viewed(tracer_, named, constants_));
    }
    if (shape.size() != 1)
      return refuse(Message("only 1D indices are supported by gathers and scatters, and these have shape {shape}",
                            layouts::tupleText(shape)));
    Shape expected = shape;
    expected.insert(expected.end(), whole.begin() + 1, whole.end());
    if (expected != wanted)
      return refuse(Message("the shape of the rows that are named, {shape}, does not match the expected shape of the "
                            "other side, {other_shape}",
                            layouts::tupleText(expected), layouts::tupleText(wanted)));
    if (at + 1 != ref.views().size())
      return refuse(Message("`{name}`: there cannot be any views following the indexer by rows", ref.describe()));
    return out;
  }

  TpuTracer &tracer_;
  const CopyRequest &request_;
  Span span_;
  IndexConstants constants_;
  bool kept_ = false;
  std::optional<int64_t> ignored_;      // number of a row to skip
  std::vector<core::TpuSlice> columns_; // on the side whose rows are named, the columns to copy; empty: all columns
};

/// The value of `async_copy(…)`: an object that waits for the copy.
class CopyValue final : public TracedObject {
public:
  CopyValue(CopyRequest request, TraceId trace, Span origin)
      : TracedObject(trace, std::move(origin)), request_(std::move(request)) {}
  std::string typeName() const override { return "copy"; }
  std::vector<std::string> members() const override { return {"start", "wait", "wait_recv", "wait_send"}; }
  Result<Value> attribute(Context &context, const std::string &name) override {
    for (auto [method, doc] :
         {std::pair("start", "Starts the copy."), std::pair("wait", "Waits until the copy is done."),
          std::pair("wait_send", "Waits until the other device may have what was sent from here."),
          std::pair("wait_recv", "Waits until the data from the other device have arrived.")})
      if (name == method)
        return BuiltinValue::make({.name = name, .signature = name + "()", .doc = doc, .call = method_(name)},
                                  Value(shared_from_this()));
    return context.fail("no-attribute",
                        Message("a copy has no attribute `{attribute}`, it has {}", name, joined(members(), ", ")));
  }

private:
  static BuiltinCall method_(const std::string &name) {
    return [name](Context &context, const BoundArguments &args) -> Result<Value> {
      auto *copy = args.self->as<CopyValue>();
      TpuTracer *tracer = LANESCOPE_TRY(TpuTracer::of(context, copy->trace()));
      tracer->at(context.span);
      if (name == "wait_send" && !copy->request_.sourceSemaphore)
        return context.fail("value", "`wait_send` waits for a copy to another device, and this one stays here: `wait`");
      CopyEmitter emitter(*tracer, copy->request_, context.span);
      using enum CopyEmitter::Awaited;
      LANESCOPE_CHECK(name == "start"       ? emitter.start()
                      : name == "wait_send" ? emitter.wait(Sent)
                      : name == "wait_recv" ? emitter.wait(Received)
                                            : emitter.wait(Both));
      return Value();
    };
  }
  CopyRequest request_;
};

Result<RefPointer> semaphoreArgument(TpuTracer &tracer, const BoundArguments &args, size_t index) {
  RefPointer semaphore = LANESCOPE_TRY(refArgument(tracer, args, index));
  if (semaphore->base().element != core::TpuElement::DmaSemaphore)
    return args.wrongType(index, "a semaphore for copies (`SemaphoreType.DMA`)");
  if (!semaphore->shape().empty())
    return args.wrongValue(index, Message("a copy takes one semaphore, and `{name}` are several: `{}.at[i]`",
                                          semaphore->describe(), semaphore->name()));
  return semaphore;
}

enum CopyArgument : size_t { kSource, kTarget, kSemaphore, kAdd, kPriority, kFilter };

Result<CopyRequest> copyRequest(TpuTracer &tracer, const BoundArguments &args) {
  CopyRequest request;
  request.source = LANESCOPE_TRY(refArgument(tracer, args, kSource));
  request.target = LANESCOPE_TRY(refArgument(tracer, args, kTarget));
  request.semaphore = LANESCOPE_TRY(semaphoreArgument(tracer, args, kSemaphore));
  for (size_t i : {kSource, kTarget})
    if (!(i == kSource ? request.source : request.target)->holdsNumbers())
      return args.wrongType(i, "a reference to numbers, not semaphores");
  request.add = LANESCOPE_TRY(args.booleanOr(kAdd, false));
  request.priority = LANESCOPE_TRY(args.integerOr(kPriority, 0));
  if (request.priority != 0 && request.priority != 1)
    return args.wrongValue(kPriority, Message("the priority is 0 or 1, not {}", request.priority));
  if (args.has(kFilter) && !args[kFilter].value.isNone()) {
    Term filter = LANESCOPE_TRY(termOf(tracer, args[kFilter], "ignored_value"));
    request.filter = LANESCOPE_TRY(shaped(tracer, filter, Dtype::I32, {}));
    if (!rowsView(*request.source) && !rowsView(*request.target))
      return args.wrongValue(kFilter, "only gathers and scatters pass over rows");
  }
  return request;
}

Result<Value> asyncCopy(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  CopyRequest request = LANESCOPE_TRY(copyRequest(tracer, args));
  tracer.at(context.span);
  LANESCOPE_CHECK(CopyEmitter(tracer, request, context.span).start());
  return Value(std::make_shared<CopyValue>(std::move(request), tracer.id(), context.span));
}

Result<Value> makeAsyncCopy(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  CopyRequest request = LANESCOPE_TRY(copyRequest(tracer, args));
  return Value(std::make_shared<CopyValue>(std::move(request), tracer.id(), context.span));
}

Result<Value> syncCopy(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  CopyRequest request;
  request.source = LANESCOPE_TRY(refArgument(tracer, args, 0));
  request.target = LANESCOPE_TRY(refArgument(tracer, args, 1));
  request.add = LANESCOPE_TRY(args.booleanOr(2, false));
  core::TpuBuilder &builder = tracer.at(context.span);
  CopyEmitter emitter(tracer, request, context.span);
  emitter.emitConstants(); // emitted before the scope, which begins with the semaphore
  builder.openRegion();
  TpuRef semaphore =
      builder.allocate({.element = core::TpuElement::DmaSemaphore, .shape = {}, .memory = TpuMemory::Semaphore});
  request.semaphore = std::make_shared<TpuRefValue>("semaphore", semaphore, tracer.id(), context.span);
  LANESCOPE_CHECK(emitter.start());
  LANESCOPE_CHECK(emitter.wait(CopyEmitter::Awaited::Both));
  builder.closeRegion({});
  return Value();
}

template <bool starts> Result<Value> asyncRemoteCopy(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  enum : size_t { kFrom, kTo, kSend, kReceive, kDevice };
  CopyRequest request;
  request.source = LANESCOPE_TRY(refArgument(tracer, args, kFrom));
  request.target = LANESCOPE_TRY(refArgument(tracer, args, kTo));
  request.sourceSemaphore = LANESCOPE_TRY(semaphoreArgument(tracer, args, kSend));
  request.semaphore = LANESCOPE_TRY(semaphoreArgument(tracer, args, kReceive));
  request.where = LANESCOPE_TRY(placeArgument(tracer, args, kDevice));
  tracer.at(context.span);
  if (starts)
    LANESCOPE_CHECK(CopyEmitter(tracer, request, context.span).start());
  return Value(std::make_shared<CopyValue>(std::move(request), tracer.id(), context.span));
}

constexpr TpuPrimitive kTpuCopyPrimitives[] = {
    {"async_copy", "async_copy(src_ref, dst_ref, sem, *, add=False, priority=0, ignored_value=None)",
     "Starts a copy, whose bytes `sem` counts when it is done; `.wait()` on the result waits for it.\n\n"
     "Between VMEM and HBM or VMEM_SHARED the far side may name rows: `async_copy(table.at[rows], tile, sem)` gathers, "
     "`async_copy(tile, table.at[rows], sem)` scatters; `rows` is an i32 vector or a reference in VMEM. `add=True` "
     "adds "
     "to what is there; rows equal to `ignored_value` are passed over.",
     asyncCopy},
    {"make_async_copy", "make_async_copy(src_ref, dst_ref, sem, *, add=False, priority=0, ignored_value=None)",
     "A copy to `.start()`, and to `.wait()` for, maybe one that another part of the kernel starts.", makeAsyncCopy},
    {"async_remote_copy", "async_remote_copy(src_ref, dst_ref, send_sem, recv_sem, device_id)",
     "Starts a copy to the memory of another device, whose `recv_sem` counts it there; `send_sem` counts it here.\n\n"
     "`device_id` is its number, or places by the names of axes, `{\"x\": 1, \"core\": 0}`.",
     asyncRemoteCopy<true>},
    {"make_async_remote_copy", "make_async_remote_copy(src_ref, dst_ref, send_sem, recv_sem, device_id)",
     "A copy to the memory of another device, to `.start()`; `.wait_send()` and `.wait_recv()` wait for one of its "
     "semaphores, `.wait()` for both.",
     asyncRemoteCopy<false>},
    {"sync_copy", "sync_copy(src_ref, dst_ref, *, add=False)",
     "Copies and waits: `async_copy` with a semaphore of its own.", syncCopy},
};

} // namespace

std::span<const TpuPrimitive> tpuCopyPrimitives() { return kTpuCopyPrimitives; }

} // namespace lanescope::repl
