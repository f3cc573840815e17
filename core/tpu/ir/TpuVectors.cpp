// Verifiers of the `tpu` operations on vectors. Each rule has its own message, and a case in tests/lit/tpu.
#include "core/tpu/ir/Tpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

namespace lanescope::core::tpu {

using llvm::ArrayRef;
using mlir::LogicalResult;
using mlir::success;
using mlir::Type;
using mlir::VectorType;

static unsigned bitsOf(Type type) { return mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }

/// Checks that the elements have a fixed width, which `index` does not have.
static LogicalResult checkWidths(mlir::Operation *op, mlir::TypeRange types) {
  for (Type type : types)
    if (!mlir::getElementTypeOrSelf(type).isIntOrFloat())
      return op->emitOpError("takes elements of a known width, not ") << type;
  return success();
}

/// Checks that each of `dimensions` is below `rank` and occurs once. `seen`, if given, receives the dimensions that
/// occur.
static LogicalResult checkDimensions(mlir::Operation *op, ArrayRef<int32_t> dimensions, int64_t rank,
                                     llvm::SmallVectorImpl<bool> &seen) {
  seen.assign(static_cast<size_t>(rank), false);
  for (int32_t d : dimensions) {
    if (d < 0 || d >= rank)
      return op->emitOpError("names dimension ") << d << " of a vector of rank " << rank;
    if (std::exchange(seen[static_cast<size_t>(d)], true))
      return op->emitOpError("names dimension ") << d << " twice";
  }
  return success();
}

//===------------------------------------ making and rearranging --------------------------------------------------===//

LogicalResult IotaOp::verify() {
  llvm::SmallVector<bool> seen;
  return checkDimensions(*this, getDimensions(), mlir::cast<VectorType>(getType()).getRank(), seen);
}

LogicalResult ConcatenateOp::verify() {
  if (getSources().size() < 2)
    return emitOpError("needs at least two vectors");
  auto first = mlir::cast<VectorType>(getSources().front().getType());
  auto dimension = static_cast<int32_t>(getDimension());
  if (dimension < 0 || dimension >= first.getRank())
    return emitOpError("goes along dimension ") << dimension << " of vectors of rank " << first.getRank();
  llvm::SmallVector<int64_t> shape(first.getShape());
  shape[static_cast<size_t>(dimension)] = 0;
  for (Type type : getSources().getTypes()) {
    auto source = mlir::cast<VectorType>(type);
    if (source.getElementType() != first.getElementType())
      return emitOpError("has sources of element types ")
             << first.getElementType() << " and " << source.getElementType() << ", expected equal ones";
    bool fits = source.getRank() == first.getRank();
    for (int64_t d = 0; fits && d < source.getRank(); ++d)
      fits = d == dimension || source.getDimSize(d) == first.getDimSize(d);
    if (!fits)
      return emitOpError("has sources ") << first << " and " << source << ", which differ outside dimension "
                                         << dimension;
    shape[static_cast<size_t>(dimension)] += source.getDimSize(dimension);
  }
  auto expected = VectorType::get(shape, first.getElementType());
  if (getType() != expected)
    return emitOpError("gives ") << getType() << ", expected " << expected;
  return success();
}

LogicalResult DynamicGatherOp::verify() {
  auto source = mlir::cast<VectorType>(getSource().getType());
  auto output = mlir::cast<VectorType>(getType());
  llvm::SmallVector<bool> gathered;
  if (mlir::failed(checkDimensions(*this, getDimensions(), source.getRank(), gathered)))
    return mlir::failure();
  if (source.getRank() != output.getRank())
    return emitOpError("gives ") << output << " from " << source << ", expected the same rank";
  for (int64_t d = 0; d < source.getRank(); ++d)
    if (!gathered[static_cast<size_t>(d)] && source.getDimSize(d) != output.getDimSize(d))
      return emitOpError("gives ") << output << " from " << source << ", which differ in dimension " << d
                                   << ", where nothing is gathered";
  return success();
}

LogicalResult BitcastOp::verify() {
  if (mlir::failed(checkWidths(*this, {getInput().getType(), getType()})))
    return mlir::failure();
  auto input = mlir::cast<VectorType>(getInput().getType());
  auto output = mlir::cast<VectorType>(getType());
  unsigned from = bitsOf(input), to = bitsOf(output);
  if (from == to) {
    if (input.getShape() != output.getShape())
      return emitOpError("changes the shape of ") << input << " to " << output << ", but not the width of elements";
    return success();
  }
  if (input.getRank() < 2 || output.getRank() < 2)
    return emitOpError("changes the width of elements of a 1-D vector, which is not implemented");
  llvm::SmallVector<int64_t> left(input.getShape()), right(output.getShape());
  left[left.size() - 2] *= from;
  right[right.size() - 2] *= to;
  if (left != right)
    return emitOpError("gives ") << output << " from " << input
                                 << ", expected the second-minor dimension to scale with the width of elements";
  return success();
}

LogicalResult PackSubelementsOp::verify() {
  if (getSources().empty())
    return emitOpError("needs at least one source");
  if (mlir::failed(checkWidths(*this, {getSources().front().getType(), getType()})))
    return mlir::failure();
  auto source = mlir::cast<VectorType>(getSources().front().getType());
  unsigned from = bitsOf(source), to = bitsOf(getType());
  auto factor = static_cast<int32_t>(from / to);
  if (factor < 1 || from % to != 0)
    return emitOpError("packs ") << source.getElementType() << " into the wider "
                                 << mlir::getElementTypeOrSelf(getType());
  if (getPositions().size() != getSources().size())
    return emitOpError("has ") << getPositions().size() << " positions for " << getSources().size() << " sources";
  if (getSources().size() > static_cast<size_t>(factor))
    return emitOpError("has ") << getSources().size() << " sources, of which at most " << factor << " fit a word";
  llvm::SmallVector<bool> filled(static_cast<size_t>(factor), false);
  for (int32_t position : getPositions()) {
    if (position < 0 || position >= factor)
      return emitOpError("has the position ") << position << ", expected one from 0 to " << factor - 1;
    if (std::exchange(filled[static_cast<size_t>(position)], true))
      return emitOpError("has the position ") << position << " twice";
  }
  return success();
}

LogicalResult UnpackSubelementsOp::verify() {
  if (mlir::failed(checkWidths(*this, {getSource().getType(), getType()})))
    return mlir::failure();
  Type source = mlir::getElementTypeOrSelf(getSource().getType());
  auto factor = static_cast<int32_t>(bitsOf(getType()) / bitsOf(source));
  if (auto index = static_cast<int32_t>(getIndex()); index < 0 || index >= factor)
    return emitOpError("takes position ") << index << " of " << factor << " in a word";
  if (getUnsignedIntegers() && !source.isSignlessInteger())
    return emitOpError("has `unsigned_integers` for elements of type ") << source;
  return success();
}

//===------------------------------------ across lanes ------------------------------------------------------------===//

LogicalResult AllReduceOp::verify() {
  auto input = mlir::cast<VectorType>(getInput().getType());
  auto output = mlir::cast<VectorType>(getType());
  ReductionKind kind = getKind();
  if (input.getElementType().isInteger(1)) {
    if (!output.getElementType().isSignlessInteger(32))
      return emitOpError("of a mask gives i32, not ") << output.getElementType();
    if (kind != ReductionKind::Sum && kind != ReductionKind::FindFirstSet)
      return emitOpError("of a mask is `sum` or `find_first_set`, not `") << stringifyReductionKind(kind) << "`";
    return success();
  }
  auto dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim >= input.getRank())
    return emitOpError("goes along dimension ") << dim << " of " << input;
  switch (kind) {
  case ReductionKind::FindFirstSet: return emitOpError("`find_first_set` is for masks, not for ") << input;
  case ReductionKind::Sum:
  case ReductionKind::Max:
  case ReductionKind::Min:
    if (input != output)
      return emitOpError("gives ") << output << " from " << input << ", expected the same type";
    return success();
  case ReductionKind::ArgMax:
  case ReductionKind::ArgMin: break;
  }
  if (input.getShape() != output.getShape())
    return emitOpError("gives ") << output << " from " << input << ", expected the same shape";
  if (!input.getElementType().isF32() && !input.getElementType().isBF16())
    return emitOpError("`arg_max` and `arg_min` take f32 and bf16, not ") << input.getElementType();
  if (!output.getElementType().isSignlessInteger(bitsOf(input)))
    return emitOpError("`arg_max` and `arg_min` give i") << bitsOf(input) << ", not " << output.getElementType();
  return success();
}

