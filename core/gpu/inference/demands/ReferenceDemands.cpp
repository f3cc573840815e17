// Demands of operations on references: slices, views and transposes keep the transforms as far as possible.
#include "core/gpu/inference/demands/CommonDivisor.h"
#include "core/gpu/inference/demands/Derivation.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/MosaicGpuAsync.h"

#include "layouts/Shape.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Divides;
using constraints::Equals;
using constraints::Expression;
using constraints::Variable;

namespace {

/// Demands of an operation that returns its operand with another type.
LogicalResult sameReference(Operation *op, Derivation &system) {
  auto variable = system.producer(op->getOpOperand(0));
  if (failed(variable))
    return failure();
  system.bind(*variable, {op->getOpOperand(0), op->getResult(0)});
  return success();
}

LogicalResult sliceSmem(Operation *op, Derivation &system) {
  Value result = op->getResult(0);
  system.bind(system.aliased(op->getAttrOfType<IntegerAttr>("alias_id"), result), {result});
  return success();
}

LogicalResult sliceTmem(Operation *op, Derivation &system) {
  auto source = system.producer(op->getOpOperand(0));
  if (failed(source))
    return failure();
  Value result = op->getResult(0);
  Variable variable = system.aliased(op->getAttrOfType<IntegerAttr>("alias_id"), result);
  system.bind(*source, {op->getOpOperand(0)});
  system.bind(variable, {result});
  return success();
}

LogicalResult withTransforms(Operation *op, Derivation &system) {
  auto variable = system.producer(op->getOpOperand(0));
  if (failed(variable))
    return failure();
  auto list = op->getAttrOfType<ArrayAttr>("transforms");
  auto transforms = list ? toTransforms(list) : Result<SmemTransforms>(SmemTransforms{});
  if (!list || !transforms)
    return op->emitError() << "`transforms` are not a tile, then a swizzle, each at most once";
  if (failed(system.fix(*variable, std::move(*transforms), "a reference")))
    return failure();
  system.bind(*variable, {op->getOpOperand(0), op->getResult(0)});
  return success();
}

LogicalResult subview(memref::SubViewOp view, Derivation &system) {
  if (failed(requireAttributes(view, {"static_offsets", "static_sizes", "static_strides"})))
    return failure();
  auto source = system.producer(view.getSourceMutable());
  if (failed(source))
    return failure();
  const auto rank =
      static_cast<size_t>(cast<MemRefType>(view.getSource().getType()).getRank()); // has a variable, so it is a memref
  if (view.getStaticSizes().size() != rank || view.getStaticOffsets().size() != rank ||
      llvm::count_if(view.getStaticOffsets(), ShapedType::isDynamic) != static_cast<long>(view.getOffsets().size()))
    return view->emitError() << "a slice has a start and a size for each dimension";
  Variable result = system.at(view.getResult());
  if (llvm::any_of(view.getStaticStrides(), [](int64_t stride) { return stride != 1; }))
    return view->emitError() << "slices with strides other than 1 have no layout rule";
  std::vector<int64_t> multiples;
  auto offset = view.getOffsets().begin();
  for (auto [size, start, dim] : llvm::zip_equal(view.getStaticSizes(), view.getStaticOffsets(),
                                                 cast<MemRefType>(view.getSource().getType()).getShape())) {
    Value dynamic = ShapedType::isDynamic(start) ? *offset++ : Value();
    if (ShapedType::isDynamic(size)) {
      multiples.clear(); // this dimension cannot be tiled, so none before it can
      continue;
    }
    int64_t divisor = commonDivisor(size, dim);
    if (dynamic) {
      auto known = commonDivisor(divisor, dynamic);
      if (failed(known))
        return failure();
      divisor = *known;
    } else {
      divisor = commonDivisor(divisor, start);
    }
    multiples.push_back(divisor);
  }
  system.require(Divides{*source, std::move(multiples)});
  system.require(Equals{*source, result});
  system.bind(*source, {view.getSourceMutable()});
  system.bind(result, {view.getResult()});
  return success();
}

LogicalResult transpose(memref::TransposeOp transpose, Derivation &system) {
  if (failed(requireAttributes(transpose, {"permutation"})))
    return failure();
  auto source = system.producer(transpose.getInMutable());
  if (failed(source))
    return failure();
  Variable result = system.at(transpose.getResult());
  const unsigned rank = transpose.getPermutation().getNumResults();
  if (!transpose.getPermutation().isPermutation() ||
      cast<MemRefType>(transpose.getIn().getType()).getRank() != static_cast<int64_t>(rank))
    return transpose->emitError() << "`permutation` does not name each dimension once";
  std::vector<int64_t> permutation(rank), inverse(rank);
  for (unsigned i = 0; i < rank; ++i) {
    permutation[i] = transpose.getPermutation().getDimPosition(i);
    inverse[static_cast<size_t>(permutation[i])] = i;
  }
  system.require(Equals{Expression(*source).transposed(std::move(permutation)), result});
  system.require(Equals{*source, Expression(result).transposed(std::move(inverse))});
  system.bind(*source, {transpose.getInMutable()});
  system.bind(result, {transpose.getResult()});
  return success();
}

LogicalResult expandShape(memref::ExpandShapeOp expand, Derivation &system) {
  if (failed(requireAttributes(expand, {"reassociation", "static_output_shape"})))
    return failure();
  if (isTransposed(expand.getSrc().getType()))
    return expand->emitError() << "dimensions of a transposed reference cannot be split";
  auto source = system.producer(expand.getSrcMutable());
  if (failed(source))
    return failure();
  Variable result = system.at(expand.getResult());
  // Only the trailing dimensions that are not split may be tiled.
  std::vector<int64_t> multiples;
  auto groups = expand.getReassociationIndices();
  auto sizes = expand.getStaticOutputShape();
  for (size_t i = 0; i < std::min(groups.size(), sizes.size()); ++i) {
    const int64_t size = sizes[sizes.size() - 1 - i];
    if (ShapedType::isDynamic(size) || groups[groups.size() - 1 - i].size() > 1)
      break;
    multiples.insert(multiples.begin(), size);
  }
  system.require(Divides{*source, std::move(multiples)});
  system.require(Equals{*source, result});
  system.bind(*source, {expand.getSrcMutable()});
  system.bind(result, {expand.getResult()});
  return success();
}

LogicalResult collapseShape(memref::CollapseShapeOp collapse, Derivation &system) {
  if (failed(requireAttributes(collapse, {"reassociation"})))
    return failure();
  std::vector<int64_t> reassociation;
  for (const ReassociationIndices &group : collapse.getReassociationIndices())
    reassociation.push_back(static_cast<int64_t>(group.size()));
  if (reassociation.empty())
    return collapse->emitError() << "a reference to one element, of no dimension, has no layout rule here";
  auto source = system.producer(collapse.getSrcMutable());
  if (failed(source))
    return failure();
  Variable result = system.at(collapse.getResult());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  auto type = cast<MemRefType>(collapse.getSrc().getType()); // has a variable, so it is a memref
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      ArrayRef(strides) != ArrayRef(layouts::contiguousStrides(type.getShape().vec())))
    return collapse->emitError() << "only dimensions of a contiguous reference can be joined";
  auto valid = constraints::checkReassociation(type.getShape().vec(), reassociation);
  if (!valid)
    return collapse->emitError() << valid.error().front().message;
  system.require(Equals{result, Expression(*source).collapsed(type.getShape().vec(), std::move(reassociation))});
  system.bind(*source, {collapse.getSrcMutable()});
  system.bind(result, {collapse.getResult()});
  return success();
}

