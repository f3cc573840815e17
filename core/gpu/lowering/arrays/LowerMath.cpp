// Unary math on arrays and scalars. f16 and bf16 are computed in f32 and rounded once.
//
// `fastmath<afn>` on an operation, which JAX writes for `approx=True`, selects the hardware's approximation.
#include "core/gpu/lowering/arrays/Elementwise.h"
#include "core/gpu/lowering/arrays/MathExpansion.h"
#include "core/gpu/lowering/arrays/MathFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace lanescope::core {

using namespace mlir;

namespace {

using Exact = Value (*)(ThreadBuilder &, Value);

struct Function {
  const char *name;
  Exact exact;
  const char *approximate;      // PTX instruction, null: none
  double before = 1, after = 1; // factors of the instruction's argument and of its result
};

Value sqrtF32(ThreadBuilder &t, Value x) { return t.create<LLVM::SqrtOp>(x); }
Value rsqrtF32(ThreadBuilder &t, Value x) { return t.create<LLVM::FDivOp>(t.number(x.getType(), 1), sqrtF32(t, x)); }

constexpr Function kFunctions[] = {
    {"math.exp", expF32, "ex2.approx.ftz.f32", 1.44269504088896341, 1},
    {"math.exp2", exp2F32, "ex2.approx.ftz.f32"},
    {"math.log", logF32, "lg2.approx.ftz.f32", 1, 0.693147180559945309},
    {"math.log2", log2F32, "lg2.approx.ftz.f32"},
    {"math.sin", sinF32, "sin.approx.ftz.f32"},
    {"math.cos", cosF32, "cos.approx.ftz.f32"},
    {"math.tanh", tanhF32, "tanh.approx.f32"},
    {"math.rsqrt", rsqrtF32, "rsqrt.approx.ftz.f32"},
    {"math.sqrt", sqrtF32, "sqrt.approx.ftz.f32"},
    {"math.erf", erfF32, nullptr},
};

bool wantsApproximation(Operation *op) {
  auto flags = op->getAttrOfType<arith::FastMathFlagsAttr>("fastmath");
  return flags && arith::bitEnumContainsAll(flags.getValue(), arith::FastMathFlags::afn);
}

Value approximation(ThreadBuilder &t, const Function &function, Value x) {
  Value result = t.undefined(x.getType());
  std::string text = std::string(function.approximate) + " $0, $1;";
  for (int64_t i = 0, n = ThreadBuilder::countOf(x.getType()); i < n; ++i) {
    Value one = t.extract(x, i);
    if (function.before != 1)
      one = t.create<LLVM::FMulOp>(one, t.number(t.f32(), function.before));
    one = t.purePtx(t.f32(), text, "=f,f", one);
    if (function.after != 1)
      one = t.create<LLVM::FMulOp>(one, t.number(t.f32(), function.after));
    result = t.insert(result, one, i);
  }
  return result;
}

const Function *functionOf(Operation *op) {
  for (const Function &each : kFunctions)
    if (op->getName().getStringRef() == each.name)
      return &each;
  return nullptr;
}

LogicalResult checkElementary(Operation *op) {
  if (wantsApproximation(op) && !functionOf(op)->approximate)
    return op->emitError() << "`" << op->getName().stripDialect() << "` has no approximation; drop `approx=True`";
  if (getElementTypeOrSelf(op->getResult(0).getType()).isF64())
    return op->emitError() << "`" << op->getName().stripDialect() << "` of f64 is not supported; convert to f32 first";
  return success();
}

/// `x`: f16, bf16 or f32, or a vector of them.
Value elementaryValue(ThreadBuilder &t, Operation *op, Value x) {
  const Function &function = *functionOf(op);
  Type type = x.getType(), single = ThreadBuilder::vectorOf(t.f32(), ThreadBuilder::countOf(type));
  Value wide = type == single ? x : t.create<LLVM::FPExtOp>(single, x);
  Value y = wantsApproximation(op) ? approximation(t, function, wide) : function.exact(t, wide);
  return type == single ? y : t.create<LLVM::FPTruncOp>(type, y);
}

LogicalResult elementary(KernelLowering &k, Operation *op) {
  if (failed(checkElementary(op)))
    return failure();
  return elementwise(k, op, [&](ArrayRef<Value> in, Type) -> Value { return elementaryValue(k.t, op, in[0]); });
}

/// Roundings and sign operations. They are exact in every width, but PTX has the roundings only for f32 and f64.
struct Simple {
  const char *from, *to;
  bool throughF32;
};
constexpr Simple kSimple[] = {
    {"math.absf", "llvm.intr.fabs", false},  {"math.floor", "llvm.intr.floor", true},
    {"math.ceil", "llvm.intr.ceil", true},   {"math.trunc", "llvm.intr.trunc", true},
    {"math.round", "llvm.intr.round", true}, {"math.roundeven", "llvm.intr.roundeven", true},
    {"math.fma", "llvm.intr.fma", false},    {"math.copysign", "llvm.intr.copysign", false},
};

const Simple *simpleOf(Operation *op) {
  for (const Simple &each : kSimple)
    if (op->getName().getStringRef() == each.from)
      return &each;
  return nullptr;
}

/// `in`: floats of 16 bits or more.
Value simpleValue(ThreadBuilder &t, const Simple &entry, Type type, ArrayRef<Value> in) {
  if (!entry.throughF32 || ThreadBuilder::elementOf(type).getIntOrFloatBitWidth() >= 32)
    return createNamed(t, entry.to, type, in);
  Type single = ThreadBuilder::vectorOf(t.f32(), ThreadBuilder::countOf(type));
  Value x = t.create<LLVM::FPExtOp>(single, in[0]);
  return t.create<LLVM::FPTruncOp>(type, createNamed(t, entry.to, single, x));
}

/// Clears the signs of floats that registers hold as integers.
LogicalResult clearedSigns(KernelLowering &k, Operation *op) {
  bool nibbles = getElementTypeOrSelf(op->getOperand(0).getType()).getIntOrFloatBitWidth() == 4;
  bool sixBits = getElementTypeOrSelf(op->getOperand(0).getType()).getIntOrFloatBitWidth() == 6;
  return elementwise(k, op, [&](ArrayRef<Value> in, Type type) -> Value {
    return k.t.create<LLVM::AndOp>(in[0], k.t.integer(type, nibbles ? 0x77 : sixBits ? 0x1f : 0x7f));
  });
}

LogicalResult simple(KernelLowering &k, Operation *op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (element.getIntOrFloatBitWidth() < 16) {
    if (op->getName().getStringRef() == "math.absf")
      return clearedSigns(k, op);
    return op->emitError() << "`" << op->getName().stripDialect() << "` of `" << element
                           << "` is not supported; convert with `astype` first";
  }
  const Simple &entry = *simpleOf(op);
  return elementwise(k, op, [&](ArrayRef<Value> in, Type type) { return simpleValue(k.t, entry, type, in); });
}

LogicalResult absolute(KernelLowering &k, Operation *op) {
  return elementwise(k, op, [&](ArrayRef<Value> in, Type) -> Value {
    return k.t.create<LLVM::AbsOp>(in[0].getType(), in[0], k.t.builder().getBoolAttr(false));
  });
}

LogicalResult leadingZeros(KernelLowering &k, Operation *op) {
  return elementwise(k, op, [&](ArrayRef<Value> in, Type type) -> Value {
    return k.t.create<LLVM::CountLeadingZerosOp>(type, in[0], k.t.builder().getBoolAttr(false));
  });
}

LogicalResult angle(KernelLowering &k, Operation *op) {
  if (!getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return op->emitError("`atan2` is computed in f32 only; convert with `astype` first");
  return elementwise(k, op, [&](ArrayRef<Value> in, Type) -> Value { return atan2F32(k.t, in[0], in[1]); });
}

/// Finds the entry of an operation on a scalar or a flat vector. MLIR would call a library for such an operation,
/// although LLVM has one of its own. Other shapes, which JAX does not produce in threads' code, are an error
/// (LaneConversion.cpp).
const Simple *simpleAlone(Operation *op) {
  const Simple *entry = simpleOf(op);
  if (!entry)
    return nullptr;
  auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
  bool flat = !vector || vector.getRank() <= 1;
  return flat && getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth() >= 16 ? entry : nullptr;
}

} // namespace

LogicalResult expandMath(Operation *root) {
  SmallVector<Operation *> found;
  root->walk([&](Operation *op) {
    if (functionOf(op) || simpleAlone(op) || op->getName().getStringRef() == "math.atan2")
      found.push_back(op);
  });
  for (Operation *op : found) {
    OpBuilder builder(op);
    ThreadBuilder t(builder, op->getLoc());
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    const Simple *exact = simpleAlone(op);
    bool angle = !functionOf(op) && !exact;
    if (angle && !element.isF32())
      return op->emitError("`atan2` is computed in f32 only");
    if (!angle && !exact && failed(checkElementary(op)))
      return failure();
    // A vector of one element is treated as a scalar.
    auto operand = [&](unsigned i) {
      Value given = op->getOperand(i);
      return ThreadBuilder::countOf(given.getType()) == 1 ? t.extract(given, 0) : given;
    };
    Type type = op->getResult(0).getType();
    SmallVector<Value> operands;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      operands.push_back(operand(i));
    Value value = angle   ? atan2F32(t, operands[0], operands[1])
                  : exact ? simpleValue(t, *exact, operands[0].getType(), operands)
                          : elementaryValue(t, op, operands[0]);
    op->replaceAllUsesWith(ValueRange(value.getType() == type ? value : t.insert(t.undefined(type), value, 0)));
    op->erase();
  }
  return success();
}

void addMath(HandlerTable &table) {
  for (const Function &function : kFunctions)
    table[function.name] = elementary;
  for (const Simple &entry : kSimple)
    table[entry.from] = simple;
  table["math.absi"] = absolute;
  table["math.ctlz"] = leadingZeros;
  table["math.atan2"] = angle;
}

} // namespace lanescope::core
