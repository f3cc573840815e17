// Register layouts of arrays: `layout_cast`.
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/arrays/Arrays.h"
#include "repl/kernel/gpu/trace/ValueRules.h"
#include "repl/kernel/trace/Traced.h"

namespace lanescope::repl {

namespace {

Result<Value> layoutCast(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  Term x = LANESCOPE_TRY(termOf(tracer, args[0], "layout_cast"));
  auto layout = LANESCOPE_TRY(args.registerLayout(1));
  tracer.at(context.span);
  core::IrValue value = LANESCOPE_TRY(shaped(tracer, x, commonDtype({x}), x.shape()));
  LANESCOPE_CHECK(checkLayout(value.shape, layout, args[1].span));
  return TracedValue::make(tracer, tracer.builder().layoutCast(value, layout), context.span);
}

constexpr GpuPrimitive kLayoutPrimitives[] = {
    {"layout_cast", "layout_cast(x, layout)",
     "The same array in another register layout. Threads exchange elements as `relayout` says. An error if there is no "
     "way between the layouts but through shared memory.",
     layoutCast},
};

} // namespace

std::span<const GpuPrimitive> layoutPrimitives() { return kLayoutPrimitives; }

} // namespace lanescope::repl