/// For each dimension of `small`, the number of consecutive dimensions of `large` that form it; nothing if they do not
/// match.
std::optional<std::vector<int64_t>> reassociationOf(ArrayRef<int64_t> large, ArrayRef<int64_t> small) {
  std::vector<int64_t> groups;
  size_t used = 0;
  for (int64_t size : small.drop_back()) {
    int64_t count = 0, joined = 1;
    while (used < large.size() && (count == 0 || joined < size)) {
      joined *= large[used++];
      ++count;
    }
    if (joined != size)
      return std::nullopt;
    groups.push_back(count);
  }
  if (used == large.size())
    return std::nullopt;
  groups.push_back(static_cast<int64_t>(large.size() - used));
  return groups;
}

/// Demands of a reference with the same elements in another shape. If one shape is a collapse of the other, the
/// transforms follow; otherwise the reference has no transforms.
LogicalResult reinterpretCast(Operation *op, Derivation &system) {
  auto source = system.producer(op->getOpOperand(0));
  if (failed(source))
    return failure();
  auto from = cast<MemRefType>(op->getOperand(0).getType()); // has a variable, so it is a memref
  auto to = dyn_cast<MemRefType>(op->getResult(0).getType());
  if (!to || !from.hasStaticShape() || !to.hasStaticShape() || from.getNumElements() != to.getNumElements())
    return op->emitError() << "a reference is cast to one of as many elements";
  Variable result = system.at(op->getResult(0));
  system.bind(*source, {op->getOpOperand(0)});
  system.bind(result, {op->getResult(0)});
  const bool collapses = from.getRank() > to.getRank();
  const MemRefType large = collapses ? from : to, small = collapses ? to : from;
  if (from.getShape() == to.getShape()) {
    system.require(Equals{*source, result});
    return success();
  }
  if (from.getRank() != to.getRank() && small.getRank() > 0)
    if (auto groups = reassociationOf(large.getShape(), small.getShape())) {
      system.require(Equals{Expression(collapses ? *source : result).collapsed(large.getShape().vec(), *groups),
                            collapses ? result : *source});
      return success();
    }
  system.assign(*source, SmemTransforms{});
  system.assign(result, SmemTransforms{});
  return success();
}

