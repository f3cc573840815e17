// `jax.shard_map`: a function on every device of a mesh, each with its part of the arrays.
//
// A device's run is a call of the function. A kernel in it runs on all devices together, so the first run stops at the
// kernel's call, the others come to it, the kernel runs, and all runs begin anew, now with its result at hand. What a
// function computes on the host is thus computed again; it depends on nothing but its operands, as JAX demands.
#pragma once

#include "core/data/Array.h"
#include "repl/kernel/launch/DeviceMesh.h"

#include <functional>
#include <memory>
#include <vector>

namespace lanescope::repl {

class ShardRuns {
public:
  /// Runs the kernel with what each device calls it with; outputs are [devices, …].
  using Launch = std::function<Result<std::vector<core::Array>>(Context &, const std::vector<Arguments> &)>;

  explicit ShardRuns(DeviceMesh mesh) : mesh_(std::move(mesh)) {}
  const DeviceMesh &mesh() const { return mesh_; }
  int64_t device() const { return device_; }

  /// Calls `run` for each device until all have returned.
  Result<void> all(Context &context, const std::function<Result<void>(int64_t device)> &run);
  /// This device's call of a kernel, or of what else devices do together (`what`, for messages): its results, [devices,
  /// …]. Error, which stops the run, where the others have not come to it yet.
  Result<const std::vector<core::Array> *> meet(Context &context, const std::string &what, const Arguments &arguments,
                                                const Launch &launch);

private:
  struct Meeting {
    std::string what;
    Span span;
    std::vector<Arguments> arguments; // of the devices that have come, in order
    Launch launch;
    std::vector<core::Array> outputs;
    bool done = false;
  };
  DeviceMesh mesh_;
  int64_t device_ = 0;
  size_t next_ = 0; // which meeting this run comes to next
  bool waits_ = false;
  std::vector<Meeting> meetings_;
};

/// The `shard_map` in force; null outside of any.
using CurrentShards = std::shared_ptr<ShardRuns *>;

/// What `jax.shard_map` is made of.
Builtins shardMapNatives(CurrentShards current);
/// `axis_index` of `jax.lax`, and what its `axis_size` and collectives are made of.
Builtins shardAxes(const CurrentShards &current);

} // namespace lanescope::repl
