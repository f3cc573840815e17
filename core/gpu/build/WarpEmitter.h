// Code of single warps, other groups of threads, other blocks and other kernels.
#pragma once

#include "core/gpu/build/GpuReferences.h"

#include <array>
#include <functional>

namespace lanescope::core {

struct GpuBuilderImpl;

class WarpEmitter {
public:
  /// Each warp of the warpgroup runs the code that `body` emits, independently of the others. The code may use only
  /// scalars and references. Calls do not nest.
  Result<void> warps(const std::function<Result<void>()> &body);
  IrValue warpId(); // in the warpgroup; inside of warps()
  /// A barrier of all warpgroups of the block.
  void blockBarrier();
  /// Barrier `id` (from 0) for `threads` threads of the block; `arriveOnly` does not wait.
  void namedBarrier(int64_t id, int64_t threads, bool arriveOnly);
  /// Emits the text for each element of the values, which have one shape. `$0`, `$1`, … are the elements of results of
  /// these dtypes, then those of the values.
  std::vector<IrValue> inlinePtx(const std::string &ptx, const std::vector<IrValue> &values,
                                 const std::vector<layouts::Dtype> &results);
  /// Waits for the preceding kernel in the stream (`griddepcontrol.wait`), or lets the next one start.
  void gridDependency(bool launchDependents);
  /// Sends the array to `destination` in the block at `place` (see inBlock), where `barrier` counts it. `atomic`: the
  /// array is combined with the destination's old values; only for 32-bit integers.
  void asyncStoreShared(const IrValue &value, const IrRef &destination, const IrBarrier &barrier,
                        const std::array<std::optional<IrValue>, 3> &place, std::optional<AtomicKind> atomic = {});

protected:
  explicit WarpEmitter(GpuBuilderImpl &impl) : impl_(&impl) {}

private:
  GpuBuilderImpl *impl_;
};

} // namespace lanescope::core
