#include "core/gpu/lowering/arrays/LowerInlinePtx.h"

#include "core/gpu/ir/WarpOps.h"
#include "core/gpu/lowering/arrays/Elementwise.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

/// The letter for a type's registers in LLVM's constraints; 0: no register holds the type.
char registerLetter(Type type) {
  if (type.isF32())
    return 'f';
  if (type.isF64())
    return 'd';
  if (type.isInteger(1))
    return 'b';
  switch (type.getIntOrFloatBitWidth()) {
  case 16: return 'h';
  case 32: return 'r';
  case 64: return 'l';
  default: return 0;
  }
}

/// Extends a byte to 16 bits with zeros, because PTX has no byte registers.
Value inRegister(ThreadBuilder &t, Value element) {
  return element.getType().isInteger(8) ? t.create<LLVM::ZExtOp>(t.builder().getI16Type(), element) : element;
}

/// Emits the PTX for one element. A result never shares its register with a value (`&`), because the text may have
/// several statements, and write a result before it reads a value.
SmallVector<Value> emitOne(ThreadBuilder &t, StringRef ptx, ArrayRef<Type> results, ArrayRef<Value> operands) {
  std::string constraints;
  for (Type result : results)
    constraints += text(constraints.empty() ? "" : ",", "=&", registerLetter(result));
  SmallVector<Value> inputs;
  for (Value operand : operands) {
    inputs.push_back(inRegister(t, operand));
    constraints += text(constraints.empty() ? "" : ",", registerLetter(inputs.back().getType()));
  }
  if (results.empty()) {
    t.ptx(ptx, constraints, inputs);
    return {};
  }
  if (results.size() == 1)
    return {t.ptx(results.front(), ptx, constraints, inputs)};
  Value all = t.ptx(LLVM::LLVMStructType::getLiteral(t.context(), results), ptx, constraints, inputs);
  SmallVector<Value> out;
  for (size_t n = 0; n < results.size(); ++n)
    out.push_back(t.create<LLVM::ExtractValueOp>(all, ArrayRef{static_cast<int64_t>(n)}));
  return out;
}

/// Emits the PTX for each of `count` elements of a register. Gives a register for each result.
SmallVector<Value> emitAll(ThreadBuilder &t, StringRef ptx, ArrayRef<Type> results, int64_t count,
                           ArrayRef<Value> operands) {
  SmallVector<SmallVector<Value>> parts(results.size());
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> elements;
    for (Value operand : operands)
      elements.push_back(t.extract(operand, i));
    for (auto [part, value] : llvm::zip_equal(parts, emitOne(t, ptx, results, elements)))
      part.push_back(value);
  }
  SmallVector<Value> out;
  for (const SmallVector<Value> &part : parts)
    out.push_back(t.concatenate(part));
  return out;
}

/// Without a result, or with several.
LogicalResult severalResults(KernelLowering &k, statements::InlinePtxOp op) {
  const RegisterArray *model = nullptr;
  for (Value operand : op.getValues())
    if (k.isArray(operand) && (!model || model->isSplat()))
      model = &k.array(operand);
  SmallVector<Type> elements;
  for (Value result : op.getResults())
    elements.push_back(k.registerElement(getElementTypeOrSelf(result.getType())));
  if (!model) {
    SmallVector<Value> scalars;
    for (Value operand : op.getValues())
      scalars.push_back(k.scalar(operand));
    for (auto [result, value] : llvm::zip_equal(op.getResults(), emitOne(k.t, op.getPtx(), elements, scalars)))
      k.set(result, value);
    return success();
  }
  layouts::RegisterLayout layout = model->layout;
  std::vector<RegisterArray> out(elements.size(), RegisterArray{layout, model->shape, {}});
  int64_t registers = static_cast<int64_t>(model->registers.size());
  int64_t length = ThreadBuilder::countOf(model->registers.front().getType());
  for (int64_t r = 0; r < registers; ++r) {
    SmallVector<Value> operands;
    for (Value operand : op.getValues())
      operands.push_back(k.isArray(operand) ? k.array(operand, layout).registers[r]
                                            : k.t.splat(k.scalar(operand), length));
    for (auto [array, reg] : llvm::zip_equal(out, emitAll(k.t, op.getPtx(), elements, length, operands)))
      array.registers.push_back(reg);
  }
  for (auto [result, array] : llvm::zip_equal(op.getResults(), out))
    k.set(result, std::move(array));
  return success();
}

LogicalResult inlinePtx(KernelLowering &k, Operation *op) {
  auto inlined = cast<statements::InlinePtxOp>(op);
  if (inlined.getResults().size() != 1)
    return severalResults(k, inlined);
  return elementwise(k, op, [&](ArrayRef<Value> in, Type type) {
    return emitAll(k.t, inlined.getPtx(), ThreadBuilder::elementOf(type), ThreadBuilder::countOf(type), in).front();
  });
}

} // namespace

void addInlinePtx(HandlerTable &table) { table["lanescope.inline_ptx"] = inlinePtx; }

} // namespace lanescope::core
