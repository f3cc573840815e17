// The evaluator's interface to the tracer, for control flow that only the device can decide.
//
// The evaluator walks statements as always. If a condition or a range is traced, the evaluator passes the construct on.
// It also passes the names that the construct rebinds, and callbacks that evaluate the construct's parts:
//
//   for i in range(n):        names = {"acc"}, initial = {value of acc}
//     acc = acc + x[i]        body(i, {acc inside}) -> {new acc}; the result is what `acc` is after the loop
//
// An empty optional is a name without a value: not bound before the construct, or not bound on this path.
#pragma once

#include "repl/lang/values/Value.h"

namespace lanescope::repl {

using Bindings = std::vector<std::optional<Value>>;

class Staging {
public:
  virtual ~Staging() = default;

  /// Calls the kernel's function of that name; nothing if its target has none.
  virtual Result<std::optional<Value>> call(Context &context, const std::string &function,
                                            const Arguments &arguments) = 0;
  /// How a kernel of this target does the work of a function that only other targets have, for a message: "on a GPU,
  /// use …". Empty if there is no short way.
  virtual std::string_view insteadOf(std::string_view) const { return {}; }
  /// True if the device decides the value (not its parts), so that `if`, `while`, `and`, `or`, … need staging.
  virtual bool isTraced(const Value &value) const = 0;
  /// Called before each statement with the span of its header, which becomes the place of emitted code.
  virtual void atStatement(const Span &span) = 0;
  /// Called when `name = value` binds a value.
  virtual void named(const std::string &name, const Value &value) = 0;

  /// A loop over a range that is not static_range. `initial` and the results are parallel to `names` (the names that
  /// the body rebinds, without the loop's own target). Names that are empty in the results are unbound after the loop.
  /// The body may be evaluated more than once, and each evaluation emits code at a new place. The callback returns
  /// errors for break, continue and return in it.
  using LoopBody = std::function<Result<Bindings>(const Value &index, const Bindings &bindings)>;
  virtual Result<Bindings> forRange(Context &context, const ForStmt &loop, const RangeData &range,
                                    const std::vector<std::string> &names, const Bindings &initial,
                                    const LoopBody &body) = 0;

  /// A loop whose condition turned out to be traced. `first` is its value before the first iteration. `condition`
  /// evaluates it after an iteration. Because it may have effects (`barrier_test`), it is evaluated only as often as
  /// the loop requires.
  using LoopCondition = std::function<Result<Value>(const Bindings &bindings)>;
  using WhileBody = std::function<Result<Bindings>(const Bindings &bindings)>;
  virtual Result<Bindings> whileLoop(Context &context, const WhileStmt &loop, const Value &first,
                                     const std::vector<std::string> &names, const Bindings &initial,
                                     const LoopCondition &condition, const WhileBody &body) = 0;

  /// `if` on a traced condition, whose place is context.span. `names` are the names that either branch rebinds.
  using Branch = std::function<Result<Bindings>()>;
  virtual Result<Bindings> ifElse(Context &context, const IfStmt &statement, const Value &condition,
                                  const std::vector<std::string> &names, const Bindings &initial,
                                  const Branch &whenTrue, const Branch &whenFalse) = 0;

  /// `a if condition else b` on a traced condition.
  using Operand = std::function<Result<Value>()>;
  virtual Result<Value> conditional(Context &context, const Value &condition, const Operand &whenTrue,
                                    const Operand &whenFalse) = 0;
  /// `left and right` or `left or right` with a traced left operand. A chain `a < b < c` is evaluated in this way, too.
  virtual Result<Value> boolean(Context &context, BoolOp op, const Value &left, const Operand &right) = 0;
  /// `assert` on a traced condition.
  virtual Result<void> assertion(Context &context, const Value &condition, const std::string &message) = 0;
};

} // namespace lanescope::repl
