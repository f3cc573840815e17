#include "core/gpu/inference/demands/CommonDivisor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"

#include <numeric>

namespace lanescope::core {

using namespace mlir;

namespace {

constexpr int kMaxDepth = 10;

bool isPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

bool divides(int64_t divisor, Value value, int depth);

bool anyOperand(Operation *op, int64_t divisor, int depth) {
  return llvm::any_of(op->getOperands(), [&](Value each) { return divides(divisor, each, depth); });
}
bool allOperands(Operation *op, int64_t divisor, int depth) {
  return llvm::all_of(op->getOperands(), [&](Value each) { return divides(divisor, each, depth); });
}

bool divides(int64_t divisor, Value value, int depth) {
  if (divisor == 1)
    return true;
  if (depth < 0)
    return false;
  --depth;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // Code of a warp sees the arguments of its warpgroup's operation.
    Operation *owner = argument.getOwner()->getParentOp();
    return owner && owner->getName().getStringRef() == "mosaic_gpu.warp_map" &&
           argument.getArgNumber() < owner->getNumOperands() &&
           divides(divisor, owner->getOperand(argument.getArgNumber()), depth);
  }
  Operation *op = value.getDefiningOp();
  if (op->getName().getStringRef() == "mosaic_gpu.assume_multiple") {
    auto multiple = op->getAttrOfType<IntegerAttr>("multiple");
    return (multiple && multiple.getInt() % divisor == 0) || divides(divisor, op->getOperand(0), depth);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto number = constant->getAttrOfType<IntegerAttr>("value");
    return number && number.getValue().sextOrTrunc(64).getSExtValue() % divisor == 0;
  }
  if (isa<arith::IndexCastOp>(op))
    return divides(divisor, op->getOperand(0), depth);
  if (isa<arith::MulIOp>(op))
    return anyOperand(op, divisor, depth);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return divides(divisor, select.getTrueValue(), depth) && divides(divisor, select.getFalseValue(), depth);
  if (isa<arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp, arith::AddIOp, arith::SubIOp, arith::RemUIOp,
          arith::RemSIOp>(op))
    return allOperands(op, divisor, depth);
  // Only the lower bits determine the divisor.
  if (isa<arith::AndIOp>(op))
    return isPowerOfTwo(divisor) && anyOperand(op, divisor, depth);
  if (isa<arith::TruncIOp>(op))
    return isPowerOfTwo(divisor) && divides(divisor, op->getOperand(0), depth);
  return false;
}

} // namespace

int64_t commonDivisor(int64_t a, int64_t b) {
  if (ShapedType::isDynamic(a))
    std::swap(a, b);
  return ShapedType::isDynamic(b) && !ShapedType::isDynamic(a) ? (a & -a) : std::gcd(a, b);
}

bool isKnownDivisible(Value value, int64_t divisor) { return divides(divisor, value, kMaxDepth); }

FailureOr<int64_t> commonDivisor(int64_t a, Value b) {
  if (a <= 0)
    return emitError(b.getLoc()) << "a slice of " << a << " elements has no layout";
  if (isa<VectorType>(b.getType()))
    return 1;
  if (!isa<IntegerType, IndexType>(b.getType()))
    return emitError(b.getLoc()) << "an index is an integer, this is " << b.getType();
  if (auto constant = b.getDefiningOp<arith::ConstantOp>())
    if (auto number = constant->getAttrOfType<IntegerAttr>("value"))
      return std::gcd(a, number.getValue().sextOrTrunc(64).getSExtValue());
  int64_t known = 1, rest = a;
  for (int64_t factor = 2; factor * factor <= rest; ++factor)
    for (; rest % factor == 0; rest /= factor)
      if (divides(known * factor, b, kMaxDepth))
        known *= factor;
  if (rest != 1 && divides(known * rest, b, kMaxDepth))
    known *= rest;
  return known;
}

} // namespace lanescope::core
