// Demands of operations on references: slices, views and transposes keep the transforms as far as possible.
#include "core/gpu/inference/demands/CommonDivisor.h"
#include "core/gpu/inference/demands/Derivation.h"
#include "core/gpu/ir/LayoutAttributes.h"

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

LogicalResult subview(Operation *op, Derivation &system) {
  if (failed(requireAttributes(op, {"static_offsets", "static_sizes", "static_strides"})))
    return failure();
  auto view = cast<memref::SubViewOp>(op);
  auto source = system.producer(view.getSourceMutable());
  if (failed(source))
    return failure();
  const auto rank =
      static_cast<size_t>(cast<MemRefType>(op->getOperand(0).getType()).getRank()); // has a variable, so it is a memref
  if (view.getStaticSizes().size() != rank || view.getStaticOffsets().size() != rank ||
      llvm::count_if(view.getStaticOffsets(), ShapedType::isDynamic) != static_cast<long>(view.getOffsets().size()))
    return op->emitError() << "a slice has a start and a size for each dimension";
  Variable result = system.at(view.getResult());
  if (llvm::any_of(view.getStaticStrides(), [](int64_t stride) { return stride != 1; }))
    return op->emitError() << "slices with strides other than 1 have no layout rule";
  std::vector<int64_t> multiples;
  auto offset = view.getOffsets().begin();
  for (auto [size, start, dim] : llvm::zip_equal(view.getStaticSizes(), view.getStaticOffsets(),
                                                 cast<MemRefType>(op->getOperand(0).getType()).getShape())) {
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

LogicalResult transpose(Operation *op, Derivation &system) {
  if (failed(requireAttributes(op, {"permutation"})))
    return failure();
  auto transpose = cast<memref::TransposeOp>(op);
  auto source = system.producer(transpose.getInMutable());
  if (failed(source))
    return failure();
  Variable result = system.at(transpose.getResult());
  const unsigned rank = transpose.getPermutation().getNumResults();
  if (!transpose.getPermutation().isPermutation() ||
      cast<MemRefType>(op->getOperand(0).getType()).getRank() != static_cast<int64_t>(rank))
    return op->emitError() << "`permutation` does not name each dimension once";
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

LogicalResult expandShape(Operation *op, Derivation &system) {
  if (failed(requireAttributes(op, {"reassociation", "static_output_shape"})))
    return failure();
  auto expand = cast<memref::ExpandShapeOp>(op);
  if (isTransposed(op->getOperand(0).getType()))
    return op->emitError() << "dimensions of a transposed reference cannot be split";
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

LogicalResult collapseShape(Operation *op, Derivation &system) {
  if (failed(requireAttributes(op, {"reassociation"})))
    return failure();
  auto collapse = cast<memref::CollapseShapeOp>(op);
  std::vector<int64_t> reassociation;
  for (const ReassociationIndices &group : collapse.getReassociationIndices())
    reassociation.push_back(static_cast<int64_t>(group.size()));
  if (reassociation.empty())
    return op->emitError() << "a reference to one element, of no dimension, has no layout rule here";
  auto source = system.producer(collapse.getSrcMutable());
  if (failed(source))
    return failure();
  Variable result = system.at(collapse.getResult());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  auto type = cast<MemRefType>(op->getOperand(0).getType()); // has a variable, so it is a memref
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      ArrayRef(strides) != ArrayRef(layouts::contiguousStrides(type.getShape().vec())))
    return op->emitError() << "only dimensions of a contiguous reference can be joined";
  auto valid = constraints::checkReassociation(type.getShape().vec(), reassociation);
  if (!valid)
    return op->emitError() << valid.error().front().message;
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
      {"mosaic_gpu.slice_smem", sliceSmem},
      {"mosaic_gpu.slice_tmem", sliceTmem},
      {"mosaic_gpu.with_transforms", withTransforms},
      {"mosaic_gpu.get_cluster_ref", sameReference},
      {"mosaic_gpu.reinterpret_cast", reinterpretCast},
      {"mosaic_gpu.try_cluster_cancel", clusterCancel},
      {"mosaic_gpu.query_cluster_cancel", clusterCancel},
      {"memref.subview", subview},
      {"memref.cast", sameReference},
      {"memref.transpose", transpose},
      {"memref.expand_shape", expandShape},
      {"memref.collapse_shape", collapseShape},
      {"memref.load", element},
      {"memref.store", element},
  };
  return entries;
}

} // namespace lanescope::core
