#include "core/gpu/lowering/threads/Clusters.h"

#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/lowering/threads/BarrierNames.h"
#include "core/gpu/lowering/threads/LowerWarps.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core {

using namespace mlir;

constexpr int64_t kMaxArrivals = (1 << 20) - 1; // per mbarrier
constexpr unsigned kClusterSpace = 7;           // LLVM's NVPTX: shared::cluster
/// Threads 0, 8, 16, … of a warpgroup signal blocks 0, 1, 2, …; in warp-level code, lanes 0, 2, 4, … do. A cluster has
/// at most 16 blocks.
constexpr int64_t kThreadsPerSignal = 8;
constexpr int64_t kLanesPerSignal = 2; // in warp-level code

static int64_t strideOf(const KernelLowering &k, int64_t dim) {
  int64_t stride = 1;
  for (int64_t d = 0; d < dim; ++d)
    stride *= k.result.launch.cluster[d];
  return stride;
}

int64_t clusterSize(const KernelLowering &k) { return clusterSize(k, {0, 1, 2}); }

int64_t clusterSize(const KernelLowering &k, ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= k.result.launch.cluster[dim];
  return size;
}

Value blockInCluster(KernelLowering &k, int64_t dim) {
  if (k.result.launch.cluster[dim] == 1)
    return k.t.constant(0);
  constexpr std::string_view kAxes = "xyz";
  return k.t.purePtx(k.t.i32(), text("mov.u32 $0, %cluster_ctaid.", kAxes[dim], ";"), "=r", {});
}

static SmallVector<int64_t> sorted(ArrayRef<int64_t> dims) {
  SmallVector<int64_t> order(dims);
  llvm::sort(order);
  return order;
}

Value indexAlong(KernelLowering &k, ArrayRef<int64_t> dims) {
  Value index;
  int64_t stride = 1;
  for (int64_t dim : sorted(dims)) {
    if (k.result.launch.cluster[dim] > 1)
      index = k.t.add(index, k.t.multiply(blockInCluster(k, dim), stride));
    stride *= k.result.launch.cluster[dim];
  }
  return index ? index : k.t.constant(0);
}

Value maskAlong(KernelLowering &k, ArrayRef<int64_t> dims) {
  int64_t mask = 1; // the blocks that have index 0 along all other dimensions
  Value shift;
  for (int64_t dim = 0; dim < 3; ++dim) {
    int64_t size = k.result.launch.cluster[dim], stride = strideOf(k, dim);
    if (size == 1)
      continue;
    if (llvm::is_contained(dims, dim)) {
      int64_t one = mask;
      for (int64_t i = 1; i < size; ++i)
        mask |= one << (i * stride);
    } else {
      shift = k.t.add(shift, k.t.multiply(blockInCluster(k, dim), stride));
    }
  }
  Value base = k.t.constant(mask);
  return shift ? k.t.create<LLVM::ShlOp>(base, shift).getResult() : base;
}

void clusterBarrier(ThreadBuilder &t, bool relaxed) {
  t.ptx(relaxed ? "barrier.cluster.arrive.relaxed.aligned;" : "barrier.cluster.arrive.release.aligned;", "", {});
  t.ptx("barrier.cluster.wait.acquire.aligned;", "", {});
}

