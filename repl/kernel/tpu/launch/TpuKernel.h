// The object that `@sc_kernel(...)` makes from a function; it is called with host arrays.
//
//   add_one(x)                     binds sizes, traces, verifies (once), runs on the emulator, returns the outputs
//   ir(add_one)                    the module, as JAX's lowering of the kernel prints it
//
// Parameters are as in @kernel: GMEM, Out and InOut annotate arrays; parameters without annotation are `scratch`. With
// a grid, arrays come as blocks (`in_specs`, `out_specs`), by default in VMEM; with a mesh, they stay in HBM.
#pragma once

#include "core/tpu/build/TpuBuilder.h"
#include "core/tpu/emulator/KernelOperands.h"
#include "repl/kernel/launch/KernelParameters.h"
#include "repl/kernel/launch/Launches.h"
#include "repl/kernel/tpu/specs/TpuSpecs.h"
#include "repl/kernel/tpu/trace/TpuTracer.h"

#include <map>
#include <memory>

namespace lanescope::repl {

/// The arguments of `@sc_kernel(...)`.
struct TpuKernelSettings {
  Arg grid, scratch, inSpecs, outSpecs; // these may be functions without parameters, which can use the names of sizes
  std::shared_ptr<const SubcoreMesh> mesh; // null for a grid
  // With a mesh, the places of arrays that are not in HBM, by the numbers of their parameters.
  std::map<size_t, TpuPlace> places;
  std::vector<std::string> gridNames;
  std::optional<std::vector<core::TpuSemantics>> semantics;
  core::TpuCore core = core::TpuCore::VectorSubcore; // only for a grid
  const core::TpuTarget *target = nullptr;           // null: the session's chip, or else the first one
  bool tensorCoreTiles = false; // true if arrays have TensorCore tiles: core/tpu/program/TpuTiling.h
  bool layoutPasses = false;    // permits vectors of any shape
  bool debug = false;           // print the module when it is made
  std::string name;
  Span span; // place of the decorator
};

/// A kernel for given shapes, lowered to a module.
struct TpuSpecialisation {
  const core::TpuTarget *target = nullptr;
  std::shared_ptr<core::KernelStages> stages;
  std::shared_ptr<core::KernelModule> module;
  std::vector<core::sparsecore::BoundOperand> operands; // operands of the module, without scratch
};

/// One of the functions that run side by side, with the subcores that run it.
struct TpuPart {
  KernelParameters parameters;
  std::shared_ptr<const SubcoreMesh> mesh;
};

class TpuKernel final : public Kernel {
public:
  /// A kernel of functions that share their parameters (`mpmd_map`). Errors: parameters differ; meshes do not fit
  /// together.
  static Result<std::shared_ptr<TpuKernel>> sideBySide(Context &context, std::vector<TpuPart> parts,
                                                       TpuKernelSettings settings,
                                                       std::shared_ptr<KernelRuntime> runtime);
  static Result<std::shared_ptr<TpuKernel>> make(Context &context, std::shared_ptr<const Function> function,
                                                 TpuKernelSettings settings, std::shared_ptr<KernelRuntime> runtime);
  /// A kernel made from a body, which is called with the values of its parameters. The kernel's name is
  /// `settings.name`.
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
  /// One run on several devices, each with its own arguments of the same shapes; results are joined along dimension 0.
  Result<KernelLaunch> launchOn(Context &context, const std::vector<Arguments> &devices, const CompileRequest &request,
                                const std::string &device, double timeoutSeconds);

private:
  using Call = KernelParameters::Call;
  using Slot = KernelParameters::Slot;
  using Role = KernelParameters::Role;
  TpuKernel(KernelParameters parameters, TpuKernelSettings settings, std::shared_ptr<KernelRuntime> runtime)
      : parameters_(std::move(parameters)), settings_(std::move(settings)), runtime_(std::move(runtime)) {}

  /// A call's frame, with the slot of each operand, and scratch.
  struct Framed {
    core::TpuFrame frame;
    TpuAxes axes;
    std::vector<size_t> operandSlots;          // the slot of each operand that has a window
    std::vector<std::optional<Arg>> indexMaps; // the index map of each operand that has a window
    std::vector<Value> scratch;                // specs, one for each parameter without annotation
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
  std::vector<TpuPart> parts_; // functions that run side by side; `parameters_` are those of the first one
  TpuKernelSettings settings_;
  std::shared_ptr<KernelRuntime> runtime_;
  std::map<std::string, TpuSpecialisation> cache_;
  std::shared_ptr<const core::KernelStages> last_;
};

/// All functions of SparseCore kernels.
const Primitives &tpuPrimitives();
/// The helper functions that launch/prelude.py needs for a SparseCore's kernel.
Builtins tpuPreludeHelpers();
/// The decorator `sc_kernel`.
Builtin tpuKernelBuiltin(std::shared_ptr<KernelRuntime> runtime);
/// The builtin `shard_map`.
Builtin shardMapBuiltin();
/// The builtin `mpmd_map`.
Builtin mpmdMapBuiltin(std::shared_ptr<KernelRuntime> runtime);
/// The chip that `chip=` names; null if it is not given.
Result<const core::TpuTarget *> chipArgument(const BoundArguments &args, size_t index);
/// Everything that this target adds to a session's builtins.
void addTpuBuiltins(BuiltinTable &table, std::shared_ptr<KernelRuntime> runtime);

} // namespace lanescope::repl
