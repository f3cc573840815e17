// Cluster launch control: a running cluster takes over the work of a cluster that has not begun. PTX ISA,
// "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel".
#include "core/gpu/ir/MosaicGpuTensor.h"
#include "core/gpu/lowering/threads/Clusters.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

LogicalResult needsControl(KernelLowering &k, Operation *op) {
  if (!k.gpu->launchControl)
    return op->emitError(
        text("clusters that have not begun are taken over on sm_100 and newer, and this kernel is for ", k.gpu->name,
             "; compile with `--arch sm_100a`"));
  if (clusterSize(k) > 1 && !k.gpu->controlMulticast)
    return op->emitError(
        text("all blocks of a cluster get the answer about a cluster that has not begun on targets that "
             "end in `a` or `f`, and this kernel is for ",
             k.gpu->name, "; leave `cluster` out, or compile with `--arch ",
             targetWith(&GpuTarget::controlMulticast, *k.gpu).name, "`"));
  return success();
}

FailureOr<Value> answerAddress(KernelLowering &k, Operation *op, Value result) {
  constexpr int64_t kAnswerBytes = 16;
  const Ref &ref = k.ref(result);
  if (ref.knownOffset % kAnswerBytes != 0 || (ref.computedOffset && ref.computedAlignment % kAnswerBytes != 0))
    return op->emitError("the answer about a cluster is kept at a multiple of 16 bytes of shared memory");
  return k.t.address(ref.base, ref.computedOffset, ref.knownOffset);
}

LogicalResult tryCancel(KernelLowering &k, Operation *op) {
  auto request = cast<mosaic_gpu::TryClusterCancelOp>(op);
  if (failed(needsControl(k, op)))
    return failure();
  ThreadBuilder &t = k.t;
  auto answer = answerAddress(k, op, request.getResult());
  if (failed(answer))
    return failure();
  // The asynchronous proxy writes the next answer in all blocks of the cluster. So all warpgroups must have read the
  // earlier answer before it arrives.
  t.ptx("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;", "", {});
  Value issues = k.elected;
  if (clusterSize(k) > 1)
    issues = t.create<LLVM::AndOp>(issues, t.compare(LLVM::ICmpPredicate::eq, indexAlong(k, {0, 1, 2}), 0));
  if (request.getPredicate())
    issues = t.create<LLVM::AndOp>(issues, k.scalar(request.getPredicate()));
  t.ptx(text("@$0 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes",
             k.gpu->controlMulticast ? ".multicast::cluster::all" : "", ".b128 [$1], [$2];"),
        "b,r,r", {issues, *answer, k.scalar(request.getBarrier())});
  return success();
}

LogicalResult queryCancel(KernelLowering &k, Operation *op) {
  auto query = cast<mosaic_gpu::QueryClusterCancelOp>(op);
  if (failed(needsControl(k, op)))
    return failure();
  ThreadBuilder &t = k.t;
  auto answer = answerAddress(k, op, query.getResult());
  if (failed(answer))
    return failure();
  constexpr int64_t kWords = 4;
  Type words = LLVM::LLVMStructType::getLiteral(t.context(), SmallVector<Type>(kWords, t.i32()));
  // The text writes three results before it reads the address (`&`).
  Value read = t.ptx(words,
                     "{ .reg .pred p; .reg .b128 answer;\nmov.u32 $0, 0; mov.u32 $1, 0; mov.u32 $2, 0;\n"
                     "ld.shared.b128 answer, [$4];\n"
                     "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;\nselp.b32 $3, 1, 0, p;\n"
                     "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {$0, $1, $2, _}, answer; }",
                     "=&r,=&r,=&r,=r,r", *answer);
  t.ptx("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;", "", {});
  auto word = [&](int64_t i) { return t.create<LLVM::ExtractValueOp>(read, ArrayRef<int64_t>{i}); };
  k.set(query.getX(), word(0).getResult());
  k.set(query.getY(), word(1).getResult());
  k.set(query.getZ(), word(2).getResult());
  k.set(query.getSuccess(), t.compare(LLVM::ICmpPredicate::ne, word(3), 0));
  return success();
}

} // namespace

void addClusterLaunch(HandlerTable &table) {
  table["mosaic_gpu.try_cluster_cancel"] = tryCancel;
  table["mosaic_gpu.query_cluster_cancel"] = queryCancel;
}

} // namespace lanescope::core
