// Asynchronous copies between global and shared memory, and the barriers that count them.
#pragma once

#include "core/gpu/build/GpuReferences.h"

namespace lanescope::core {

struct GpuBuilderImpl;

/// How a copy to global memory combines with the old values. For integers, the dtype's sign applies to minimum and
/// maximum.
enum class CopyReduction : uint8_t { Add, Minimum, Maximum, Increment, Decrement, And, Or, Xor };

/// The value that a copy to shared memory writes where its slice reaches past the array's end. InBounds: the caller
/// promises that the slice lies within the array, and nothing checks this.
enum class CopyFill : uint8_t { Zeros, Nan, Undefined, InBounds };

class CopyEmitter {
public:
  struct LoadOptions {
    /// I1; if it is false, no bytes are copied, and the barrier gets only the arrival.
    std::optional<IrValue> predicate = std::nullopt;
    std::vector<int64_t> collective = {}; // cluster dimensions whose blocks load together, 0: x
    /// The dimension of the slice (counting only kept ones) along which the cluster's 2 blocks split it: each block
    /// loads half. `destination` is then the block's half. The first block's barrier counts the bytes of both.
    std::optional<int64_t> partitionedAxis = std::nullopt;
    /// Each of the cluster's 2 blocks loads the whole slice. The first block's barrier counts the bytes of both.
    bool replicated = false;
    CopyFill fill = CopyFill::Zeros;
  };
  /// Announces the bytes of `destination` on the barrier (one arrival) and starts the copy of a slice of `source`.
  void asyncLoad(const IrRef &source, const std::vector<SliceDim> &dims, const IrRef &destination,
                 const IrBarrier &barrier, const LoadOptions &options);
  void asyncStore(const IrRef &source, const IrRef &destination, const std::vector<SliceDim> &dims, bool commitGroup,
                  const std::optional<IrValue> &predicate, std::optional<CopyReduction> reduction);
  void asyncPrefetch(const IrRef &source, const std::vector<SliceDim> &dims, const std::optional<IrValue> &predicate,
                     const std::vector<int64_t> &collective);
  /// Starts a copy that the threads issue piece by piece (`cp.async`). Without a barrier, the copy is a group that
  /// waitCpAsync waits for. `fill` is InBounds (no part of the slice is outside), Zeros, or, with a barrier, Nan.
  /// `predicate`: as in LoadOptions.
  void cpAsync(const IrRef &source, const std::vector<SliceDim> &dims, const IrRef &destination,
               const std::optional<IrBarrier> &barrier, CopyFill fill, const std::optional<IrValue> &predicate);
  void waitCpAsync(int64_t pending);
  void commitGroup();
  void waitSmemToGmem(int64_t pending, bool readOnly);
  void commitSmem();
  void arrive(const IrBarrier &barrier);
  /// Arrives and adds `bytes` to the phase's expected bytes, without starting a copy.
  void arriveExpectTx(const IrBarrier &barrier, int64_t bytes);
  /// Waits for the barrier's next phase; each warpgroup counts the phases that it has waited for.
  void wait(const IrBarrier &barrier);
  /// Returns true (i1) if the next phase is complete. The warpgroup then counts this phase as waited for.
  IrValue test(const IrBarrier &barrier);

protected:
  explicit CopyEmitter(GpuBuilderImpl &impl) : impl_(&impl) {}

private:
  GpuBuilderImpl *impl_;
};

} // namespace lanescope::core
