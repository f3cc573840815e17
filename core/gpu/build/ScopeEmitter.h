// Buffers and barriers beyond those of the frame, which scopes of the kernel add.
#pragma once

#include "core/gpu/build/KernelFrame.h"

namespace lanescope::core {

struct GpuBuilderImpl;

class ScopeEmitter {
public:
  /// Buffers of one scope do not overlap, except those of a union. In a kernel of one warpgroup, closeScope frees the
  /// scope's memory for reuse; with several, another warpgroup may still use it, so it is not reused.
  struct ScopeMark {
    int64_t bytes = 0, columns = 0; // in shared and in tensor memory
  };
  ScopeMark openScope() const;
  void closeScope(const ScopeMark &mark);
  std::vector<IrRef> allocate(const std::vector<KernelFrame::Buffer> &buffers);
  std::vector<IrRef> allocate(const std::vector<KernelFrame::TensorBuffer> &buffers);
  /// Returns the group's index for IrBarrier. The barriers are initialised once, at the kernel's start.
  size_t allocateBarriers(const KernelFrame::BarrierGroup &group);

protected:
  explicit ScopeEmitter(GpuBuilderImpl &impl) : impl_(&impl) {}

private:
  GpuBuilderImpl *impl_;
};

} // namespace lanescope::core
