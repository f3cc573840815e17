// A barrier of the kernel that is being traced, or a group of them: `Barrier(num_barriers=2)` in `scratch`.
//
//   barrier_wait(loaded)          one barrier
//   barrier_wait(loaded.at[i])    one of a group; `loaded[i]` is the same
#pragma once

#include "repl/kernel/Tracer.h"

#include <memory>

namespace lanescope::repl {

class BarrierValue final : public Object {
public:
  BarrierValue(std::string name, size_t group, int64_t count, uint64_t trace, Span origin)
      : name_(std::move(name)), count_(count), trace_(trace), origin_(std::move(origin)) {
    barrier_.group = group;
  }

  const std::string &name() const { return name_; }
  /// One barrier (the group has one, or it has been indexed).
  bool single() const { return count_ == 1; }
  const core::IrBarrier &ir() const { return barrier_; }
  uint64_t trace() const { return trace_; }
  Note declared() const;

  std::string typeName() const override { return "barrier"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override { return {"at"}; }
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<int64_t> length(Context &) override { return count_; }
  Result<std::optional<Value>> applyBuiltin(Context &context, const std::string &name,
                                            const Arguments &arguments) override;

private:
  std::string name_;
  core::IrBarrier barrier_;
  int64_t count_;
  uint64_t trace_;
  Span origin_;
};

/// Argument `index` as one barrier of this trace.
Result<std::shared_ptr<BarrierValue>> barrierArgument(Tracer &tracer, const BoundArguments &args, size_t index);

} // namespace lanescope::repl
