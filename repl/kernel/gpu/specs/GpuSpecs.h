// The entries of `scratch`: `SMEM(…)`, `Barrier(…)`, transforms.
#pragma once

#include "core/gpu/build/GpuBuilder.h"
#include "repl/kernel/launch/ArgumentSpec.h"
#include "repl/lang/values/Builtin.h"

#include <variant>
#include <vector>

namespace lanescope::repl {

/// The value of `TilingTransform((8, 64))` or `SwizzleTransform(128)`.
class TransformSpec final : public Object {
public:
  std::variant<layouts::Shape, int> transform; // a tile, or a swizzle in bytes
  std::string typeName() const override;
  std::string repr() const override;
  std::string key() const override { return repr(); }
};

/// The value of `SMEM(shape, dtype, transforms=())`.
class BufferSpec final : public Object {
public:
  layouts::Shape shape;
  layouts::Dtype dtype = layouts::Dtype::F32;
  core::SmemTransforms transforms;
  Span span; // place of the call that made it
  std::string typeName() const override { return "SMEM"; }
  std::string repr() const override;
  /// `smem_map(SMEM(…))`: the map of the buffer's elements.
  Result<std::optional<Value>> applyBuiltin(Context &context, const std::string &name,
                                            const Arguments &arguments) override;
};

/// The value of `Barrier(num_arrivals=1, num_barriers=1, orders_tensor_core=False)` or `ClusterBarrier(collective_axes,
/// …)`.
class BarrierSpec final : public Object {
public:
  int64_t arrivals = 1;
  layouts::Shape shape; // shape of the group; () for one barrier
  /// The groups of axis names of a ClusterBarrier; nothing for a Barrier.
  std::optional<std::vector<std::vector<std::string>>> collective;
  bool ordersTensorCore = false, leaderTracked = false;
  std::string name; // for a barrier that a pipeline makes; if empty, the allocation gives the name
  Span span;
  std::string typeName() const override { return collective ? "ClusterBarrier" : "Barrier"; }
  std::string repr() const override;
};

/// `Semaphore(count=1)`: counters in global memory, zero at the kernel's start, visible to all blocks. A call with a
/// shape, like JAX's `SemaphoreType.REGULAR((2, 3))`, describes that many counters.
class SemaphoreSpec final : public Object {
public:
  layouts::Shape shape = {1};
  Span span;
  std::string typeName() const override { return "Semaphore"; }
  std::string repr() const override;
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override;
};

/// `Union(a, b, …)`: buffers, or tuples of buffers, that share one memory and begin at the same place.
class UnionSpec final : public Object {
public:
  std::vector<Value> members;
  Span span;
  std::string typeName() const override { return "Union"; }
  std::string repr() const override;
};

/// The constructors of all specs in this file, and of `ACC` and `TMEM`.
Builtins specBuiltins();

/// One `TilingTransform(…)` or `SwizzleTransform(…)`, or a tuple of both in that order.
Result<core::SmemTransforms> transformsArgument(Context &context, const BoundArguments &args, size_t index);

} // namespace lanescope::repl