namespace {

/// The dimension groups of a cluster barrier that have several blocks.
FailureOr<SmallVector<SmallVector<int64_t>>> groupsOf(KernelLowering &k, Operation *op, ArrayAttr collective) {
  SmallVector<SmallVector<int64_t>> groups;
  for (Attribute entry : collective) {
    auto dims = dyn_cast<DenseI64ArrayAttr>(entry);
    if (!dims || llvm::any_of(dims.asArrayRef(), [](int64_t dim) { return dim < 0 || dim > 2; }))
      return op->emitError("`collective` lists groups of the cluster's dimensions 0, 1, 2");
    if (clusterSize(k, dims.asArrayRef()) > 1)
      groups.emplace_back(dims.asArrayRef());
  }
  return groups;
}

LogicalResult initializeOfCluster(KernelLowering &k, Operation *op) {
  auto init = cast<statements::InitializeClusterBarrierOp>(op);
  auto groups = groupsOf(k, op, init.getCollective());
  if (failed(groups))
    return failure();
  // Each group adds its other blocks; this block is counted once.
  int64_t arrivals = 1;
  for (const auto &group : *groups)
    arrivals += clusterSize(k, group) - 1;
  arrivals *= static_cast<int64_t>(init.getArrivalCount());
  if (arrivals > kMaxArrivals)
    return op->emitError(text("a barrier takes at most ", kMaxArrivals, " arrivals, and this one expects ", arrivals));
  Value base = k.scalar(init.getBasePointer());
  Value first = k.t.create<LLVM::AndOp>(k.elected, k.t.compare(LLVM::ICmpPredicate::eq, k.warpgroup, 0));
  for (int64_t i = 0, n = init.getNumBarriers(); i < n; ++i)
    k.t.ptx(text("@$0 mbarrier.init.shared::cta.b64 [$1], $2;", barrierComment(op, i, ", of the cluster")), "b,r,r",
            {first, k.t.address(base, Value(), 8 * i), k.t.constant(arrivals)});
  return success();
}

LogicalResult arriveOfCluster(KernelLowering &k, Operation *op) {
  auto arrive = cast<statements::ClusterArriveOp>(op);
  auto groups = groupsOf(k, op, arrive.getCollective());
  if (failed(groups))
    return failure();
  ThreadBuilder &t = k.t;
  // The fence is needed as in LowerBarriers.cpp: after the arrival, a copy of any block of the cluster may overwrite
  // data that this warpgroup has read.
  if (k.fencesReads)
    t.fenceAsyncShared();
  // One thread arrives for the warpgroup, so the effects of the other threads must come before its arrival.
  if (ordersTensorCore(arrive.getBarrier()))
    t.ptx("tcgen05.fence::before_thread_sync;", "", {});
  k.warpgroupBarrier();
  Value barrier = k.scalar(arrive.getBarrier());
  if (arrive.getLeaderTracked() && (groups->size() > 1 || (!groups->empty() && groups->front().size() != 1)))
    return op->emitError("the first block's barrier counts for all along one axis of the cluster, not along several");
  if (arrive.getLeaderTracked() && !groups->empty()) {
    // The blocks along the dimension are `stride` apart.
    int64_t dim = groups->front().front();
    Value own = indexAlong(k, {0, 1, 2});
    Value first = t.create<LLVM::SubOp>(own, t.multiply(lanescope::core::blockInCluster(k, dim), strideOf(k, dim)));
    t.ptx("{ .reg .b32 remote; @$0 mapa.shared::cluster.u32 remote, $1, $2; "
          "@$0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote]; }",
          "b,r,r", {k.elected, barrier, first});
    return success();
  }
  if (groups->empty()) {
    t.ptx("@$0 mbarrier.arrive.release.cta.shared::cta.b64 _, [$1];", "b,r", {k.elected, barrier});
    return success();
  }
  Value mask;
  for (const auto &group : *groups) {
    Value one = maskAlong(k, group);
    mask = mask ? t.create<LLVM::OrOp>(mask, one).getResult() : one;
  }
  Value thread = k.inWarps ? k.lane : k.thread;
  int64_t perSignal = k.inWarps ? kLanesPerSignal : kThreadsPerSignal;
  Value block = t.divide(thread, perSignal);
  Value chosen = t.bitAnd(t.create<LLVM::LShrOp>(mask, block).getResult(), 1);
  Value first = t.compare(LLVM::ICmpPredicate::eq, t.modulo(thread, perSignal), 0);
  Value signals = t.create<LLVM::AndOp>(first, t.compare(LLVM::ICmpPredicate::ne, chosen, 0));
  t.ptx("{ .reg .b32 remote; @$0 mapa.shared::cluster.u32 remote, $1, $2; "
        "@$0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote]; }",
        "b,r,r", {signals, barrier, block});
  return success();
}

LogicalResult clusterId(KernelLowering &k, Operation *op) {
  constexpr std::string_view kAxes = "xyz";
  auto dim = static_cast<int>(cast<statements::ClusterIdOp>(op).getDim());
  k.set(op->getResult(0), k.result.launch.cluster[dim] == 1
                              ? k.t.blockId(dim)
                              : k.t.purePtx(k.t.i32(), text("mov.u32 $0, %clusterid.", kAxes[dim], ";"), "=r", {}));
  return success();
}

LogicalResult blockInCluster(KernelLowering &k, Operation *op) {
  k.set(op->getResult(0), lanescope::core::blockInCluster(k, cast<statements::BlockInClusterOp>(op).getDim()));
  return success();
}

/// Addresses in another block's shared memory have their own pointer space. Offsets are the same as in this block.
LogicalResult clusterRef(KernelLowering &k, Operation *op) {
  auto get = cast<mosaic_gpu::GetClusterRefOp>(op);
  Ref ref = k.ref(get.getSource());
  Value number;
  std::array<Value, 3> given{get.getX(), get.getY(), get.getZ()};
  for (int64_t dim = 0; dim < 3; ++dim) {
    if (k.result.launch.cluster[dim] == 1)
      continue;
    Value place = given[dim] ? k.scalar(given[dim]) : lanescope::core::blockInCluster(k, dim);
    number = k.t.add(number, k.t.multiply(place, strideOf(k, dim)));
  }
  if (!number)
    number = k.t.constant(0);
  ref.base = k.t.intrinsic("llvm.nvvm.mapa.shared.cluster", k.t.pointer(kClusterSpace), {ref.base, number});
  k.set(get.getResult(), std::move(ref));
  return success();
}

} // namespace

void addClusters(HandlerTable &table) {
  table["lanescope.initialize_cluster_barrier"] = initializeOfCluster;
  table["lanescope.cluster_arrive"] = arriveOfCluster;
  table["lanescope.cluster_id"] = clusterId;
  table["lanescope.block_in_cluster"] = blockInCluster;
  table["mosaic_gpu.get_cluster_ref"] = clusterRef;
}

} // namespace lanescope::core
