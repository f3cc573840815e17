// Traces one kernel's body. Values become IR through a KernelBuilder, and control flow that only the device can decide
// becomes loops and branches. The differences between targets are virtual functions (kernel/gpu/trace/GpuTracer.h).
//
//   GpuTracer tracer(evaluator, *builder, primitives, names);
//   StagingScope scope(evaluator, &tracer);
//   evaluator.call(body, arguments, span);      // operations on TracedValue, RefValue, … emit IR
//
// Values of a trace are valid while it lasts. Each value remembers its trace, and its use in another trace is an error.
#pragma once

#include "core/build/KernelBuilder.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/evaluate/Staging.h"

#include <string>
#include <vector>

namespace lanescope::repl {

class Primitives;

/// The trace of a value: its identity, and the functions of its kernel's language.
struct TraceId {
  uint64_t number = 0;
  const Primitives *primitives = nullptr;
  bool operator==(const TraceId &) const = default;
};

struct Term;
class Tracer : public Staging {
public:
  Tracer(Evaluator &evaluator, core::KernelBuilder &builder, const Primitives &primitives);

  /// The current trace. Errors, which mention `what`: no kernel is being traced, or the kernel has grown too large to
  /// compile.
  static Result<Tracer *> current(const Context &context, std::string_view what);
  /// The current trace if it is `trace`. Error: the value belongs to a kernel that is not being traced any more.
  static Result<Tracer *> of(const Context &context, TraceId trace);

  /// True if functions such as `exp` use the hardware's fast form by default (no `approx` argument).
  bool approximate = false;
  /// The text that contains the kernel; null if it is not known. Operations from other files of the program get the
  /// places where this text calls these files.
  SourceRef home;

  TraceId id() const { return id_; }
  /// True if values of the trace `trace` may be used here.
  bool owns(TraceId trace) const;

  /// The parts of a construct that the device runs: a loop's body, the branches of an `if`, code for each warp. The IR
  /// of a part is a region. Tracing the construct again erases it. After the part, only the construct's results may be
  /// used; of() refuses every other value that the part has made.
  ///
  ///   Parts parts(tracer);
  ///   parts.begin(); … the first branch; parts.begin(); … the second branch, which does not see the first one's values
  ///   parts.join();  … their results
  class Parts {
  public:
    explicit Parts(Tracer &tracer);
    ~Parts() { end(); }
    Parts(const Parts &) = delete;
    Parts &operator=(const Parts &) = delete;
    /// Begins a part.
    void begin();
    /// Admits the values of all parts.
    void join();
    /// Ends all parts.
    void end();

  private:
    Tracer &tracer_;
    const TraceId outside_;
    const size_t depth_;
    std::vector<TraceId> made_;
  };
  const Primitives &primitives() const { return *id_.primitives; }
  Evaluator &evaluator() { return evaluator_; }
  core::KernelBuilder &builder() { return builder_; }
  /// The place in the kernel's text for the operations that the code at `span` makes.
  Span placeOf(const Span &span) const;
  /// The builder, set so that the next operations have the place `span`.
  core::KernelBuilder &at(const Span &span) {
    builder_.setPlace(placeOf(span));
    return builder_;
  }

  // --- capabilities of the target: errors in the words of its users
  /// Error: the primitive may not be called now.
  virtual Result<void> checkCall(const Context &context, std::string_view primitive) const = 0;
  /// The dtype, if the target's kernels have it. Error: they do not.
  virtual Result<layouts::Dtype> kernelDtype(layouts::Dtype dtype, const Span &span) const = 0;
  /// Error: the dtype can only be moved, converted and compared.
  virtual Result<void> checkComputes(layouts::Dtype dtype, std::string_view what, const Span &span) const = 0;
  virtual Result<void> checkConverts(layouts::Dtype from, layouts::Dtype to, const Span &span) const = 0;
  /// Error: the array is far too large for registers.
  virtual Result<void> checkRegisters(layouts::Dtype dtype, const layouts::Shape &shape, const Span &span) const = 0;
  /// The functions to use instead of `@`, for a message.
  virtual std::string_view matrixProducts() const = 0;
  /// `value` in the layout that argument `index` names. Errors: the target has no layouts, or has no such layout for
  /// the shape.
  virtual Result<core::IrValue> withLayout(const core::IrValue &value, const BoundArguments &arguments,
                                           size_t index) = 0;

