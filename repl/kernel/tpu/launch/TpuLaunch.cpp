// Runs a kernel's module on the emulator.
#include "repl/kernel/tpu/launch/TpuKernel.h"

#include "core/tpu/decode/Decode.h"
#include "core/tpu/emulator/TpuEmulator.h"
#include "layouts/support/Try.h"
#include "repl/kernel/launch/DeviceMesh.h"

#include <algorithm>

namespace lanescope::repl {

/// The arrays that the kernel reads, in the order of its operands. Outputs follow them and start undefined.
std::vector<core::Array> TpuKernel::inputs(const Call &call) const {
  std::vector<core::Array> arrays;
  for (size_t i = 0; i < parameters_.slots().size(); ++i)
    if (const Slot &slot = parameters_.slots()[i]; slot.role == Role::Array && slot.kind != core::ArgumentKind::Out)
      arrays.push_back(*call.given[i]->value.asArray());
  return arrays;
}

Result<KernelLaunch> TpuKernel::launch(Context &context, const Arguments &arguments, const CompileRequest &request,
                                       const std::string &device, double timeoutSeconds) {
  return launchOn(context, {arguments}, request, device, timeoutSeconds);
}

Result<KernelLaunch> TpuKernel::launchOn(Context &context, const std::vector<Arguments> &devices,
                                         const CompileRequest &request, const std::string &device,
                                         double timeoutSeconds) {
  if (context.evaluator.staging())
    return context.fail("staging", Message("kernel `{kernel}` cannot be called inside a kernel", name()));
  if (device == "gpu")
    return context.fail("device", "a SparseCore's kernel runs on the emulator: there is no TPU here");
  std::vector<Call> calls;
  for (const Arguments &arguments : devices)
    calls.push_back(LANESCOPE_TRY(parameters_.bind(context, arguments)));
  TpuSpecialisation made = LANESCOPE_TRY(specialise(context, calls.front()));
  KernelLaunch launch{.kernel = name(),
                      .call = context.span,
                      .device = device == "none" ? "none" : "emulator",
                      .stages = made.stages,
                      .inputs = {},
                      .result = nullptr};
  std::vector<std::vector<core::Array>> outputs; // for each output, the arrays of all devices
  for (size_t i = 0; i < parameters_.slots().size(); ++i)
    if (const Slot &slot = parameters_.slots()[i]; slot.role == Role::Array && slot.kind != core::ArgumentKind::In) {
      outputs.emplace_back();
      for (const Call &call : calls)
        outputs.back().push_back(slot.kind == core::ArgumentKind::Out
                                     ? core::Array::zeros(call.dtypes[i], call.shapes[i])
                                     : *call.given[i]->value.asArray());
    }
  for (const Call &call : calls)
    for (core::Array &array : inputs(call))
      launch.inputs.push_back(std::move(array));
  auto result = std::make_shared<core::RunResult>();
  if (device != "none") {
    auto program = core::decodeProgram(*made.module);
    if (!program)
      return at(context.span, std::move(program.error()));
    core::sparsecore::EmulatorOptions options;
    options.seed = runtime_->options().emulation.seed;
    options.instant = runtime_->options().emulation.fast;
    options.checks = !runtime_->options().emulation.fast;
    options.vmemBytes = static_cast<uint64_t>(made.target->vmemBytes);
    options.tensorCoreTiles = settings_.tensorCoreTiles;
    options.trace = request.profile;
    options.operands = made.operands;
    options.devices = static_cast<uint32_t>(devices.size());
    options.timeoutSeconds = timeoutSeconds;
    options.interrupted = &context.evaluator.interruptFlag();
    for (const std::vector<core::Array> &output : outputs)
      options.outputShapes.push_back(output.front().shape);
    auto ran = core::sparsecore::emulate(*program, launch.inputs, options);
    if (!ran) {
      runtime_->record(launch);
      return at(context.span, std::move(ran.error()));
    }
    *result = *std::move(ran);
    for (size_t k = 0; k < outputs.size(); ++k)
      for (size_t d = 0; d < devices.size(); ++d)
        outputs[k][d] = std::move(result->outputs[d * outputs.size() + k]);
  }
  result->outputs.clear();
  for (std::vector<core::Array> &output : outputs) {
    if (output.size() == 1) {
      result->outputs.push_back(std::move(output.front()));
      continue;
    }
    std::vector<const core::Array *> parts;
    for (const core::Array &part : output)
      parts.push_back(&part);
    DeviceMesh line = lineOf(static_cast<int64_t>(parts.size()));
    result->outputs.push_back(LANESCOPE_TRY(gathered(stacked(parts), line, alongLine(), name(), context.span)).array);
  }
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
