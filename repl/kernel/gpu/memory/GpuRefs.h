// A reference in the kernel that is being traced: a GMEM argument, an SMEM buffer, a buffer of another block of the
// cluster, tensor memory, or a slice of one of these.
//
//   x[i, ds(64 * j, 64)]       reads a row's 64 elements: a TracedValue
//   x.at[i, ds(64 * j, 64)]    the same part as a reference: for copies and `load`
//   tile[...] = value          writes all of it
//
// A slice keeps its base and the part that it takes of each base dimension, because copies name global memory by base
// and indices. `ds` may extend beyond the end of global memory, but only for copies, which fill with zeros or skip
// elements. An array of u32 as the first index, x.at[rows, 64:], selects single rows, but only for copies, which gather
// and scatter them. Tensor memory is sliced along its columns, `acc.at[:, 64:128]`, and has its own functions for
// reading and writing (gpu/tmem).
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"
#include "repl/kernel/trace/DynamicSlice.h"
#include "repl/kernel/trace/Traced.h"

#include <array>
#include <memory>

namespace lanescope::repl {

/// The owner of the memory that a reference leads to.
enum class Reach : uint8_t { Own, Peer, All };

class RefValue final : public Reference {
public:
  /// A reference to the whole of `base`.
  RefValue(std::string name, core::IrRef base, bool writable, TraceId trace, Span origin);

  core::MemorySpace space() const { return base_.space; }
  layouts::Dtype dtype() const { return base_.dtype; }
  layouts::Shape shape() const;
  const core::IrRef &base() const { return base_; }
  const std::vector<core::SliceDim> &dims() const { return dims_; }
  /// The dimensions of the base that the slice keeps, in the reference's order.
  const std::vector<size_t> &axes() const { return axes_; }
  /// The reference with its dimensions in another order: dimension i is this one's dimension `order[i]`.
  std::shared_ptr<RefValue> transposed(const std::vector<size_t> &order) const;
  /// A reference to the same elements in row-major order. Errors: the number of elements differs; the strides or the
  /// slice do not permit it.
  Result<std::shared_ptr<RefValue>> reshaped(GpuTracer &tracer, layouts::Shape shape, const Span &span) const;
  /// A reference to the same place in another block of the cluster.
  Result<std::shared_ptr<RefValue>> inBlock(GpuTracer &tracer,
                                            const std::array<std::optional<core::IrValue>, 3> &place) const;
  /// A reference to the same place in the global memory of another device, or of all devices at once.
  Result<std::shared_ptr<RefValue>> onDevice(GpuTracer &tracer, const core::IrValue &device, const Span &span) const;
  Result<std::shared_ptr<RefValue>> onAllDevices(GpuTracer &tracer, const Span &span) const;
  Reach reach() const { return reach_; }
  bool writable() const { return writable_; }
  /// True if tracing already shows that the slice extends beyond the end of global memory.
  bool outside() const { return outside_; }
  /// True if an array selects the rows.
  bool gathers() const;
  /// The reference as text: `x`, or `x[0:64, 2]` if the slice is known while tracing.
  std::string describe() const;

  /// A reference to the part that `index` takes.
  Result<std::shared_ptr<RefValue>> sliced(GpuTracer &tracer, const Arg &index) const;
  /// The reference in IR.
  Result<core::IrRef> materialize(GpuTracer &tracer) const;
  Result<Value> read(GpuTracer &tracer, const Span &span, std::optional<bool> optimized,
                     core::EvictionPolicy eviction = core::EvictionPolicy::None) const;
  /// Writes a value. `atomic`: combines it with the old value, in one step for each element.
  Result<void> write(GpuTracer &tracer, const Span &span, const Arg &value,
                     std::optional<bool> optimized = std::nullopt,
                     std::optional<core::AtomicKind> atomic = std::nullopt) const;

  std::string typeName() const override;
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<void> setItem(Context &context, const Arg &index, const Arg &value) override;
  Result<Value> unary(Context &context, UnaryOp op) override;
  Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected) override;
  Result<std::optional<Value>> compare(Context &context, CompareOp op, const Arg &other) override;
  Result<bool> truth(Context &context) override;
  Result<int64_t> length(Context &context) override;
  std::string howToRead() const override;
  Result<std::optional<core::IrValue>> printed(Tracer &tracer, const Span &span) const override;

private:
  static Builtin reshapeMethod(TraceId trace);
  bool isTensor() const { return base_.space == core::MemorySpace::Tensor; }
  /// Error for a slice of tensor memory that does more than select columns.
  Result<void> checkTensorSlice(const Span &span) const;
  /// The error for an operation that tensor memory does not have; `what`: "read", ….
  std::unexpected<Diagnostics> notInTensor(const Span &span, std::string message) const;
  /// Error for a reference that only copies may use: it extends beyond the end of memory, or an array selects its rows.
  Result<void> checkInside(const Span &span) const;
  /// Error for a reference that already leads to other devices, or whose memory other devices cannot reach.
  Result<void> checkShared(const Span &span) const;
  /// Error for an access to an array in warp-level code.
  Result<void> checkLevel(const GpuTracer &tracer, const Span &span, std::string_view what) const;
  std::unexpected<Diagnostics> notAValue(const Context &context, std::string_view what) const;

  core::IrRef base_;
  std::vector<core::SliceDim> dims_;
  std::vector<size_t> axes_;
  bool writable_ = true, outside_ = false; // `outside_`: the slice extends beyond the end of global memory
  Reach reach_ = Reach::Own;
};

/// Argument `index` as a reference of this trace in `space`. Error: "`src` of `copy…` must be a GMEM reference, …".
Result<std::shared_ptr<RefValue>> refArgument(GpuTracer &tracer, const BoundArguments &args, size_t index,
                                              core::MemorySpace space);

} // namespace lanescope::repl