  /// The result of `left % right`, if the target computes it in its own way.
  virtual Result<std::optional<core::IrValue>> modulo(const Term &, const Term &, layouts::Dtype,
                                                      const layouts::Shape &) {
    return std::nullopt;
  }
  /// The sign of a value as -1, 0 or 1, if the target computes it in its own way.
  virtual std::optional<core::IrValue> sign(const core::IrValue &) { return std::nullopt; }
  /// True if an array of equal numbers is written as a repeated scalar, not as a constant of that shape.
  virtual bool repeatsNumbers() const { return false; }
  /// Error: the target does not support the reduction.
  virtual Result<void> checkReduces(layouts::Dtype, const layouts::Shape &, const std::vector<int64_t> &,
                                    std::string_view, const Span &) const {
    return {};
  }
  /// Error: the target does not support an iota of the shape.
  virtual Result<void> checkIota(layouts::Dtype, const layouts::Shape &, const Span &) const { return {}; }
  /// One element of an array, whose indices are all known. Error: the target cannot extract it.
  virtual Result<core::IrValue> elementOf(const core::IrValue &array, const std::vector<int64_t> &index,
                                          const Span &span);
  /// `x[index]` for the indices that only this target's arrays take. Nothing for integers and slices.
  virtual Result<std::optional<core::IrValue>> itemOf(const core::IrValue &, const Arg &) { return std::nullopt; }
  /// A host array as a value of the kernel. Error: its elements do not permit that.
  virtual Result<core::IrValue> arrayOf(const core::Array &array, const Span &span);

  // --- staging (Control.cpp)
  Result<std::optional<Value>> call(Context &context, const std::string &function, const Arguments &arguments) override;
  bool isTraced(const Value &value) const override;
  void atStatement(const Span &span) override { builder_.setPlace(placeOf(span)); }
  void named(const std::string &name, const Value &value) override;
  Result<Bindings> forRange(Context &context, const ForStmt &loop, const RangeData &range,
                            const std::vector<std::string> &names, const Bindings &initial,
                            const LoopBody &body) override;
  Result<Bindings> whileLoop(Context &context, const WhileStmt &loop, const Value &first,
                             const std::vector<std::string> &names, const Bindings &initial,
                             const LoopCondition &condition, const WhileBody &body) override;
  Result<Bindings> ifElse(Context &context, const IfStmt &statement, const Value &condition,
                          const std::vector<std::string> &names, const Bindings &initial, const Branch &whenTrue,
                          const Branch &whenFalse) override;
  Result<Value> conditional(Context &context, const Value &condition, const Operand &whenTrue,
                            const Operand &whenFalse) override;
  Result<Value> boolean(Context &context, BoolOp op, const Value &left, const Operand &right) override;
  Result<void> assertion(Context &context, const Value &condition, const std::string &message) override;

protected:
  /// How a loop over a range counts on the device, and the value of its variable in an iteration.
  struct Counting {
    core::IrValue lower, upper, step;
    std::function<Result<core::IrValue>(const core::IrValue &index)> position;
  };
  virtual Result<Counting> counting(Context &context, const RangeData &range);
  /// True if a loop with one iteration is unrolled.
  virtual bool unrollsOne() const { return false; }
  /// Error: the target cannot unroll the loop this way.
  virtual Result<void> checkUnroll(const Context &, const RangeData &) const { return {}; }
  /// Called after a loop was built.
  virtual void looped(const RangeData &) {}
  /// Converts a condition to the form that the target's branches take.
  virtual core::IrValue decision(const core::IrValue &condition) { return condition; }
  /// The value as an i32 scalar, for a bound of a range. Error: it is no integer.
  Result<core::IrValue> integer(const Context &context, const Value &value);

private:
  /// Builds `range(…, unroll=n)`: a loop with n steps in each iteration, and then the remaining steps.
  Result<Bindings> unrolledRange(Context &context, const RangeData &range, const std::vector<std::string> &names,
                                 const Bindings &initial, const LoopBody &body);
  Result<Bindings> unrolledRounds(Context &context, const RangeData &range, int64_t steps,
                                  const std::vector<std::string> &names, const Bindings &initial, const LoopBody &body);
  Result<Tracer *> checked(const Context &context);
  /// The index of step `number` of a range.
  Result<core::IrValue> stepNumber(const Context &context, const RangeData &range, const core::IrValue &number);
  /// The iterations of a range with a negative step whose bounds are known only on the device: the distance divided by
  /// the step, rounded up. The number may be negative; such a loop does not run.
  Result<core::IrValue> roundsDown(const Context &context, const RangeData &range);
  Result<core::IrValue> conditionOf(Context &context, const Value &condition, std::string_view what);

  Evaluator &evaluator_;
  core::KernelBuilder &builder_;
  TraceId id_;
  std::vector<TraceId> outside_; // the traces around this part
};

} // namespace lanescope::repl
