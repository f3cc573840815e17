// The object that `@kernel(...)` makes from a function; it is called with host arrays.
//
//   double(x)                      binds sizes, traces and compiles (once), runs, returns the outputs
//   kernel->specialise(ctx, args)  does so up to the compiled stages
//
// Parameters that are annotated with GMEM, Out or InOut are arrays. Those with int, float, bool or str are static
// arguments, which are known while tracing. Those without annotation are scratch, matched in order with `scratch=[…]`.
#pragma once

#include "repl/kernel/gpu/specs/GpuSpecs.h"
#include "repl/kernel/gpu/specs/ScratchSpecs.h"
#include "repl/kernel/gpu/trace/GpuTracer.h"
#include "repl/kernel/launch/KernelParameters.h"
#include "repl/kernel/launch/Launches.h"

#include <memory>
#include <unordered_map>

namespace lanescope::repl {

/// The arguments of `@kernel(...)`. `grid` and `scratch` may be functions without parameters that return the value.
/// Such a function can use the names of dimensions.
struct KernelSettings {
  Arg grid, scratch;
  AxisNames axes; // the grid's sizes are known at the call
  int64_t warpgroups = 1;
  bool approximate = false;      // functions such as `exp` use the hardware's fast form
  bool infersTransforms = false; // gives transforms to the buffers that have none
  bool autoBarriers = false;     // adds barriers around stores to shared memory and around warp-level code, as JAX does
  bool writesInputs = false;     // the kernel may write inputs; the changes are lost when it ends
  std::string name;
  Span span; // place of the decorator
};

/// A kernel for given shapes and static arguments, compiled.
struct Specialisation {
  std::shared_ptr<const core::KernelStages> stages;
  std::vector<core::Array> inputs; // zeros for outputs; with several devices, each is [devices, …]
  std::string signature;           // "x=f16[128, 128], n=4", for messages
  bool fresh = false;              // true if compiled for this call
};

/// Refers to stages that KernelRuntime::keepCompiled keeps, and owns all other stages, such as those of a kernel that
/// does not compile. A kernel defined inside a function and its scope keep each other alive until the session ends. If
/// such a kernel held its stages, a file that is run repeatedly would keep the texts of all its runs.
class StagesRef {
public:
  StagesRef() = default;
  explicit StagesRef(std::shared_ptr<const core::KernelStages> stages)
      : referred_(stages), held_(stages && stages->kernel && stages->diagnostics.empty() ? nullptr : stages) {}
  /// The stages; null if there are none, or if the runtime has dropped them.
  std::shared_ptr<const core::KernelStages> get() const { return held_ ? held_ : referred_.lock(); }

private:
  std::weak_ptr<const core::KernelStages> referred_;
  std::shared_ptr<const core::KernelStages> held_;
};

class KernelFunction final : public Kernel {
public:
  /// Classifies the parameters; errors of annotations are reported here, at the definition.
  static Result<std::shared_ptr<KernelFunction>> make(Context &context, std::shared_ptr<const Function> function,
                                                      KernelSettings settings, std::shared_ptr<KernelRuntime> runtime);

  /// A kernel with given parameters.
  static std::shared_ptr<KernelFunction> of(KernelParameters parameters, KernelSettings settings,
                                            std::shared_ptr<KernelRuntime> runtime);

  const std::string &name() const override { return settings_.name; }
  KernelRuntime &runtime() const override { return *runtime_; }
  Span span() const override { return parameters_.span(); }
  std::string repr() const override;

  /// Compiles for a call's arguments, or takes the result from the cache. A compilation that fails after the trace
  /// gives stages with errors, not an error. `devices`: the arguments for each device of the kernel's mesh, with that
  /// device's parts of the arrays; without a mesh, one entry.
  Result<Specialisation> specialise(Context &context, const std::vector<Arguments> &devices,
                                    const CompileRequest &request);
  /// Compiles and runs; the outputs are [devices, …] if there is a mesh.
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
  /// Splits a call's arguments into the arguments for each device.
  Result<std::vector<Arguments>> shards(Context &context, const Arguments &arguments) const;
  /// Specialise.cpp: the frame for a call, before the trace.
  struct Framed {
    core::KernelFrame frame;
    AxisNames axes;
    std::vector<ScratchItem> scratch; // one for each scratch parameter
  };
  using Call = KernelParameters::Call;
  using Slot = KernelParameters::Slot;
  using Role = KernelParameters::Role;
  KernelFunction(KernelParameters parameters, KernelSettings settings, std::shared_ptr<KernelRuntime> runtime)
      : parameters_(std::move(parameters)), settings_(std::move(settings)), runtime_(std::move(runtime)) {}
  class Pending;
  /// The key that distinguishes the call's specialisations.
  std::string cacheKey(const Call &call, const CompileRequest &request, bool keepTexts) const;
  void keep(std::string key, std::shared_ptr<const core::KernelStages> stages);
  Result<Framed> frame(Context &context, const Call &call, const CompileRequest &request);
  /// Traces the kernel into a module of the compiler. `warnings` gets the warnings of a kernel that compiles.
  Result<core::KernelModule> trace(Context &context, const Call &call, Framed framed, core::Compiler &compiler,
                                   Diagnostics &warnings);
  Diagnostics untouchedOutputs(const core::GpuBuilder &builder) const;

  KernelParameters parameters_;
  KernelSettings settings_;
  std::shared_ptr<KernelRuntime> runtime_;
  std::unordered_map<std::string, StagesRef> cache_;
  StagesRef last_;
};

/// The settings of a call whose signature begins like `kernel`'s: function, grid, grid_names, num_threads, thread_name,
/// scratch, cluster, cluster_names, name.
Result<KernelSettings> kernelSettings(const Context &context, const BoundArguments &args);
/// Error: an axis of devices has the name of one of the kernel's axes.
Result<void> checkMesh(const AxisNames &axes, const Span &span);
/// `kernel`, the decorator.
Builtin kernelBuiltin(std::shared_ptr<KernelRuntime> runtime);

} // namespace lanescope::repl
