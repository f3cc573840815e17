// Operations on the launch: a thread's place in grid and block, register counts, clusters, semaphores.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/ir/MosaicGpuTensor.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lanescope::core {

using layouts::Dtype;

IrValue LaunchEmitter::programId(int dim) {
  return wrap(impl_->create<statements::ProgramIdOp>(impl_->builder.getI32Type(), static_cast<uint32_t>(dim)),
              Dtype::I32, {});
}

IrValue LaunchEmitter::warpgroupId() {
  return wrap(impl_->create<statements::WarpgroupIdOp>(impl_->builder.getI32Type()), Dtype::I32, {});
}

void LaunchEmitter::setMaxRegisters(int64_t registers, bool increase) {
  impl_->create<statements::SetMaxRegistersOp>(static_cast<uint32_t>(registers), increase);
}

IrValue LaunchEmitter::clusterId(int dim) {
  return wrap(impl_->create<statements::ClusterIdOp>(impl_->builder.getI32Type(), static_cast<uint32_t>(dim)),
              Dtype::I32, {});
}

IrValue LaunchEmitter::blockInCluster(int dim) {
  return wrap(impl_->create<statements::BlockInClusterOp>(impl_->builder.getI32Type(), static_cast<uint32_t>(dim)),
              Dtype::I32, {});
}

IrRef LaunchEmitter::inBlock(const IrRef &ref, const std::array<std::optional<IrValue>, 3> &place) {
  auto at = [&](size_t dim) { return place[dim] ? unwrap(*place[dim]) : mlir::Value(); };
  auto type = inCluster(mlir::cast<mlir::MemRefType>(unwrap(ref).getType()));
  mlir::Value remote = impl_->create<mosaic_gpu::GetClusterRefOp>(type, unwrap(ref), at(0), at(1), at(2));
  return {remote.getAsOpaquePointer(), ref.dtype, ref.shape, MemorySpace::Cluster};
}

void LaunchEmitter::semaphoreSignal(const IrRef &semaphores, const Offset &index, const IrValue &value,
                                    SemaphoreScope scope, SignalOrder order) {
  mlir::Value at = impl_->i32(index);
  impl_->create<statements::SemaphoreSignalOp>(unwrap(semaphores), at, unwrap(value), scope == SemaphoreScope::System,
                                               order == SignalOrder::Relaxed);
}

void LaunchEmitter::semaphoreWait(const IrRef &semaphores, const Offset &index, const IrValue &value,
                                  SemaphoreWait wait, SemaphoreScope scope) {
  mlir::Value at = impl_->i32(index);
  impl_->create<statements::SemaphoreWaitOp>(unwrap(semaphores), at, unwrap(value), wait == SemaphoreWait::Decrement,
                                             scope == SemaphoreScope::System);
}

IrValue LaunchEmitter::semaphoreRead(const IrRef &semaphores, const Offset &index, SemaphoreScope scope) {
  if (!impl_->semaphoreScratch) {
    mlir::OpBuilder::InsertionGuard guard(impl_->builder);
    impl_->builder.setInsertionPoint(impl_->prologueEnd);
    auto type = mlir::MemRefType::get({impl_->frame.warpgroups}, impl_->builder.getI32Type(),
                                      mlir::MemRefLayoutAttrInterface{}, sharedMemorySpace(impl_->context.get()));
    mlir::Value slice = impl_->sliceLasting(type, alignedTo(4 * impl_->frame.warpgroups, kBarrierBytes));
    slice = impl_->create<mosaic_gpu::WithTransformsOp>(slice, impl_->builder.getArrayAttr({}));
    impl_->semaphoreScratch =
        IrRef{slice.getAsOpaquePointer(), Dtype::I32, {impl_->frame.warpgroups}, MemorySpace::Shared};
  }
  mlir::Value at = impl_->i32(index);
  return wrap(impl_->create<statements::SemaphoreReadOp>(impl_->builder.getI32Type(), unwrap(semaphores), at,
                                                         unwrap(*impl_->semaphoreScratch),
                                                         scope == SemaphoreScope::System),
              Dtype::I32, {});
}

void LaunchEmitter::tryClusterCancel(const IrRef &result, const IrBarrier &barrier) {
  constexpr int64_t kAnswerBytes = 16;
  mlir::Value place = impl_->barrier(barrier);
  impl_->create<mosaic_gpu::ArriveExpectTxOp>(place, impl_->i32(kAnswerBytes));
  impl_->create<mosaic_gpu::TryClusterCancelOp>(unwrap(result), place, mlir::Value());
}

LaunchEmitter::CancelledCluster LaunchEmitter::queryClusterCancel(const IrRef &result) {
  mlir::Type i32 = impl_->builder.getI32Type();
  auto query = impl_->create<mosaic_gpu::QueryClusterCancelOp>(
      mlir::TypeRange{i32, i32, i32, impl_->builder.getI1Type()}, unwrap(result));
  return {{wrap(query.getX(), Dtype::I32, {}), wrap(query.getY(), Dtype::I32, {}), wrap(query.getZ(), Dtype::I32, {})},
          wrap(query.getSuccess(), Dtype::I1, {})};
}

} // namespace lanescope::core
