#include "core/gpu/codegen/AssemblyChecks.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/IR/InlineAsm.h"

namespace lanescope::core {

namespace {

using namespace mlir;

/// True for registers by width and kind, constants, and operands tied to a result (LLVM, NVPTXISelLowering.cpp).
bool isKnown(llvm::StringRef code) {
  constexpr llvm::StringLiteral kLetters = "bchrlfdqnis";
  return (code.size() == 1 && kLetters.contains(code[0])) || (!code.empty() && llvm::all_of(code, llvm::isDigit));
}

/// True if the register kind of the letter takes values of the type's width.
bool fits(llvm::StringRef code, Type type) {
  if (isa<LLVM::LLVMPointerType>(type) || !type.isIntOrFloat())
    return true;
  unsigned bits = type.getIntOrFloatBitWidth();
  switch (code.size() == 1 ? code[0] : '0') {
  case 'b': return bits == 1;
  case 'f': return bits == 32;
  case 'd': return bits == 64;
  case 'q': return bits == 128;
  case 'r': return bits <= 32;
  case 'h':
  case 'c': return bits <= 16;
  default: return true;
  }
}

/// True if a `$` in the text refers to an operand that does not exist.
bool namesAnother(llvm::StringRef text, size_t operands) {
  for (size_t at = text.find('$'); at != llvm::StringRef::npos; at = text.find('$', at)) {
    llvm::StringRef rest = text.drop_front(at + 1);
    at += 2;
    if (rest.starts_with("$"))
      continue;
    rest.consume_front("{");
    uint64_t number = 0;
    if (rest.consumeInteger(10, number) || number >= operands)
      return true;
  }
  return false;
}

LogicalResult check(LLVM::InlineAsmOp op) {
  auto constraints = llvm::InlineAsm::ParseConstraints(op.getConstraints());
  if (constraints.empty() && !op.getConstraints().empty())
    return op.emitError("has constraints that cannot be read");
  SmallVector<Type> results;
  if (op.getNumResults() == 1) {
    auto fields = dyn_cast<LLVM::LLVMStructType>(op.getResult(0).getType());
    if (fields)
      llvm::append_range(results, fields.getBody());
    else if (!isa<LLVM::LLVMVoidType>(op.getResult(0).getType()))
      results.push_back(op.getResult(0).getType());
  }
  size_t outputs = 0, inputs = 0;
  for (const llvm::InlineAsm::ConstraintInfo &one : constraints) {
    if (one.Type == llvm::InlineAsm::isClobber)
      continue;
    bool output = one.Type == llvm::InlineAsm::isOutput;
    size_t &number = output ? outputs : inputs;
    auto known = output ? TypeRange(results) : TypeRange(op.getOperandTypes());
    std::string code = one.Codes.size() == 1 ? one.Codes.front() : "";
    if (one.isIndirect || one.isMultipleAlternative || !isKnown(code))
      return op.emitError(text("has the constraint `", code, "`, which PTX has no operands for"));
    if (number < known.size() && !fits(code, known[number]))
      return op.emitError() << "gives the constraint `" << code << "` a value of type " << known[number];
    ++number;
  }
  if (outputs != results.size() || inputs != op.getNumOperands())
    return op.emitError(text("has constraints for ", outputs, " results and ", inputs, " operands, but ",
                             results.size(), " and ", op.getNumOperands(), " of them"));
  if (namesAnother(op.getAsmString(), outputs + inputs))
    return op.emitError(text("names an operand with `$` that it does not have; there are ", outputs + inputs));
  return success();
}

} // namespace

LogicalResult checkInlineAssembly(ModuleOp module) {
  auto walked = module.walk(
      [](LLVM::InlineAsmOp op) { return failed(check(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
  return failure(walked.wasInterrupted());
}

} // namespace lanescope::core
