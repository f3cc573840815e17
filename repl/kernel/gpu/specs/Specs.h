// What `scratch` is made of: `SMEM(…)`, `Barrier(…)`, transforms.
#pragma once

#include "core/gpu/build/GpuBuilder.h"
#include "repl/kernel/launch/ArgumentSpec.h"
#include "repl/lang/values/Builtin.h"

#include <variant>
#include <vector>

namespace lanescope::repl {

/// `TilingTransform((8, 64))` or `SwizzleTransform(128)`
class TransformSpec final : public Object {
public:
  std::variant<layouts::Shape, int> transform; // a tile, or bytes
  std::string typeName() const override;
  std::string repr() const override;
  std::string key() const override { return repr(); }
};

/// `SMEM(shape, dtype, transforms=())`
class BufferSpec final : public Object {
public:
  layouts::Shape shape;
  layouts::Dtype dtype = layouts::Dtype::F32;
  core::SmemTransforms transforms;
  Span span; // of the call that made it
  std::string typeName() const override { return "SMEM"; }
  std::string repr() const override;
  /// `smem_map(SMEM(…))`: where the buffer has its elements.
  Result<std::optional<Value>> applyBuiltin(Context &context, const std::string &name,
                                            const Arguments &arguments) override;
};

/// `Barrier(num_arrivals=1, num_barriers=1, orders_tensor_core=False)`, `ClusterBarrier(collective_axes, …)`
class BarrierSpec final : public Object {
public:
  int64_t arrivals = 1;
  layouts::Shape shape; // of the group; one barrier: ()
  /// Of a ClusterBarrier: groups of axis names.
  std::optional<std::vector<std::vector<std::string>>> collective;
  bool ordersTensorCore = false, leaderTracked = false;
  std::string name; // of a pipeline's own barrier; empty: as who allocates it calls it
  Span span;
  std::string typeName() const override { return collective ? "ClusterBarrier" : "Barrier"; }
  std::string repr() const override;
};

/// `Semaphore(count=1)`: counters in global memory, zero when the kernel starts, that all blocks see. Called with a
/// shape, as JAX's `SemaphoreType.REGULAR((2, 3))`, it is so many of them.
class SemaphoreSpec final : public Object {
public:
  layouts::Shape shape = {1};
  Span span;
  std::string typeName() const override { return "Semaphore"; }
  std::string repr() const override;
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override;
};

/// `Union(a, b, …)`: each a buffer, or a tuple of buffers, in one memory; all begin at one place.
class UnionSpec final : public Object {
public:
  std::vector<Value> members;
  Span span;
  std::string typeName() const override { return "Union"; }
  std::string repr() const override;
};

/// The constructors of all of these, of `ACC` and `TMEM`.
Builtins specBuiltins();

/// One `TilingTransform(…)` or `SwizzleTransform(…)`, or a tuple of both in that order.
Result<core::SmemTransforms> transformsArgument(Context &context, const BoundArguments &args, size_t index);

} // namespace lanescope::repl
