// Asynchronous copies, semaphores, barriers, and lines of the log.
#include "core/tpu/build/TpuBuilderImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lanescope::core {

using layouts::Dtype;

void TpuBuilder::startCopy(const TpuRef &source, const TpuRef &target, const TpuRef &semaphore,
                           const std::optional<TpuRef> &sourceSemaphore, const Elsewhere &where, int64_t priority) {
  impl_->create<tpu::EnqueueDMAOp>(
      unwrap(source), sourceSemaphore ? unwrap(*sourceSemaphore) : mlir::Value(), unwrap(target), unwrap(semaphore),
      Impl::orNull(where.device), Impl::orNull(where.core), Impl::orNull(where.subcore),
      impl_->builder.getI32IntegerAttr(static_cast<int32_t>(priority)), impl_->builder.getBoolAttr(false));
}

void TpuBuilder::waitCopy(const TpuRef &source, const TpuRef &target, const TpuRef &semaphore, const Elsewhere &where) {
  impl_->create<tpu::WaitDMA2Op>(unwrap(semaphore), unwrap(source), unwrap(target), Impl::orNull(where.device),
                                 Impl::orNull(where.core), impl_->builder.getBoolAttr(false));
}

void TpuBuilder::startIndirect(const TpuRef &source, const TpuRef &target, const Offsets &offsets,
                               const TpuRef &semaphore, const std::optional<IrValue> &filter, bool add) {
  mlir::Value rows =
      std::holds_alternative<TpuRef>(offsets) ? unwrap(std::get<TpuRef>(offsets)) : unwrap(std::get<IrValue>(offsets));
  impl_->create<tpu::EnqueueIndirectDMAOp>(unwrap(source), unwrap(target), rows, unwrap(semaphore),
                                           Impl::orNull(filter), impl_->builder.getBoolAttr(add));
}

void TpuBuilder::waitIndirect(const TpuRef &source, const TpuRef &target, const TpuRef &semaphore) {
  impl_->create<tpu::WaitIndirectDMAOp>(unwrap(semaphore), unwrap(source), unwrap(target));
}

IrValue TpuBuilder::readSemaphore(const TpuRef &semaphore) {
  return wrap(impl_->create<tpu::SemaphoreReadOp>(impl_->builder.getI32Type(), unwrap(semaphore)), Dtype::I32, {});
}

void TpuBuilder::waitSemaphore(const TpuRef &semaphore, const IrValue &amount) {
  impl_->create<tpu::SemaphoreWaitOp>(unwrap(semaphore), unwrap(amount));
}

void TpuBuilder::signalSemaphore(const TpuRef &semaphore, const IrValue &amount, const Elsewhere &where) {
  impl_->create<tpu::SemaphoreSignalOp>(unwrap(semaphore), unwrap(amount), Impl::orNull(where.device),
                                        Impl::orNull(where.core), Impl::orNull(where.subcore));
}

void TpuBuilder::barrier() { impl_->create<tpu::BarrierOp>(impl_->constant(impl_->builder.getIndexType(), 0)); }

IrValue TpuBuilder::deviceId() {
  return wrap(impl_->create<tpu::DeviceIdOp>(impl_->builder.getI32Type()), Dtype::I32, {});
}

void TpuBuilder::log(const std::string &tag, const std::optional<IrValue> &value) {
  llvm::SmallVector<mlir::Value> inputs;
  if (value)
    inputs.push_back(unwrap(*value));
  impl_->create<tpu::LogOp>(inputs, tag, false);
}

void TpuBuilder::log(const std::string &tag, const TpuRef &ref) {
  impl_->create<tpu::LogBufferOp>(unwrap(ref), impl_->builder.getDenseI64ArrayAttr(ref.shape), tag);
}

void TpuBuilder::debugPrint(const std::string &format, const std::vector<IrValue> &values) {
  assert(values.size() <= 1 && "the caller prints one value at most");
  log(format, values.empty() ? std::nullopt : std::optional(values.front()));
}

void TpuBuilder::check(const IrValue &condition, const std::string &message) {
  impl_->create<mlir::cf::AssertOp>(unwrap(condition), message);
}

void TpuBuilder::regionBegin(const std::string &name) {
  constexpr int32_t kLevel = 10; // the level of JAX's named scopes
  impl_->create<tpu::TraceStartOp>(name, static_cast<uint32_t>(kLevel));
}

void TpuBuilder::regionEnd(const std::string &) { impl_->create<tpu::TraceStopOp>(); }

void TpuBuilder::markParallel(int64_t unroll) {
  mlir::Operation &loop = *std::prev(impl_->builder.getInsertionPoint());
  loop.setAttr("sc.loop_unroll_factor", impl_->builder.getI64IntegerAttr(unroll));
  loop.setAttr("sc.parallel_access", impl_->builder.getUnitAttr());
}

} // namespace lanescope::core
