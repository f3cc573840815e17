#include "core/gpu/lowering/arrays/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace lanescope::core {

using namespace mlir;

Value createNamed(ThreadBuilder &t, llvm::StringRef name, Type type, ValueRange operands,
                  ArrayRef<NamedAttribute> attributes) {
  OperationState state(t.location(), name);
  state.addOperands(operands);
  state.addTypes(type);
  state.addAttributes(attributes);
  return t.builder().create(state)->getResult(0);
}

/// LLVM pads an odd number of 16-bit integers to pairs whose last half is undefined (`add.s16x2` of {x, undefined}). An
/// H200 gave wrong results for such code, as if the driver's compiler had dropped the operation.
static bool oneByOne(ArrayRef<Value> operands, Type type) {
  auto isOdd = [](Type one) {
    auto vector = dyn_cast<VectorType>(one);
    return vector && vector.getNumElements() % 2 == 1 && vector.getElementType().isInteger(16);
  };
  auto vector = dyn_cast<VectorType>(type);
  return isOdd(type) && llvm::all_of(operands, [&](Value operand) {
           auto own = dyn_cast<VectorType>(operand.getType());
           return own && own.getNumElements() == vector.getNumElements();
         });
}

static Value computeOneByOne(KernelLowering &k, ArrayRef<Value> operands, Type type, RegisterFunction compute) {
  auto vector = cast<VectorType>(type);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    SmallVector<Value> elements;
    for (Value operand : operands)
      elements.push_back(k.t.extract(operand, i));
    parts.push_back(compute(elements, vector.getElementType()));
  }
  return k.t.concatenate(parts);
}

LogicalResult elementwise(KernelLowering &k, Operation *op, RegisterFunction compute) {
  Value resultValue = op->getResult(0);
  Type element = k.registerElement(getElementTypeOrSelf(resultValue.getType()));
  if (!element)
    return op->emitError() << "arithmetic on `" << getElementTypeOrSelf(resultValue.getType())
                           << "` is not supported; convert with `astype` first";
  if (!k.isArray(resultValue)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(k.scalar(operand));
    k.set(resultValue, compute(operands, element));
    return success();
  }
  // A scalar among arrays, such as the condition of a select, is treated as a splat.
  layouts::RegisterLayout layout = layouts::WGSplatFragLayout{};
  for (Value operand : op->getOperands())
    if (k.isArray(operand) && !k.array(operand).isSplat()) {
      layout = k.array(operand).layout;
      break;
    }
  auto vector = cast<VectorType>(resultValue.getType());
  RegisterArray out{layout, layouts::Shape(vector.getShape().begin(), vector.getShape().end()), {}};
  if (auto *splat = std::get_if<layouts::WGSplatFragLayout>(&out.layout))
    splat->shape = out.shape;
  std::vector<RegisterArray> in;
  for (Value operand : op->getOperands()) {
    if (k.isArray(operand)) {
      in.push_back(k.array(operand, layout));
      if (in.back().layout != layout && !in.back().isSplat())
        return op->emitError("operands have different layouts, which layout inference should have reported");
    } else {
      int64_t count = KernelLowering::registerCount(layout, out.shape);
      in.push_back({layout, out.shape,
                    std::vector<Value>(count, k.t.splat(k.scalar(operand), KernelLowering::vectorLength(layout)))});
    }
  }
  Type type = out.isSplat() ? element : k.registerType(vector.getElementType(), layout);
  if (!type)
    return op->emitError("registers of an odd number of 4-bit elements do not fill whole bytes; choose a layout with "
                         "an even vector length");
  for (int64_t r = 0, n = KernelLowering::registerCount(layout, out.shape); r < n; ++r) {
    SmallVector<Value> operands;
    for (RegisterArray &each : in)
      operands.push_back(each.registers[r]);
    out.registers.push_back(oneByOne(operands, type) ? computeOneByOne(k, operands, type, compute)
                                                     : compute(operands, type));
  }
  k.set(resultValue, std::move(out));
  return success();
}

