#include "core/gpu/ir/MatrixProducts.h"

#include "core/gpu/ir/MmaRules.h"
#include "core/gpu/ir/ProductQueries.h"
#include "core/ir/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace lanescope::core {

using namespace mlir;
using layouts::MatrixTypeName;

namespace {

/// All operand types that the operations' definitions permit have a dtype.
std::optional<layouts::Dtype> dtypeOf(Value value, bool isUnsigned) {
  Type element = getElementTypeOrSelf(value.getType());
  if (isUnsigned && element.isSignlessInteger())
    element = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  return core::dtypeOf(element);
}

} // namespace

FailureOr<MatrixProduct> matrixProduct(mosaic_gpu::WGMMAOp op) {
  layouts::MatrixQuery query = kWgmmaQuery;
  auto sum = cast<ShapedType>(op.getAccumulator().getType());
  query.productM = sum.getDimSize(0), query.n = sum.getDimSize(1);
  query.a = layouts::multiplicandNamed(*dtypeOf(op.getA(), op->hasAttr("lanescope.unsigned_a")));
  query.b = layouts::multiplicandNamed(*dtypeOf(op.getB(), op->hasAttr("lanescope.unsigned_b")));
  query.d = layouts::accumulatorNamed(*dtypeOf(op.getAccumulator(), false));
  query.productK = cast<ShapedType>(op.getA().getType()).getDimSize(1);
  auto rows = layouts::chooseMatrixInstructions(query);
  if (!rows)
    return op.emitError(rows.error().message);
  const layouts::MatrixInstruction *row = rows->front();
  return MatrixProduct{row, *query.a->type, *query.b->type, *query.d->type, row->depths().back()};
}

FailureOr<MatrixProduct> matrixProduct(mosaic_gpu::MMAOp op) {
  auto operand = [&](Value value, llvm::StringRef unsignedMark = "") {
    return MmaOperand{*dtypeOf(value, !unsignedMark.empty() && op->hasAttr(unsignedMark)),
                      cast<ShapedType>(value.getType()).getShape().vec()};
  };
  MmaOperands operands{.acc = operand(op.getAccumulator()),
                       .a = operand(op.getA(), "lanescope.unsigned_a"),
                       .b = operand(op.getB(), "lanescope.unsigned_b")};
  if (op.hasScales())
    operands.aScale = operand(op.getAScale()), operands.bScale = operand(op.getBScale());
  auto choice = chooseMma(operands);
  if (!choice)
    return op.emitError(choice.error().message);
  return MatrixProduct{choice->instruction, choice->a, choice->b, choice->d, choice->depth(), choice->scale};
}

} // namespace lanescope::core
