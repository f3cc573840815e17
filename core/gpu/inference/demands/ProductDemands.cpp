// Demands of matrix products.
#include "core/gpu/inference/demands/Derivation.h"

#include "core/gpu/ir/MosaicGpuTensor.h"

#include "layouts/Catalogue.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Constant;
using constraints::Equals;
using constraints::Expression;
using constraints::MemorySpace;
using constraints::ValidMmaTiling;
using constraints::Variable;
namespace c = layouts::catalogue;

namespace {

/// A size in an operand's type; 0 if it lacks the dimension.
int64_t sizeOf(Value value, unsigned dim) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasRank() && type.getRank() > dim ? type.getDimSize(dim) : 0;
}

bool isTransposedReference(OpOperand &operand) { return isTransposed(operand.get().getType()); }

/// Rows and columns in the order of memory, not of the reference.
Expression asStored(Variable variable, bool transposed) {
  return transposed ? Expression(variable).transposed({1, 0}) : Expression(variable);
}

FailureOr<int> bitsOf(OpOperand &operand) {
  int bits = elementBits(operand.get().getType());
  if (bits == 0)
    return operand.getOwner()->emitError() << "a matrix has elements of a width that is no power of two";
  return bits;
}

LogicalResult wgmma(Operation *op, Derivation &system) {
  OpOperand &accumulator = op->getOpOperand(0), &a = op->getOpOperand(1), &b = op->getOpOperand(2);
  Variable result = system.at(op->getResult(0));
  if (failed(system.fix(result, c::wgmma(), "the accumulator of `wgmma`")))
    return failure();
  system.bind(result, {accumulator, op->getResult(0)});

  auto right = system.producer(b);
  auto bits = bitsOf(b);
  if (failed(right) || failed(bits))
    return failure();
  const bool transposed = isTransposedReference(b);
  system.require(ValidMmaTiling{asStored(*right, transposed), *bits});
  system.bind(*right, {b});

  if (memorySpaceOf(a.get().getType()) == MemorySpace::Shared) {
    auto left = system.producer(a);
    if (failed(left))
      return failure();
    // The tiles are the same in memory, but references number their dimensions differently.
    system.require(Equals{*left, asStored(*right, isTransposedReference(a) != transposed)});
    system.bind(*left, {a});
    return success();
  }
  Variable left = system.at(a);
  if (failed(system.fix(left, c::wgmmaLeft(elementBits(a.get().getType())), "the left operand of `wgmma`")))
    return failure();
  system.bind(left, {a});
  return success();
}

LogicalResult mma(Operation *op, Derivation &system) {
  auto bits = bitsOf(op->getOpOperand(1));
  if (failed(bits))
    return failure();
  auto layouts = c::mmaLayouts(*bits);
  if (!layouts)
    return op->emitError() << layouts.error().front().message;
  Variable result = system.at(op->getResult(0)), left = system.at(op->getOpOperand(1)),
           right = system.at(op->getOpOperand(2));
  if (failed(system.fix(result, layouts->acc, "the accumulator of `mma`")) ||
      failed(system.fix(left, layouts->lhs, "the left operand of `mma`")) ||
      failed(system.fix(right, layouts->rhs, "the right operand of `mma`")))
    return failure();
  system.bind(result, {op->getOpOperand(0), op->getResult(0)});
  system.bind(left, {op->getOpOperand(1)});
  system.bind(right, {op->getOpOperand(2)});
  return success();
}

/// Collects the demands of a tcgen05_mma, operand by operand.
class TensorProduct {
public:
  TensorProduct(mosaic_gpu::Tcgen05MMAOp op, Derivation &system)
      : op_(op), system_(system), collective_(op.getCollective()), rows_(sizeOf(op->getOperand(0), 0)) {}

  LogicalResult run() {
    if (failed(inferred(op_.getAccumulatorMutable(), 1, "the accumulator of `tcgen05_mma`")))
      return failure();
    OpOperand &b = op_.getBMutable(), &a = op_.getAMutable();
    auto bits = bitsOf(b);
    if (failed(bits) || failed(shared(b, *bits)))
      return failure();
    if (rows_ == 64 && !collective_ && failed(halves(b, *bits)))
      return failure();
    if (memorySpaceOf(a.get().getType()) == MemorySpace::Tensor) {
      auto width = bitsOf(a);
      if (failed(width) ||
          failed(inferred(a, std::max(layouts::kTmemCellBits / *width, 1), "the left operand of `tcgen05_mma`")))
        return failure();
    } else if (failed(shared(a, *bits))) {
      return failure();
    }
    for (OpOperand &metadata : op_.getASparseMetadataMutable())
      if (failed(fixed(metadata, c::sparseMeta(), "sparsity metadata")))
        return failure();
    if (op_.getAScaleMutable().empty() != op_.getBScaleMutable().empty())
      return op_.emitError() << "either both operands have scales or none has";
    for (OpOperand &scale : op_.getAScaleMutable())
      if (failed(fixed(scale, c::scales(), "scales")))
        return failure();
    for (OpOperand &scale : op_.getBScaleMutable())
      if (failed(fixed(scale, c::bScales(rows_, collective_), "scales")))
        return failure();
    return success();
  }

private:
  LogicalResult fixed(OpOperand &operand, Constant layout, llvm::StringRef what) {
    auto variable = system_.producer(operand);
    if (failed(variable) || failed(system_.fix(*variable, std::move(layout), what)))
      return failure();
    system_.bind(*variable, {operand});
    return success();
  }

  LogicalResult inferred(OpOperand &operand, int64_t packing, llvm::StringRef what) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    auto layout = c::inferTmem(type ? type.getShape().vec() : layouts::Shape(), collective_, packing);
    if (!layout)
      return op_.emitError() << layout.error().front().message;
    return fixed(operand, std::move(*layout), what);
  }

  LogicalResult shared(OpOperand &operand, int bits) {
    auto variable = system_.producer(operand);
    if (failed(variable))
      return failure();
    system_.require(ValidMmaTiling{asStored(*variable, isTransposedReference(operand)), bits});
    system_.bind(*variable, {operand});
    return success();
  }

  /// Demands of B if its columns are split over two halves of the lanes: no tile may cross from one half to the other.
  LogicalResult halves(OpOperand &b, int bits) {
    const int64_t columns = sizeOf(b.get(), 1);
    int64_t widest = 0;
    for (int swizzle : {128, 64, 32, 16})
      if (8 * swizzle / bits <= columns / 2) {
        widest = 8 * swizzle / bits;
        break;
      }
    if (widest == 0)
      return op_.emitError() << "the halves of " << columns << " columns are narrower than any tile";
    auto variable = system_.producer(b);
    if (failed(variable))
      return failure();
    system_.require(constraints::Divides{*variable, isTransposedReference(b) ? std::vector<int64_t>{widest, 8}
                                                                             : std::vector<int64_t>{8, widest}});
    return success();
  }

  mosaic_gpu::Tcgen05MMAOp op_;
  Derivation &system_;
  bool collective_;
  int64_t rows_;
};

LogicalResult tcgen05Mma(mosaic_gpu::Tcgen05MMAOp op, Derivation &system) { return TensorProduct(op, system).run(); }

} // namespace

llvm::ArrayRef<DemandEntry> productDemands() {
  static const DemandEntry entries[] = {
      on<mosaic_gpu::WGMMAOp>(wgmma),
      on<mosaic_gpu::MMAOp>(mma),
      on<mosaic_gpu::Tcgen05MMAOp, tcgen05Mma>(),
  };
  return entries;
}

} // namespace lanescope::core
