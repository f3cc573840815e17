// Traces one kernel's body: values become IR through a KernelBuilder, and control flow that only the device can decide
// becomes loops and branches.
//
//   Tracer tracer(evaluator, *builder, names);
//   StagingScope scope(evaluator, &tracer);
//   evaluator.call(body, arguments, span);      // operations on TracedValue, RefValue, … emit IR
//
// Values of a trace are good while it lasts: each remembers its trace, and using it in another one is an error.
#pragma once

#include "core/gpu/build/GpuBuilder.h"
#include "repl/lang/values/Builtin.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/evaluate/Staging.h"

#include <optional>
#include <string>
#include <vector>

namespace lanescope::repl {

/// What `axis_index` knows: names and sizes of the grid's dimensions (first to last; in clusters, where there are any),
/// of the cluster's, and of the warpgroup axis.
struct AxisNames {
  std::vector<std::string> grid, cluster; // empty: unnamed
  layouts::Shape gridShape{1}, clusterShape;
  std::string thread; // empty: unnamed
  int64_t warpgroups = 1;
};

class Tracer final : public Staging {
public:
  Tracer(Evaluator &evaluator, core::KernelBuilder &builder, AxisNames axes);

  /// The trace in force. Error, naming `what`, outside of a kernel, and when the kernel has grown beyond what can be
  /// compiled.
  static Result<Tracer *> current(const Context &context, std::string_view what);
  /// The trace in force when it is `trace`; error for a value that outlived its kernel.
  static Result<Tracer *> of(const Context &context, uint64_t trace);

  uint64_t id() const { return id_; }
  /// Whether values of that trace are good here: this trace's, and in warp-level code those from outside of it.
  bool owns(uint64_t trace) const { return trace == id_ || (warps_ && trace == warps_->outside); }
  const AxisNames &axes() const { return axes_; }
  /// The name of the warps' axis while warp-level code (`core_map`) is traced; null elsewhere.
  const std::string *warpAxis() const { return warps_ ? &warps_->axis : nullptr; }
  /// Values made between the two are not good after leaveWarps.
  void enterWarps(std::string axis);
  void leaveWarps();
  Evaluator &evaluator() { return evaluator_; }
  core::KernelBuilder &builder() { return builder_; }
  /// The builder, with what it emits next placed at `span`.
  core::KernelBuilder &at(const Span &span) {
    builder_.setPlace(evaluator_.snippetPlace(span));
    return builder_;
  }

  bool isTraced(const Value &value) const override;
  void atStatement(const Span &span) override { builder_.setPlace(evaluator_.snippetPlace(span)); }
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

private:
  /// `range(…, unroll=n)`: n steps in each round, and what is left after them.
  Result<Bindings> unrolledRange(Context &context, const RangeData &range, const std::vector<std::string> &names,
                                 const Bindings &initial, const LoopBody &body);
  Result<Bindings> unrolledRounds(Context &context, const RangeData &range, int64_t steps,
                                  const std::vector<std::string> &names, const Bindings &initial, const LoopBody &body);
  Result<Tracer *> checked(const Context &context);
  Result<core::IrValue> conditionOf(Context &context, const Value &condition, std::string_view what);

  Evaluator &evaluator_;
  core::KernelBuilder &builder_;
  AxisNames axes_;
  uint64_t id_;
  struct Warps {
    std::string axis;
    uint64_t outside; // id_ of the code around
  };
  std::optional<Warps> warps_;
};

} // namespace lanescope::repl
