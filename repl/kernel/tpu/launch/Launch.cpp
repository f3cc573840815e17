// Runs a kernel's module on the emulator.
#include "repl/kernel/tpu/launch/TpuKernel.h"

#include "core/tpu/decode/Decode.h"
#include "core/tpu/emulator/Emulator.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::repl {

/// What the kernel reads, in the order of its operands; outputs come behind them, and start undefined.
std::vector<core::Array> TpuKernel::inputs(const Call &call) const {
  std::vector<core::Array> arrays;
  for (size_t i = 0; i < parameters_.slots().size(); ++i)
    if (const Slot &slot = parameters_.slots()[i]; slot.role == Role::Array && slot.kind != core::ArgumentKind::Out)
      arrays.push_back(*call.given[i]->value.asArray());
  return arrays;
}

Result<KernelLaunch> TpuKernel::launch(Context &context, const Arguments &arguments, const CompileRequest &request,
                                       const std::string &device, double timeoutSeconds) {
  if (context.evaluator.staging())
    return context.fail("staging", text("kernel `", name(), "` cannot be called inside a kernel"));
  Call call = LANESCOPE_TRY(parameters_.bind(context, arguments));
  TpuSpecialisation made = LANESCOPE_TRY(specialise(context, call));
  KernelLaunch launch{.kernel = name(),
                      .call = context.span,
                      .device = device == "none" ? "none" : "emulator",
                      .stages = made.stages,
                      .inputs = inputs(call),
                      .result = nullptr};
  if (device == "gpu")
    return context.fail("device", "a SparseCore's kernel runs on the emulator: there is no TPU here");
  std::vector<core::Array> outputs;
  for (size_t i = 0; i < parameters_.slots().size(); ++i)
    if (const Slot &slot = parameters_.slots()[i]; slot.role == Role::Array && slot.kind != core::ArgumentKind::In)
      outputs.push_back(slot.kind == core::ArgumentKind::Out ? core::Array::zeros(call.dtypes[i], call.shapes[i])
                                                             : *call.given[i]->value.asArray());
  auto result = std::make_shared<core::RunResult>();
  if (device != "none") {
    auto program = core::decodeProgram(*made.module);
    if (!program)
      return at(context.span, std::move(program.error()));
    core::sparsecore::EmulatorOptions options;
    options.seed = runtime_->options().emulation.seed;
    options.instant = runtime_->options().emulation.fast;
    options.checks = !runtime_->options().emulation.fast;
    options.trace = request.profile;
    options.timeoutSeconds = timeoutSeconds;
    options.interrupted = &context.evaluator.interruptFlag();
    for (const core::Array &array : outputs)
      options.outputShapes.push_back(array.shape);
    auto ran = core::sparsecore::emulate(*program, launch.inputs, options);
    if (!ran) {
      runtime_->record(launch);
      return at(context.span, std::move(ran.error()));
    }
    *result = *std::move(ran);
    std::vector<uint32_t> operands = core::sparsecore::outputOperands(*program, launch.inputs.size());
    for (size_t k = 0; k < made.outputs.size(); ++k)
      for (size_t at = 0; at < operands.size() && at < result->outputs.size(); ++at)
        if (operands[at] == made.outputs[k].first || operands[at] == made.outputs[k].second)
          outputs[k] = result->outputs[at];
  }
  result->outputs = std::move(outputs);
  launch.result = result;
  runtime_->record(launch);
  context.evaluator.print(result->printed);
  if (hasErrors(result->diagnostics))
    return at(context.span, result->diagnostics);
  for (const Diagnostic &diagnostic : result->diagnostics)
    if (diagnostic.severity == Severity::Warning)
      context.evaluator.print(render(diagnostic));
  return launch;
}

} // namespace lanescope::repl