namespace {

/// Operations of arith that correspond to one LLVM operation.
struct Renamed {
  const char *from, *to;
  bool contract = false; // multiply-add may be fused, as JAX allows for add, subtract, multiply
};
constexpr Renamed kRenamed[] = {
    {"arith.addf", "llvm.fadd", true},
    {"arith.subf", "llvm.fsub", true},
    {"arith.mulf", "llvm.fmul", true},
    {"arith.divf", "llvm.fdiv"},
    {"arith.remf", "llvm.frem"},
    {"arith.negf", "llvm.fneg"},
    {"arith.maximumf", "llvm.intr.maximum"},
    {"arith.minimumf", "llvm.intr.minimum"},
    {"arith.maxnumf", "llvm.intr.maxnum"},
    {"arith.minnumf", "llvm.intr.minnum"},
    {"arith.addi", "llvm.add"},
    {"arith.subi", "llvm.sub"},
    {"arith.muli", "llvm.mul"},
    {"arith.divsi", "llvm.sdiv"},
    {"arith.divui", "llvm.udiv"},
    {"arith.remsi", "llvm.srem"},
    {"arith.remui", "llvm.urem"},
    {"arith.andi", "llvm.and"},
    {"arith.ori", "llvm.or"},
    {"arith.xori", "llvm.xor"},
    {"arith.shli", "llvm.shl"},
    {"arith.shrsi", "llvm.ashr"},
    {"arith.shrui", "llvm.lshr"},
    {"arith.maxsi", "llvm.intr.smax"},
    {"arith.minsi", "llvm.intr.smin"},
    {"arith.maxui", "llvm.intr.umax"},
    {"arith.minui", "llvm.intr.umin"},
    {"arith.select", "llvm.select"},
};

/// Registers hold narrow floats and 4-bit integers as bytes, so they can only be moved, not computed with.
LogicalResult checkArithmetic(Operation *op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (!element.isIntOrFloat() || element.isInteger(1))
    return success();
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits >= 16 || (bits == 8 && isa<IntegerType>(element)))
    return success();
  if (bits == 4 && isa<arith::CmpIOp>(op) && !isa<VectorType>(op->getOperand(0).getType()))
    return success(); // both operands are single numbers, which registers hold sign-extended to bytes
  return op->emitError() << "arithmetic on `" << element << "` is not supported; convert with `astype` first";
}

/// 4-bit elements are stored in pairs, so two conditions form the mask of a byte.
LogicalResult selectHalfBytes(KernelLowering &k, Operation *op) {
  return elementwise(k, op, [&](ArrayRef<Value> in, Type type) -> Value {
    ThreadBuilder &t = k.t;
    Type byte = t.builder().getI8Type();
    auto choose = [&](Value condition, int64_t mask) -> Value {
      return t.create<LLVM::SelectOp>(condition, t.integer(byte, mask), t.integer(byte, 0));
    };
    SmallVector<Value> bytes;
    for (int64_t i = 0, n = ThreadBuilder::countOf(type); i < n; ++i) {
      bool pairs = ThreadBuilder::countOf(in[0].getType()) == 2 * n;
      Value low = t.extract(in[0], pairs ? 2 * i : 0), high = t.extract(in[0], pairs ? 2 * i + 1 : 0);
      Value mask = t.create<LLVM::OrOp>(choose(low, 0x0f), choose(high, 0xf0));
      Value a = t.extract(in[1], i), b = t.extract(in[2], i);
      // b ^ ((a ^ b) & mask)
      Value differing = t.create<LLVM::AndOp>(t.create<LLVM::XOrOp>(a, b), mask);
      bytes.push_back(t.create<LLVM::XOrOp>(b, differing));
    }
    return t.concatenate(bytes);
  });
}

/// f8e8m0fnu has only powers of two, 2^(e - 127), so a reciprocal only changes the exponent.
LogicalResult reciprocal(KernelLowering &k, Operation *op) {
  APFloat numerator(0.0);
  if (!matchPattern(op->getOperand(0), m_ConstantFloat(&numerator)) || !numerator.isExactlyValue(1.0))
    return op->emitError("f8e8m0fnu has reciprocals, `1 / x`, and no other arithmetic; convert with `astype` first");
  constexpr int64_t kTwiceBias = 254;
  return elementwise(k, op, [&](ArrayRef<Value> in, Type type) {
    return k.t.create<LLVM::SubOp>(k.t.integer(type, kTwiceBias), in[1]);
  });
}

LogicalResult renamed(KernelLowering &k, Operation *op) {
  if (isa<arith::DivFOp>(op) && isa<Float8E8M0FNUType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return reciprocal(k, op);
  if (!isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp>(op) && failed(checkArithmetic(op)))
    return failure();
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && k.isArray(op->getResult(0)) && getElementTypeOrSelf(select.getType()).getIntOrFloatBitWidth() == 4)
    return selectHalfBytes(k, op);
  static const llvm::StringMap<Renamed> table = [] {
    llvm::StringMap<Renamed> table;
    for (const Renamed &entry : kRenamed)
      table[entry.from] = entry;
    return table;
  }();
  Renamed entry = table.lookup(op->getName().getStringRef());
  SmallVector<NamedAttribute> attributes;
  if (entry.contract)
    attributes.emplace_back(StringAttr::get(op->getContext(), "fastmathFlags"),
                            LLVM::FastmathFlagsAttr::get(op->getContext(), LLVM::FastmathFlags::contract));
  return elementwise(k, op,
                     [&](ArrayRef<Value> in, Type type) { return createNamed(k.t, entry.to, type, in, attributes); });
}

