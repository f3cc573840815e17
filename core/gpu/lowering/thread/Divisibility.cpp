#include "core/gpu/lowering/thread/Divisibility.h"

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/MosaicGpuAsync.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <cstdlib>
#include <numeric>

namespace lanescope::core {

using namespace mlir;

constexpr int kMaxDepth = 16; // limit for definitions to look through; address arithmetic is shallower

static int64_t divisor(Value value, int depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSignificantBits() <= 63 ? std::abs(constant.getSExtValue()) : 1;
  if (depth == 0)
    return 1;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return std::gcd(divisor(loop.getLowerBound(), depth - 1), divisor(loop.getStep(), depth - 1));
    return 1;
  }
  Operation *op = value.getDefiningOp();
  auto of = [&](unsigned i) { return divisor(op->getOperand(i), depth - 1); };
  if (auto assume = dyn_cast<mosaic_gpu::AssumeMultipleOp>(op)) {
    int64_t known = of(0), stated = assume.getMultiple();
    return known % stated == 0 ? known : stated % known == 0 ? stated : known * stated / std::gcd(known, stated);
  }
  if (isa<arith::MulIOp>(op)) {
    int64_t a = of(0), b = of(1), product;
    return __builtin_mul_overflow(a, b, &product) ? std::max(a, b) : product;
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op))
    return std::gcd(of(0), of(1));
  if (isa<arith::SelectOp>(op))
    return std::gcd(of(1), of(2));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return of(0);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return std::gcd(of(0), of(1));
  if (isa<arith::ShLIOp>(op)) {
    APInt bits;
    if (matchPattern(op->getOperand(1), m_ConstantInt(&bits)) && bits.ult(32)) {
      int64_t product;
      return __builtin_mul_overflow(of(0), int64_t{1} << bits.getZExtValue(), &product) ? 1 : product;
    }
  }
  return 1;
}

int64_t knownDivisor(Value value) { return divisor(value, kMaxDepth); }

} // namespace lanescope::core
