#include "repl/dumps/DumpLaunch.h"

#include "core/gpu/codegen/DumpProgram.h"
#include "core/tpu/ir/TpuModule.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <filesystem>

namespace lanescope::repl {

bool isDumpName(const std::string &file) {
  std::string extension = std::filesystem::path(file).extension().string();
  return extension == ".mlir" || extension == ".txt";
}

namespace {

Result<std::vector<core::Array>> inputsOf(const core::CompiledKernel &kernel, const DumpRequest &request,
                                          const SourceRef &source) {
  if (request.zeros) {
    std::vector<core::Array> arrays;
    for (const core::BufferSpec *buffer : kernel.buffers())
      arrays.push_back(core::Array::zeros(buffer->dtype, buffer->shape));
    return arrays;
  }
  return request.arrays.empty() ? core::dumpInputs(kernel, std::span<const std::string>(request.inputs), source)
                                : core::dumpInputs(kernel, std::span<const core::Array>(request.arrays), source);
}

} // namespace

Result<KernelLaunch> launchDump(KernelRuntime &runtime, const SourceRef &source, const DumpRequest &request) {
  if (core::looksLikeTpuModule(source->text()))
    return error("dump-kernel", {source, 0, 0},
                 Message("this module is for a SparseCore; `lanescope emulate {}` runs it", source->name()));
  const KernelOptions &options = runtime.options();
  auto stages = LANESCOPE_TRY(
      core::compileDump(runtime.compiler(), source, {.arch = request.arch, .keepTexts = options.keepTexts}));
  KernelLaunch launch;
  launch.call = {source, 0, 0};
  launch.stages = std::make_shared<const core::KernelStages>(std::move(stages));
  launch.device = runtime.resolveDevice(options.device);
  if (const auto &kernel = launch.stages->kernel) {
    launch.kernel = kernel->name;
    auto inputs = LANESCOPE_TRY(inputsOf(*kernel, request, source));
    if (launch.device != "none") {
      auto *device = LANESCOPE_TRY(runtime.device(launch.device));
      core::RunOptions run{.timeoutSeconds = options.timeoutSeconds, .emulation = options.emulation};
      launch.result = std::make_shared<const core::RunResult>(LANESCOPE_TRY(device->run(*kernel, inputs, run)));
    }
    if (options.recordInputs)
      launch.inputs = std::move(inputs);
  }
  runtime.record(launch);
  return launch;
}

} // namespace lanescope::repl
