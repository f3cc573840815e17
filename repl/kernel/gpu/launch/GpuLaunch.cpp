// Compiles a kernel for a call's arguments and runs it on a device.
#include "core/data/Progress.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/launch/KernelFunction.h"

namespace lanescope::repl {

/// Reports the messages of the compiler and the run that are not errors. Messages of print_layout are output. Warnings
/// and notes on costs are remarks; a note on costs is reported once.
static void tellRemarks(Evaluator &evaluator, const Diagnostics &diagnostics, bool fresh) {
  for (const Diagnostic &diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::Note && diagnostic.kind == "print-layout")
      evaluator.print(diagnostic.message + "\n");
    else if (diagnostic.severity == Severity::Warning || (diagnostic.severity == Severity::Note && fresh))
      evaluator.remark(diagnostic);
  }
}

/// The default device for a kernel on a mesh: the GPUs if there are enough of them.
static Result<std::string> deviceFor(Context &context, KernelRuntime &runtime, const DeviceMesh &mesh,
                                     const std::string &wanted) {
  std::string resolved = runtime.resolveDevice(wanted);
  if (mesh.none() || mesh.devices() == 1 || resolved != "gpu" || wanted != "auto")
    return resolved;
  core::Device *gpus = LANESCOPE_TRY(runtime.device(resolved));
  Result<uint32_t> width = gpus->width(&context.evaluator.interruptFlag());
  return width && *width >= mesh.devices() ? resolved : std::string("emulator");
}

Result<KernelLaunch> KernelFunction::launch(Context &context, const Arguments &arguments, const CompileRequest &request,
                                            const std::string &device, double timeoutSeconds) {
  const DeviceMesh &mesh = settings_.axes.mesh;
  KernelLaunch launch =
      LANESCOPE_TRY(launchOn(context, LANESCOPE_TRY(shards(context, arguments)), request, device, timeoutSeconds));
  if (mesh.none())
    return launch;
  // Joins the devices' parts.
  auto result = std::make_shared<core::RunResult>(*launch.result);
  std::vector<Sharding> shardings = LANESCOPE_TRY(parameters_.outputShardings(context));
  for (size_t i = 0; i < result->outputs.size() && i < shardings.size(); ++i) {
    std::string name = text("output ", i, " of `", this->name(), "`");
    GatheredArray whole = LANESCOPE_TRY(gathered(result->outputs[i], mesh, shardings[i], name, context.span));
    if (whole.differing)
      context.evaluator.remark(
          {Severity::Warning,
           "replicas",
           context.span,
           text(name, " is not the same on devices ", whole.differing->first, " and ", whole.differing->second,
                ", which both hold this part of it; the result has device ", whole.differing->first,
                "'s. Say with `sharding=` of `Out(…)` how it is split"),
           {}});
    result->outputs[i] = std::move(whole.array);
  }
  launch.result = std::move(result);
  return launch;
}

Result<KernelLaunch> KernelFunction::launchOn(Context &context, const std::vector<Arguments> &devices,
                                              const CompileRequest &request, const std::string &device,
                                              double timeoutSeconds) {
  std::string runsOn = LANESCOPE_TRY(deviceFor(context, *runtime_, settings_.axes.mesh, device));
  core::ProgressStep step(runtime_->options().progress);
  step.name(text("compiling `", name(), "`"));
  Specialisation made = LANESCOPE_TRY(specialise(context, devices, request));
  KernelLaunch launch{.kernel = name(),
                      .call = context.span,
                      .device = runsOn,
                      .stages = made.stages,
                      .inputs = std::move(made.inputs),
                      .result = nullptr};
  tellRemarks(context.evaluator, made.stages->diagnostics, made.fresh && made.stages->kernel);
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
    auto target = runtime_->device(runsOn);
    if (!target)
      return at(context.span, std::move(target.error()));
    core::RunOptions options;
    options.timeoutSeconds = timeoutSeconds;
    options.repeat = request.repeat;
    options.emulation = runtime_->options().emulation;
    options.interrupted = &context.evaluator.interruptFlag();
    options.progress = runtime_->options().progress;
    step.name(text("`", name(), "`"));
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
  tellRemarks(context.evaluator, result->diagnostics, true);
  return launch;
}

} // namespace lanescope::repl
