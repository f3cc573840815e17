// References, loads and stores, copies, semaphores, logs.
#include "core/tpu/decode/TpuDecoder.h"
#include "core/tpu/ir/Tpu.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lanescope::core::sparsecore {

/// Adds the operands with their roles; skips absent ones.
static void give(Instruction &made, std::initializer_list<std::pair<Role, uint32_t>> operands) {
  for (auto [role, value] : operands) {
    made.operands.push_back(value);
    made.roles.push_back(role);
  }
}

bool FunctionDecoder::memory(mlir::Operation &op) {
  auto plain = [&](Op code) -> Instruction & { return emit(op, code, op.getOperands(), op.getResults()); };
  auto addAll = [&](Instruction &made, Role role, mlir::ValueRange values) {
    for (mlir::Value value : values) {
      uint32_t used = use(value);
      give(made, {{role, used}});
    }
  };
  auto addSome = [&](Instruction &made, Role role, mlir::Value value) {
    if (value)
      addAll(made, role, value);
  };
  if (mlir::isa<mlir::memref::AllocaOp, mlir::memref::AllocOp>(op))
    plain(Op::Alloca);
  else if (mlir::isa<tpu::MemRefSliceOp>(op))
    plain(Op::SliceRef);
  else if (mlir::isa<tpu::MemRefSqueezeOp>(op))
    plain(Op::SqueezeRef);
  else if (mlir::isa<tpu::MemRefReshapeOp>(op))
    plain(Op::ReshapeRef);
  else if (mlir::isa<tpu::MemRefBitcastOp>(op))
    plain(Op::BitcastRef);
  else if (mlir::isa<mlir::memref::CastOp, tpu::EraseLayoutOp>(op))
    plain(Op::CastRef);
  else if (mlir::isa<mlir::memref::DimOp>(op))
    plain(Op::Dim);
  else if (mlir::isa<mlir::memref::LoadOp>(op))
    plain(Op::Load);
  else if (mlir::isa<mlir::memref::StoreOp>(op))
    plain(Op::Store);
  else if (auto load = mlir::dyn_cast<tpu::VectorLoadOp>(op)) {
    Instruction &made = emit(op, Op::VectorLoad, {}, op.getResults());
    addAll(made, Role::Base, load.getBase());
    addAll(made, Role::Index, load.getIndices());
    addSome(made, Role::Mask, load.getMask());
    made.numbers.assign(load.getStrides().begin(), load.getStrides().end());
  } else if (auto store = mlir::dyn_cast<tpu::VectorStoreOp>(op)) {
    Instruction &made = emit(op, Op::VectorStore);
    addAll(made, Role::Value, store.getValueToStore());
    addAll(made, Role::Base, store.getBase());
    addAll(made, Role::Index, store.getIndices());
    addSome(made, Role::Mask, store.getMask());
    made.numbers.assign(store.getStrides().begin(), store.getStrides().end());
    made.flag = store.getAdd();
  } else if (auto load = mlir::dyn_cast<tpu::VectorLoadIdxOp>(op)) {
    Instruction &made = emit(op, Op::VectorLoadIdx, {}, op.getResults());
    addAll(made, Role::Base, load.getBase());
    addAll(made, Role::Index, load.getIndices());
    addSome(made, Role::Mask, load.getMask());
  } else if (auto store = mlir::dyn_cast<tpu::VectorStoreIdxOp>(op)) {
    Instruction &made = emit(op, Op::VectorStoreIdx);
    addAll(made, Role::Value, store.getValueToStore());
    addAll(made, Role::Base, store.getBase());
    addAll(made, Role::Index, store.getIndices());
    addSome(made, Role::Mask, store.getMask());
    made.flag = store.getAdd();
  } else if (auto add = mlir::dyn_cast<tpu::FetchAndAddSyncOp>(op)) {
    Instruction &made = emit(op, Op::FetchAndAdd, {}, op.getResults());
    addAll(made, Role::Base, add.getBase());
    addAll(made, Role::Index, add.getIndices());
    addAll(made, Role::Value, add.getValue());
    addAll(made, Role::Core, add.getCoreId());
  } else if (auto copy = mlir::dyn_cast<tpu::EnqueueDMAOp>(op)) {
    Instruction &made = emit(op, Op::EnqueueDma);
    addAll(made, Role::Source, copy.getSource());
    addAll(made, Role::Target, copy.getTarget());
    addSome(made, Role::SourceSemaphore, copy.getSourceSemaphore());
    addSome(made, Role::Semaphore, copy.getTargetSemaphore());
    addSome(made, Role::Device, copy.getDeviceId());
    addSome(made, Role::Core, copy.getCoreId());
    addSome(made, Role::Subcore, copy.getSubcoreId());
  } else if (auto copy = mlir::dyn_cast<tpu::EnqueueIndirectDMAOp>(op)) {
    Instruction &made = emit(op, Op::EnqueueIndirectDma);
    addAll(made, Role::Source, copy.getSource());
    addAll(made, Role::Target, copy.getTarget());
    addAll(made, Role::Offsets, copy.getOffsets());
    addAll(made, Role::Semaphore, copy.getSemaphore());
    addSome(made, Role::Filter, copy.getOffsetFilter());
    made.flag = copy.getAdd();
  } else if (auto wait = mlir::dyn_cast<tpu::WaitDMA2Op>(op)) {
    Instruction &made = emit(op, Op::WaitDma);
    addAll(made, Role::Semaphore, wait.getSemaphore());
    addAll(made, Role::Source, wait.getSrc());
    addAll(made, Role::Target, wait.getDst());
  } else if (auto wait = mlir::dyn_cast<tpu::WaitIndirectDMAOp>(op)) {
    Instruction &made = emit(op, Op::WaitDma);
    addAll(made, Role::Semaphore, wait.getSemaphore());
    addAll(made, Role::Source, wait.getSrc());
    addAll(made, Role::Target, wait.getDst());
    made.mode = 1;
  } else
    return false;
  return true;
}

