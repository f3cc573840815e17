#include "core/gpu/ir/WrittenArguments.h"

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/ir/MosaicGpuRegions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <array>

namespace lanescope::core {

namespace {

using namespace mlir;

/// True if PTX text has an instruction that writes global memory.
bool ptxWrites(llvm::StringRef text) {
  constexpr std::array<llvm::StringRef, 6> kStores{"st.",          "red.",          "atom.",
                                                   "multimem.st.", "multimem.red.", "cp.reduce."};
  SmallVector<llvm::StringRef> statements;
  text.split(statements, ';');
  for (llvm::StringRef statement : statements) {
    statement = statement.trim(" \t\r\n{}");
    if (statement.consume_front("@"))
      statement = statement.drop_until([](char c) { return c == ' ' || c == '\t'; }).ltrim();
    if (llvm::any_of(kStores, [&](llvm::StringRef store) { return statement.starts_with(store); }) ||
        (statement.starts_with("cp.async.bulk") && statement.contains(".global.shared::cta")))
      return true;
  }
  return false;
}

/// True if the operation writes the memory that `operand` points to.
bool writes(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
    return ptxWrites(assembly.getAsmString());
  if (auto store = dyn_cast<mosaic_gpu::AsyncStoreOp>(op))
    return operand.get() == store.getDestination();
  if (auto store = dyn_cast<mosaic_gpu::VectorStoreOp>(op))
    return operand.get() == store.getDestination();
  llvm::StringRef name = op->getName().getStringRef();
  if (name.starts_with("nvvm."))
    return name.contains(".global.shared") || name.contains(".reduce") || name.contains(".scatter");
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> found;
    effects.getEffects(found);
    for (const MemoryEffects::EffectInstance &effect : found)
      if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue() == operand.get())
        return true;
    // An operation of LLVM's dialect states that it stores, but not through which operand.
  }
  if (isa<LLVM::StoreOp>(op))
    return operand.getOperandNumber() == 1;
  return isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op) && operand.getOperandNumber() == 0;
}

/// Collects the values derived from `operand`: results of pure operations, and values that loops carry.
void follow(OpOperand &operand, SmallVectorImpl<Value> &values) {
  Operation *op = operand.getOwner();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    if (BlockArgument carried = loop.getTiedLoopRegionIterArg(&operand))
      values.push_back(carried);
    if (OpResult result = loop.getTiedLoopResult(&operand))
      values.push_back(result);
    return;
  }
  if (isa<scf::YieldOp>(op)) {
    if (op->getParentOp()->getNumResults() > operand.getOperandNumber())
      values.push_back(op->getParentOp()->getResult(operand.getOperandNumber()));
    return;
  }
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    if (auto argument = branch.getSuccessorBlockArgument(operand.getOperandNumber()))
      values.push_back(*argument);
    return;
  }
  if (isa<mosaic_gpu::WarpMapOp, mosaic_gpu::CustomPrimitiveOp>(op)) {
    if (!op->getRegion(0).empty())
      values.push_back(op->getRegion(0).getArgument(operand.getOperandNumber()));
    return;
  }
  if (op->getName().getDialectNamespace() == "mosaic_gpu") {
    if (isa<mosaic_gpu::ReinterpretCastOp>(op))
      values.push_back(op->getResult(0));
    return;
  }
  if (isMemoryEffectFree(op) || isa<LLVM::InlineAsmOp>(op)) // PTX may compute an address, as `mapa` does
    llvm::append_range(values, op->getResults());
}

} // namespace

bool isWritten(Value pointer, PointerKind kind) {
  SmallVector<Value> values{pointer};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      if (writes(use))
        return true;
      if (kind == PointerKind::Memory || !isa<LLVM::GEPOp>(use.getOwner()))
        follow(use, values);
    }
  }
  return false;
}

} // namespace lanescope::core
