// What the files of core/gpu/build share: the MLIR side of a GpuBuilder.
#pragma once

#include "core/build/BuilderImpl.h"
#include "core/gpu/build/GpuBuilder.h"

namespace lanescope::core {

constexpr int64_t kBarrierBytes = 8;

inline int64_t alignedTo(int64_t bytes, int64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }
int64_t bufferBytes(const KernelFrame::Buffer &buffer);

/// Where buffers lie in shared or tensor memory, in bytes or columns, and the end of all.
struct SharedPlan {
  std::vector<int64_t> offsets;
  int64_t end = 0;
};
SharedPlan placeBuffers(const std::vector<KernelFrame::Buffer> &buffers, int64_t from);
/// The same of tensor memory, in columns.
SharedPlan placeBuffers(const std::vector<KernelFrame::TensorBuffer> &buffers, int64_t from);
/// Columns of tensor memory, at a multiple of which a buffer lies.
int64_t bufferColumns(const KernelFrame::TensorBuffer &buffer);
/// The error of a kernel that needs `columns` of them; `scoped`: buffers beyond the frame's.
std::unexpected<Diagnostics> tooMuchTensor(const KernelFrame &frame,
                                           const std::vector<KernelFrame::TensorBuffer> &scoped, int64_t columns);

struct GpuBuilder::Impl final : KernelBuilder::Impl {
  explicit Impl(std::shared_ptr<mlir::MLIRContext> context);

  std::vector<IrRef> arguments, buffers, tensorBuffers;
  struct BarrierGroup {
    mlir::Value pointer; // !llvm.ptr<3> to the first
    mlir::Value phases;  // memref<i32>: bit i is the parity that barrier i is waited for next
    std::optional<std::vector<std::vector<int64_t>>> collective = std::nullopt; // see KernelFrame::BarrierGroup
    bool leaderTracked = false, ordersTensorCore = false;                       // as there
  };
  std::vector<BarrierGroup> barriers;
  std::vector<IrVariable> accumulators;

  KernelFrame frame;
  mlir::Operation *function = nullptr;
  mlir::Operation *prologueEnd = nullptr; // barriers are initialised before it
  /// Shared memory: buffers from 0 to `used` now and to `mostUsed` at the worst place; then what lasts for the whole
  /// kernel, whose offsets count from there and are settled by finish().
  int64_t used = 0, mostUsed = 0, lasting = 0;
  std::vector<mlir::Operation *> lastingSlices;
  std::vector<KernelFrame::Buffer> scoped; // all that were ever allocated, for messages
  std::optional<IrRef> semaphoreScratch;
  /// Tensor memory: one allocation, whose columns finish() settles.
  mlir::Operation *tensorAllocation = nullptr;
  int64_t usedColumns = 0, mostColumns = 0;
  std::vector<KernelFrame::TensorBuffer> scopedTensor;

  mlir::Value barrier(const IrBarrier &barrier);
  IrRef sliceShared(const KernelFrame::Buffer &buffer, int64_t offset);
  /// The allocation is made where there is none yet.
  IrRef sliceTensor(const KernelFrame::TensorBuffer &buffer, int64_t column);
  IrRef sliceTensor(const IrRef &ref, const std::vector<SliceDim> &dims);
  Result<void> placeTensor();
  /// What `emit` emits is run by the pair's first block alone; without a collective dimension by this block.
  void inLeader(std::optional<int64_t> collective, llvm::function_ref<void()> emit);
  /// Memory that lasts, in the prologue; `bytes` is a multiple of 8.
  mlir::Value sliceLasting(mlir::MemRefType type, int64_t bytes);
  void addBarriers(const KernelFrame::BarrierGroup &group);
  /// Shared memory.
  std::function<void()> checkpoint() override;
  mlir::ArrayAttr dimensions(const std::vector<int64_t> &dims);
  mlir::ArrayAttr collectiveAttribute(const std::vector<std::vector<int64_t>> &groups);
  Result<void> placeLasting();
  /// Start indices (i32) and lengths (-1 for an integer index) as the copy operations write them.
  void copySlice(const std::vector<SliceDim> &dims, llvm::SmallVector<mlir::Value> &indices,
                 llvm::SmallVector<int64_t> &lengths);
  /// A copy's side in global memory as the copy operations write it: a reference of this device, and whose is meant.
  struct DeviceSide {
    mlir::Value ref, device; // null: this device's
    bool all = false;        // all devices' at once
  };
  static DeviceSide deviceSide(const IrRef &ref);
  mlir::Value announcedBytes(const IrRef &destination, const std::optional<IrValue> &predicate, int64_t parts);
  /// The parity to wait for, and what the phases are after it.
  std::pair<mlir::Value, mlir::Value> nextPhase(const IrBarrier &barrier);
};

inline mlir::Value unwrap(const IrRef &ref) { return mlir::Value::getFromOpaquePointer(ref.handle); }
inline mlir::Value unwrap(const IrVariable &variable) { return mlir::Value::getFromOpaquePointer(variable.handle); }

} // namespace lanescope::core
