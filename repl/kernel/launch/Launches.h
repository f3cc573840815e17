// The resources with which a session compiles and runs kernels: compiler, devices, cache, and the list of launches.
//
//   auto kernels = std::make_shared<KernelRuntime>(KernelOptions{.device = "emulator"});
//   Evaluator evaluator(withKernels(hostBuiltins(), kernels));                // kernel/Kernels.h
//   evaluator.run(Source::make("a.py", text));
//   kernels->launches().back().stages->find("ptx")->text()
//
// To inspect a snippet without running its kernels (`lanescope compile`): `.device = "none"` makes outputs of zeros,
// and `.recordInputs` keeps the arrays that packages need.
#pragma once

#include "core/Device.h"
#include "core/gpu/codegen/Compiler.h"
#include "core/gpu/runtime/KernelCache.h"
#include "repl/lang/values/Builtin.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::repl {

struct KernelLaunch;

struct KernelOptions {
  std::string arch{core::defaultGpuTarget().name};
  std::string device = "auto"; // "gpu", "emulator", "auto" (the GPU if there is one), "none" (compile only)
  // The command that starts the GPU's worker; if empty, the worker beside this program. Several commands are separated
  // by line breaks: `tune` uses all of them, and a kernel that is called runs on the first.
  std::string worker = {};
  double timeoutSeconds = 20;
  core::Emulation emulation;
  bool profile = false;                   // profile every launch
  bool keepTexts = false;                 // keep the texts of all stages, not only the PTX
  bool recordInputs = false;              // keep each launch's inputs
  bool markValues = false;                // compile for a debugger: CompileOptions::markValues
  std::filesystem::path cacheFolder = {}; // compiled kernels of earlier sessions; empty for no cache
  size_t maxLaunches = 256;               // older ones are dropped; 0: only the last one is kept, without its arrays
  /// Receives a line for the user while the GPU's worker is silent; null to drop such lines.
  std::function<void(const std::string &line)> waiting = nullptr;
  core::Progress *progress = nullptr; // counts the progress of emulated kernels and `tune`
  /// Receives every launch when it is recorded, with its inputs; may be null.
  std::function<void(const KernelLaunch &launch)> onLaunch = nullptr;
};

/// One run of a kernel. `stages` is set even if compilation failed; it then has the stages up to the one that failed.
struct KernelLaunch {
  std::string kernel; // the kernel's name
  Span call;
  std::string device;
  std::shared_ptr<const core::KernelStages> stages;
  // The arrays before the run, in the order of CompiledKernel::launch.buffers(), without the profiler's buffer. See
  // KernelOptions::recordInputs.
  std::vector<core::Array> inputs;
  std::shared_ptr<const core::RunResult> result; // null if the kernel did not run
};

struct CompileRequest {
  bool profile = false;
  int64_t profileEntries = 0; // 0: a number that fits
  bool keepTexts = false;
  uint32_t repeat = 1; // RunOptions::repeat, for the run in launch()
};

/// A kernel that has been traced and waits to be compiled. `compile` may run on any thread. Only the session's thread
/// may call the other functions.
class PendingKernel {
public:
  virtual ~PendingKernel() = default;
  virtual void compile() = 0;
  /// Call it after `compile`: the next launch with equal arguments then finds the result.
  virtual void finish() = 0;
};

class KernelRuntime;

/// The object that a target's decorator (`@kernel(...)`) makes from a function. Called with arrays, it compiles, runs,
/// and returns the outputs.
class Kernel : public Object {
public:
  virtual const std::string &name() const = 0;
  virtual KernelRuntime &runtime() const = 0;
  /// The place of the kernel's name in its `def`.
  virtual Span span() const = 0;
  /// The stages for a call's arguments, from the cache if possible. If a stage fails after the trace, they contain
  /// errors.
  virtual Result<std::shared_ptr<const core::KernelStages>> stages(Context &context, const Arguments &arguments,
                                                                   bool keepTexts) = 0;
  /// Begins a compilation, so that several kernels can be compiled at once. Traces for a call's arguments in
  /// `compiler`, which belongs to the pending kernel until it is finished. Null if there is nothing to compile, or if
  /// the kernel can only be compiled at its launch.
  virtual Result<std::unique_ptr<PendingKernel>> begin(Context &context, const Arguments &arguments,
                                                       core::Compiler &compiler) {
    return nullptr;
  }
  /// The stages of the last specialisation; null before the first.
  virtual std::shared_ptr<const core::KernelStages> last() const = 0;
  /// Compiles the kernel, runs it, and records the launch. Errors: those of compiler and device, and faults of the
  /// kernel.
  virtual Result<KernelLaunch> launch(Context &context, const Arguments &arguments, const CompileRequest &request,
                                      const std::string &device, double timeoutSeconds) = 0;

