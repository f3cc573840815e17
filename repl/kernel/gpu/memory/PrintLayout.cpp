// `print_layout`: reports layouts and transforms while a kernel compiles.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/gpu/memory/GpuMemory.h"
#include "repl/kernel/gpu/memory/GpuRefs.h"
#include "repl/kernel/trace/Traced.h"

namespace lanescope::repl {

namespace {

Result<Value> printLayout(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  std::string format = LANESCOPE_TRY(args.text(0));
  LANESCOPE_CHECK(checkFields(args, format, 1));
  if (auto *ref = args[1].value.as<RefValue>()) {
    if (ref->space() != core::MemorySpace::Shared && ref->space() != core::MemorySpace::Tensor)
      return args.wrongValue(
          1, Message("`{name}` is in global memory, which has no layout; pass an array or an SMEM or TMEM reference",
                     ref->name()));
    tracer.at(context.span).printLayout(format, LANESCOPE_TRY(ref->materialize(tracer)));
    return Value();
  }
  auto *array = args[1].value.as<TracedValue>();
  if (!array || array->ir().isScalar())
    return args.wrongType(1, "an array of the kernel, or an SMEM or TMEM reference");
  LANESCOPE_CHECK(GpuTracer::of(context, array->trace()));
  tracer.at(context.span).printLayout(format, array->ir());
  return Value();
}

constexpr GpuPrimitive kPrintLayoutPrimitives[] = {
    {"print_layout", "print_layout(format, x)",
     "Prints, while the kernel compiles, the layout of an array or of tensor memory, or the transforms of a "
     "shared-memory reference.",
     printLayout},
};

} // namespace

std::span<const GpuPrimitive> printLayoutPrimitives() { return kPrintLayoutPrimitives; }

} // namespace lanescope::repl
