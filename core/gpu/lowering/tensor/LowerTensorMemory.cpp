// Tensor memory: allocation by the block's first warp, references, waits for loads and stores. PTX ISA, "Tensor Memory
// Allocation", "tcgen05.wait", "tcgen05.fence".
#include "core/gpu/lowering/tensor/LowerTensorMemory.h"

#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/MosaicGpuTensor.h"
#include "core/gpu/lowering/threads/Clusters.h"

#include "layouts/support/Text.h"

#include <bit>

namespace lanescope::core {

using namespace mlir;
using layouts::kTmemColumns;

LogicalResult needsTensorMemory(KernelLowering &k, Operation *op) {
  if (k.gpu->tcgen05)
    return success();
  std::string_view other = targetWith(&GpuTarget::tcgen05, *k.gpu).name;
  return op->emitError(text("tensor memory is that of ", other, ", and this kernel is for ", k.gpu->name,
                            "; compile with `--arch ", other, "`, or keep sums in registers"));
}

LogicalResult needsPair(KernelLowering &k, Operation *op) {
  if (k.result.launch.cluster[0] == 2)
    return success();
  return op->emitError(text("two blocks work together on tensor memory where clusters have 2 of them along x, the last "
                            "axis; here they have ",
                            k.result.launch.cluster[0]));
}

namespace {

constexpr const char *kNoLayout = "this reference to tensor memory has no layout: infer layouts first";
constexpr int64_t kFewestColumns = 32; // per allocation; the number of columns is a power of two

/// Columns that the reference needs by its layout.
Result<int64_t> columnsOf(const TensorRef &ref) { return ref.layout->columnsIn(ref.shape, ref.bits()); }

/// The columns that the kernel allocates if it needs `needed` columns.
int64_t allocatedColumns(int64_t needed) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(kFewestColumns, needed))));
}

LogicalResult outsideOfWarps(KernelLowering &k, Operation *op) {
  if (k.inWarps)
    return op->emitError("tensor memory is allocated for the block, not in warp-level code");
  return success();
}

LogicalResult alloc(KernelLowering &k, Operation *op) {
  auto alloc = cast<mosaic_gpu::TmemAllocOp>(op);
  if (failed(needsTensorMemory(k, op)) || failed(outsideOfWarps(k, op)) ||
      (alloc.getCollective() && failed(needsPair(k, op))))
    return failure();
  ThreadBuilder &t = k.t;
  auto type = cast<MemRefType>(alloc.getResult().getType());
  TensorRef ref{type.getElementType(), type.getShape().vec(), resultTmemLayout(op, 0), {}};
  if (!ref.layout)
    return op->emitError(kNoLayout);
  auto columns = columnsOf(ref);
  if (!columns)
    return op->emitError(columns.error().front().message);
  const Ref &place = k.ref(alloc.getSmemPtr());
  Value pointer = t.address(place.base, place.computedOffset, place.knownOffset);
  k.when(k.firstWarp, [&] {
    t.ptx(text("tcgen05.alloc", groupOf(alloc.getCollective()), ".sync.aligned.shared::cta.b32 [$0], $1;"), "r,r",
          {pointer, t.constant(allocatedColumns(*columns))});
  });
  t.blockBarrier();
  ref.address = t.load(t.i32(), pointer, sizeof(int32_t));
  k.set(alloc.getResult(), std::move(ref));
  return success();
}

LogicalResult relinquish(KernelLowering &k, Operation *op) {
  if (failed(needsTensorMemory(k, op)) || failed(outsideOfWarps(k, op)))
    return failure();
  bool collective = cast<mosaic_gpu::TmemRelinquishAllocPermitOp>(op).getCollective();
  k.when(k.firstWarp,
         [&] { k.t.ptx(text("tcgen05.relinquish_alloc_permit", groupOf(collective), ".sync.aligned;"), "", {}); });
  return success();
}

LogicalResult dealloc(KernelLowering &k, Operation *op) {
  auto dealloc = cast<mosaic_gpu::TmemDeallocOp>(op);
  if (failed(outsideOfWarps(k, op)))
    return failure();
  auto alloc = dealloc.getTmemRef().getDefiningOp<mosaic_gpu::TmemAllocOp>();
  ThreadBuilder &t = k.t;
  // Before the free, every warp, and in a pair every block, must have finished using the memory.
  t.ptx("tcgen05.fence::before_thread_sync;", "", {});
  t.blockBarrier();
  if (alloc.getCollective())
    clusterBarrier(t, /*relaxed=*/false);
  t.ptx("tcgen05.fence::after_thread_sync;", "", {});
  const TensorRef &ref = k.tensor(dealloc.getTmemRef());
  int64_t columns = allocatedColumns(*columnsOf(ref)); // equal to the number allocated
  Value address = tensorAddress(t, ref);
  k.when(k.firstWarp, [&] {
    t.ptx(text("tcgen05.dealloc", groupOf(alloc.getCollective()), ".sync.aligned.b32 $0, $1;"), "r,r",
          {address, t.constant(columns)});
  });
  return success();
}

LogicalResult slice(KernelLowering &k, Operation *op) {
  auto slice = cast<mosaic_gpu::SliceTmemOp>(op);
  const TensorRef &source = k.tensor(slice.getSource());
  auto type = cast<MemRefType>(slice.getResult().getType());
  TensorRef ref{type.getElementType(), type.getShape().vec(), resultTmemLayout(op, 0), source.address,
                source.knownColumn + slice.getOffset()};
  if (!ref.layout)
    return op->emitError(kNoLayout);
  auto columns = columnsOf(ref);
  if (!columns)
    return op->emitError(columns.error().front().message);
  const int64_t allocated = *columnsOf(source);
  if (int64_t end = slice.getOffset() + *columns; end > allocated || end > kTmemColumns)
    return op->emitError(
        text("columns ", slice.getOffset(), " to ", end, " are beyond the ", allocated, " that are allocated"));
  k.set(slice.getResult(), std::move(ref));
  return success();
}

LogicalResult layoutCast(KernelLowering &k, Operation *op) {
  TensorRef ref = k.tensor(op->getOperand(0));
  k.set(op->getResult(0), std::move(ref));
  return success();
}

/// A barrier after which other threads see the effects of this thread's instructions on tensor memory.
void barrierOfTensorCores(KernelLowering &k) {
  k.t.ptx("tcgen05.fence::before_thread_sync;", "", {});
  k.warpgroupBarrier();
  k.t.ptx("tcgen05.fence::after_thread_sync;", "", {});
}

LogicalResult waitLoad(KernelLowering &k, Operation *op) {
  if (failed(needsTensorMemory(k, op)))
    return failure();
  k.t.ptx("tcgen05.wait::ld.sync.aligned;", "", {});
  barrierOfTensorCores(k);
  return success();
}

LogicalResult commitTmem(KernelLowering &k, Operation *op) {
  if (failed(needsTensorMemory(k, op)))
    return failure();
  k.t.ptx("tcgen05.wait::st.sync.aligned;", "", {});
  barrierOfTensorCores(k);
  return success();
}

} // namespace

void addTensorMemory(HandlerTable &table) {
  table["mosaic_gpu.tmem_alloc"] = alloc;
  table["mosaic_gpu.tmem_relinquish_alloc_permit"] = relinquish;
  table["mosaic_gpu.tmem_dealloc"] = dealloc;
  table["mosaic_gpu.slice_tmem"] = slice;
  table["mosaic_gpu.tmem_layout_cast"] = layoutCast;
  table["lanescope.wait_load_tmem"] = waitLoad;
  table["lanescope.commit_tmem"] = commitTmem;
}

} // namespace lanescope::core
