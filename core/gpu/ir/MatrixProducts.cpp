#include "core/gpu/ir/MatrixProducts.h"

#include "core/gpu/ir/ProductQueries.h"
#include "core/ir/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace lanescope::core {

using namespace mlir;
using layouts::MatrixTypeName;

namespace {

std::optional<layouts::Dtype> dtypeOf(Value value, bool isUnsigned) {
  Type element = getElementTypeOrSelf(value.getType());
  if (isUnsigned && element.isSignlessInteger())
    element = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  return core::dtypeOf(element);
}

/// Looks up the instructions for the operation. `query` has all fields of the query except the operation's types. All
/// operand types that the operation's definition permits have a dtype.
template <typename Op> FailureOr<MatrixProduct> choose(Op op, layouts::MatrixQuery query) {
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

} // namespace

FailureOr<MatrixProduct> matrixProduct(mosaic_gpu::WGMMAOp op) {
  layouts::MatrixQuery query = kWgmmaQuery;
  auto sum = cast<ShapedType>(op.getAccumulator().getType());
  query.productM = sum.getDimSize(0), query.n = sum.getDimSize(1);
  return choose(op, query);
}

FailureOr<MatrixProduct> matrixProduct(mosaic_gpu::MMAOp op) { return choose(op, kMmaQuery); }

} // namespace lanescope::core
