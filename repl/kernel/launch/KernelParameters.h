// The parameters of a kernel for any target: the kind of each, and its binding in a call.
//
//   @kernel(scratch=[SMEM((64,), f32)])
//   def scale(x: GMEM((N, 64), f32), factor: float, out: Out((N, 64), f32), tile): …
//
//   x: an array, whose shape binds N; factor: static, known while tracing; out: an array made by the call; tile:
//   scratch
#pragma once

#include "repl/kernel/launch/ArgumentSpec.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>

namespace lanescope::repl {

class KernelParameters {
public:
  enum class Role : uint8_t { Array, Static, Scratch };
  struct Slot {
    const Parameter *syntax;
    Role role = Role::Scratch;
    core::ArgumentKind kind = core::ArgumentKind::In; // only for an array
    std::string staticType = {};                      // "int", …
    std::shared_ptr<ArgumentSpec> spec = {};          // only for an array without an annotation
    Span place = {};                                  // only for a parameter without a `def`
  };
  /// A parameter made by a call: an operand, an output or a piece of scratch of a Pallas kernel.
  struct Given {
    std::string name;
    Role role = Role::Scratch;
    core::ArgumentKind kind = core::ArgumentKind::In;
    std::shared_ptr<ArgumentSpec> spec = {};
    Span place = {};
  };
  /// Traces a body with the values of its parameters.
  using Body = std::function<Result<void>(Context &context, const std::vector<Value> &values)>;
  using Sizes = std::map<std::string, int64_t, std::less<>>;
  /// A call's arguments by parameter, with bound sizes.
  struct Call {
    Sizes sizes;
    std::vector<std::optional<Arg>> given; // one for each parameter
    std::vector<layouts::Shape> shapes;    // one for each parameter; used for arrays
    std::vector<layouts::Dtype> dtypes;    // one for each parameter; used for arrays
    std::string key;                       // a text such as "x=f32(128, 64), factor=2.0, "
  };

  /// Classifies the parameters of `function`, which messages call `kernel`; errors of annotations are reported here.
  static Result<KernelParameters> make(Context &context, std::shared_ptr<const Function> function, std::string kernel);

  /// Parameters of a body that is called with their values; `span` is the place of its name.
  static KernelParameters of(std::string kernel, Span span, const std::vector<Given> &parameters, Body body);

  const std::vector<Slot> &slots() const { return slots_; }
  const std::string &kernel() const { return kernel_; }
  /// The place of the function's name in its `def`.
  Span span() const;
  Span spanOf(const Slot &slot) const;

  /// `mesh`: the devices that run the kernel together; the arguments are then those of one device. Only a kernel with a
  /// mesh may have arrays that are split.
  Result<Call> bind(Context &context, const Arguments &arguments, const DeviceMesh &mesh = {}) const;
  /// The arguments for each device: the device's parts of arrays that are split, and all other arguments.
  Result<std::vector<Arguments>> shards(Context &context, const Arguments &arguments, const DeviceMesh &mesh) const;
  /// The split of each output, in the order of the kernel's results.
  Result<std::vector<Sharding>> outputShardings(Context &context) const;
  /// Arguments for inspecting a kernel without calling it: zeros of the shapes in its annotations. There are none if a
  /// size has no number, or if a static argument has no default.
  Arguments placeholders(Context &context) const;
  /// The arrays for a run, in the order of the kernel's parameters; zeros for outputs.
  std::vector<core::Array> arrays(const Call &call) const;
  /// The arrays for a run on several devices, in the order of the kernel's parameters; each array is [devices, …].
  Result<std::vector<core::Array>> arrays(Context &context, const std::vector<Call> &calls) const;
  /// The value of `grid=` or `scratch=`: the argument itself, or the result of a function that uses the names of sizes.
  Result<Value> setting(Context &context, const Arg &setting, const Sizes &sizes) const;
  /// The error for a `scratch` that has more or fewer entries than the kernel has parameters without annotation.
  Result<void> checkScratch(size_t entries, const Span &scratch) const;
  /// Calls the function's body with a value for each slot. Error: the body returns a value.
  Result<void> trace(Context &context, const Call &call, const std::vector<Value> &values) const;

private:
  /// The parameters that a call's positions and names refer to, in order.
  std::vector<size_t> givenSlots() const;
  KernelParameters(std::shared_ptr<const Function> function, std::string kernel)
      : function_(std::move(function)), kernel_(std::move(kernel)) {}
  std::shared_ptr<const Function> withSizes(const Function &function, const Sizes &sizes) const;
  Result<std::shared_ptr<ArgumentSpec>> annotation(Context &context, const Slot &slot, const Sizes &sizes) const;
  Result<void> matchSizes(const Slot &slot, const ArgumentSpec &spec, const Arg &argument, Sizes &sizes) const;

  std::shared_ptr<const Function> function_; // null if a Body is traced instead
  Body body_ = {};
  Span span_ = {};
  std::shared_ptr<std::deque<Parameter>> made_ = {}; // syntax of the parameters that have no `def`
  std::string kernel_;
  std::vector<Slot> slots_;
};

} // namespace lanescope::repl