  std::string typeName() const override { return "kernel"; }
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override { return {"name"}; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override;
};

class KernelRuntime {
public:
  explicit KernelRuntime(KernelOptions options);
  ~KernelRuntime();

  KernelOptions &options() { return options_; }
  const std::vector<KernelLaunch> &launches() const { return launches_; }
  /// A warning if there were more launches than `maxLaunches`, of which only the last ones are kept. For callers that
  /// save launches.
  Diagnostics forgottenLaunches() const;
  void record(const KernelLaunch &launch);
  /// Removes the last launch and frees its memory, for callers that make many launches.
  void forgetLast();
  /// The GPU that ran the last kernel; empty before the first.
  const std::string &lastGpu() const { return lastGpu_; }
  /// The file for `tune`'s results, beside the cache's folder; empty without a cache.
  std::filesystem::path tunedFile() const;
  void clearLaunches() { launches_.clear(), forgotten_ = 0; }

  core::Compiler &compiler();
  /// The context for modules of SparseCores.
  core::IrContext &tpuContext();
  /// The stages to which this session or an earlier one compiled an equal module (core/gpu/codegen/Fingerprint.h); null
  /// if there are none. The places in the stages refer to `source`.
  std::shared_ptr<const core::KernelStages> compiledBefore(const std::string &fingerprint, const SourceRef &source);
  void keepCompiled(const std::string &fingerprint, std::shared_ptr<const core::KernelStages> stages);
  void forgetCompiled() { compiled_.clear(); }
  /// Resolves "auto" to "gpu" or "emulator"; returns other names unchanged.
  std::string resolveDevice(const std::string &name) const;
  /// The device for a resolved `name`, which is not "none". Error: no device has the name.
  Result<core::Device *> device(const std::string &name);
  /// Replaces the device that `name` refers to, for tests and for a worker on another host.
  void setDevice(const std::string &name, std::unique_ptr<core::Device> device);
  /// Replaces KernelOptions::worker. The next run on a GPU starts the new worker.
  void setWorkers(std::string commands);
  /// The GPUs of all workers. The first is that of device("gpu").
  Result<std::vector<core::Device *>> gpus();
  /// Adds a GPU to those that gpus() returns, for tests.
  void addGpu(std::unique_ptr<core::Device> device) { moreGpus_.push_back(std::move(device)); }

private:
  KernelOptions options_;
  std::unique_ptr<core::Compiler> compiler_; // made on first use, so that sessions without kernels start fast
  std::unique_ptr<core::IrContext> tpuContext_;
  std::map<std::string, std::unique_ptr<core::Device>> devices_;
  std::vector<std::unique_ptr<core::Device>> moreGpus_; // those of the workers after the first; made on first use
  std::vector<KernelLaunch> launches_;
  std::string lastGpu_;
  size_t forgotten_ = 0; // number of older launches that were dropped
  std::map<std::string, std::shared_ptr<const core::KernelStages>> compiled_; // stages by fingerprint
};

/// The stages of `kernel` (a Kernel) for `arguments`, from the cache if possible; runs nothing. Without arguments, they
/// are those of the last call, or those for the shapes of the annotations if these name no dimension.
Result<std::shared_ptr<const core::KernelStages>> stagesOf(Context &context, const Value &kernel,
                                                           const Arguments &arguments);
/// True for a Kernel.
bool isKernel(const Value &value);
/// The error if a launch's target does not have a stage, or something that is made from the stage.
Diagnostics noStage(const KernelLaunch &launch, std::string_view wanted);

} // namespace lanescope::repl
