#include "repl/kernel/gpu/memory/GpuRefs.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/memory/GpuMemory.h"
#include "repl/kernel/gpu/trace/ValueRules.h"
#include "repl/kernel/trace/Traced.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using core::Offset;
using core::SliceDim;
using layouts::Shape;

namespace {

std::string_view spaceName(core::MemorySpace space) {
  switch (space) {
  case core::MemorySpace::Global: return "GMEM";
  case core::MemorySpace::Shared: return "SMEM";
  case core::MemorySpace::Cluster: return "cluster SMEM";
  case core::MemorySpace::Tensor: return "TMEM";
  }
  return "GMEM";
}

/// `ref.at`: indexing it gives references.
class AtView final : public Object {
public:
  explicit AtView(std::shared_ptr<RefValue> ref) : ref_(std::move(ref)) {}
  std::string typeName() const override { return "reference view"; }
  Result<Value> getItem(Context &context, const Arg &index) override {
    GpuTracer *tracer = LANESCOPE_TRY(GpuTracer::of(context, ref_->trace()));
    tracer->at(context.span);
    return Value(LANESCOPE_TRY(ref_->sliced(*tracer, index)));
  }
  Result<void> setItem(Context &context, const Arg &, const Arg &) override {
    return context.fail(
        "type", Message("`{}.at[…]` is a reference, for copies; `{}[…] = value` writes", ref_->name(), ref_->name()));
  }

private:
  std::shared_ptr<RefValue> ref_;
};

} // namespace

RefValue::RefValue(std::string name, core::IrRef base, bool writable, TraceId trace, Span origin)
    : Reference(std::move(name), trace, std::move(origin)), base_(std::move(base)), writable_(writable) {
  for (int64_t size : base_.shape) {
    axes_.push_back(dims_.size());
    dims_.push_back({int64_t{0}, size, true});
  }
}

Shape RefValue::shape() const {
  Shape shape;
  for (size_t axis : axes_)
    shape.push_back(dims_[axis].length);
  return shape;
}

std::string RefValue::describe() const {
  std::vector<std::string> parts;
  bool whole = true;
  for (size_t i = 0; i < dims_.size(); ++i) {
    const auto *start = std::get_if<int64_t>(&dims_[i].start);
    whole = whole && start && *start == 0 && dims_[i].keep && dims_[i].length == base_.shape[i];
    std::string from = start ? text(*start) : "…";
    parts.push_back(!dims_[i].keep ? from
                    : start        ? text(from, ":", *start + dims_[i].length)
                                   : text("ds(…, ", dims_[i].length, ")"));
  }
  std::string part = whole ? name_ : text(name_, "[", joined(parts, ", "), "]");
  if (std::ranges::is_sorted(axes_))
    return part;
  return std::ranges::is_sorted(axes_, std::ranges::greater()) ? text(part, ".T") : text(part, ".transpose(…)");
}

//===------------------------------------ reading and writing -----------------------------------------------------===//

Result<void> RefValue::checkInside(const Span &span) const {
  if (gathers())
    return error(
        "unsupported", span,
        Message(
            "the rows of `{name}` are chosen by an array: only copies to and from shared memory take such a reference",
            describe()),
        {declared()});
  if (!outside_)
    return {};
  return error("out-of-bounds", span,
               Message("`{name}` reaches over the end of `{other_name}`, which has shape {shape}; only copies to and "
                       "from shared memory may do so",
                       describe(), name_, layouts::tupleText(base_.shape)),
               {declared()});
}

Result<void> RefValue::checkLevel(const GpuTracer &tracer, const Span &span, std::string_view what) const {
  if (!tracer.warpAxis() || shape().empty())
    return {};
  return error("warp-level", span,
               Message("`{name}` of shape {shape} cannot be {} by one warp: inside of `core_map(WarpMesh(…))` only "
                       "scalars are; {} one element, copy, or do it outside",
                       describe(), layouts::tupleText(shape()), what, what == "read" ? "read" : "write"),
               {declared()});
}

Result<core::IrRef> RefValue::materialize(GpuTracer &tracer) const {
  if (gathers())
    LANESCOPE_CHECK(checkInside(origin_));
  core::IrRef part = tracer.builder().slice(base_, dims_);
  if (isTensor())
    return part;
  // For each kept dimension, its rank among the kept dimensions in the base's order.
  std::vector<size_t> sorted = axes_, order;
  std::ranges::sort(sorted);
  for (size_t axis : axes_)
    order.push_back(static_cast<size_t>(std::ranges::find(sorted, axis) - sorted.begin()));
  return tracer.builder().transpose(part, order);
}

