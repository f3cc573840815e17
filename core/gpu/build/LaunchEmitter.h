// The place of a block in the grid and in its cluster, registers, semaphores, and cluster launch control.
#pragma once

#include "core/gpu/build/GpuReferences.h"

#include <array>

namespace lanescope::core {

struct GpuBuilderImpl;

/// The devices that signal a semaphore and wait at it: the kernel's own, or others, too.
enum class SemaphoreScope : uint8_t { Device, System };
/// A relaxed signal orders nothing. A releaseFence before it orders earlier effects, and one fence serves several
/// signals.
enum class SignalOrder : uint8_t { Release, Relaxed };
/// The effect of a wait on the semaphore's count.
enum class SemaphoreWait : uint8_t { Keep, Decrement };

class LaunchEmitter {
public:
  IrValue programId(int dim); // 0: x
  IrValue warpgroupId();
  void setMaxRegisters(int64_t registers, bool increase);
  IrValue clusterId(int dim);      // the place of the block's cluster in the grid of clusters; 0: x
  IrValue blockInCluster(int dim); // 0: x
  /// `ref` in the block at this place of the cluster, x first; an empty entry means this block's own index.
  IrRef inBlock(const IrRef &ref, const std::array<std::optional<IrValue>, 3> &place);
  /// Semaphores are elements of an i32 array in global memory.
  void semaphoreSignal(const IrRef &semaphores, const Offset &index, const IrValue &value, SemaphoreScope scope,
                       SignalOrder order = SignalOrder::Release);
  void semaphoreWait(const IrRef &semaphores, const Offset &index, const IrValue &value, SemaphoreWait wait,
                     SemaphoreScope scope);
  IrValue semaphoreRead(const IrRef &semaphores, const Offset &index, SemaphoreScope scope);

  // --- cluster launch control
  /// Requests a cluster that has not begun. The response is written to `result` (16 bytes of i8 in shared memory) in
  /// every block of the cluster. The call announces these 16 bytes on `barrier`, with one arrival.
  void tryClusterCancel(const IrRef &result, const IrBarrier &barrier);
  struct CancelledCluster {
    std::array<IrValue, 3> block; // i32, grid indices of its first block; x first
    IrValue success;              // i1
  };
  CancelledCluster queryClusterCancel(const IrRef &result);

protected:
  explicit LaunchEmitter(GpuBuilderImpl &impl) : impl_(&impl) {}

private:
  GpuBuilderImpl *impl_;
};

} // namespace lanescope::core
