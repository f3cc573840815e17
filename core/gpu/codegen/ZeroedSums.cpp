#include "core/gpu/codegen/ZeroedSums.h"

#include "core/gpu/lowering/tensor/KeepsSums.h"

#include "layouts/support/Text.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lanescope::core {

namespace {

unsigned sumCount(const llvm::CallInst &product) {
  auto *all = llvm::dyn_cast<llvm::StructType>(product.getType());
  return all ? all->getNumElements() : 1;
}

bool isZero(const llvm::Value *value) {
  const auto *constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant && constant->isNullValue();
}

/// If the operand is extracted from a vector or is a bitcast, returns the vector or the value that was cast; otherwise
/// the operand itself.
llvm::Value *wholeOf(llvm::Value *operand) {
  return llvm::isa<llvm::ExtractElementInst, llvm::BitCastInst>(operand)
             ? llvm::cast<llvm::Instruction>(operand)->getOperand(0)
             : operand;
}

/// The phi that holds the sum, or of which the sum is a part. Null if there is none, or if another instruction reads
/// it, too.
llvm::PHINode *carrier(llvm::Value *sum, const llvm::CallInst &product) {
  auto readBy = [&](const llvm::Value *value, auto onlyBy) { return llvm::all_of(value->users(), onlyBy); };
  auto isProduct = [&](const llvm::User *user) { return user == &product; };
  auto isPartForProduct = [&](const llvm::User *user) {
    return isProduct(user) || (llvm::isa<llvm::ExtractElementInst, llvm::BitCastInst>(user) && readBy(user, isProduct));
  };
  auto *phi = llvm::dyn_cast<llvm::PHINode>(wholeOf(sum));
  return phi && readBy(phi, isPartForProduct) ? phi : nullptr;
}

/// Adds the operand `keep` to the product: it is zero if the product is to ignore the old sum.
void setFlag(llvm::CallInst &product, llvm::Value *keep) {
  auto *assembly = llvm::cast<llvm::InlineAsm>(product.getCalledOperand());
  // Results and operands share one numbering.
  std::string text = assembly->getAsmString().str();
  text.replace(text.find(kKeepsSums), kKeepsSums.size(),
               lanescope::text("setp.ne.b32 keep, $", sumCount(product) + product.arg_size(), ", 0;"));
  std::string constraints = assembly->getConstraintString().str();
  constraints.insert(std::min(constraints.find(",~"), constraints.size()), ",r"); // clobbers are last
  llvm::SmallVector<llvm::Value *> operands(product.args());
  operands.push_back(keep);
  llvm::SmallVector<llvm::Type *> types;
  for (const llvm::Value *operand : operands)
    types.push_back(operand->getType());
  auto *type = llvm::FunctionType::get(product.getType(), types, /*isVarArg=*/false);
  llvm::Value *changed =
      llvm::InlineAsm::get(type, text, constraints, assembly->hasSideEffects(), assembly->isAlignStack());
  auto *call = llvm::CallInst::Create(type, changed, operands, "", product.getIterator());
  call->setAttributes(product.getAttributes());
  call->setDebugLoc(product.getDebugLoc());
  product.replaceAllUsesWith(call);
  product.eraseFromParent();
}

void flagZeroes(llvm::CallInst &product) {
  unsigned count = sumCount(product);
  llvm::Type *word = llvm::Type::getInt32Ty(product.getContext());
  auto sums = llvm::make_range(product.arg_begin(), product.arg_begin() + count);
  if (llvm::all_of(sums, [](const llvm::Use &sum) { return isZero(sum); })) {
    for (llvm::Use &sum : sums)
      sum = llvm::PoisonValue::get(sum->getType());
    setFlag(product, llvm::ConstantInt::get(word, 0));
    return;
  }
  llvm::SetVector<llvm::PHINode *> carriers;
  for (llvm::Use &sum : sums) {
    llvm::PHINode *phi = carrier(sum, product);
    if (!phi || phi->getParent() != (carriers.empty() ? phi : carriers.front())->getParent())
      return;
    carriers.insert(phi);
  }
  // An f16 sum may also be the left operand.
  if (llvm::any_of(llvm::drop_begin(product.args(), count), [&](const llvm::Use &operand) {
        auto *phi = llvm::dyn_cast<llvm::PHINode>(wholeOf(operand));
        return phi && carriers.contains(phi);
      }))
    return;
  // The block from which the zeros come, the same for all sums.
  llvm::PHINode *first = carriers.front();
  auto zeroFrom = [](llvm::PHINode *phi, llvm::BasicBlock *from) {
    return isZero(phi->getIncomingValueForBlock(from));
  };
  if (llvm::none_of(first->blocks(), [&](auto *from) { return zeroFrom(first, from); }))
    return;
  for (llvm::PHINode *phi : carriers)
    if (llvm::any_of(first->blocks(), [&](auto *from) { return zeroFrom(phi, from) != zeroFrom(first, from); }))
      return;
  auto *keep = llvm::PHINode::Create(word, first->getNumIncomingValues(), "keep", first->getIterator());
  for (llvm::BasicBlock *from : first->blocks())
    keep->addIncoming(llvm::ConstantInt::get(word, !zeroFrom(first, from)), from);
  for (llvm::PHINode *phi : carriers)
    for (llvm::BasicBlock *from : phi->blocks())
      if (zeroFrom(phi, from))
        phi->setIncomingValueForBlock(from, llvm::PoisonValue::get(phi->getType()));
  setFlag(product, keep);
}

} // namespace

void flagZeroedSums(llvm::Function &function) {
  llvm::SmallVector<llvm::CallInst *> products;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm())
      if (llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString().contains(kKeepsSums))
        products.push_back(call);
  for (llvm::CallInst *product : products)
    flagZeroes(*product);
}

} // namespace lanescope::core