LogicalResult ScanOp::verify() {
  if (coreTypeOf(*this) != CoreType::ScVectorSubcore)
    return emitOpError("is for vector subcores only, and this function runs on another core");
  auto input = mlir::cast<VectorType>(getInput().getType());
  auto output = mlir::cast<VectorType>(getType());
  bool ofMask = input.getElementType().isInteger(1);
  if (ofMask ? !output.getElementType().isInteger(32) : input.getElementType() != output.getElementType())
    return emitOpError("gives ") << output.getElementType() << " from " << input.getElementType() << ", expected "
                                 << (ofMask ? "i32" : "the same element type");
  if (input.getShape() != output.getShape())
    return emitOpError("gives ") << output << " from " << input << ", expected the same shape";
  if (input.getRank() > 2)
    return emitOpError("takes vectors of rank 1 or 2, not ") << input;
  ReductionKind kind = getKind();
  if (ofMask && kind != ReductionKind::Sum)
    return emitOpError("of a mask is `sum`, not `") << stringifyReductionKind(kind) << "`";
  if (kind != ReductionKind::Sum && kind != ReductionKind::Max && kind != ReductionKind::Min)
    return emitOpError("is `sum`, `max` or `min`, not `") << stringifyReductionKind(kind) << "`";
  if (auto dimension = getDimension(); dimension && static_cast<uint64_t>(*dimension) >= input.getShape().size())
    return emitOpError("goes along dimension ") << *dimension << " of " << input;
  if (!getMask())
    return success();
  if (ofMask)
    return emitOpError("of a mask takes no other mask");
  auto mask = mlir::cast<VectorType>(getMask().getType());
  if (mask.getRank() != 1)
    return emitOpError("takes a mask of rank 1, not ") << mask;
  if (mask.getDimSize(0) != input.getShape().back())
    return emitOpError("has a mask of ") << mask.getDimSize(0) << " lanes, expected " << input.getShape().back();
  return success();
}

