// Verifiers and folding of the `mosaic_gpu` operations. They check only the rules of JAX's dialect (jax-ml/jax,
// jaxlib/mosaic/dialect/gpu/mosaic_gpu.cc); KernelRules.h has the further rules for kernels. Each rule has its own
// message, and a case in tests/lit/ir/invalid.mlir.
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/LayoutRules.h"
#include "core/gpu/ir/MatrixProducts.h"
#include "core/gpu/ir/MmaRules.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/OperationChecks.h"
#include "core/ir/ElementTypes.h"

#include "layouts/Catalogue.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallSet.h"

namespace lanescope::core::mosaic_gpu {
namespace catalogue = layouts::catalogue; // for the layout rules
} // namespace lanescope::core::mosaic_gpu

#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuOps.cpp.inc"

namespace lanescope::core::mosaic_gpu {

using mlir::failure;
using mlir::LogicalResult;
using mlir::MemRefType;
using mlir::success;
using mlir::VectorType;

//===------------------------------------ asynchronous copies -----------------------------------------------------===//

LogicalResult checkSlice(mlir::Operation *op, MemRefType global, mlir::OperandRange indices,
                         llvm::ArrayRef<int64_t> lengths) {
  if (static_cast<int64_t>(lengths.size()) != global.getRank())
    return op->emitOpError("has ") << lengths.size() << " slice lengths for a reference of rank " << global.getRank();
  if (indices.size() != lengths.size())
    return op->emitOpError("has ") << indices.size() << " indices and " << lengths.size() << " slice lengths";
  for (int64_t length : lengths)
    if (length < -1)
      return op->emitOpError("has the slice length ") << length << ", expected a length, or -1 for a single index";
  return success();
}

LogicalResult checkCollective(mlir::Operation *op, mlir::ArrayAttr collective) {
  llvm::SmallSet<int64_t, 3> dims;
  for (mlir::Attribute dim : collective)
    if (!dims.insert(mlir::cast<mlir::IntegerAttr>(dim).getInt()).second)
      return op->emitOpError("lists a cluster dimension twice in `collective`");
  return success();
}

/// Checks the rules that asynchronous loads and stores share. Indices and lengths select a slice of `global`; `shared`
/// holds the slice.
static LogicalResult checkCopy(mlir::Operation *op, MemRefType global, MemRefType shared, mlir::OperandRange indices,
                               llvm::ArrayRef<int64_t> lengths) {
  if (global.getElementType() != shared.getElementType())
    return op->emitOpError("copies between element types ")
           << global.getElementType() << " and " << shared.getElementType() << ", expected equal ones";
  if (mlir::failed(checkSlice(op, global, indices, lengths)))
    return failure();
  auto rank = static_cast<int64_t>(lengths.size()) - llvm::count(lengths, -1);
  if (rank != shared.getRank())
    return op->emitOpError("takes a slice of rank ")
           << rank << " but the reference in shared memory has rank " << shared.getRank();
  bool gathered = false;
  for (auto [index, length] : llvm::zip(indices, lengths)) {
    auto rows = mlir::dyn_cast<VectorType>(index.getType());
    if (!rows)
      continue;
    if (gathered)
      return op->emitOpError("gathers along two dimensions, expected one index vector at most");
    gathered = true;
    if (rows.getDimSize(0) != length)
      return op->emitOpError("gathers ") << rows.getDimSize(0) << " rows with a slice length of " << length;
  }
  return success();
}

LogicalResult AsyncLoadOp::verify() {
  if (mlir::Attribute tracked = getLeaderTrackedAttr())
    if (!mlir::isa<CopyReplicatedAttr, CopyPartitionedAttr>(tracked))
      return emitOpError("`leader_tracked` is `copy_replicated` or `copy_partitioned`, got ") << tracked;
  if (mlir::failed(checkCollective(*this, getCollective())))
    return failure();
  return checkCopy(*this, mlir::cast<MemRefType>(getSource().getType()),
                   mlir::cast<MemRefType>(getDestination().getType()), getIndices(), getSliceLengths());
}

LogicalResult AsyncStoreOp::verify() {
  if (getGmemPeerId() && getIsGlobalBroadcast())
    return emitOpError("stores to one peer and to all of them, expected `gmem_peer_id` or `is_global_broadcast`");
  return checkCopy(*this, mlir::cast<MemRefType>(getDestination().getType()),
                   mlir::cast<MemRefType>(getSource().getType()), getIndices(), getSliceLengths());
}

//===------------------------------------ loads and stores --------------------------------------------------------===//

static LogicalResult checkAccess(mlir::Operation *op, VectorType array, MemRefType ref) {
  if (array.getElementType() != ref.getElementType())
    return op->emitOpError("has an array of ")
           << array.getElementType() << " and a reference of " << ref.getElementType();
  if (array.getShape() != ref.getShape())
    return op->emitOpError("has an array of type ")
           << array << " and a reference of type " << ref << ", expected equal shapes";
  return success();
}

LogicalResult VectorLoadOp::verify() {
  if (std::optional<llvm::StringRef> policy = getEvictionPolicy()) {
    if (*policy != "evict_first" && *policy != "evict_last")
      return emitOpError("has the eviction policy `") << *policy << "`; it is `evict_first` or `evict_last`";
    if (!isGlobalMemory(mlir::cast<MemRefType>(getSource().getType())))
      return emitOpError("has an eviction policy, which is for global memory, got ") << getSource().getType();
  }
  return checkAccess(*this, getResult().getType(), mlir::cast<MemRefType>(getSource().getType()));
}

LogicalResult VectorStoreOp::verify() {
  auto ref = mlir::cast<MemRefType>(getDestination().getType());
  if (getMultimem() && !isGlobalMemory(ref))
    return emitOpError("a multimem store writes global memory, got ") << ref;
  return checkAccess(*this, mlir::cast<VectorType>(getValue().getType()), ref);
}

LogicalResult WithTransformsOp::verify() {
  auto transforms = toTransforms(getTransforms());
  return transforms ? success() : emitOpError(transforms.error().front().message);
}

LogicalResult ReinterpretCastOp::verify() {
  auto from = mlir::cast<MemRefType>(getSource().getType()), to = mlir::cast<MemRefType>(getResult().getType());
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes the element type from ") << from.getElementType() << " to " << to.getElementType();
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return emitOpError("needs static shapes, got ") << from << " and " << to;
  if (from.getNumElements() != to.getNumElements())
    return emitOpError("has ") << from.getNumElements() << " elements in its source and " << to.getNumElements()
                               << " in its result";
  return success();
}

mlir::OpFoldResult ReinterpretCastOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto before = getSource().getDefiningOp<ReinterpretCastOp>()) {
    getSourceMutable().assign(before.getSource());
    return getResult();
  }
  return {};
}

