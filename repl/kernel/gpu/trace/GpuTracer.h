// The trace of a GPU's kernel: blocks in a grid and its clusters, warpgroups in a block, warps by themselves.
#pragma once

#include "core/gpu/build/GpuBuilder.h"
#include "repl/kernel/launch/DeviceMesh.h"
#include "repl/kernel/trace/Primitives.h"
#include "repl/kernel/trace/Tracer.h"

#include <optional>

namespace lanescope::repl {

class GpuTracer;
using GpuPrimitive = PrimitiveOf<GpuTracer>;

/// What `axis_index` knows: names and sizes of the grid's dimensions (first to last; in clusters, where there are any),
/// of the cluster's, of the warpgroup axis, and of the devices.
struct AxisNames {
  DeviceMesh mesh;
  std::vector<std::string> grid, cluster; // empty: unnamed
  layouts::Shape gridShape{1}, clusterShape;
  std::string thread; // empty: unnamed
  int64_t warpgroups = 1;
};

class GpuTracer final : public Tracer {
public:
  GpuTracer(Evaluator &evaluator, core::GpuBuilder &builder, const Primitives &primitives, AxisNames axes,
            const core::GpuTarget &target);

  /// Tracer::of, for a value that only a GPU's kernels have.
  static Result<GpuTracer *> of(const Context &context, TraceId trace);

  core::GpuBuilder &builder() { return builder_; }
  /// The builder, with what it emits next placed at `span`.
  core::GpuBuilder &at(const Span &span) {
    Tracer::at(span);
    return builder_;
  }
  const AxisNames &axes() const { return axes_; }
  /// What the kernel is compiled for.
  const core::GpuTarget &target() const { return target_; }
  /// The kernel's first allocation of tensor memory, with which the others agree; null before it.
  const core::KernelFrame::TensorBuffer *firstTensorBuffer() const { return tensor_ ? &*tensor_ : nullptr; }
  void sawTensorBuffer(const core::KernelFrame::TensorBuffer &buffer) {
    if (!tensor_)
      tensor_ = buffer;
  }

  /// Whether a product was begun that nothing has waited for since, in the order of the trace.
  bool openProducts = false;
  /// Whether buffers that state no transforms get those that their uses ask for.
  bool infersTransforms = false;
  /// Whether the warps meet around stores to shared memory and around warp-level code
  /// (`unsafe_no_auto_barriers=False`).
  bool autoBarriers = false;
  /// The meeting, where there is one.
  void meet() {
    if (autoBarriers && !warps_)
      builder_.blockBarrier();
  }

  /// In warp-level code also values from outside of it.
  bool owns(TraceId trace) const override { return Tracer::owns(trace) || (warps_ && trace == warps_->outside); }
  /// The name of the warps' axis while warp-level code (`core_map`) is traced; null elsewhere.
  const std::string *warpAxis() const { return warps_ ? &warps_->axis : nullptr; }
  /// Values made between the two are not good after leaveWarps.
  void enterWarps(std::string axis);
  void leaveWarps();

  Result<void> checkCall(const Context &context, std::string_view primitive) const override;
  Result<layouts::Dtype> kernelDtype(layouts::Dtype dtype, const Span &span) const override;
  Result<void> checkComputes(layouts::Dtype dtype, std::string_view what, const Span &span) const override;
  Result<void> checkConverts(layouts::Dtype from, layouts::Dtype to, const Span &span) const override;
  Result<void> checkRegisters(layouts::Dtype dtype, const layouts::Shape &shape, const Span &span) const override;
  std::string_view matrixProducts() const override { return "`wgmma` or `mma`"; }
  Result<core::IrValue> withLayout(const core::IrValue &value, const BoundArguments &arguments, size_t index) override;

private:
  core::GpuBuilder &builder_;
  AxisNames axes_;
  const core::GpuTarget &target_;
  std::optional<core::KernelFrame::TensorBuffer> tensor_;
  struct Warps {
    std::string axis;
    TraceId outside; // of the code around
  };
  std::optional<Warps> warps_;
};

} // namespace lanescope::repl
