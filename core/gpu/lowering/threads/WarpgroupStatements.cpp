// The lanescope dialect: warpgroup statements that JAX writes as per-thread code.
#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/lowering/arrays/LowerInlinePtx.h"
#include "core/gpu/lowering/memory/PeerDevices.h"
#include "core/gpu/lowering/threads/Clusters.h"
#include "core/gpu/lowering/threads/LowerSemaphores.h"
#include "core/gpu/lowering/threads/LowerWarps.h"
#include "core/gpu/lowering/threads/ThreadCode.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

LogicalResult initDone(KernelLowering &k, Operation *) {
  if (k.gpu->tma)
    k.t.fenceBarrierInit();
  // Other blocks may signal this block's barriers as soon as they start.
  if (clusterSize(k) > 1)
    clusterBarrier(k.t, /*relaxed=*/true);
  k.t.blockBarrier();
  return success();
}

LogicalResult setMaxRegisters(KernelLowering &k, Operation *op) {
  auto set = cast<statements::SetMaxRegistersOp>(op);
  if (!k.gpu->setmaxnreg)
    return op->emitError(
        text("a change of the number of registers needs sm_90a, or a newer target that ends in `a` or "
             "`f`, and this kernel is for ",
             k.gpu->name, ": leave it out (`memory_registers=None` of a pipeline); all warps have the same number"));
  k.t.ptx(text("setmaxnreg.", set.getIncrease() ? "inc" : "dec", ".sync.aligned.u32 ", set.getN(), ";"), "", {});
  return success();
}

LogicalResult commitSmem(KernelLowering &k, Operation *) {
  k.fenceAsyncShared();
  k.warpgroupBarrier();
  return success();
}

LogicalResult commitGroup(KernelLowering &k, Operation *) {
  if (k.gpu->tma) // without TMA, copies to global memory are the threads' own stores
    k.t.commitBulkGroup();
  return success();
}

LogicalResult waitSmemToGmem(KernelLowering &k, Operation *op) {
  auto wait = cast<statements::WaitSmemToGmemOp>(op);
  if (k.gpu->tma)
    k.t.waitBulkGroups(static_cast<int>(wait.getN()), wait.getReadOnly());
  k.warpgroupBarrier();
  return success();
}

LogicalResult regionBegin(KernelLowering &k, Operation *op) { return k.record(op, /*end=*/false); }
LogicalResult regionEnd(KernelLowering &k, Operation *op) { return k.record(op, /*end=*/true); }

LogicalResult warpgroupId(KernelLowering &k, Operation *op) {
  k.set(op->getResult(0), k.warpgroup);
  return success();
}

LogicalResult programId(KernelLowering &k, Operation *op) {
  k.set(op->getResult(0), k.t.blockId(static_cast<int>(cast<statements::ProgramIdOp>(op).getDim())));
  return success();
}

} // namespace

void addStatements(HandlerTable &table) {
  table["lanescope.init_done"] = initDone;
  table["lanescope.commit_smem"] = commitSmem;
  table["lanescope.commit_group"] = commitGroup;
  table["lanescope.wait_smem_to_gmem"] = waitSmemToGmem;
  table["lanescope.region_begin"] = regionBegin;
  table["lanescope.region_end"] = regionEnd;
  table["lanescope.warpgroup_id"] = warpgroupId;
  table["lanescope.program_id"] = programId;
  table["lanescope.set_max_registers"] = setMaxRegisters;
  addClusters(table);
  addDevices(table);
  addSemaphores(table);
  addWarps(table);
  addInlinePtx(table);
  addThreadCode(table);
  addCustomPrimitives(table);
}

} // namespace lanescope::core
