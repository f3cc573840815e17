// Traces one kernel's body: values become IR through a KernelBuilder, and control flow that only the device can decide
// becomes loops and branches. What differs from target to target is virtual (kernel/gpu/trace/GpuTracer.h).
//
//   GpuTracer tracer(evaluator, *builder, primitives, names);
//   StagingScope scope(evaluator, &tracer);
//   evaluator.call(body, arguments, span);      // operations on TracedValue, RefValue, … emit IR
//
// Values of a trace are good while it lasts: each remembers its trace, and using it in another one is an error.
#pragma once

#include "core/build/KernelBuilder.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/evaluate/Staging.h"

#include <string>
#include <vector>

namespace lanescope::repl {

class Primitives;

/// What a value remembers of its trace: which one it is, and the functions of its kernel's language.
struct TraceId {
  uint64_t number = 0;
  const Primitives *primitives = nullptr;
  bool operator==(const TraceId &) const = default;
};

struct Term;
class Tracer : public Staging {
public:
  Tracer(Evaluator &evaluator, core::KernelBuilder &builder, const Primitives &primitives);

  /// The trace in force. Error, naming `what`, outside of a kernel, and when the kernel has grown beyond what can be
  /// compiled.
  static Result<Tracer *> current(const Context &context, std::string_view what);
  /// The trace in force when it is `trace`; error for a value that outlived its kernel.
  static Result<Tracer *> of(const Context &context, TraceId trace);

  /// Whether functions such as `exp` take the hardware's fast form where their `approx` says nothing.
  bool approximate = false;
  /// The text that the kernel is in; null: not known. What other files of the program add to it has the places where
  /// this one calls them.
  SourceRef home;

  TraceId id() const { return id_; }
  /// Whether values of that trace are good here.
  virtual bool owns(TraceId trace) const { return trace == id_; }
  const Primitives &primitives() const { return *id_.primitives; }
  Evaluator &evaluator() { return evaluator_; }
  core::KernelBuilder &builder() { return builder_; }
  /// Where what `span` makes stands in the kernel's text.
  Span placeOf(const Span &span) const;
  /// The builder, with what it emits next placed at `span`.
  core::KernelBuilder &at(const Span &span) {
    builder_.setPlace(placeOf(span));
    return builder_;
  }

  // --- what the target can do: errors in the words of its users
  /// Error where the primitive may not be called now.
  virtual Result<void> checkCall(const Context &context, std::string_view primitive) const = 0;
  /// Error for a dtype that the target's kernels do not have.
  virtual Result<layouts::Dtype> kernelDtype(layouts::Dtype dtype, const Span &span) const = 0;
  /// Error for a dtype that can be moved, converted and compared at most.
  virtual Result<void> checkComputes(layouts::Dtype dtype, std::string_view what, const Span &span) const = 0;
  virtual Result<void> checkConverts(layouts::Dtype from, layouts::Dtype to, const Span &span) const = 0;
  /// Error for an array that registers cannot hold by far.
  virtual Result<void> checkRegisters(layouts::Dtype dtype, const layouts::Shape &shape, const Span &span) const = 0;
  /// What there is instead of `@`, as a message names it.
  virtual std::string_view matrixProducts() const = 0;
  /// `value` in the layout that argument `index` names. Errors: there are none here, or not this one for its shape.
  virtual Result<core::IrValue> withLayout(const core::IrValue &value, const BoundArguments &arguments,
                                           size_t index) = 0;

  /// `left % right`, where the target has a form of its own for it.
  virtual Result<std::optional<core::IrValue>> modulo(const Term &, const Term &, layouts::Dtype,
                                                      const layouts::Shape &) {
    return std::nullopt;
  }
  /// -1, 0 or 1, where the target has a form of its own for it.
  virtual std::optional<core::IrValue> sign(const core::IrValue &) { return std::nullopt; }
  /// Whether a number over a shape is a scalar that is repeated, and not a constant of that shape.
  virtual bool repeatsNumbers() const { return false; }
  /// Error for a reduction that the target does not do.
  virtual Result<void> checkReduces(layouts::Dtype, const layouts::Shape &, const std::vector<int64_t> &,
                                    std::string_view, const Span &) const {
    return {};
  }
  /// Error for an iota of a shape that the target does not make.
  virtual Result<void> checkIota(layouts::Dtype, const layouts::Shape &, const Span &) const { return {}; }
  /// One element of an array, all indices known. Error where the target has no way to it.
  virtual Result<core::IrValue> elementOf(const core::IrValue &array, const std::vector<int64_t> &index,
                                          const Span &span);
  /// A host array in the kernel: what its elements allow.
  /// `x[index]` where the target's arrays take other indices than integers and slices.
  virtual Result<std::optional<core::IrValue>> itemOf(const core::IrValue &, const Arg &) { return std::nullopt; }
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
  /// How a loop over a range counts on the device, and the value that its variable has in a round.
  struct Counting {
    core::IrValue lower, upper, step;
    std::function<Result<core::IrValue>(const core::IrValue &index)> position;
  };
  virtual Result<Counting> counting(Context &context, const RangeData &range);
  /// Whether a loop that goes round once is no loop.
  virtual bool unrollsOne() const { return false; }
  /// Error for a loop that the target does not unroll so.
  virtual Result<void> checkUnroll(const Context &, const RangeData &) const { return {}; }
  /// Called behind a loop that was built.
  virtual void looped(const RangeData &) {}
  /// The condition of a branch as the target's branches take it.
  virtual core::IrValue decision(const core::IrValue &condition) { return condition; }
  /// An integer as an i32 scalar: a bound of a range.
  Result<core::IrValue> integer(const Context &context, const Value &value);

  /// Values made from here on are of a trace of their own, until rejoin(), which gets the id that was before.
  TraceId separate();
  void rejoin(TraceId outside) { id_ = outside; }

private:
  /// `range(…, unroll=n)`: n steps in each round, and what is left after them.
  Result<Bindings> unrolledRange(Context &context, const RangeData &range, const std::vector<std::string> &names,
                                 const Bindings &initial, const LoopBody &body);
  Result<Bindings> unrolledRounds(Context &context, const RangeData &range, int64_t steps,
                                  const std::vector<std::string> &names, const Bindings &initial, const LoopBody &body);
  Result<Tracer *> checked(const Context &context);
  /// The index of step `number` of a range.
  Result<core::IrValue> stepNumber(const Context &context, const RangeData &range, const core::IrValue &number);
  /// How often a range with a negative step goes round, its bounds known on the device only: the distance over the
  /// step, rounded up; a loop up to a negative count runs not at all.
  Result<core::IrValue> roundsDown(const Context &context, const RangeData &range);
  Result<core::IrValue> conditionOf(Context &context, const Value &condition, std::string_view what);

  Evaluator &evaluator_;
  core::KernelBuilder &builder_;
  TraceId id_;
};

} // namespace lanescope::repl
