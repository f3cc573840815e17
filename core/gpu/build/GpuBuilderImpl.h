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
/// Places buffers in tensor memory; offsets are in columns.
SharedPlan placeBuffers(const std::vector<KernelFrame::TensorBuffer> &buffers, int64_t from);
/// Columns of tensor memory for a buffer, which is also the alignment of its start.
int64_t bufferColumns(const KernelFrame::TensorBuffer &buffer);
/// The error of a kernel that needs `columns` columns; `scoped`: the buffers of scopes, which come on top of the
/// frame's.
std::unexpected<Diagnostics> tooMuchTensor(const KernelFrame &frame,
                                           const std::vector<KernelFrame::TensorBuffer> &scoped, int64_t columns);

/// The MLIR side of a GpuBuilder.
struct GpuBuilderImpl final : KernelBuilder::Impl {
  explicit GpuBuilderImpl(std::shared_ptr<mlir::MLIRContext> context);

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
  /// Shared memory in bytes. Buffers take [0, `used`) now, and took at most [0, `mostUsed`). Memory for the whole
  /// kernel, `lasting` bytes, comes after `mostUsed`; its offsets count from there, and finish() makes them final.
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
  /// Emits `emit` so that only the pair's first block runs it. Without a collective dimension, every block runs it.
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
  /// The global side of a copy, in the form that the copy operations take: a reference on this device, and the device
  /// whose copy of that memory is meant.
  struct DeviceSide {
    mlir::Value ref, device; // null: this device's
    bool all = false;        // all devices at once
  };
  static DeviceSide deviceSide(const IrRef &ref);
  mlir::Value announcedBytes(const IrRef &destination, const std::optional<IrValue> &predicate, int64_t parts);
  /// The parity to wait for, and the warpgroup's phase bits after the wait.
  std::pair<mlir::Value, mlir::Value> nextPhase(const IrBarrier &barrier);
};

/// Returns null if there is no kind.
mosaic_gpu::AtomicOpAttr atomicAttribute(mlir::MLIRContext *context, std::optional<AtomicKind> atomic);

inline mlir::Value unwrap(const IrRef &ref) { return mlir::Value::getFromOpaquePointer(ref.handle); }
inline mlir::Value unwrap(const IrVariable &variable) { return mlir::Value::getFromOpaquePointer(variable.handle); }

} // namespace lanescope::core