std::shared_ptr<RefValue> RefValue::transposed(const std::vector<size_t> &order) const {
  auto result = std::make_shared<RefValue>(*this);
  for (size_t i = 0; i < order.size(); ++i)
    result->axes_[i] = axes_[order[i]];
  return result;
}

Result<std::shared_ptr<RefValue>> RefValue::inBlock(GpuTracer &tracer,
                                                    const std::array<std::optional<IrValue>, 3> &place) const {
  core::IrRef remote = tracer.builder().inBlock(LANESCOPE_TRY(materialize(tracer)), place);
  return std::make_shared<RefValue>(name_, std::move(remote), writable_, trace_, origin_);
}

Result<void> RefValue::checkShared(const Span &span) const {
  if (base_.space != core::MemorySpace::Global)
    return error(
        "type", span,
        Message("`{name}` is in {memory}; devices reach only each other's GMEM", describe(), spaceName(base_.space)),
        {declared()});
  if (reach_ != Reach::Own)
    return error("type", span, Message("`{name}` leads to other devices already", describe()), {declared()});
  return {};
}

Result<std::shared_ptr<RefValue>> RefValue::onDevice(GpuTracer &tracer, const IrValue &device, const Span &span) const {
  LANESCOPE_CHECK(checkShared(span));
  auto there = std::make_shared<RefValue>(*this);
  there->base_ = tracer.at(span).onDevice(base_, device);
  there->reach_ = Reach::Peer;
  return there;
}

Result<std::shared_ptr<RefValue>> RefValue::onAllDevices(GpuTracer &tracer, const Span &span) const {
  LANESCOPE_CHECK(checkShared(span));
  auto there = std::make_shared<RefValue>(*this);
  there->base_ = tracer.at(span).onAllDevices(base_);
  there->reach_ = Reach::All;
  return there;
}

Result<Value> RefValue::read(GpuTracer &tracer, const Span &span, std::optional<bool> optimized,
                             core::EvictionPolicy eviction) const {
  if (isTensor())
    return notInTensor(span, text(howToRead(), ", and wait for it with `wait_load_tmem()`"));
  if (reach_ == Reach::All)
    return error("unsupported", span,
                 Message("`{name}` is what all devices hold; `multimem_load_reduce({}, axes, \"add\")` combines it, "
                         "and `remote_ref({}, d)` is one device's",
                         describe(), name_, name_),
                 {declared()});
  core::GpuBuilder &builder = tracer.at(span);
  LANESCOPE_CHECK(checkInside(span));
  LANESCOPE_CHECK(checkRegisters(base_.dtype, shape(), span));
  LANESCOPE_CHECK(checkLevel(tracer, span, "read"));
  if (!shape().empty())
    return TracedValue::make(tracer, builder.load(LANESCOPE_TRY(materialize(tracer)), optimized, eviction), span);
  std::vector<Offset> indices;
  for (const SliceDim &dim : dims_)
    indices.push_back(dim.start);
  return TracedValue::make(tracer, builder.loadScalar(base_, indices), span);
}

