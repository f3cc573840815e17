#include "repl/kernel/gpu/launch/Launches.h"

#include "core/gpu/emulator/EmulatorDevice.h"
#include "core/gpu/runtime/WorkerDevice.h"
#include "core/tpu/ir/Context.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/launch/GpuPrimitives.h"
#include "repl/kernel/gpu/launch/KernelFunction.h"
#include "repl/kernel/gpu/launch/Prelude.h"
#include "repl/kernel/gpu/launch/Results.h"
#include "repl/kernel/gpu/memory/Memory.h"
#include "repl/kernel/gpu/memory/Refs.h"
#include "repl/kernel/gpu/specs/Specs.h"
#include "repl/kernel/gpu/threads/Threads.h"
#include "repl/kernel/trace/Primitives.h"

#include <algorithm>
#include <filesystem>

namespace lanescope::repl {

KernelRuntime::KernelRuntime(KernelOptions options) : options_(std::move(options)) {}
KernelRuntime::~KernelRuntime() = default;

core::Compiler &KernelRuntime::compiler() {
  if (!compiler_)
    compiler_ = std::make_unique<core::Compiler>();
  return *compiler_;
}

core::IrContext &KernelRuntime::tpuContext() {
  if (!tpuContext_)
    tpuContext_ = std::make_unique<core::IrContext>(core::makeTpuContext());
  return *tpuContext_;
}

std::shared_ptr<const core::KernelStages> KernelRuntime::compiledBefore(const std::string &fingerprint,
                                                                        const SourceRef &source) {
  if (auto found = compiled_.find(fingerprint); found != compiled_.end())
    return found->second;
  auto kernel = core::KernelCache(options_.cacheFolder).find(fingerprint, source);
  if (!kernel)
    return nullptr;
  auto stages = std::make_shared<core::KernelStages>();
  stages->stages.push_back({core::kPtxStage, Source::make(text(kernel->name, core::kPtxStage.suffix), kernel->ptx)});
  stages->kernel = *std::move(kernel);
  compiled_.emplace(fingerprint, stages);
  return stages;
}

void KernelRuntime::keepCompiled(const std::string &fingerprint, std::shared_ptr<const core::KernelStages> stages) {
  constexpr size_t kMost = 256;
  if (!stages->kernel || !stages->diagnostics.empty()) // what it said is to be said again
    return;
  core::KernelCache(options_.cacheFolder).store(fingerprint, *stages->kernel);
  if (compiled_.size() >= kMost)
    compiled_.clear();
  compiled_.emplace(fingerprint, std::move(stages));
}

void KernelRuntime::record(KernelLaunch launch) {
  if (launches_.size() >= std::max<size_t>(1, options_.maxLaunches)) {
    launches_.erase(launches_.begin());
    ++forgotten_;
  }
  if (!options_.recordInputs)
    launch.inputs.clear();
  launches_.push_back(std::move(launch));
}

Diagnostics KernelRuntime::forgottenLaunches() const {
  if (forgotten_ == 0)
    return {};
  return {{Severity::Warning,
           "launches-left-out",
           launches_.front().call,
           text("there were ", forgotten_ + launches_.size(), " launches; only the last ", launches_.size(),
                " are saved, from this one on"),
           {}}};
}

std::string KernelRuntime::resolveDevice(const std::string &name) const {
  if (name != "auto")
    return name;
  // The driver's device file: cheap to look for, and without it no GPU can be opened. A worker command means a GPU
  // elsewhere.
  std::error_code ignored;
  bool gpu = !options_.worker.empty() || std::filesystem::exists("/dev/nvidiactl", ignored);
  return gpu ? "gpu" : "emulator";
}

Result<core::Device *> KernelRuntime::device(const std::string &wanted) {
  std::string name = resolveDevice(wanted);
  auto found = devices_.find(name);
  if (found == devices_.end()) {
    if (name != "gpu" && name != "emulator")
      return error("device", text("there is no device `", name, "`; it is \"gpu\", \"emulator\" or \"auto\""));
    found = devices_.emplace(name, name == "gpu" ? core::makeWorkerDevice(options_.worker) : core::makeEmulatorDevice())
                .first;
  }
  return found->second.get();
}

void KernelRuntime::setDevice(const std::string &name, std::unique_ptr<core::Device> device) {
  devices_[name] = std::move(device);
}

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

Builtins withGpuKernels(Builtins host, std::shared_ptr<KernelRuntime> runtime) {
  auto add = [&](Builtin builtin) {
    std::erase_if(host, [&](const Builtin &other) { return other.name == builtin.name; });
    if (builtin.group == "other")
      builtin.group = "kernels";
    host.push_back(std::move(builtin));
  };
  for (Builtin &spec : argumentBuiltins())
    add(std::move(spec));
  for (Builtin &spec : specBuiltins())
    add(std::move(spec));
  for (Builtin &builtin : runBuiltins())
    add(std::move(builtin));
  for (Builtin &builtin : preludeBuiltins())
    add(std::move(builtin));
  add(kernelBuiltin(std::move(runtime)));
  add(dynamicSliceBuiltin());
  add(copyPartitionBuiltin());
  add(warpMeshBuiltin());
  gpuPrimitives().addTo(host);
  return host;
}

} // namespace lanescope::repl