/// Demands of references to single elements, such as phases of barriers. They have no transforms.
LogicalResult element(Operation *op, Derivation &system) {
  OpOperand &reference = op->getOpOperand(isa<memref::StoreOp>(op) ? 1 : 0);
  auto type = dyn_cast<MemRefType>(reference.get().getType());
  if (!type || (type.getRank() != 0 && type.getShape() != ArrayRef<int64_t>{1}))
    return op->emitError() << "only references to one element are loaded and stored element by element";
  Variable variable = system.at(reference);
  system.assign(variable, SmemTransforms{});
  system.bind(variable, {reference});
  return success();
}

/// Demands of the sixteen bytes of a cluster cancel request's response. They have no transforms.
LogicalResult clusterCancel(Operation *op, Derivation &system) {
  auto variable = system.producer(op->getOpOperand(0));
  if (failed(variable))
    return failure();
  system.assign(*variable, SmemTransforms{});
  system.bind(*variable, {op->getOpOperand(0)});
  return success();
}

} // namespace

llvm::ArrayRef<DemandEntry> referenceDemands() {
  static const DemandEntry entries[] = {
      on<mosaic_gpu::SliceSmemOp>(sliceSmem),
      on<mosaic_gpu::SliceTmemOp>(sliceTmem),
      on<mosaic_gpu::WithTransformsOp>(withTransforms),
      on<mosaic_gpu::GetClusterRefOp>(sameReference),
      on<mosaic_gpu::ReinterpretCastOp>(reinterpretCast),
      on<mosaic_gpu::TryClusterCancelOp>(clusterCancel),
      on<mosaic_gpu::QueryClusterCancelOp>(clusterCancel),
      on<memref::SubViewOp, subview>(),
      on<memref::CastOp>(sameReference),
      on<memref::TransposeOp, transpose>(),
      on<memref::ExpandShapeOp, expandShape>(),
      on<memref::CollapseShapeOp, collapseShape>(),
      on<memref::LoadOp>(element),
      on<memref::StoreOp>(element),
  };
  return entries;
}

} // namespace lanescope::core
