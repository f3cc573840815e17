#include "repl/kernel/tpu/memory/TpuRefs.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using core::Offset;
using core::TpuMemory;
using layouts::Dtype;
using layouts::Shape;

namespace {

/// `ref.at`: indexing it gives references.
class TpuAtView final : public Object {
public:
  explicit TpuAtView(std::shared_ptr<TpuRefValue> ref) : ref_(std::move(ref)) {}
  std::string typeName() const override { return "reference view"; }
  Result<Value> getItem(Context &context, const Arg &index) override {
    TpuTracer *tracer = LANESCOPE_TRY(TpuTracer::of(context, ref_->trace()));
    return Value(LANESCOPE_TRY(ref_->sliced(*tracer, index)));
  }

private:
  std::shared_ptr<TpuRefValue> ref_;
};

Shape rowsShape(const TpuRefValue::Rows &rows) {
  const auto *vector = std::get_if<IrValue>(&rows);
  return vector ? vector->shape : std::get<std::shared_ptr<TpuRefValue>>(rows)->shape();
}

int64_t sizeOf(const Offset &size) {
  const auto *known = std::get_if<int64_t>(&size);
  return known ? *known : core::kDynamicSize;
}

Shape indexedShape(const std::vector<TpuRefValue::Entry> &entries) {
  Shape shape;
  for (const TpuRefValue::Entry &entry : entries) {
    if (const auto *part = std::get_if<TpuRefValue::Part>(&entry))
      shape.push_back(sizeOf(part->size));
    else if (const auto *rows = std::get_if<TpuRefValue::Rows>(&entry))
      for (int64_t size : rowsShape(*rows))
        shape.push_back(size);
  }
  return shape;
}

std::string sizesText(const Shape &shape) {
  std::vector<std::string> sizes;
  for (int64_t size : shape)
    sizes.push_back(size == core::kDynamicSize ? "…" : text(size));
  return text("[", joined(sizes, ", "), "]");
}

} // namespace

bool takesAll(const TpuRefValue::Entry &entry, int64_t size) {
  const auto *part = std::get_if<TpuRefValue::Part>(&entry);
  const auto *start = part ? std::get_if<int64_t>(&part->start) : nullptr;
  return start && *start == 0 && part->stride == 1 && sizeOf(part->size) == size;
}

Dtype TpuRefValue::dtype() const {
  Dtype dtype = base_.dtype;
  for (const View &view : views_)
    if (const auto *cast = std::get_if<Bitcast>(&view))
      dtype = cast->dtype;
  return dtype;
}

Shape TpuRefValue::shape() const {
  if (views_.empty())
    return base_.shape;
  const View &last = views_.back();
  if (const auto *indexer = std::get_if<Indexer>(&last))
    return indexedShape(indexer->entries);
  const auto *cast = std::get_if<Bitcast>(&last);
  return cast ? cast->shape : std::get<Reshape>(last).shape;
}

std::string TpuRefValue::describe() const { return views_.empty() ? name_ : text(name_, ".at[…]"); }

std::shared_ptr<TpuRefValue> TpuRefValue::with(View view) const {
  auto result = std::make_shared<TpuRefValue>(*this);
  result->views_.push_back(std::move(view));
  return result;
}

//===------------------------------------ the object --------------------------------------------------------------===//

std::string TpuRefValue::typeName() const { return text(memoryName(base_.memory), " reference"); }

std::string TpuRefValue::repr() const {
  return text("<", typeName(), " ", describe(), ": ", holdsNumbers() ? text(layouts::name(dtype())) : text("semaphore"),
              sizesText(shape()), ">");
}

std::vector<std::string> TpuRefValue::members() const {
  return {"at", "bitcast", "dtype", "ndim", "reshape", "shape", "size"};
}

static Builtin bitcastMethod() {
  return {.name = "bitcast",
          .signature = "bitcast(dtype)",
          .doc = "The same bits as another dtype; a change of width scales the second-minor dimension.",
          .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
            auto *ref = args.self->as<TpuRefValue>();
            Dtype dtype = LANESCOPE_TRY(args.dtype(0));
            Shape shape = ref->shape();
            int from = layouts::bitwidth(ref->dtype()), to = layouts::bitwidth(dtype);
            if (from != to) {
              if (shape.size() < 2)
                return args.wrongValue(0, Message("a reference of one dimension keeps its width in a bitcast: {dtype} "
                                                  "has {bits} bits, {other_dtype} {}",
                                                  name(ref->dtype()), from, name(dtype), to));
              int64_t &rows = shape[shape.size() - 2];
              if (rows * from % to != 0)
                return args.wrongValue(0, Message("{rows} rows of {dtype} are no whole rows of {other_dtype}", rows,
                                                  name(ref->dtype()), name(dtype)));
              rows = rows * from / to;
            }
            return Value(ref->with(TpuRefValue::Bitcast{dtype, shape, context.span}));
          }};
}

