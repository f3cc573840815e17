// A subcore's place in grid and mesh, the barrier of a core's subcores, and lines of the log.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/tpu/memory/TpuRefs.h"
#include "repl/kernel/tpu/threads/TpuThreads.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;

namespace {

Result<size_t> gridAxis(const TpuTracer &tracer, const BoundArguments &args) {
  const TpuAxes &axes = tracer.axes();
  int64_t axis = LANESCOPE_TRY(args.integer(0));
  if (!axes.asked)
    return args.wrongValue(0, "this kernel has no grid: give it one, `@sc_kernel(grid=…)`");
  if (axis < 0 || axis >= static_cast<int64_t>(axes.sizes.size()))
    return args.wrongValue(
        0, Message("there is no axis {dimension} in a grid of {}", axis, counted(axes.sizes.size(), "dimension")));
  return static_cast<size_t>(axis);
}

Result<Value> programId(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  size_t axis = LANESCOPE_TRY(gridAxis(tracer, args));
  return TracedValue::make(tracer, tracer.builder().gridIndex(axis), context.span);
}

Result<Value> numPrograms(TpuTracer &tracer, Context &, const BoundArguments &args) {
  return Value(tracer.axes().sizes[LANESCOPE_TRY(gridAxis(tracer, args))]);
}

Result<size_t> namedAxis(const TpuTracer &tracer, const BoundArguments &args) {
  std::string name = LANESCOPE_TRY(args.text(0));
  const std::vector<std::string> &names = tracer.axes().names;
  auto found = std::ranges::find(names, name);
  if (found != names.end() && !name.empty())
    return static_cast<size_t>(found - names.begin());
  std::vector<std::string> known;
  for (const std::string &each : names)
    if (!each.empty())
      known.push_back(text("`", each, "`"));
  return args.wrongValue(0, Message("there is no axis `{axis}`{}", name,
                                    known.empty() ? text("; axes are named by a mesh (`mesh=`) or by `grid_names=`")
                                                  : text("; there are ", joined(known, ", "))));
}

Result<Value> axisIndex(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  size_t axis = LANESCOPE_TRY(namedAxis(tracer, args));
  return TracedValue::make(tracer, tracer.builder().gridIndex(axis), context.span);
}

Result<Value> axisSize(TpuTracer &tracer, Context &, const BoundArguments &args) {
  return Value(tracer.axes().sizes[LANESCOPE_TRY(namedAxis(tracer, args))]);
}

Result<Value> subcoreBarrier(TpuTracer &tracer, Context &context, const BoundArguments &) {
  tracer.at(context.span).barrier();
  return Value();
}

Result<Value> deviceId(TpuTracer &tracer, Context &context, const BoundArguments &) {
  return TracedValue::make(tracer, tracer.at(context.span).deviceId(), context.span);
}

Result<Value> multipleOf(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  Term value = LANESCOPE_TRY(termOf(tracer, args[0], "multiple_of"));
  if (!value.traced) // a number is returned unchanged
    return args[0].value;
  if (!value.traced->isScalar() || value.traced->dtype != Dtype::I32)
    return args.wrongType(0, "an i32");
  IrValue result = *value.traced;
  for (int64_t multiple : LANESCOPE_TRY(args.integers(1))) {
    if (multiple < 1)
      return args.wrongValue(1, Message("nothing is a multiple of {} that an address could be", multiple));
    result = tracer.at(context.span).assumeMultiple(result, multiple);
  }
  return TracedValue::make(tracer, result, context.span);
}

Result<Value> debugPrint(TpuTracer &tracer, Context &context, const BoundArguments &args) {
  std::string tag = LANESCOPE_TRY(args.text(0));
  if (tag.find('{') != std::string::npos)
    return args.wrongValue(0, "`debug_print` does not support placeholders on a SparseCore: it writes the text, then "
                              "the value");
  const std::vector<Arg> &values = args.rest();
  if (values.size() > 1)
    return error("unsupported", values[1].span,
                 "`debug_print` does not support multiple values on a SparseCore: print one at a time");
  core::TpuBuilder &builder = tracer.at(context.span);
  if (values.empty()) {
    builder.log(tag, std::nullopt);
    return Value();
  }
  if (auto ref = values[0].value.ref<TpuRefValue>()) {
    LANESCOPE_CHECK(TpuTracer::of({tracer.evaluator(), values[0].span}, ref->trace()));
    IndexConstants constants;
    constants.add(tracer, *ref);
    builder.log(tag, LANESCOPE_TRY(viewed(tracer, *ref, constants)));
    return Value();
  }
  Term value = LANESCOPE_TRY(termOf(tracer, values[0], "debug_print"));
  LANESCOPE_CHECK(tracer.checkRegisters(commonDtype({value}), value.shape(), values[0].span));
  builder.log(tag, LANESCOPE_TRY(shaped(tracer, value, commonDtype({value}), value.shape())));
  return Value();
}

/// The number of elements in a vector register.
Result<Value> numLanes(TpuTracer &tracer, Context &, const BoundArguments &) { return Value(tracer.lanes()); }

constexpr TpuPrimitive kTpuAxisPrimitives[] = {
    {"program_id", "program_id(axis)", "The step's place along a dimension of the grid.", programId},
    {"num_programs", "num_programs(axis)", "How many steps the grid has along a dimension.", numPrograms},
    {"axis_index", "axis_index(name)", "The place along an axis of the mesh, or of a grid with names.", axisIndex},
    {"axis_size", "axis_size(name)", "How many places an axis of the mesh has.", axisSize},
    {"subcore_barrier", "subcore_barrier()",
     "Waits until all vector subcores of the core have come here. Each sees what the others wrote before.",
     subcoreBarrier},
    {"device_id", "device_id()", "The number of this device.", deviceId},
    {"multiple_of", "multiple_of(x, values)",
     "The same number, promised to be a multiple of each of `values`: for the start of a slice.", multipleOf},
    {"num_lanes", "num_lanes()", "How many 32-bit elements a vector register of the kernel's chip has.", numLanes},
    {"debug_print", "debug_print(text, *values)",
     "Writes a line of the log while the kernel runs: the text, and a value or a reference's elements.", debugPrint},
};

} // namespace

std::span<const TpuPrimitive> tpuAxisPrimitives() { return kTpuAxisPrimitives; }

} // namespace lanescope::repl
