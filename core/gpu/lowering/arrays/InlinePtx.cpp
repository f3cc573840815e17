#include "core/gpu/lowering/arrays/InlinePtx.h"

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

/// Emits the PTX for one element; `result` is null for a statement.
Value emitOne(ThreadBuilder &t, StringRef ptx, Type result, ArrayRef<Value> operands) {
  std::string constraints = result ? text("=", registerLetter(result)) : "";
  for (Value operand : operands)
    constraints += text(constraints.empty() ? "" : ",", registerLetter(operand.getType()));
  if (result)
    return t.ptx(result, ptx, constraints, operands);
  t.ptx(ptx, constraints, operands);
  return {};
}

/// Extends a byte to 16 bits with zeros, because PTX has no byte registers.
Value inRegister(ThreadBuilder &t, Value element) {
  return element.getType().isInteger(8) ? t.create<LLVM::ZExtOp>(t.builder().getI16Type(), element) : element;
}

Value emitAll(ThreadBuilder &t, StringRef ptx, Type result, int64_t count, ArrayRef<Value> operands) {
  SmallVector<Value> parts;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> elements;
    for (Value operand : operands)
      elements.push_back(result ? t.extract(operand, i) : inRegister(t, t.extract(operand, i)));
    parts.push_back(emitOne(t, ptx, result, elements));
  }
  return result ? t.concatenate(parts) : Value();
}

LogicalResult statement(KernelLowering &k, statements::InlinePtxOp op) {
  const RegisterArray *model = nullptr;
  SmallVector<RegisterArray> arrays;
  for (Value operand : op.getValues())
    if (k.isArray(operand) && (!model || model->isSplat()))
      model = &k.array(operand);
  if (!model) {
    SmallVector<Value> scalars;
    for (Value operand : op.getValues())
      scalars.push_back(inRegister(k.t, k.scalar(operand)));
    emitOne(k.t, op.getPtx(), Type(), scalars);
    return success();
  }
  layouts::RegisterLayout layout = model->layout;
  int64_t registers = static_cast<int64_t>(model->registers.size());
  int64_t length = ThreadBuilder::countOf(model->registers.front().getType());
  for (int64_t r = 0; r < registers; ++r) {
    SmallVector<Value> operands;
    for (Value operand : op.getValues())
      operands.push_back(k.isArray(operand) ? k.array(operand, layout).registers[r]
                                            : k.t.splat(k.scalar(operand), length));
    emitAll(k.t, op.getPtx(), Type(), length, operands);
  }
  return success();
}

LogicalResult inlinePtx(KernelLowering &k, Operation *op) {
  auto inlined = cast<statements::InlinePtxOp>(op);
  if (!inlined.getResult())
    return statement(k, inlined);
  return elementwise(k, op, [&](ArrayRef<Value> in, Type type) {
    return emitAll(k.t, inlined.getPtx(), ThreadBuilder::elementOf(type), ThreadBuilder::countOf(type), in);
  });
}

} // namespace

void addInlinePtx(HandlerTable &table) { table["lanescope.inline_ptx"] = inlinePtx; }

} // namespace lanescope::core
