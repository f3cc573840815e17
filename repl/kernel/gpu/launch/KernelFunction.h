// What `@kernel(...)` makes of a function: an object that is called with host arrays.
//
//   double(x)                      binds sizes, traces and compiles (once), runs, returns the outputs
//   kernel->specialise(ctx, args)  the same up to the compiled stages
//
// Parameters, in order: annotated with GMEM, Out or InOut: arrays; with int, float, bool or str: static arguments,
// known while tracing; without annotation: scratch, matched with `scratch=[…]`.
#pragma once

#include "repl/kernel/gpu/specs/Scratch.h"
#include "repl/kernel/gpu/specs/Specs.h"
#include "repl/kernel/gpu/trace/GpuTracer.h"
#include "repl/kernel/launch/KernelParameters.h"
#include "repl/kernel/launch/Launches.h"

#include <memory>
#include <unordered_map>

namespace lanescope::repl {

/// The arguments of `@kernel(...)`. `grid` and `scratch` may be a function without parameters that gives the value: it
/// sees the names of dimensions.
struct KernelSettings {
  Arg grid, scratch;
  AxisNames axes; // the grid's sizes are known at the call
  int64_t warpgroups = 1;
  bool approximate = false;      // functions such as `exp` take the hardware's fast form
  bool infersTransforms = false; // of buffers without any
  bool autoBarriers = false;     // around stores to shared memory and warp-level code, as JAX has them
  bool writesInputs = false;     // allowed, and lost when the kernel ends
  std::string name;
  Span span; // the decorator
};

/// A kernel for given shapes and static arguments, compiled.
struct Specialisation {
  std::shared_ptr<const core::KernelStages> stages;
  std::vector<core::Array> inputs; // zeros for outputs; of several devices each is [devices, …]
  std::string signature;           // "x=f16[128, 128], n=4", for messages
  bool fresh = false;              // compiled for this call
};

/// Stages that KernelRuntime::keepCompiled keeps are referred to; others, of a kernel that does not compile, are held.
/// A kernel that a function has defined and its own scope keep each other alive until the session ends, so a file that
/// is run again and again would hold the texts of all its runs.
class StagesRef {
public:
  StagesRef() = default;
  explicit StagesRef(std::shared_ptr<const core::KernelStages> stages)
      : referred_(stages), held_(stages && stages->kernel && stages->diagnostics.empty() ? nullptr : stages) {}
  /// Null when there are none, or the runtime has forgotten them.
  std::shared_ptr<const core::KernelStages> get() const { return held_ ? held_ : referred_.lock(); }

private:
  std::weak_ptr<const core::KernelStages> referred_;
  std::shared_ptr<const core::KernelStages> held_;
};

class KernelFunction final : public Kernel {
public:
  /// Classifies the parameters; errors of annotations come here, at the definition.
  static Result<std::shared_ptr<KernelFunction>> make(Context &context, std::shared_ptr<const Function> function,
                                                      KernelSettings settings, std::shared_ptr<KernelRuntime> runtime);

  /// A kernel whose parameters are there already.
  static std::shared_ptr<KernelFunction> of(KernelParameters parameters, KernelSettings settings,
                                            std::shared_ptr<KernelRuntime> runtime);

  const std::string &name() const override { return settings_.name; }
  KernelRuntime &runtime() const override { return *runtime_; }
  Span span() const override { return parameters_.span(); }
  std::string repr() const override;

  /// Compiles for a call's arguments, from the cache where possible. A compilation that fails after the trace gives
  /// stages with errors, not an error. `devices`: what each device is called with, in arrays' parts: one, or as many as
  /// the kernel's mesh has.
  Result<Specialisation> specialise(Context &context, const std::vector<Arguments> &devices,
                                    const CompileRequest &request);
  /// Runs it so; the outputs are [devices, …] where there is a mesh.
  Result<KernelLaunch> launchOn(Context &context, const std::vector<Arguments> &devices, const CompileRequest &request,
                                const std::string &device, double timeoutSeconds);
  Result<std::shared_ptr<const core::KernelStages>> stages(Context &context, const Arguments &arguments,
                                                           bool keepTexts) override;
  Result<std::unique_ptr<PendingKernel>> begin(Context &context, const Arguments &arguments,
                                               core::Compiler &compiler) override;
  std::shared_ptr<const core::KernelStages> last() const override { return last_.get(); }
  Result<KernelLaunch> launch(Context &context, const Arguments &arguments, const CompileRequest &request,
                              const std::string &device, double timeoutSeconds) override;

private:
  /// What each device is called with.
  Result<std::vector<Arguments>> shards(Context &context, const Arguments &arguments) const;
  /// Specialise.cpp: the frame for a call, then the trace.
  struct Framed {
    core::KernelFrame frame;
    AxisNames axes;
    std::vector<ScratchItem> scratch; // by parameter that takes some
  };
  using Call = KernelParameters::Call;
  using Slot = KernelParameters::Slot;
  using Role = KernelParameters::Role;
  KernelFunction(KernelParameters parameters, KernelSettings settings, std::shared_ptr<KernelRuntime> runtime)
      : parameters_(std::move(parameters)), settings_(std::move(settings)), runtime_(std::move(runtime)) {}
  class Pending;
  /// What tells the call's specialisations apart.
  std::string cacheKey(const Call &call, const CompileRequest &request, bool keepTexts) const;
  void keep(std::string key, std::shared_ptr<const core::KernelStages> stages);
  Result<Framed> frame(Context &context, const Call &call, const CompileRequest &request);
  /// In a module of the compiler's. `warnings`: of a kernel that compiles.
  Result<core::KernelModule> trace(Context &context, const Call &call, Framed framed, core::Compiler &compiler,
                                   Diagnostics &warnings);
  Diagnostics untouchedOutputs(const core::GpuBuilder &builder) const;

  KernelParameters parameters_;
  KernelSettings settings_;
  std::shared_ptr<KernelRuntime> runtime_;
  std::unordered_map<std::string, StagesRef> cache_;
  StagesRef last_;
};

/// The settings of a call whose signature begins as `kernel`'s does: function, grid, grid_names, num_threads,
/// thread_name, scratch, cluster, cluster_names, name.
Result<KernelSettings> kernelSettings(const Context &context, const BoundArguments &args);
/// Error for an axis of devices that is one of the kernel's, too.
Result<void> checkMesh(const AxisNames &axes, const Span &span);
/// `kernel`, the decorator.
Builtin kernelBuiltin(std::shared_ptr<KernelRuntime> runtime);

} // namespace lanescope::repl
