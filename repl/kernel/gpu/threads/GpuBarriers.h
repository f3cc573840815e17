// A barrier of the kernel that is being traced, or a group of them: `Barrier(num_barriers=2)` in `scratch`, or
// `ClusterBarrier(…)`, at which the blocks of a cluster arrive.
//
//   barrier_wait(loaded)          one barrier
//   barrier_wait(loaded.at[i])    one of a group; `loaded[i]` is the same, and `i` may be known only on the device
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"
#include "repl/kernel/trace/Traced.h"

#include <memory>

namespace lanescope::repl {

/// The kind of a group's barriers.
struct BarrierKind {
  bool ofCluster = false, ordersTensorCore = false;
};

class BarrierValue final : public NamedObject {
public:
  BarrierValue(std::string name, size_t group, layouts::Shape shape, BarrierKind kind, TraceId trace, Span origin)
      : NamedObject(std::move(name), trace, std::move(origin)), shape_(std::move(shape)), kind_(kind) {
    barrier_.group = group;
  }

  /// True for one barrier (the group has one, or it has been indexed).
  bool single() const { return layouts::elementCount(shape_) == 1; }
  bool ofCluster() const { return kind_.ofCluster; }
  /// True if the tensor core arrives at it.
  bool ordersTensorCore() const { return kind_.ordersTensorCore; }
  const core::IrBarrier &ir() const { return barrier_; }

  std::string typeName() const override { return "barrier"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override { return {"at"}; }
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<int64_t> length(Context &) override { return shape_.empty() ? 1 : shape_.front(); }

private:
  Result<Value> row(GpuTracer &tracer, const SliceData &slice, const Span &span) const;

  core::IrBarrier barrier_;
  layouts::Shape shape_; // shape of the group, without the indexed dimensions
  BarrierKind kind_;
};

/// Argument `index` as one barrier of this trace.
Result<std::shared_ptr<BarrierValue>> barrierArgument(GpuTracer &tracer, const BoundArguments &args, size_t index);

} // namespace lanescope::repl