/// Folds a cast of a slice of shared memory into a slice of the cast's type.
static LogicalResult castSlice(ReinterpretCastOp cast, mlir::PatternRewriter &rewriter) {
  auto slice = cast.getSource().getDefiningOp<SliceSmemOp>();
  if (!slice)
    return failure();
  rewriter.replaceOpWithNewOp<SliceSmemOp>(cast, cast.getResult().getType(), slice.getOffsetAttr(),
                                           slice.getAliasIdAttr());
  return success();
}

void ReinterpretCastOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  patterns.add(castSlice);
}

//===------------------------------------ arrays ------------------------------------------------------------------===//

LogicalResult BroadcastInDimOp::verify() {
  VectorType from = getOperand().getType(), to = getResult().getType();
  auto dims = getBroadcastDimensions();
  if (from.getRank() == 0)
    return emitOpError("broadcasts an array of rank 1 or more");
  if (static_cast<int64_t>(dims.size()) != from.getRank())
    return emitOpError("has ") << dims.size() << " broadcast dimensions for an array of rank " << from.getRank();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= to.getRank())
      return emitOpError("has the broadcast dimension ") << dims[i] << " for a result of rank " << to.getRank();
    if (i > 0 && dims[i] <= dims[i - 1])
      return emitOpError("has broadcast dimensions that do not increase");
    if (from.getDimSize(i) != 1 && from.getDimSize(i) != to.getDimSize(dims[i]))
      return emitOpError("spreads a dimension of size ")
             << from.getDimSize(i) << " over one of size " << to.getDimSize(dims[i]) << ", expected 1 or the same size";
  }
  return success();
}

LogicalResult BroadcastedIotaOp::verify() {
  VectorType type = getResult().getType();
  if (getDimension() >= static_cast<uint64_t>(type.getRank()))
    return emitOpError("counts along dimension ") << getDimension() << " of an array of rank " << type.getRank();
  return success();
}

LogicalResult VectorConcatOp::verify() {
  if (getSources().empty())
    return emitOpError("joins at least one array");
  VectorType to = getResult().getType();
  auto along = static_cast<int64_t>(getDimension());
  if (along >= to.getRank())
    return emitOpError("joins along dimension ") << along << " of arrays of rank " << to.getRank();
  int64_t total = 0;
  for (mlir::Value source : getSources()) {
    auto from = mlir::cast<VectorType>(source.getType());
    if (from.getRank() != to.getRank() || from.getElementType() != to.getElementType())
      return emitOpError("joins ") << from << " to " << to << ", expected equal ranks and element types";
    for (int64_t d = 0; d < to.getRank(); ++d)
      if (d != along && from.getDimSize(d) != to.getDimSize(d))
        return emitOpError("joins ") << from << " to " << to << ", which differ in dimension " << d;
    total += from.getDimSize(along);
  }
  if (total != to.getDimSize(along))
    return emitOpError("joins ") << total << " elements along dimension " << along << " to " << to.getDimSize(along);
  return success();
}