Result<void> RefValue::write(GpuTracer &tracer, const Span &span, const Arg &value, std::optional<bool> optimized,
                             std::optional<core::AtomicKind> atomic) const {
  if (isTensor())
    return notInTensor(span, text("write it with `async_store_tmem(", name_,
                                  ", value)`, and wait for that with "
                                  "`commit_tmem()`"));
  if (!writable_)
    return error("read-only", span,
                 Message("`{name}` is an input, so it cannot be written; declare it `InOut(…)`", name_), {declared()});
  if (reach_ == Reach::All && !atomic)
    return error("unsupported", span,
                 Message("`{name}` is what all devices hold; `multimem_store(value, {}, axes)` writes it, and copies "
                         "from shared memory do",
                         describe(), name_),
                 {declared()});
  LANESCOPE_CHECK(checkInside(span));
  LANESCOPE_CHECK(checkLevel(tracer, span, "written"));
  Term operand = LANESCOPE_TRY(termOf(tracer, value, "="));
  Shape mine = shape();
  if (operand.traced) {
    if (operand.traced->dtype != base_.dtype)
      return error(
          "dtype-mismatch", value.span,
          Message(
              "a value of dtype {dtype} is written to `{name}` of dtype {other_dtype}; convert it with `.astype({})`",
              layouts::name(operand.traced->dtype), describe(), layouts::name(base_.dtype), layouts::name(base_.dtype)),
          {declared()});
    if (!operand.shape().empty() && operand.shape() != mine)
      return error("shape-mismatch", value.span,
                   Message("an array of shape {shape} is written to `{name}` of shape {other_shape}",
                           layouts::tupleText(operand.shape()), describe(), layouts::tupleText(mine)),
                   {declared()});
  } else if (operand.number.asFloat() && !layouts::isFloat(base_.dtype)) {
    return error("dtype-mismatch", value.span,
                 Message("a float is written to `{name}` of dtype {dtype}", describe(), layouts::name(base_.dtype)),
                 {declared()});
  }
  core::GpuBuilder &builder = tracer.at(span);
  IrValue stored = LANESCOPE_TRY(shaped(tracer, operand, base_.dtype, mine));
  if (!mine.empty()) {
    const bool shared = base_.space == core::MemorySpace::Shared;
    core::IrRef target = LANESCOPE_TRY(materialize(tracer));
    if (shared)
      tracer.meet(); // all warps have completed their earlier reads
    builder.store(stored, target, optimized, atomic);
    if (shared)
      tracer.meet(); // every warp that continues sees the whole store
    return {};
  }
  std::vector<Offset> indices;
  for (const SliceDim &dim : dims_)
    indices.push_back(dim.start);
  if (atomic)
    return error(
        "unsupported", span,
        "one element is not combined atomically: every thread would; combine an array of 128 elements or more, such as "
        "`where(arange(128, dtype=i32) == i, value, 0)`");
  builder.storeScalar(stored, base_, indices);
  return {};
}

//===------------------------------------ the object --------------------------------------------------------------===//

std::string RefValue::typeName() const { return text(spaceName(base_.space), " reference"); }

std::string RefValue::repr() const {
  return text("<", spaceName(base_.space), " reference ", describe(), ": ", typeText(base_.dtype, shape()), ">");
}

std::vector<std::string> RefValue::members() const {
  if (isTensor())
    return {"at", "dtype", "ndim", "shape", "size"};
  return {"T", "at", "dtype", "ndim", "reshape", "shape", "size", "transpose"};
}

Result<Value> RefValue::attribute(Context &context, const std::string &name) {
  if (name == "shape")
    return Value::shape(shape());
  if (name == "dtype")
    return Value(base_.dtype);
  if (name == "ndim")
    return Value(shape().size());
  if (name == "size")
    return Value(layouts::elementCount(shape()));
  LANESCOPE_CHECK(GpuTracer::of(context, trace_));
  if (name == "at")
    return Value(std::make_shared<AtView>(std::static_pointer_cast<RefValue>(shared_from_this())));
  if (isTensor() && (name == "T" || name == "transpose"))
    return notInTensor(context.span, "tensor memory is not transposed: rows are lanes; transpose what is read from it");
  if (isTensor() && name == "reshape")
    return notInTensor(context.span, "tensor memory keeps its shape: rows are lanes; reshape what is read from it");
  if (name == "T") {
    std::vector<size_t> order;
    for (size_t i = axes_.size(); i-- > 0;)
      order.push_back(i);
    return Value(transposed(order));
  }
  if (name == "transpose")
    return BuiltinValue::make(
        {.name = "transpose",
         .signature = "transpose(axes)",
         .doc = "The reference with its dimensions in another order: dimension i of the result "
                "is dimension `axes[i]`.",
         .call = [](Context &, const BoundArguments &args) -> Result<Value> {
           auto *ref = args.self->as<RefValue>();
           std::vector<int64_t> axes = LANESCOPE_TRY(args.integers(0));
           std::vector<size_t> order(axes.begin(), axes.end()), sorted = order;
           std::ranges::sort(sorted);
           bool good = order.size() == ref->axes().size();
           for (size_t i = 0; good && i < sorted.size(); ++i)
             good = sorted[i] == i;
           if (!good)
             return args.wrongValue(
                 0, Message("a permutation names each of the dimensions 0 to {} once", ref->axes().size() - 1));
           return Value(ref->transposed(order));
         }},
        Value(shared_from_this()));
  if (name == "reshape")
    return BuiltinValue::make(reshapeMethod(trace_), Value(shared_from_this()));
  return context.fail("no-attribute",
                      isTensor() ? Message("a reference has no attribute `{attribute}`; {}", name, howToRead())
                                 : Message("a reference has no attribute `{attribute}`; read it first: `{}[...].{}`",
                                           name, name_, name));
}