static Builtin reshapeMethod() {
  return {.name = "reshape",
          .signature = "reshape(*shape)",
          .doc = "The same elements in row-major order in another shape.",
          .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
            auto *ref = args.self->as<TpuRefValue>();
            std::vector<Value> sizes;
            for (const Arg &arg : args.rest()) {
              if (arg.value.asTuple() || arg.value.asList())
                for (const Value &item : LANESCOPE_TRY(context.evaluator.iterate(arg.value, arg.span)))
                  sizes.push_back(item);
              else
                sizes.push_back(arg.value);
            }
            Shape shape;
            for (const Value &size : sizes) {
              const int64_t *known = size.asInt();
              if (!known || *known < 1)
                return context.fail("type", "a shape is made of ints above 0");
              shape.push_back(*known);
            }
            if (layouts::elementCount(shape) != layouts::elementCount(ref->shape()))
              return context.fail(
                  "shape-mismatch",
                  Message("`{name}` has shape {shape}, and a reshape to {other_shape} has another number of elements",
                          ref->describe(), layouts::tupleText(ref->shape()), layouts::tupleText(shape)));
            return Value(ref->with(TpuRefValue::Reshape{shape, context.span}));
          }};
}

Result<Value> TpuRefValue::attribute(Context &context, const std::string &name) {
  if (name == "shape" || name == "size") {
    Shape sizes = shape();
    if (std::ranges::find(sizes, core::kDynamicSize) != sizes.end())
      return context.fail("staging", Message("a size of `{name}` is known on the device only", describe()));
    return name == "shape" ? Value::shape(sizes) : Value(layouts::elementCount(sizes));
  }
  if (name == "dtype")
    return Value(dtype());
  if (name == "ndim")
    return Value(shape().size());
  LANESCOPE_CHECK(TpuTracer::of(context, trace_));
  if (name == "at")
    return Value(std::make_shared<TpuAtView>(std::static_pointer_cast<TpuRefValue>(shared_from_this())));
  if (name == "bitcast")
    return BuiltinValue::make(bitcastMethod(), Value(shared_from_this()));
  if (name == "reshape")
    return BuiltinValue::make(reshapeMethod(), Value(shared_from_this()));
  return context.fail("no-attribute", Message("a reference has no attribute `{attribute}`; read it first: `{}[...].{}`",
                                              name, name_, name));
}

Result<Value> TpuRefValue::getItem(Context &context, const Arg &index) {
  TpuTracer *tracer = LANESCOPE_TRY(TpuTracer::of(context, trace_));
  auto part = LANESCOPE_TRY(sliced(*tracer, index));
  tracer->at(context.span);
  return part->read(*tracer, context.span, std::nullopt);
}

Result<void> TpuRefValue::setItem(Context &context, const Arg &index, const Arg &value) {
  TpuTracer *tracer = LANESCOPE_TRY(TpuTracer::of(context, trace_));
  auto part = LANESCOPE_TRY(sliced(*tracer, index));
  tracer->at(context.span);
  return part->write(*tracer, context.span, value);
}

std::unexpected<Diagnostics> TpuRefValue::notAValue(const Context &context, std::string_view what) const {
  return context.fail(
      "type", Message("`{function}` works on values, and `{name}` is a reference; {}", what, name_, howToRead()),
      {declared()});
}

Result<Value> TpuRefValue::unary(Context &context, UnaryOp op) { return notAValue(context, spelling(op)); }

Result<std::optional<Value>> TpuRefValue::binary(Context &context, BinaryOp op, const Arg &, bool) {
  return notAValue(context, spelling(op));
}

Result<std::optional<Value>> TpuRefValue::compare(Context &context, CompareOp op, const Arg &) {
  return notAValue(context, spelling(op));
}

Result<bool> TpuRefValue::truth(Context &context) { return notAValue(context, "if"); }

Result<int64_t> TpuRefValue::length(Context &context) {
  Shape sizes = shape();
  if (sizes.empty() || sizes[0] == core::kDynamicSize)
    return context.fail("type", "this reference has no length that is known while tracing");
  return sizes[0];
}

//===------------------------------------ arguments ---------------------------------------------------------------===//

Result<std::shared_ptr<TpuRefValue>> refArgument(TpuTracer &tracer, const BoundArguments &args, size_t index) {
  auto ref = args[index].value.ref<TpuRefValue>();
  if (!ref)
    return args.wrongType(index, "a reference (`x`, `x.at[…]`)");
  LANESCOPE_CHECK(TpuTracer::of({tracer.evaluator(), args[index].span}, ref->trace()));
  return ref;
}

Result<std::optional<IrValue>> maskArgument(TpuTracer &tracer, const BoundArguments &args, size_t index,
                                            const Shape &shape) {
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  Term mask = LANESCOPE_TRY(termOf(tracer, args[index], "mask"));
  if (!mask.traced || mask.traced->dtype != Dtype::I1)
    return args.wrongType(index, text("an array of truth values",
                                      mask.traced ? text(" (this holds ", name(mask.traced->dtype), ")") : text()));
  if (mask.shape() != shape)
    return error("shape-mismatch", args[index].span,
                 Message("the mask has shape {shape}, and must have the shape {other_shape} of what it masks",
                         layouts::tupleText(mask.shape()), layouts::tupleText(shape)));
  return mask.traced;
}

} // namespace lanescope::repl
