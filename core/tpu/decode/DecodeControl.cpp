// Regions and branches, flattened.
#include "core/tpu/decode/Decoder.h"
#include "core/tpu/ir/Tpu.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lanescope::core::sparsecore {

void FunctionDecoder::move(mlir::Operation &op, mlir::ValueRange from, mlir::ValueRange to) {
  if (from.empty())
    return;
  Instruction &instruction = emit(op, Op::Move, from);
  for (mlir::Value value : to)
    instruction.results.push_back(use(value));
}

void FunctionDecoder::forLoop(mlir::Operation &op) {
  auto loop = mlir::cast<mlir::scf::ForOp>(op);
  bool isUnsigned = op.hasAttr("unsignedCmp");
  std::vector<mlir::Value> from{loop.getLowerBound()}, to{loop.getInductionVar()};
  llvm::append_range(from, loop.getInitArgs());
  llvm::append_range(to, loop.getRegionIterArgs());
  move(op, from, to);
  uint32_t test = here();
  emit(op, Op::LoopTest, {loop.getInductionVar(), loop.getUpperBound()}).flag = isUnsigned;
  block(*loop.getBody());
  mlir::Operation &yield = *loop.getBody()->getTerminator();
  move(yield, yield.getOperands(), loop.getRegionIterArgs());
  Instruction &next = emit(op, Op::LoopNext, {loop.getInductionVar(), loop.getStep()});
  next.flag = isUnsigned;
  next.target = test;
  next.mode = static_cast<int32_t>(here());
  function_.code[test].target = here();
  move(op, loop.getRegionIterArgs(), op.getResults());
}

void FunctionDecoder::whileLoop(mlir::Operation &op) {
  auto loop = mlir::cast<mlir::scf::WhileOp>(op);
  move(op, loop.getInits(), loop.getBeforeArguments());
  uint32_t before = here();
  block(*loop.getBeforeBody());
  auto condition = loop.getConditionOp();
  uint32_t test = here();
  emit(*condition, Op::BranchIfNot, condition.getCondition());
  move(*condition, condition.getArgs(), loop.getAfterArguments());
  block(*loop.getAfterBody());
  mlir::Operation &yield = *loop.getAfterBody()->getTerminator();
  move(yield, yield.getOperands(), loop.getBeforeArguments());
  emit(yield, Op::Jump).target = before;
  function_.code[test].target = here();
  move(op, condition.getArgs(), op.getResults());
}

void FunctionDecoder::ifElse(mlir::Operation &op) {
  auto branch = mlir::cast<mlir::scf::IfOp>(op);
  uint32_t test = here();
  emit(op, Op::BranchIfNot, branch.getCondition());
  auto part = [&](mlir::Region &region) {
    if (region.empty())
      return;
    block(region.front());
    mlir::Operation &yield = *region.front().getTerminator();
    move(yield, yield.getOperands(), op.getResults());
  };
  part(branch.getThenRegion());
  uint32_t jump = here();
  emit(op, Op::Jump);
  function_.code[test].target = here();
  part(branch.getElseRegion());
  function_.code[jump].target = here();
}

void FunctionDecoder::scope(mlir::Operation &op) {
  emit(op, Op::ScopeEnter);
  mlir::Region &region = op.getRegion(0);
  if (!region.hasOneBlock())
    return fail(op, "a region of several blocks is not emulated");
  block(region.front());
  mlir::Operation &yield = *region.front().getTerminator();
  move(yield, yield.getOperands(), op.getResults());
  emit(yield, Op::ScopeExit);
}

bool FunctionDecoder::control(mlir::Operation &op) {
  if (mlir::isa<mlir::scf::ForOp>(op))
    forLoop(op);
  else if (mlir::isa<mlir::scf::WhileOp>(op))
    whileLoop(op);
  else if (mlir::isa<mlir::scf::IfOp>(op))
    ifElse(op);
  else if (mlir::isa<tpu::RegionOp>(op))
    scope(op);
  else if (auto check = mlir::dyn_cast<mlir::cf::AssertOp>(op))
    emit(op, Op::Assert, check.getArg()).text = tables_.text(check.getMsg());
  else if (auto start = mlir::dyn_cast<tpu::TraceStartOp>(op))
    emit(op, Op::TraceStart).text = tables_.text(start.getMessage());
  else if (mlir::isa<tpu::TraceStopOp>(op))
    emit(op, Op::TraceStop);
  else
    return false;
  return true;
}

/// The blocks of a function, with the branches between them.
void FunctionDecoder::branches(mlir::Region &body) {
  auto jump = [&](mlir::Operation &op, mlir::Block *to, mlir::ValueRange operands) {
    move(op, operands, to->getArguments());
    unresolved_.push_back({here(), to});
    emit(op, Op::Jump);
  };
  for (mlir::Block &each : body) {
    blocks_[&each] = here();
    block(each);
    mlir::Operation &end = *each.getTerminator();
    if (mlir::isa<mlir::func::ReturnOp>(end)) {
      emit(end, Op::Return, end.getOperands());
    } else if (auto branch = mlir::dyn_cast<mlir::cf::BranchOp>(end)) {
      jump(end, branch.getDest(), branch.getDestOperands());
    } else if (auto either = mlir::dyn_cast<mlir::cf::CondBranchOp>(end)) {
      uint32_t test = here();
      emit(end, Op::BranchIfNot, either.getCondition());
      jump(end, either.getTrueDest(), either.getTrueDestOperands());
      function_.code[test].target = here();
      jump(end, either.getFalseDest(), either.getFalseDestOperands());
    } else {
      fail(end, "a function ends in an operation that the emulator has not");
    }
  }
  for (auto [at, to] : unresolved_)
    function_.code[at].target = blocks_[to];
}

} // namespace lanescope::core::sparsecore
