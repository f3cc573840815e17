// What `@kernel(...)` makes of a function: an object that is called with host arrays.
//
//   double(x)                      binds sizes, traces and compiles (once), runs, returns the outputs
//   kernel->specialise(ctx, args)  the same up to the compiled stages
//
// Parameters, in order: annotated with GMEM, Out or InOut: arrays; with int, float, bool or str: static arguments,
// known while tracing; without annotation: scratch, matched with `scratch=[…]`.
#pragma once

#include "repl/kernel/gpu/launch/Launches.h"
#include "repl/kernel/gpu/specs/Scratch.h"
#include "repl/kernel/gpu/specs/Specs.h"
#include "repl/kernel/gpu/trace/GpuTracer.h"

#include <map>
#include <memory>
#include <unordered_map>

namespace lanescope::repl {

/// The arguments of `@kernel(...)`. `grid` and `scratch` may be a function without parameters that gives the value: it
/// sees the names of dimensions.
struct KernelSettings {
  Arg grid, scratch;
  AxisNames axes; // the grid's sizes are known at the call
  int64_t warpgroups = 1;
  std::string name;
  Span span; // the decorator
};

/// A kernel for given shapes and static arguments, compiled.
struct Specialisation {
  std::shared_ptr<const core::KernelStages> stages;
  std::vector<core::Array> inputs; // zeros for outputs
  std::string signature;           // "x=f16[128, 128], n=4", for messages
  bool fresh = false;              // compiled for this call
};

struct CompileRequest {
  bool profile = false;
  int64_t profileEntries = 0; // 0: chosen to fit
  bool keepTexts = false;
};

class KernelFunction final : public Object {
public:
  /// Classifies the parameters; errors of annotations come here, at the definition.
  static Result<std::shared_ptr<KernelFunction>> make(Context &context, std::shared_ptr<const Function> function,
                                                      KernelSettings settings, std::shared_ptr<KernelRuntime> runtime);

  const std::string &name() const { return settings_.name; }
  KernelRuntime &runtime() const { return *runtime_; }
  Span span() const;

  /// Compiles for a call's arguments, from the cache where possible. A compilation that fails after the trace gives
  /// stages with errors, not an error.
  Result<Specialisation> specialise(Context &context, const Arguments &arguments, const CompileRequest &request);
  /// The stages of the last specialisation; null before the first.
  std::shared_ptr<const core::KernelStages> last() const { return last_; }
  /// Compiles, runs, records the launch. Errors of compiler and device, and faults of the kernel.
  Result<KernelLaunch> launch(Context &context, const Arguments &arguments, const CompileRequest &request,
                              const std::string &device, double timeoutSeconds);

  std::string typeName() const override { return "kernel"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override { return {"name"}; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override;

private:
  enum class Role : uint8_t { Array, Static, Scratch };
  struct Slot {
    const Parameter *syntax;
    Role role = Role::Scratch;
    core::ArgumentKind kind = core::ArgumentKind::In; // of an array
    std::string staticType = {};                      // "int", …
  };
  using Sizes = std::map<std::string, int64_t, std::less<>>;
  /// A call's arguments by parameter, sizes bound.
  struct Call {
    Sizes sizes;
    std::vector<std::optional<Arg>> given; // by parameter
    std::vector<layouts::Shape> shapes;    // by parameter, of arrays
    std::vector<layouts::Dtype> dtypes;    // by parameter, of arrays
    std::string key;
  };

  KernelFunction(std::shared_ptr<const Function> function, KernelSettings settings,
                 std::shared_ptr<KernelRuntime> runtime)
      : function_(std::move(function)), settings_(std::move(settings)), runtime_(std::move(runtime)) {}

  Result<Call> bind(Context &context, const Arguments &arguments);
  Result<std::shared_ptr<ArgumentSpec>> annotation(Context &context, const Slot &slot, const Sizes &sizes);
  Result<void> matchSizes(const Slot &slot, const ArgumentSpec &spec, const Arg &argument, Sizes &sizes);
  /// Specialise.cpp: the frame for a call, then the trace.
  struct Framed {
    core::KernelFrame frame;
    AxisNames axes;
    std::vector<ScratchItem> scratch; // by parameter that takes some
  };
  Result<Framed> frame(Context &context, const Call &call, const CompileRequest &request);
  Result<Value> setting(Context &context, const Arg &setting, const Sizes &sizes);
  Result<core::KernelModule> trace(Context &context, const Call &call, Framed framed);
  std::shared_ptr<const Function> withSizes(const Function &function, const Sizes &sizes) const;
  Span parameterSpan(const Slot &slot) const { return function_->module->span(slot.syntax->range); }

  std::shared_ptr<const Function> function_;
  KernelSettings settings_;
  std::shared_ptr<KernelRuntime> runtime_;
  std::vector<Slot> slots_;
  std::unordered_map<std::string, std::shared_ptr<const core::KernelStages>> cache_;
  std::shared_ptr<const core::KernelStages> last_;
};

/// `kernel`, the decorator.
Builtin kernelBuiltin(std::shared_ptr<KernelRuntime> runtime);

} // namespace lanescope::repl
