// Shared by the files of core/gpu/build: the MLIR side of a GpuBuilder.
#pragma once

#include "core/build/BuilderImpl.h"
#include "core/gpu/build/GpuBuilder.h"

namespace lanescope::core {

namespace mosaic_gpu {
class AtomicOpAttr;
}

constexpr int64_t kBarrierBytes = 8;

inline int64_t alignedTo(int64_t bytes, int64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }
int64_t bufferBytes(const KernelFrame::Buffer &buffer);

/// The offsets of buffers in shared or tensor memory, in bytes or columns, and the end of the last one.
struct SharedPlan {
  std::vector<int64_t> offsets;
  int64_t end = 0;
};
SharedPlan placeBuffers(const std::vector<KernelFrame::Buffer> &buffers, int64_t from);
/// The same for tensor memory, in columns.
SharedPlan placeBuffers(const std::vector<KernelFrame::TensorBuffer> &buffers, int64_t from);
/// Columns of tensor memory for a buffer, which is also the alignment of its start.
int64_t bufferColumns(const KernelFrame::TensorBuffer &buffer);
/// The error of a kernel that needs `columns` columns; `scoped`: buffers beyond the frame's.
std::unexpected<Diagnostics> tooMuchTensor(const KernelFrame &frame,
                                           const std::vector<KernelFrame::TensorBuffer> &scoped, int64_t columns);

struct GpuBuilder::Impl final : KernelBuilder::Impl {
  explicit Impl(std::shared_ptr<mlir::MLIRContext> context);

  std::vector<IrRef> arguments, buffers, tensorBuffers;
  struct BarrierGroup {
    mlir::Value pointer; // !llvm.ptr<3> to the first
    mlir::Value phases;  // memref<i32>: bit i is the parity of barrier i's next wait
    std::optional<std::vector<std::vector<int64_t>>> collective = std::nullopt; // see KernelFrame::BarrierGroup
    bool leaderTracked = false, ordersTensorCore = false;                       // as in KernelFrame::BarrierGroup
  };
  std::vector<BarrierGroup> barriers;
  std::vector<IrVariable> accumulators;

  KernelFrame frame;
  mlir::Operation *function = nullptr;
  mlir::Operation *prologueEnd = nullptr; // barriers are initialised before it
  /// Shared memory: buffers from 0 to `used` now and to `mostUsed` at the largest. After them comes memory for the
  /// whole kernel, whose offsets count from there and are fixed by finish().
  int64_t used = 0, mostUsed = 0, lasting = 0;
  std::vector<mlir::Operation *> lastingSlices;
  std::vector<KernelFrame::Buffer> scoped; // every buffer ever allocated, for messages
  std::optional<IrRef> semaphoreScratch;
  /// Tensor memory: one allocation, whose columns finish() fixes.
  mlir::Operation *tensorAllocation = nullptr;
  int64_t usedColumns = 0, mostColumns = 0;
  std::vector<KernelFrame::TensorBuffer> scopedTensor;

  mlir::Value barrier(const IrBarrier &barrier);
  IrRef sliceShared(const KernelFrame::Buffer &buffer, int64_t offset);
  /// Creates the allocation if there is none yet.
  IrRef sliceTensor(const KernelFrame::TensorBuffer &buffer, int64_t column);
  IrRef sliceTensor(const IrRef &ref, const std::vector<SliceDim> &dims);
  Result<void> placeTensor();
  /// Only the pair's first block runs what `emit` emits; without a collective dimension, this block does.
  void inLeader(std::optional<int64_t> collective, llvm::function_ref<void()> emit);
  /// Memory for the whole kernel, created in the prologue; `bytes` must be a multiple of 8.
  mlir::Value sliceLasting(mlir::MemRefType type, int64_t bytes);
  void addBarriers(const KernelFrame::BarrierGroup &group);
  /// Returns a function that restores the state of shared memory.
  std::function<void()> checkpoint() override;
  mlir::ArrayAttr dimensions(const std::vector<int64_t> &dims);
  mlir::ArrayAttr collectiveAttribute(const std::vector<std::vector<int64_t>> &groups);
  Result<void> placeLasting();
  /// Start indices (i32) and lengths (-1 for an integer index) in the form of the copy operations.
  void copySlice(const std::vector<SliceDim> &dims, llvm::SmallVector<mlir::Value> &indices,
                 llvm::SmallVector<int64_t> &lengths);
  /// A copy's global side in the form of the copy operations: a reference on this device, and the device that is meant.
  struct DeviceSide {
    mlir::Value ref, device; // null: this device's
    bool all = false;        // all devices at once
  };
  static DeviceSide deviceSide(const IrRef &ref);
  mlir::Value announcedBytes(const IrRef &destination, const std::optional<IrValue> &predicate, int64_t parts);
  /// The parity to wait for, and the phases afterwards.
  std::pair<mlir::Value, mlir::Value> nextPhase(const IrBarrier &barrier);
};

/// Null where there is none.
mosaic_gpu::AtomicOpAttr atomicAttribute(mlir::MLIRContext *context, std::optional<AtomicKind> atomic);

inline mlir::Value unwrap(const IrRef &ref) { return mlir::Value::getFromOpaquePointer(ref.handle); }
inline mlir::Value unwrap(const IrVariable &variable) { return mlir::Value::getFromOpaquePointer(variable.handle); }

} // namespace lanescope::core
