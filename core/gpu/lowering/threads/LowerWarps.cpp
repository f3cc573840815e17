#include "core/gpu/lowering/threads/LowerWarps.h"

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/WarpOps.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lanescope::core {

using namespace mlir;

constexpr int64_t kNamedBarriers = 16;

bool ordersTensorCore(Value barrier) {
  return cast<mosaic_gpu::BarrierType>(cast<MemRefType>(barrier.getType()).getElementType()).getOrdersTensorCore();
}

void arriveAsWarp(KernelLowering &k, Value barrier, Value bytes) {
  k.warpgroupBarrier(); // the effects of the other lanes must precede the one lane's arrival
  if (!k.gpu->tma) {    // a count is new in sm_90: all arrivals but the last one complete no phase
    k.t.ptx("{ .reg .b64 state; @$0 mbarrier.arrive.noComplete.shared::cta.b64 state, [$1], $2; "
            "@$0 mbarrier.arrive.shared::cta.b64 state, [$1]; }",
            "b,r,r", {k.elected, barrier, k.t.constant(layouts::kThreadsPerWarpgroup - 1)});
    return;
  }
  if (bytes)
    k.t.ptx("@$0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [$1], $2;", "b,r,r", {k.elected, barrier, bytes});
  k.t.ptx("@$0 mbarrier.arrive.release.cta.shared::cta.b64 _, [$1], $2;", "b,r,r",
          {k.elected, barrier, k.t.constant(layouts::kThreadsPerWarpgroup)});
}

namespace {

LogicalResult refuseArrays(Operation *root) {
  auto result = root->walk([](Operation *op) {
    auto isArray = [](Type type) {
      auto memref = dyn_cast<MemRefType>(type);
      return isa<VectorType>(memref ? memref.getElementType() : type);
    };
    if (llvm::none_of(op->getOperandTypes(), isArray) && llvm::none_of(op->getResultTypes(), isArray))
      return WalkResult::advance();
    op->emitError("an array belongs to the warpgroup, and inside of `core_map(WarpMesh(…))` each warp runs by itself, "
                  "with scalars and references only");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult warps(KernelLowering &k, Operation *op) {
  if (k.inWarps)
    return op->emitError("warp-level code is not nested");
  if (failed(refuseArrays(op)))
    return failure();
  // The warpgroup's earlier statements must be complete before its warps diverge.
  k.warpgroupBarrier();
  std::swap(k.elected, k.electedOfWarp);
  k.inWarps = true;
  for (Operation &inner : cast<statements::WarpsOp>(op).getBody().front())
    if (failed(k.lower(&inner)))
      return failure();
  k.inWarps = false;
  std::swap(k.elected, k.electedOfWarp);
  // After this, no barrier orders the warps' accesses to each other.
  k.unsyncedStores = op->walk([](memref::StoreOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return success();
}

LogicalResult warpId(KernelLowering &k, Operation *op) {
  if (!k.inWarps)
    return op->emitError("the number of a warp is known in warp-level code only");
  k.set(op->getResult(0), k.uniformWarp);
  return success();
}

LogicalResult namedBarrier(KernelLowering &k, Operation *op) {
  auto barrier = cast<statements::NamedBarrierOp>(op);
  // Barrier 0 belongs to the block, and the next ones belong to the warpgroups.
  int64_t number = barrier.getId() + 1 + k.warpgroups;
  if (number >= kNamedBarriers)
    return op->emitError(text("a block with ", k.warpgroups, " warpgroups has named barriers 0 to ",
                              kNamedBarriers - 2 - k.warpgroups, ", not ", barrier.getId()));
  // As after an arrival at an mbarrier, a copy may then overwrite data that this warp has read.
  if (k.fencesReads)
    k.fenceAsyncShared();
  // Warps reach this barrier at different instructions, so it must not be `.aligned`.
  k.t.ptx(text("barrier.cta.", barrier.getArrive() ? "arrive" : "sync", " $0, $1; // lanescope: `named_barrier_sync(",
               barrier.getId(), ")`"),
          "r,r", {k.t.constant(number), k.t.constant(barrier.getThreads())});
  if (!barrier.getArrive())
    k.unsyncedStores = false;
  return success();
}

LogicalResult gridDependency(KernelLowering &k, Operation *op) {
  if (failed(k.needsTma(op, "a dependent launch", "leave it out; the next kernel begins when this one ends")))
    return failure();
  bool launch = cast<statements::GridDependencyOp>(op).getLaunch();
  k.t.ptx(launch ? "griddepcontrol.launch_dependents;" : "griddepcontrol.wait;", "", {});
  return success();
}

} // namespace

void addWarps(HandlerTable &table) {
  table["lanescope.warps"] = warps;
  table["lanescope.warp_id"] = warpId;
  table["lanescope.named_barrier"] = namedBarrier;
  table["lanescope.grid_dependency"] = gridDependency;
}

} // namespace lanescope::core