Result<Value> RefValue::getItem(Context &context, const Arg &index) {
  GpuTracer *tracer = LANESCOPE_TRY(GpuTracer::of(context, trace_));
  tracer->at(context.span);
  auto part = LANESCOPE_TRY(sliced(*tracer, index));
  return part->read(*tracer, context.span, std::nullopt);
}

Result<void> RefValue::setItem(Context &context, const Arg &index, const Arg &value) {
  GpuTracer *tracer = LANESCOPE_TRY(GpuTracer::of(context, trace_));
  tracer->at(context.span);
  auto part = LANESCOPE_TRY(sliced(*tracer, index));
  return part->write(*tracer, context.span, value);
}

std::unexpected<Diagnostics> RefValue::notAValue(const Context &context, std::string_view what) const {
  return context.fail(
      "type", Message("`{function}` works on values, and `{name}` is a reference; {}", what, name_, howToRead()),
      {declared()});
}

Result<Value> RefValue::unary(Context &context, UnaryOp op) { return notAValue(context, spelling(op)); }

Result<std::optional<Value>> RefValue::binary(Context &context, BinaryOp op, const Arg &, bool) {
  return notAValue(context, spelling(op));
}

Result<std::optional<Value>> RefValue::compare(Context &context, CompareOp op, const Arg &) {
  return notAValue(context, spelling(op));
}

Result<bool> RefValue::truth(Context &context) { return notAValue(context, "if"); }

Result<int64_t> RefValue::length(Context &context) {
  if (shape().empty())
    return context.fail("type", "a reference to one element has no length");
  return shape()[0];
}

//===------------------------------------ tensor memory -----------------------------------------------------------===//

std::string RefValue::howToRead() const {
  return isTensor() ? text("read it with `async_load_tmem(", describe(), ")`") : Reference::howToRead();
}

std::unexpected<Diagnostics> RefValue::notInTensor(const Span &span, std::string message) const {
  return error("unsupported", span, Message("`{name}` is in tensor memory: {}", describe(), message), {declared()});
}

Result<std::optional<IrValue>> RefValue::printed(Tracer &tracer, const Span &span) const {
  if (!isTensor())
    return std::nullopt;
  auto &gpu = static_cast<GpuTracer &>(tracer); // the reference belongs to the trace of a GpuTracer
  LANESCOPE_CHECK(checkLevel(gpu, span, "read"));
  core::IrRef part = LANESCOPE_TRY(materialize(gpu));
  IrValue value = gpu.builder().asyncLoadTmem(part);
  gpu.builder().waitLoadTmem();
  return value;
}

//===------------------------------------ primitives --------------------------------------------------------------===//

Result<std::shared_ptr<RefValue>> refArgument(GpuTracer &tracer, const BoundArguments &args, size_t index,
                                              core::MemorySpace space) {
  auto ref = args[index].value.ref<RefValue>();
  if (!ref || ref->space() != space)
    return args.wrongType(index, text(space == core::MemorySpace::Global   ? "a GMEM"
                                      : space == core::MemorySpace::Tensor ? "a TMEM"
                                                                           : "an SMEM",
                                      " reference"));
  LANESCOPE_CHECK(GpuTracer::of({tracer.evaluator(), args[index].span}, ref->trace()));
  return ref;
}

/// Argument 0, or the part of it that argument `index` takes.
static Result<std::shared_ptr<RefValue>> partArgument(GpuTracer &tracer, Context &context, const BoundArguments &args,
                                                      size_t index) {
  auto ref = args[0].value.ref<RefValue>();
  if (!ref)
    return args.wrongType(0, "a reference");
  LANESCOPE_CHECK(GpuTracer::of(context, ref->trace()));
  if (args.has(index) && !args[index].value.isNone() &&
      !(args[index].value.asTuple() && args[index].value.asTuple()->empty()))
    ref = LANESCOPE_TRY(ref->sliced(tracer, args[index]));
  return ref;
}

