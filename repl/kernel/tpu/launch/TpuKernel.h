// What `@sc_kernel(...)` makes of a function: an object that is called with host arrays.
//
//   add_one(x)                     binds sizes, traces, verifies (once), runs on the emulator, returns the outputs
//   ir(add_one)                    the module, as JAX's lowering of the kernel prints it
//
// Parameters as in @kernel: GMEM, Out and InOut annotate arrays; without annotation they stand for `scratch`. With a
// grid arrays come as blocks (`in_specs`, `out_specs`), in VMEM unless told otherwise; with a mesh they stay in HBM.
#pragma once

#include "core/tpu/build/TpuBuilder.h"
#include "core/tpu/emulator/Operands.h"
#include "repl/kernel/launch/KernelParameters.h"
#include "repl/kernel/launch/Launches.h"
#include "repl/kernel/tpu/specs/Specs.h"
#include "repl/kernel/tpu/trace/TpuTracer.h"

#include <map>
#include <memory>

namespace lanescope::repl {

/// The arguments of `@sc_kernel(...)`.
struct TpuKernelSettings {
  Arg grid, scratch, inSpecs, outSpecs;    // functions without parameters too, which see the sizes' names
  std::shared_ptr<const SubcoreMesh> mesh; // null: a grid
  std::map<size_t, TpuPlace> places;       // with a mesh, by parameter: arrays that are not in HBM
  std::vector<std::string> gridNames;
  std::optional<std::vector<core::TpuSemantics>> semantics;
  core::TpuCore core = core::TpuCore::VectorSubcore; // with a grid
  const core::TpuTarget *target = nullptr;           // null: the session's, or the first
  bool tensorCoreTiles = false;                      // where arrays lie: core/tpu/program/Tiling.h
  bool layoutPasses = false;                         // vectors of any shape
  bool debug = false;                                // print the module when it is made
  std::string name;
  Span span; // the decorator
};

/// A kernel for given shapes, lowered.
struct TpuSpecialisation {
  const core::TpuTarget *target = nullptr;
  std::shared_ptr<core::KernelStages> stages;
  std::shared_ptr<core::KernelModule> module;
  std::vector<core::sparsecore::BoundOperand> operands; // of the module; scratch is not counted
};

/// One of the functions that run side by side, and who runs it.
struct TpuPart {
  KernelParameters parameters;
  std::shared_ptr<const SubcoreMesh> mesh;
};

class TpuKernel final : public Kernel {
public:
  /// `mpmd_map`: functions that share their parameters. Errors: functions of other parameters, meshes that do not go
  /// together.
  static Result<std::shared_ptr<TpuKernel>> sideBySide(Context &context, std::vector<TpuPart> parts,
                                                       TpuKernelSettings settings,
                                                       std::shared_ptr<KernelRuntime> runtime);
  static Result<std::shared_ptr<TpuKernel>> make(Context &context, std::shared_ptr<const Function> function,
                                                 TpuKernelSettings settings, std::shared_ptr<KernelRuntime> runtime);
  /// A kernel of a body that is called with whatever its parameters stand for; its name is `settings.name`.
  static std::shared_ptr<TpuKernel> of(KernelParameters parameters, TpuKernelSettings settings,
                                       std::shared_ptr<KernelRuntime> runtime);

  const std::string &name() const override { return settings_.name; }
  KernelRuntime &runtime() const override { return *runtime_; }
  Span span() const override { return parameters_.span(); }
  std::string repr() const override;
  Result<std::shared_ptr<const core::KernelStages>> stages(Context &context, const Arguments &arguments,
                                                           bool keepTexts) override;
  std::shared_ptr<const core::KernelStages> last() const override { return last_; }
  Result<KernelLaunch> launch(Context &context, const Arguments &arguments, const CompileRequest &request,
                              const std::string &device, double timeoutSeconds) override;
  /// One run on as many devices, each with its own arguments of the same shapes; results are joined along dimension 0.
  Result<KernelLaunch> launchOn(Context &context, const std::vector<Arguments> &devices, const CompileRequest &request,
                                const std::string &device, double timeoutSeconds);

private:
  using Call = KernelParameters::Call;
  using Slot = KernelParameters::Slot;
  using Role = KernelParameters::Role;
  TpuKernel(KernelParameters parameters, TpuKernelSettings settings, std::shared_ptr<KernelRuntime> runtime)
      : parameters_(std::move(parameters)), settings_(std::move(settings)), runtime_(std::move(runtime)) {}

  /// A call's frame: operands in order, which slot each is, scratch.
  struct Framed {
    core::TpuFrame frame;
    TpuAxes axes;
    std::vector<size_t> operandSlots;          // by operand with a window: its slot
    std::vector<std::optional<Arg>> indexMaps; // by operand with a window
    std::vector<Value> scratch;                // specs, by parameter without annotation
  };
  Result<TpuSpecialisation> specialise(Context &context, const Call &call);
  Result<Framed> sharedFrame(Context &context, const Call &call) const;
  Result<Framed> frame(Context &context, const Call &call) const;
  Result<void> gridFrame(Context &context, const Call &call, Framed &framed) const;
  Result<void> meshFrame(const Call &call, Framed &framed) const;
  core::TpuMemoryType arrayType(const Call &call, size_t slot) const;
  Result<Framed> partFrame(Context &context, const Call &call, const TpuPart &part) const;
  Result<core::KernelModule> trace(Context &context, const Call &call, Framed framed);
  Result<core::KernelModule> tracePart(Context &context, const Call &call, const TpuPart &part, Framed framed);
  std::vector<core::sparsecore::BoundOperand> boundOperands(const std::vector<size_t> &operandSlots) const;
  Result<core::KernelModule> module(Context &context, const Call &call, TpuSpecialisation &made);
  const core::TpuTarget &target() const;
  std::vector<core::Array> inputs(const Call &call) const;

  KernelParameters parameters_;
  std::vector<TpuPart> parts_; // of functions side by side; the first one's parameters are `parameters_`
  TpuKernelSettings settings_;
  std::shared_ptr<KernelRuntime> runtime_;
  std::map<std::string, TpuSpecialisation> cache_;
  std::shared_ptr<const core::KernelStages> last_;
};

/// All functions of SparseCore kernels.
const Primitives &tpuPrimitives();
/// What launch/prelude.py asks of a SparseCore's kernel.
Builtins tpuPreludeHelpers();
/// `sc_kernel`, the decorator.
Builtin tpuKernelBuiltin(std::shared_ptr<KernelRuntime> runtime);
/// `shard_map`.
Builtin shardMapBuiltin();
/// `mpmd_map`.
Builtin mpmdMapBuiltin(std::shared_ptr<KernelRuntime> runtime);
/// The chip that `chip=` names; null where it is not given.
Result<const core::TpuTarget *> chipArgument(const BoundArguments &args, size_t index);
/// Everything that this target adds to a session's builtins.
void addTpuBuiltins(BuiltinTable &table, std::shared_ptr<KernelRuntime> runtime);

} // namespace lanescope::repl