LogicalResult OptimizationBarrierOp::verify() {
  if (getOperands().empty())
    return emitOpError("passes on at least one value");
  if (getOperandTypes() != getResultTypes())
    return emitOpError("has results whose types differ from its operands'");
  return success();
}

//===------------------------------------ tensor cores ------------------------------------------------------------===//

bool multiplyTogether(mlir::Type a, mlir::Type b) {
  auto isNarrow = llvm::IsaPred<mlir::Float8E4M3FNType, mlir::Float8E5M2Type, mlir::Float6E2M3FNType,
                                mlir::Float6E3M2FNType, mlir::Float4E2M1FNType>;
  return a == b || (isNarrow(a) && isNarrow(b));
}

LogicalResult WGMMAOp::verify() {
  auto acc = mlir::cast<VectorType>(getAccumulator().getType());
  auto a = mlir::cast<mlir::ShapedType>(getA().getType()), b = mlir::cast<mlir::ShapedType>(getB().getType());
  if (acc != getResult().getType())
    return emitOpError("has a result of type ") << getResult().getType() << " for an accumulator of type " << acc;
  if (a.getDimSize(0) != acc.getDimSize(0))
    return emitOpError("has ") << a.getDimSize(0) << " rows in a and " << acc.getDimSize(0) << " in the accumulator";
  if (a.getDimSize(1) != b.getDimSize(0))
    return emitOpError("has ") << a.getDimSize(1) << " columns in a and " << b.getDimSize(0) << " rows in b";
  if (b.getDimSize(1) != acc.getDimSize(1))
    return emitOpError("has ") << b.getDimSize(1) << " columns in b and " << acc.getDimSize(1) << " in the accumulator";
  constexpr int64_t kRows = 64; // rows per instruction
  bool fits = acc.getDimSize(0) % kRows == 0 && multiplyTogether(a.getElementType(), b.getElementType());
  if (fits || mlir::failed(matrixProduct(*this))) // matrixProduct() reports the instructions that exist
    return success(fits);
  return emitOpError("multiplies ") << a << " by " << b << " into " << acc;
}

int MMAOp::elementBits() {
  std::optional<layouts::Dtype> a = dtypeOf(getA().getType().getElementType()),
                                b = dtypeOf(getB().getType().getElementType());
  return mmaElementBits(*a, *b, hasScales()); // the definition permits only types that have a dtype
}

LogicalResult MMAOp::verify() {
  auto acc = getAccumulator().getType(), a = getA().getType(), b = getB().getType();
  if (acc != getResult().getType())
    return emitOpError("has a result of type ") << getResult().getType() << " for an accumulator of type " << acc;
  if (a.getDimSize(0) != acc.getDimSize(0) || b.getDimSize(1) != acc.getDimSize(1) ||
      a.getDimSize(1) != b.getDimSize(0))
    return emitOpError("multiplies ") << a << " by " << b << " into " << acc << ", whose shapes do not go together";
  if (!getScales().empty() && getScales().size() != 2)
    return emitOpError("has scales for both factors or for none, not ") << getScales().size();
  if (hasScales())
    return matrixProduct(*this);
  mlir::Type factor = a.getElementType(), sum = acc.getElementType();
  // JAX's operation has one type for both factors. The instruction, and so our operation, also takes two different
  // types of narrow floats.
  bool fits = multiplyTogether(factor, b.getElementType()) &&
              (mlir::isa<mlir::IntegerType>(factor) ? sum.isInteger(32) : mlir::isa<mlir::FloatType>(sum));
  if (fits || mlir::failed(matrixProduct(*this))) // matrixProduct() reports the instructions that exist
    return success(fits);
  return emitOpError("multiplies ") << a << " by " << b << " into " << acc;
}

//===------------------------------------ looking inside ----------------------------------------------------------===//

LogicalResult PrintLayoutOp::verify() {
  auto ref = mlir::dyn_cast<MemRefType>(getValue().getType());
  if (ref && !isSharedMemory(ref) && !isTensorMemory(ref))
    return emitOpError("reports references in shared and tensor memory, not ") << ref;
  return success();
}

} // namespace lanescope::core::mosaic_gpu