bool FunctionDecoder::synchronisation(mlir::Operation &op) {
  auto plain = [&](Op code) -> Instruction & { return emit(op, code, op.getOperands(), op.getResults()); };
  if (mlir::isa<tpu::AllocaSemaphoreOp>(op))
    plain(Op::SemaphoreAlloc);
  else if (mlir::isa<tpu::GetBarrierSemaphoreOp>(op))
    plain(Op::SemaphoreBarrier);
  else if (mlir::isa<tpu::SemaphoreReadOp>(op))
    plain(Op::SemaphoreRead);
  else if (mlir::isa<tpu::BarrierOp>(op))
    plain(Op::Barrier);
  else if (mlir::isa<tpu::DeviceIdOp>(op))
    plain(Op::DeviceId);
  else if (mlir::isa<tpu::CoreIdOp>(op))
    plain(Op::CoreId);
  else if (mlir::isa<tpu::SubcoreIdOp>(op))
    plain(Op::SubcoreId);
  else if (auto wait = mlir::dyn_cast<tpu::SemaphoreWaitOp>(op)) {
    uint32_t semaphore = use(wait.getSemaphore()), amount = use(wait.getAmount());
    give(emit(op, Op::SemaphoreWait), {{Role::Semaphore, semaphore}, {Role::Amount, amount}});
  } else if (auto signal = mlir::dyn_cast<tpu::SemaphoreSignalOp>(op)) {
    Instruction &made = emit(op, Op::SemaphoreSignal);
    uint32_t semaphore = use(signal.getSemaphore()), amount = use(signal.getAmount());
    give(made, {{Role::Semaphore, semaphore}, {Role::Amount, amount}});
    for (auto [role, value] : {std::pair{Role::Device, signal.getDeviceId()},
                               {Role::Core, signal.getCoreId()},
                               {Role::Subcore, signal.getSubcoreId()}})
      if (value)
        give(made, {{role, use(value)}});
  } else
    return false;
  return true;
}

bool FunctionDecoder::logs(mlir::Operation &op) {
  if (auto log = mlir::dyn_cast<tpu::LogOp>(op)) {
    emit(op, Op::Log, op.getOperands()).text = tables_.text(log.getTag());
  } else if (auto log = mlir::dyn_cast<tpu::LogBufferOp>(op)) {
    Instruction &made = emit(op, Op::LogBuffer, op.getOperands());
    made.text = tables_.text(log.getTag());
    made.numbers.assign(log.getShape().begin(), log.getShape().end());
  } else
    return false;
  return true;
}

} // namespace lanescope::core::sparsecore
