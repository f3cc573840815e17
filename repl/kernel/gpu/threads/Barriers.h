// A barrier of the kernel that is being traced, or a group of them: `Barrier(num_barriers=2)` in `scratch`, or
// `ClusterBarrier(…)`, at which the blocks of a cluster arrive.
//
//   barrier_wait(loaded)          one barrier
//   barrier_wait(loaded.at[i])    one of a group; `loaded[i]` is the same, and `i` may be known on the device only
#pragma once

#include "repl/kernel/trace/Tracer.h"

#include <memory>

namespace lanescope::repl {

class BarrierValue final : public Object {
public:
  BarrierValue(std::string name, size_t group, layouts::Shape shape, bool ofCluster, uint64_t trace, Span origin)
      : name_(std::move(name)), shape_(std::move(shape)), ofCluster_(ofCluster), trace_(trace),
        origin_(std::move(origin)) {
    barrier_.group = group;
  }

  const std::string &name() const { return name_; }
  /// One barrier (the group has one, or it has been indexed).
  bool single() const { return layouts::elementCount(shape_) == 1; }
  bool ofCluster() const { return ofCluster_; }
  const core::IrBarrier &ir() const { return barrier_; }
  uint64_t trace() const { return trace_; }
  Note declared() const;

  std::string typeName() const override { return "barrier"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override { return {"at"}; }
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<int64_t> length(Context &) override { return shape_.empty() ? 1 : shape_.front(); }
  Result<std::optional<Value>> applyBuiltin(Context &context, const std::string &name,
                                            const Arguments &arguments) override;

private:
  std::string name_;
  core::IrBarrier barrier_;
  layouts::Shape shape_; // of the group, without the dimensions that have been indexed
  bool ofCluster_;
  uint64_t trace_;
  Span origin_;
};

/// Argument `index` as one barrier of this trace.
Result<std::shared_ptr<BarrierValue>> barrierArgument(Tracer &tracer, const BoundArguments &args, size_t index);

} // namespace lanescope::repl
