// Compiles a kernel for a call's arguments and runs it on a device.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/launch/KernelFunction.h"

namespace lanescope::repl {

/// What the compiler has to say besides errors: warnings, what print_layout asked for, and notes on costs, which are
/// said once.
static void printRemarks(Evaluator &evaluator, const Diagnostics &diagnostics, bool fresh) {
  for (const Diagnostic &diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::Note && diagnostic.kind == "print-layout")
      evaluator.print(diagnostic.message + "\n");
    else if (diagnostic.severity == Severity::Warning || (diagnostic.severity == Severity::Note && fresh))
      evaluator.print(render(diagnostic));
  }
}

Result<KernelLaunch> KernelFunction::launch(Context &context, const Arguments &arguments, const CompileRequest &request,
                                            const std::string &device, double timeoutSeconds) {
  Specialisation made = LANESCOPE_TRY(specialise(context, arguments, request));
  KernelLaunch launch{.kernel = name(),
                      .call = context.span,
                      .device = runtime_->resolveDevice(device),
                      .stages = made.stages,
                      .inputs = std::move(made.inputs),
                      .result = nullptr};
  printRemarks(context.evaluator, made.stages->diagnostics, made.fresh && made.stages->kernel);
  if (!made.stages->kernel) {
    runtime_->record(launch);
    return std::unexpected(made.stages->diagnostics);
  }
  const core::CompiledKernel &kernel = *made.stages->kernel;
  auto result = std::make_shared<core::RunResult>();
  if (device == "none") {
    for (uint32_t index : kernel.outputs)
      result->outputs.push_back(core::Array::zeros(launch.inputs[index].dtype, launch.inputs[index].shape));
    result->device = "none";
  } else {
    auto target = runtime_->device(device);
    if (!target)
      return at(context.span, std::move(target.error()));
    core::RunOptions options;
    options.timeoutSeconds = timeoutSeconds;
    options.emulation = runtime_->options().emulation;
    options.interrupted = &context.evaluator.interruptFlag();
    auto ran = (*target)->run(kernel, launch.inputs, options);
    if (!ran) {
      runtime_->record(launch);
      return at(context.span, std::move(ran.error()));
    }
    *result = *std::move(ran);
  }
  launch.result = result;
  runtime_->record(launch);
  context.evaluator.print(result->printed);
  if (hasErrors(result->diagnostics))
    return at(context.span, result->diagnostics);
  printRemarks(context.evaluator, result->diagnostics, true);
  return launch;
}

} // namespace lanescope::repl
