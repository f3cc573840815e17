// References to the same elements with another shape.
#include "repl/kernel/gpu/memory/GpuRefs.h"

#include "layouts/support/Try.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::repl {

using layouts::Shape;

Result<std::shared_ptr<RefValue>> RefValue::reshaped(GpuTracer &tracer, Shape sizes, const Span &span) const {
  Shape mine = shape();
  int64_t count = layouts::elementCount(mine), known = 1;
  for (int64_t size : sizes)
    if (size == 0 || size < -1 || __builtin_mul_overflow(known, size == -1 ? 1 : size, &known))
      return error("type", span, Message("a shape has no size {size}", size));
  if (auto open = std::ranges::find(sizes, -1); open != sizes.end() && count % known == 0)
    *open = count / known;
  if (std::ranges::find(sizes, -1) != sizes.end() || layouts::elementCount(sizes) != count)
    return error("shape-mismatch", span,
                 Message("`{name}` of shape {shape} has {}, which the shape {other_shape} does not have", describe(),
                         layouts::tupleText(mine), counted(count, "element"), layouts::tupleText(sizes)),
                 {declared()});
  LANESCOPE_CHECK(checkInside(span));
  tracer.at(span);
  core::IrRef whole = LANESCOPE_TRY(materialize(tracer));
  auto view = tracer.builder().reshape(whole, sizes);
  if (!view)
    return error("unsupported", span,
                 Message("`{name}` of shape {shape} is not contiguous in memory where {other_shape} joins its "
                         "dimensions; reshape first and slice or transpose then",
                         describe(), layouts::tupleText(mine), layouts::tupleText(sizes)),
                 {declared()});
  auto result = std::make_shared<RefValue>(name_, *std::move(view), writable_, trace_, origin_);
  result->reach_ = reach_;
  return result;
}

Builtin RefValue::reshapeMethod(TraceId trace) {
  return {.name = "reshape",
          .signature = "reshape(*shape)",
          .doc = "The reference to the same elements, in row-major order, under another shape; one size may be -1.",
          .call = [trace](Context &context, const BoundArguments &args) -> Result<Value> {
            GpuTracer *tracer = LANESCOPE_TRY(GpuTracer::of(context, trace));
            Shape sizes;
            auto take = [&](const Value &part, const Span &span) -> Result<void> {
              if (!part.asInt())
                return error("type", span, Message("a shape is made of ints, not {type}", part.typeName()));
              sizes.push_back(*part.asInt());
              return {};
            };
            for (const Arg &part : args.rest()) {
              if (const auto *tuple = part.value.asTuple()) {
                for (const Value &one : *tuple)
                  LANESCOPE_CHECK(take(one, part.span));
              } else {
                LANESCOPE_CHECK(take(part.value, part.span));
              }
            }
            return Value(LANESCOPE_TRY(args.self->as<RefValue>()->reshaped(*tracer, std::move(sizes), context.span)));
          }};
}

} // namespace lanescope::repl
