// The NVVM operations of ThreadBuilder, kept in one file because their header is slow to compile.
#include "core/gpu/lowering/thread/KernelLowering.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace lanescope::core {

using namespace mlir;

void insertLoweringDialects(DialectRegistry &registry) { registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect>(); }

Value ThreadBuilder::threadId() { return create<NVVM::ThreadIdXOp>(i32()); }

Value ThreadBuilder::blockId(int dim) {
  switch (dim) {
  case 0: return create<NVVM::BlockIdXOp>(i32());
  case 1: return create<NVVM::BlockIdYOp>(i32());
  default: return create<NVVM::BlockIdZOp>(i32());
  }
}

Value ThreadBuilder::gridSize(int dim) {
  switch (dim) {
  case 0: return create<NVVM::GridDimXOp>(i32());
  case 1: return create<NVVM::GridDimYOp>(i32());
  default: return create<NVVM::GridDimZOp>(i32());
  }
}

Value ThreadBuilder::electOne() { return create<NVVM::ElectSyncOp>(i1(), Value()); }

Value ThreadBuilder::uniform(Value value) {
  return create<NVVM::ShflOp>(i32(), constant(-1), value, constant(0), constant(31), NVVM::ShflKind::idx, UnitAttr());
}

Value ThreadBuilder::shuffleXor(Value bits, int lanes) {
  return create<NVVM::ShflOp>(i32(), constant(-1), bits, constant(lanes), constant(31), NVVM::ShflKind::bfly,
                              UnitAttr());
}

void ThreadBuilder::blockBarrier() { create<NVVM::BarrierOp>(); }

void ThreadBuilder::barrier(Value id, int64_t threads) {
  create<NVVM::BarrierOp>(TypeRange(), id, constant(threads), NVVM::BarrierReductionAttr(), Value());
}

void ThreadBuilder::fenceBarrierInit() { create<NVVM::FenceMbarrierInitOp>(); }

void ThreadBuilder::fenceAsyncShared() {
  create<NVVM::FenceProxyOp>(NVVM::ProxyKindAttr::get(context(), NVVM::ProxyKind::async_shared),
                             NVVM::SharedSpaceAttr::get(context(), NVVM::SharedSpace::shared_cta));
}

void ThreadBuilder::commitBulkGroup() { create<NVVM::CpAsyncBulkCommitGroupOp>(); }

void ThreadBuilder::waitBulkGroups(int pending, bool readOnly) {
  create<NVVM::CpAsyncBulkWaitGroupOp>(builder_.getI32IntegerAttr(pending),
                                       readOnly ? builder_.getUnitAttr() : UnitAttr());
}

} // namespace lanescope::core
