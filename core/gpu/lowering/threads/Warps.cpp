#include "core/gpu/lowering/threads/Warps.h"

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/WarpOps.h"
#include "core/gpu/lowering/memory/Transfer.h"
#include "core/gpu/lowering/threads/Clusters.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lanescope::core {

using namespace mlir;

constexpr unsigned kClusterSpace = 7; // LLVM's NVPTX: shared::cluster
constexpr int64_t kNamedBarriers = 16;

bool ordersTensorCore(Value barrier) {
  return cast<mosaic_gpu::BarrierType>(cast<MemRefType>(barrier.getType()).getElementType()).getOrdersTensorCore();
}

void arriveAsWarp(KernelLowering &k, Value barrier, Value bytes) {
  k.warpgroupBarrier(); // what the other lanes did comes before the one lane's arrival
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
                  "with scalars and references alone");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult warps(KernelLowering &k, Operation *op) {
  if (k.inWarps)
    return op->emitError("warp-level code is not nested");
  if (failed(refuseArrays(op)))
    return failure();
  // What the warpgroup did is done before its warps go their own ways.
  k.warpgroupBarrier();
  std::swap(k.elected, k.electedOfWarp);
  k.inWarps = true;
  for (Operation &inner : cast<statements::WarpsOp>(op).getBody().front())
    if (failed(k.lower(&inner)))
      return failure();
  k.inWarps = false;
  std::swap(k.elected, k.electedOfWarp);
  // Nothing has ordered the warps among each other since.
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
  // 0 is the block's, the next ones the warpgroups'.
  int64_t number = barrier.getId() + 1 + k.warpgroups;
  if (number >= kNamedBarriers)
    return op->emitError(text("a block with ", k.warpgroups, " warpgroups has named barriers 0 to ",
                              kNamedBarriers - 2 - k.warpgroups, ", not ", barrier.getId()));
  if (barrier.getThreads() % layouts::kLanesPerWarp != 0)
    return op->emitError(text("whole warps meet at a barrier, and ", barrier.getThreads(), " threads are none"));
  // Like an arrival at an mbarrier: a copy may overwrite what was read as soon as this is known.
  if (k.fencesReads)
    k.t.fenceAsyncShared();
  // Roles reach the same barrier from different places, so it is not `.aligned`.
  k.t.ptx(text("barrier.cta.", barrier.getArrive() ? "arrive" : "sync", " $0, $1; // lanescope: `named_barrier_sync(",
               barrier.getId(), ")`"),
          "r,r", {k.t.constant(number), k.t.constant(barrier.getThreads())});
  if (!barrier.getArrive())
    k.unsyncedStores = false;
  return success();
}

LogicalResult gridDependency(KernelLowering &k, Operation *op) {
  bool launch = cast<statements::GridDependencyOp>(op).getLaunch();
  k.t.ptx(launch ? "griddepcontrol.launch_dependents;" : "griddepcontrol.wait;", "", {});
  return success();
}

/// The number in its cluster of the block that `op` names.
Value blockNumber(KernelLowering &k, statements::AsyncStoreSmemOp op) {
  std::array<Value, 3> given{op.getX(), op.getY(), op.getZ()};
  Value number;
  int64_t stride = 1;
  for (int64_t dim = 0; dim < 3; ++dim) {
    int64_t size = k.result.launch.cluster[dim];
    if (size > 1)
      number = k.t.add(number, k.t.multiply(given[dim] ? k.scalar(given[dim]) : blockInCluster(k, dim), stride));
    stride *= size;
  }
  return number ? number : k.t.constant(0);
}

LogicalResult asyncStoreSmem(KernelLowering &k, Operation *op) {
  auto store = cast<statements::AsyncStoreSmemOp>(op);
  ThreadBuilder &t = k.t;
  if (ordersTensorCore(store.getBarrier()))
    return op->emitError(
        "all threads of the warpgroup arrive here, and a barrier with `orders_tensor_core=True` counts "
        "one of them; wait at another");
  const RegisterArray &array = k.array(store.getValue());
  auto *tiled = std::get_if<layouts::TiledLayout>(&array.layout);
  bool replicates = array.isSplat() || (tiled && tiled->replication() != 1);
  if (replicates)
    return op->emitError("several threads hold the same element, and the barrier would count it for each of them; give "
                         "the array a layout without copies by `layout_cast`");
  Ref ref = k.ref(store.getDestination());
  int64_t bytes = layouts::elementCount(array.shape) * ref.elementBytes / ref.packing;
  if (bytes % layouts::kThreadsPerWarpgroup != 0)
    return op->emitError(text("the array has ", bytes, " bytes, and each of the 128 threads announces as many"));
  Value number = blockNumber(k, store);
  ref.base = t.intrinsic("llvm.nvvm.mapa.shared.cluster", t.pointer(kClusterSpace), {ref.base, number});
  auto plan = planTransfer(k, op, ref, array.layout, TransferKind::Atomic);
  if (failed(plan))
    return failure();
  Value barrier =
      t.ptx(t.i32(), "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", {k.scalar(store.getBarrier()), number});
  t.ptx("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [$0], $1;", "r,r",
        {barrier, t.constant(bytes / layouts::kThreadsPerWarpgroup)});
  constexpr int64_t kWordBits = 32;
  for (const Access &access : plan->accesses) {
    Value part = t.slice(array.registers[access.reg], access.position, access.count);
    int64_t bits = access.count * ThreadBuilder::elementOf(part.getType()).getIntOrFloatBitWidth();
    if (bits % kWordBits != 0 || bits > 4 * kWordBits)
      return op->emitError(text("in this layout a thread writes ", bits,
                                " bits at a time, and such stores have 32, 64 or "
                                "128; choose a layout with more elements side by side"));
    int64_t words = bits / kWordBits;
    if (!part.getType().isInteger(kWordBits))
      part = t.create<LLVM::BitcastOp>(ThreadBuilder::vectorOf(t.i32(), words), part);
    SmallVector<Value> operands{t.create<LLVM::PtrToIntOp>(t.i32(), access.address), barrier};
    std::string values, constraints = "r,r";
    for (int64_t word = 0; word < words; ++word) {
      operands.push_back(t.extract(part, word));
      values += text(word ? ", " : "", "$", word + 2);
      constraints += ",r";
    }
    t.ptx(words == 1 ? text("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], ", values, ", [$1];")
                     : text("st.async.shared::cluster.mbarrier::complete_tx::bytes.v", words, ".b32 [$0], {", values,
                            "}, [$1];"),
          constraints, operands);
  }
  return success();
}

} // namespace

void addWarps(HandlerTable &table) {
  table["lanescope.warps"] = warps;
  table["lanescope.warp_id"] = warpId;
  table["lanescope.named_barrier"] = namedBarrier;
  table["lanescope.grid_dependency"] = gridDependency;
  table["lanescope.async_store_smem"] = asyncStoreSmem;
}

} // namespace lanescope::core