static Result<std::optional<bool>> optimizedArgument(const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  return LANESCOPE_TRY(args.booleanOr(index, true));
}

static Result<core::EvictionPolicy> evictionArgument(const BoundArguments &args, size_t index, const RefValue &ref) {
  if (!args.has(index) || args[index].value.isNone())
    return core::EvictionPolicy::None;
  std::string wanted = LANESCOPE_TRY(args.text(index));
  if (wanted != "evict_first" && wanted != "evict_last")
    return args.wrongValue(index, "it is \"evict_first\" or \"evict_last\"");
  if (ref.space() != core::MemorySpace::Global)
    return args.wrongValue(index,
                           Message("`{name}` is not in global memory, which the L2 cache is for", ref.describe()));
  if (ref.shape().empty())
    return args.wrongValue(index,
                           Message("`{name}` is one element, which every thread loads as it is", ref.describe()));
  return wanted == "evict_first" ? core::EvictionPolicy::First : core::EvictionPolicy::Last;
}

static Result<Value> load(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto ref = LANESCOPE_TRY(partArgument(tracer, context, args, 1));
  std::optional<bool> optimized = LANESCOPE_TRY(optimizedArgument(args, 3));
  core::EvictionPolicy eviction = LANESCOPE_TRY(evictionArgument(args, 4, *ref));
  Value value = LANESCOPE_TRY(ref->read(tracer, context.span, optimized, eviction));
  if (!args.has(2) || args[2].value.isNone())
    return value;
  // The cast states the layout for the load; inference moves it into the load.
  Arguments cast;
  cast.positional = {{value, context.span}, args[2]};
  auto laidOut = LANESCOPE_TRY(tracer.primitives().apply(context, "layout_cast", cast));
  return *laidOut;
}

static Result<Value> store(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto ref = LANESCOPE_TRY(partArgument(tracer, context, args, 2));
  std::optional<bool> optimized = LANESCOPE_TRY(optimizedArgument(args, 3));
  LANESCOPE_CHECK(ref->write(tracer, context.span, args[1], optimized));
  return Value();
}

template <core::AtomicKind kind>
static Result<Value> atomic(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  auto ref = args[0].value.ref<RefValue>();
  if (!ref)
    return args.wrongType(0, "a reference");
  LANESCOPE_CHECK(GpuTracer::of(context, ref->trace()));
  LANESCOPE_CHECK(ref->write(tracer, context.span, args[1], std::nullopt, kind));
  return Value();
}

#define LANESCOPE_ATOMIC(name, kind, what)                                                                             \
  {name, name "(ref, value)", what " in memory, element by element, atomically: `" name "(x.at[i], v)`.",              \
   atomic<core::AtomicKind::kind>}

static constexpr GpuPrimitive kRefPrimitives[] = {
    LANESCOPE_ATOMIC("atomic_add", Add, "Adds to what is"),
    LANESCOPE_ATOMIC("atomic_min", Minimum, "Takes the smaller of the value and what is"),
    LANESCOPE_ATOMIC("atomic_max", Maximum, "Takes the larger of the value and what is"),
    LANESCOPE_ATOMIC("atomic_and", And, "Combines by `&` with what is"),
    LANESCOPE_ATOMIC("atomic_or", Or, "Combines by `|` with what is"),
    LANESCOPE_ATOMIC("atomic_xor", Xor, "Combines by `^` with what is"),
    {"load", "load(src, idx=(), layout=None, optimized=None, eviction_policy=None)",
     "Reads a reference into registers, in the layout given.\n\n`optimized=True`: an error where shared memory cannot "
     "be "
     "read without bank conflicts. `None` says in a note what they cost, `False` nothing. `eviction_policy`: what of "
     "global memory leaves the L2 cache early, \"evict_first\", or late, \"evict_last\" (PTX ISA, `createpolicy`); a "
     "hint.",
     load},
    {"store", "store(dst, value, idx=(), optimized=None)",
     "Writes a value, as `dst[...] = value` does. `optimized` is as for `load`.", store},
};

#undef LANESCOPE_ATOMIC

std::span<const GpuPrimitive> refPrimitives() { return kRefPrimitives; }

} // namespace lanescope::repl