LogicalResult compareInteger(KernelLowering &k, Operation *op) {
  if (failed(checkArithmetic(op)))
    return failure();
  // arith and LLVM give these predicates the same numbers.
  auto predicate = static_cast<LLVM::ICmpPredicate>(cast<arith::CmpIOp>(op).getPredicate());
  const bool nibbles = op->getOperand(0).getType().isInteger(4);
  auto number = [&](Value value) -> Value {
    // The upper bits of a byte with one 4-bit element; conversions leave arbitrary bits there.
    constexpr int64_t kUnused = 4;
    return nibbles ? k.t.create<LLVM::AShrOp>(k.t.shiftLeft(value, kUnused), k.t.integer(value.getType(), kUnused))
                   : value;
  };
  return elementwise(k, op, [&](ArrayRef<Value> in, Type) {
    return k.t.create<LLVM::ICmpOp>(predicate, number(in[0]), number(in[1]));
  });
}

LogicalResult compareFloat(KernelLowering &k, Operation *op) {
  if (failed(checkArithmetic(op)))
    return failure();
  auto predicate = static_cast<LLVM::FCmpPredicate>(cast<arith::CmpFOp>(op).getPredicate());
  return elementwise(k, op,
                     [&](ArrayRef<Value> in, Type) { return k.t.create<LLVM::FCmpOp>(predicate, in[0], in[1]); });
}

/// Rounds towards minus infinity: q - (r != 0 and the signs of r and b differ).
LogicalResult floorDivide(KernelLowering &k, Operation *op) {
  return elementwise(k, op, [&](ArrayRef<Value> in, Type type) -> Value {
    ThreadBuilder &t = k.t;
    Value zero = t.integer(type, 0), q = t.create<LLVM::SDivOp>(in[0], in[1]);
    Value r = t.create<LLVM::SRemOp>(in[0], in[1]);
    Value inexact = t.compare(LLVM::ICmpPredicate::ne, r, zero);
    Value differ = t.compare(LLVM::ICmpPredicate::slt, t.bitXor(r, in[1]), zero);
    Value down = t.create<LLVM::AndOp>(inexact, differ);
    return t.create<LLVM::SelectOp>(down, t.create<LLVM::AddOp>(q, t.integer(type, -1)), q);
  });
}

LogicalResult constant(KernelLowering &k, Operation *op) {
  Attribute attribute = cast<arith::ConstantOp>(op).getValue();
  auto make = [&](Attribute value, Type source) -> Value {
    Type type = k.registerElement(source);
    if (!type)
      return Value();
    if (auto integer = dyn_cast<IntegerAttr>(value))
      return k.t.integer(type, integer.getValue().getSExtValue());
    auto number = cast<FloatAttr>(value);
    if (isa<IntegerType>(type)) // a narrow float, held as its bits
      return k.t.integer(type, number.getValue().bitcastToAPInt().getSExtValue());
    return k.t.create<LLVM::ConstantOp>(type, number);
  };
  Value result = op->getResult(0);
  if (auto vector = dyn_cast<VectorType>(result.getType())) {
    auto elements = dyn_cast<SplatElementsAttr>(attribute);
    if (!elements)
      return op->emitError("an array constant must have one value for all elements");
    Value one = make(elements.getSplatValue<Attribute>(), vector.getElementType());
    if (!one)
      return op->emitError() << "constants of `" << vector.getElementType() << "` are not supported yet";
    layouts::Shape shape(vector.getShape().begin(), vector.getShape().end());
    k.set(result, RegisterArray{layouts::WGSplatFragLayout{shape}, shape, {one}});
    return success();
  }
  Value one = make(attribute, result.getType());
  if (!one)
    return op->emitError() << "constants of `" << result.getType() << "` are not supported yet";
  k.set(result, one);
  return success();
}

LogicalResult poison(KernelLowering &k, Operation *op) {
  return elementwise(k, op, [&](ArrayRef<Value>, Type type) { return k.t.undefined(type); });
}

} // namespace

void addElementwise(HandlerTable &table) {
  for (const Renamed &entry : kRenamed)
    table[entry.from] = renamed;
  table["arith.cmpi"] = compareInteger;
  table["arith.cmpf"] = compareFloat;
  table["arith.floordivsi"] = floorDivide;
  table["arith.constant"] = constant;
  table["ub.poison"] = poison;
}

} // namespace lanescope::core