LogicalResult SortOp::verify() {
  auto keys = mlir::cast<VectorType>(getKeys().getType());
  auto check = [&](llvm::StringRef what, Type other) -> LogicalResult {
    if (mlir::cast<VectorType>(other).getShape() != keys.getShape())
      return emitOpError("has keys ") << keys << " and " << what << " " << other << ", expected equal shapes";
    return success();
  };
  if (mlir::failed(check("values", getValues().getType())) ||
      (getMask() && mlir::failed(check("the mask", getMask().getType()))) ||
      mlir::failed(check("the mask of the result", getOutputMask().getType())))
    return mlir::failure();
  if (keys != getSortedKeys().getType())
    return emitOpError("gives keys ") << getSortedKeys().getType() << " from " << keys;
  if (getValues().getType() != getSortedValues().getType())
    return emitOpError("gives values ") << getSortedValues().getType() << " from " << getValues().getType();
  return success();
}

//===------------------------------------ scalars -----------------------------------------------------------------===//

LogicalResult AssumeMultipleOp::verify() {
  auto multiple = static_cast<int32_t>(getMultiple());
  if (multiple < 1)
    return emitOpError("promises a multiple of ") << multiple << ", expected a positive number";
  if (auto value = mlir::getConstantIntValue(getValue()); value && *value % multiple != 0)
    return emitOpError("promises that ") << *value << " is a multiple of " << multiple;
  return success();
}

/// If the grid gives the core or subcore number, the kernel must take the number from its arguments.
static LogicalResult checkAsksForItself(mlir::Operation *op) {
  CoreType type = coreTypeOf(op);
  if (type == CoreType::Tc)
    return op->emitOpError("is for functions of a SparseCore; this one has no such `tpu.core_type`");
  if (auto function = op->getParentOfType<mlir::func::FuncOp>(); function && function->hasAttr("dimension_semantics"))
    return op->emitOpError("is in a function with dimension semantics; the function's grid arguments give the number");
  return success();
}

LogicalResult CoreIdOp::verify() { return checkAsksForItself(*this); }
LogicalResult SubcoreIdOp::verify() { return checkAsksForItself(*this); }

} // namespace lanescope::core::tpu
