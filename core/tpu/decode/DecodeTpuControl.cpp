// Decodes regions and branches into flat code.
#include "core/tpu/decode/TpuDecoder.h"
#include "core/tpu/ir/Tpu.h"
#include "layouts/support/Text.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

#include <utility>

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

/// Puts the callee's code in the place of the call. A function does not call itself, so each value of the callee has
/// only one place, even if the function is called several times.
void FunctionDecoder::inlined(mlir::Operation &op) {
  auto call = mlir::cast<mlir::func::CallOp>(op);
  auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(&op, call.getCalleeAttr());
  constexpr size_t kMostInstructions = 1 << 20;
  if (!callee || callee.isExternal())
    return fail(op, Message("`{}` has no body", call.getCallee().str()));
  if (llvm::is_contained(callees_, callee.getOperation()))
    return fail(op, Message("`{}` calls itself, which a SparseCore cannot", call.getCallee().str()));
  if (function_.code.size() > kMostInstructions)
    return fail(op, "calls that come to more operations than the emulator keeps");
  move(op, op.getOperands(), callee.getArguments());
  callees_.push_back(callee);
  branches(callee.getBody(), &op);
  callees_.pop_back();
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
  else if (mlir::isa<mlir::func::CallOp>(op))
    inlined(op);
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

void FunctionDecoder::branches(mlir::Region &body, mlir::Operation *call) {
  auto blocks = std::exchange(blocks_, llvm::DenseMap<mlir::Block *, uint32_t>());
  auto unresolved = std::exchange(unresolved_, {});
  std::vector<uint32_t> returns; // jumps to the code after the call
  auto jump = [&](mlir::Operation &op, mlir::Block *to, mlir::ValueRange operands) {
    move(op, operands, to->getArguments());
    unresolved_.push_back({here(), to});
    emit(op, Op::Jump);
  };
  for (mlir::Block &each : body) {
    blocks_[&each] = here();
    block(each);
    mlir::Operation &end = *each.getTerminator();
    if (mlir::isa<mlir::func::ReturnOp>(end) && call) {
      move(end, end.getOperands(), call->getResults());
      returns.push_back(here());
      emit(end, Op::Jump);
    } else if (mlir::isa<mlir::func::ReturnOp>(end)) {
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
      fail(end, "a function ends in an operation that the emulator does not have");
    }
  }
  for (auto [at, to] : unresolved_)
    function_.code[at].target = blocks_[to];
  for (uint32_t at : returns)
    function_.code[at].target = here();
  blocks_ = std::move(blocks);
  unresolved_ = std::move(unresolved);
}

} // namespace lanescope::core::sparsecore
