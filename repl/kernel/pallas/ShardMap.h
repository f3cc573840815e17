// `jax.shard_map`: runs a function on every device of a mesh, with the device's parts of the arrays.
//
// A device's run is a call of the function. A kernel in it runs on all devices together. So the first run stops at the
// kernel's call, and the other runs proceed to it. Then the kernel runs, and all runs start again, now with its result
// available. The function's computations on the host are therefore repeated; they depend only on its operands, as JAX
// requires.
#pragma once

#include "core/data/Array.h"
#include "repl/kernel/launch/DeviceMesh.h"

#include <functional>
#include <memory>
#include <vector>

namespace lanescope::repl {

class ShardRuns {
public:
  /// Runs the kernel with each device's arguments. The outputs are [devices, …].
  using Launch = std::function<Result<std::vector<core::Array>>(Context &, const std::vector<Arguments> &)>;

  explicit ShardRuns(DeviceMesh mesh) : mesh_(std::move(mesh)) {}
  const DeviceMesh &mesh() const { return mesh_; }
  int64_t device() const { return device_; }

  /// Calls `run` for each device until all have returned.
  Result<void> all(Context &context, const std::function<Result<void>(int64_t device)> &run);
  /// The call of this device to a kernel, or to another operation that the devices do together (`what`, for messages).
  /// Returns the results of all devices, [devices, …]. If the other devices have not reached the call yet, returns an
  /// error, which stops the run.
  Result<const std::vector<core::Array> *> meet(Context &context, const std::string &what, const Arguments &arguments,
                                                const Launch &launch);

private:
  struct Meeting {
    std::string what;
    Span span;
    std::vector<Arguments> arguments; // one for each device that has reached the meeting, in order
    Launch launch;
    std::vector<core::Array> outputs;
    bool done = false;
  };
  DeviceMesh mesh_;
  int64_t device_ = 0;
  size_t next_ = 0; // the meeting that the present run reaches next
  bool waits_ = false;
  std::vector<Meeting> meetings_;
};

/// The current `shard_map`; null outside any.
using CurrentShards = std::shared_ptr<ShardRuns *>;

/// The building blocks of `jax.shard_map`.
Builtins shardMapNatives(CurrentShards current);
/// The builtin `axis_index` of `jax.lax`, and the building blocks of its `axis_size` and collectives.
Builtins shardAxes(const CurrentShards &current);

} // namespace lanescope::repl
