// The trace of a GPU's kernel: blocks in a grid and its clusters, warpgroups in a block, warp-level code.
#pragma once

#include "core/gpu/build/GpuBuilder.h"
#include "repl/kernel/launch/DeviceMesh.h"
#include "repl/kernel/trace/Primitives.h"
#include "repl/kernel/trace/Tracer.h"

#include <optional>

namespace lanescope::repl {

class GpuTracer;
using GpuPrimitive = PrimitiveOf<GpuTracer>;

/// The names and sizes that `axis_index` knows: those of the grid's dimensions (from first to last, counted in clusters
/// if there are any), of the cluster's dimensions, of the warpgroup axis, and of the devices.
struct AxisNames {
  DeviceMesh mesh;
  std::vector<std::string> grid, cluster; // empty if unnamed
  layouts::Shape gridShape{1}, clusterShape;
  std::string thread; // empty if unnamed
  int64_t warpgroups = 1;
};

class GpuTracer final : public Tracer {
public:
  GpuTracer(Evaluator &evaluator, core::GpuBuilder &builder, const Primitives &primitives, AxisNames axes,
            const core::GpuTarget &target);

  /// Tracer::of for a value that only kernels of a GPU have.
  static Result<GpuTracer *> of(const Context &context, TraceId trace);

  core::GpuBuilder &builder() { return builder_; }
  /// The builder, set so that the next operations have the place `span`.
  core::GpuBuilder &at(const Span &span) {
    Tracer::at(span);
    return builder_;
  }
  const AxisNames &axes() const { return axes_; }
  /// The target that the kernel is compiled for.
  const core::GpuTarget &target() const { return target_; }
  /// The kernel's first allocation of tensor memory, which later allocations must match; null before it.
  const core::KernelFrame::TensorBuffer *firstTensorBuffer() const { return tensor_ ? &*tensor_ : nullptr; }
  void sawTensorBuffer(const core::KernelFrame::TensorBuffer &buffer) {
    if (!tensor_)
      tensor_ = buffer;
  }

  /// True if a product was begun and no later wait of the trace covers it.
  bool openProducts = false;
  /// True if buffers without transforms get those that their uses require.
  bool infersTransforms = false;
  /// True if a barrier of the warps surrounds stores to shared memory and warp-level code
  /// (`unsafe_no_auto_barriers=False`).
  bool autoBarriers = false;
  /// Emits a barrier of the warps if autoBarriers is set.
  void meet() {
    if (autoBarriers && !warps_)
      builder_.blockBarrier();
  }

  /// True if values of `trace` may be used here. Warp-level code may also use values from outside it.
  /// The name of the warps' axis while warp-level code (`core_map`) is traced; null otherwise.
  const std::string *warpAxis() const { return warps_ ? &warps_->axis : nullptr; }
  /// Begins warp-level code. Values that are made before leaveWarps() must not be used after it.
  void enterWarps(std::string axis);
  void leaveWarps();

  Result<void> checkCall(const Context &context, std::string_view primitive) const override;
  Result<layouts::Dtype> kernelDtype(layouts::Dtype dtype, const Span &span) const override;
  Result<void> checkComputes(layouts::Dtype dtype, std::string_view what, const Span &span) const override;
  Result<void> checkConverts(layouts::Dtype from, layouts::Dtype to, const Span &span) const override;
  Result<void> checkRegisters(layouts::Dtype dtype, const layouts::Shape &shape, const Span &span) const override;
  std::string_view matrixProducts() const override { return "`wgmma` or `mma`"; }
  std::string_view insteadOf(std::string_view function) const override;
  Result<core::IrValue> withLayout(const core::IrValue &value, const BoundArguments &arguments, size_t index) override;

private:
  core::GpuBuilder &builder_;
  AxisNames axes_;
  const core::GpuTarget &target_;
  std::optional<core::KernelFrame::TensorBuffer> tensor_;
  struct Warps {
    Warps(std::string name, Tracer &tracer) : axis(std::move(name)), parts(tracer) {}
    std::string axis;
    Parts parts;
  };
  std::optional<Warps> warps_;
};

} // namespace lanescope::repl
