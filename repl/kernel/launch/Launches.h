// What a session compiles and runs kernels with: compiler, devices, cache, and the list of launches.
//
//   auto kernels = std::make_shared<KernelRuntime>(KernelOptions{.device = "emulator"});
//   Evaluator evaluator(withKernels(hostBuiltins(), kernels));                // kernel/Kernels.h
//   evaluator.run(Source::make("a.py", text));
//   kernels->launches().back().stages->find("ptx")->text()
//
// To see what a snippet would run without running it (`lanescope compile`): `.device = "none"` gives zero outputs, and
// `.recordInputs` keeps the arrays that packages need.
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
  std::string device = "auto"; // "gpu", "emulator", "auto" (the GPU where there is one), "none" (compile only)
  std::string worker = {};     // command that starts the GPU worker; empty: the one beside this program
  double timeoutSeconds = 20;
  core::Emulation emulation;
  bool profile = false;                   // of every launch
  bool keepTexts = false;                 // keep the text of all stages, not of the PTX alone
  bool recordInputs = false;              // keep each launch's inputs
  bool markValues = false;                // for a debugger: CompileOptions::markValues
  std::filesystem::path cacheFolder = {}; // compiled kernels of earlier sessions; empty: none
  size_t maxLaunches = 256;               // older ones are forgotten; 0: the last one is kept, without its arrays
  /// Gets a line for the user while the GPU's worker is silent; null: such lines are dropped.
  std::function<void(const std::string &line)> waiting = nullptr;
  core::Progress *progress = nullptr; // counts what emulated kernels and `tune` have done
  /// Gets every launch when it is recorded, with its inputs; null: no one asks.
  std::function<void(const KernelLaunch &launch)> onLaunch = nullptr;
};

/// One run of a kernel. `stages` is there also when compilation failed: up to the stage that failed.
struct KernelLaunch {
  std::string kernel; // its name
  Span call;
  std::string device;
  std::shared_ptr<const core::KernelStages> stages;
  std::vector<core::Array> inputs; // CompiledKernel::launch.buffers() order, the profiler's left out; see recordInputs
  std::shared_ptr<const core::RunResult> result; // null: not run
};

struct CompileRequest {
  bool profile = false;
  int64_t profileEntries = 0; // 0: chosen to fit
  bool keepTexts = false;
  uint32_t repeat = 1; // of the run, for launch(): RunOptions::repeat
};

/// A kernel that has been traced and waits to be compiled. `compile` may run on any thread, the rest is the session's.
class PendingKernel {
public:
  virtual ~PendingKernel() = default;
  virtual void compile() = 0;
  /// After `compile`: the next launch with equal arguments finds the result.
  virtual void finish() = 0;
};

class KernelRuntime;

/// What a target's decorator (`@kernel(...)`) makes of a function: called with arrays, it compiles, runs, and gives the
/// outputs.
class Kernel : public Object {
public:
  virtual const std::string &name() const = 0;
  virtual KernelRuntime &runtime() const = 0;
  /// Its name in the `def`.
  virtual Span span() const = 0;
  /// The stages for a call's arguments, from the cache where possible; with errors where one failed after the trace.
  virtual Result<std::shared_ptr<const core::KernelStages>> stages(Context &context, const Arguments &arguments,
                                                                   bool keepTexts) = 0;
  /// To compile several kernels at once: traces for a call's arguments in `compiler`, which is the pending kernel's
  /// until that is finished. Null: there is nothing to compile, or not ahead of the launch.
  virtual Result<std::unique_ptr<PendingKernel>> begin(Context &context, const Arguments &arguments,
                                                       core::Compiler &compiler) {
    return nullptr;
  }
  /// The stages of the last specialisation; null before the first.
  virtual std::shared_ptr<const core::KernelStages> last() const = 0;
  /// Compiles, runs, records the launch. Errors of compiler and device, and faults of the kernel.
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
  /// For whoever saves launches: a warning when there were more than `maxLaunches`, of which the last ones are kept.
  Diagnostics forgottenLaunches() const;
  void record(const KernelLaunch &launch);
  /// As if the last launch had not been, for who makes many: what it holds is given back.
  void forgetLast();
  /// The GPU that ran the last kernel; empty before the first.
  const std::string &lastGpu() const { return lastGpu_; }
  /// Where `tune` keeps what it found: beside the cache's folder; empty without a cache.
  std::filesystem::path tunedFile() const;
  void clearLaunches() { launches_.clear(), forgotten_ = 0; }

  core::Compiler &compiler();
  /// What SparseCore modules are made in.
  core::IrContext &tpuContext();
  /// What an equal module (core/gpu/codegen/Fingerprint.h) was compiled to, by this session or an earlier one; null
  /// when there is nothing. `source` is what the kernel's places are in.
  std::shared_ptr<const core::KernelStages> compiledBefore(const std::string &fingerprint, const SourceRef &source);
  void keepCompiled(const std::string &fingerprint, std::shared_ptr<const core::KernelStages> stages);
  void forgetCompiled() { compiled_.clear(); }
  /// "auto" resolved: "gpu" or "emulator"; other names as they are.
  std::string resolveDevice(const std::string &name) const;
  /// `name` resolved, not "none". Error for a name that is no device.
  Result<core::Device *> device(const std::string &name);
  /// Puts a device in place of the one that `name` stands for (tests; a worker on another host).
  void setDevice(const std::string &name, std::unique_ptr<core::Device> device);

private:
  KernelOptions options_;
  std::unique_ptr<core::Compiler> compiler_; // made when first needed: starting up costs nothing without kernels
  std::unique_ptr<core::IrContext> tpuContext_;
  std::map<std::string, std::unique_ptr<core::Device>> devices_;
  std::vector<KernelLaunch> launches_;
  std::string lastGpu_;
  size_t forgotten_ = 0;                                                      // how many came before them
  std::map<std::string, std::shared_ptr<const core::KernelStages>> compiled_; // by fingerprint
};

/// The stages of `kernel` (a Kernel) for `arguments`, from the cache where possible; nothing is run. With
/// no arguments: for the last call's, or for the annotations alone where these name no dimension.
Result<std::shared_ptr<const core::KernelStages>> stagesOf(Context &context, const Value &kernel,
                                                           const Arguments &arguments);
/// True for a Kernel.
bool isKernel(const Value &value);
/// The error for a stage, or something made of a stage, that a launch's target does not have.
Diagnostics noStage(const KernelLaunch &launch, std::string_view wanted);

} // namespace lanescope::repl
