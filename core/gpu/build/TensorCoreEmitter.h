// Variables in registers, and the products of tensor cores that accumulate in them.
#pragma once

#include "core/gpu/build/GpuReferences.h"

namespace lanescope::core {

struct GpuBuilderImpl;

class TensorCoreEmitter {
public:
  IrVariable variable(layouts::Dtype dtype, const layouts::Shape &shape); // initially zero
  IrValue read(const IrVariable &variable);
  void write(const IrValue &value, const IrVariable &variable);
  /// Starts accumulator + a @ b and closes the group: a[m, k] in shared memory or registers, b[k, n] in shared memory.
  /// `wgmma` must support the dtypes and shapes.
  void wgmma(const IrVariable &accumulator, const std::variant<IrRef, IrValue> &a, const IrRef &b);
  /// Waits until at most `pending` groups are in flight.
  void wgmmaWait(int64_t pending);
  /// Also returns the value of `accumulator`, whose group has completed after the wait.
  IrValue wgmmaWait(int64_t pending, const IrVariable &accumulator);

  /// Block scales of (M, K / block) and of (N, K / block).
  struct MmaScales {
    IrValue a, b;
  };
  /// accumulator + a @ b by the warps (`mma.sync`), `warpsAlongM` (1, 2, 4) of them along the rows. `mma` must support
  /// the dtypes and shapes.
  IrValue mma(const IrValue &accumulator, const IrValue &a, const IrValue &b, int64_t warpsAlongM,
              const std::optional<MmaScales> &scales = {});

protected:
  explicit TensorCoreEmitter(GpuBuilderImpl &impl) : impl_(&impl) {}

private:
  GpuBuilderImpl *impl_;
};

} // namespace lanescope::core
