// Per-thread statements that JAX's dumps have among the warpgroup's statements: places in the grid, pointer arithmetic,
// instructions for which LLVM has an operation. They stay as they are.
#include "core/gpu/lowering/threads/ThreadCode.h"

#include "core/gpu/lowering/threads/Clusters.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace lanescope::core {

using namespace mlir;

namespace {

/// Recreates the operation with the lowered operands, which must be numbers, pointers or structs.
LogicalResult same(KernelLowering &k, Operation *op) {
  for (Value operand : op->getOperands()) {
    auto found = k.values.find(operand);
    if (found == k.values.end() || !std::holds_alternative<Value>(found->second))
      return op->emitError() << "`" << op->getName() << "` takes a value of the warpgroup, which no thread has";
  }
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, k.scalar(operand));
  Operation *copy = k.t.builder().clone(*op, operands);
  for (auto [before, after] : llvm::zip_equal(op->getResults(), copy->getResults()))
    k.set(before, after);
  return success();
}

void setIndex(KernelLowering &k, Operation *op, Value number) { k.set(op->getResult(0), k.t.resize(number, 64)); }

template <typename Op> int dimensionOf(Operation *op) { return static_cast<int>(cast<Op>(op).getDimension()); }

/// The thread's index along x. Blocks are rows of threads along x, so other indices are 0.
LogicalResult threadId(KernelLowering &k, Operation *op) {
  setIndex(k, op, dimensionOf<gpu::ThreadIdOp>(op) == 0 ? k.t.threadId() : k.t.constant(0));
  return success();
}

LogicalResult blockSize(KernelLowering &k, Operation *op) {
  setIndex(k, op, k.t.constant(k.result.launch.block[dimensionOf<gpu::BlockDimOp>(op)]));
  return success();
}

LogicalResult blockId(KernelLowering &k, Operation *op) {
  setIndex(k, op, k.t.blockId(dimensionOf<gpu::BlockIdOp>(op)));
  return success();
}

LogicalResult gridSize(KernelLowering &k, Operation *op) {
  setIndex(k, op, k.t.gridSize(dimensionOf<gpu::GridDimOp>(op)));
  return success();
}

LogicalResult clusterBlockId(KernelLowering &k, Operation *op) {
  setIndex(k, op, blockInCluster(k, dimensionOf<gpu::ClusterBlockIdOp>(op)));
  return success();
}

/// Leaves the operation to the passes for code of single threads.
LogicalResult convertedLater(KernelLowering &k, Operation *op) {
  k.hasThreadCode = true;
  return same(k, op);
}

/// The source promises that the number is a multiple (thread/Divisibility.h). The promise needs no code.
LogicalResult sameNumber(KernelLowering &k, Operation *op) {
  k.set(op->getResult(0), k.scalar(op->getOperand(0)));
  return success();
}

LogicalResult blockBarrier(KernelLowering &k, Operation *) {
  k.t.blockBarrier();
  k.unsyncedStores = false;
  return success();
}

} // namespace

void addThreadCode(HandlerTable &table) {
  table["gpu.thread_id"] = threadId;
  table["gpu.block_dim"] = blockSize;
  table["gpu.block_id"] = blockId;
  table["gpu.grid_dim"] = gridSize;
  table["gpu.cluster_block_id"] = clusterBlockId;
  table["gpu.barrier"] = blockBarrier;
  table["gpu.printf"] = convertedLater;
  table["mosaic_gpu.assume_multiple"] = sameNumber;
  for (const char *name : {"llvm.add",
                           "llvm.sub",
                           "llvm.mul",
                           "llvm.and",
                           "llvm.or",
                           "llvm.xor",
                           "llvm.shl",
                           "llvm.lshr",
                           "llvm.icmp",
                           "llvm.select",
                           "llvm.zext",
                           "llvm.sext",
                           "llvm.trunc",
                           "llvm.extractvalue",
                           "llvm.insertvalue",
                           "llvm.inttoptr",
                           "llvm.ptrtoint",
                           "llvm.load",
                           "llvm.store",
                           "llvm.inline_asm",
                           "llvm.mlir.constant",
                           "llvm.mlir.undef",
                           "nvvm.bar.warp.sync",
                           "nvvm.cp.async.bulk.commit.group",
                           "nvvm.cp.async.bulk.wait_group",
                           "nvvm.elect.sync",
                           "nvvm.fence.proxy",
                           "nvvm.mbarrier.test.wait",
                           "nvvm.shfl.sync",
                           "nvvm.tcgen05.fence",
                           "nvvm.vote.sync",
                           "nvvm.wgmma.commit.group.sync.aligned",
                           "nvvm.wgmma.fence.aligned"})
    table[name] = same;
}

} // namespace lanescope::core
