// References: slices, transposes, loads and stores.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/MosaicGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineMap.h"

#include <algorithm>

namespace lanescope::core {

IrRef MemoryEmitter::slice(const IrRef &ref, const std::vector<SliceDim> &dims) {
  assert(dims.size() == ref.shape.size() && "one slice per dimension");
  if (ref.space == MemorySpace::Tensor)
    return impl_->sliceTensor(ref, dims);
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;
  layouts::Shape shape;
  bool whole = true;
  for (size_t i = 0; i < dims.size(); ++i) {
    const SliceDim &dim = dims[i];
    const int64_t *start = std::get_if<int64_t>(&dim.start);
    whole = whole && dim.keep && start && *start == 0 && dim.length == ref.shape[i];
    offsets.push_back(impl_->index(dim.start));
    sizes.push_back(impl_->builder.getIndexAttr(dim.length));
    strides.push_back(impl_->builder.getIndexAttr(1));
    if (dim.keep)
      shape.push_back(dim.length);
  }
  if (whole)
    return ref;
  auto source = mlir::cast<mlir::MemRefType>(unwrap(ref).getType());
  auto type = mlir::memref::SubViewOp::inferRankReducedResultType(shape, source, offsets, sizes, strides);
  mlir::Value view = impl_->create<mlir::memref::SubViewOp>(type, unwrap(ref), offsets, sizes, strides);
  return {view.getAsOpaquePointer(), ref.dtype, std::move(shape), ref.space};
}

IrRef MemoryEmitter::transpose(const IrRef &ref, const std::vector<size_t> &order) {
  if (std::ranges::is_sorted(order))
    return ref;
  llvm::SmallVector<unsigned> permutation(order.begin(), order.end());
  auto map = mlir::AffineMapAttr::get(mlir::AffineMap::getPermutationMap(permutation, impl_->context.get()));
  mlir::Value view = impl_->create<mlir::memref::TransposeOp>(unwrap(ref), map);
  layouts::Shape shape;
  for (size_t dim : order)
    shape.push_back(ref.shape[dim]);
  return {view.getAsOpaquePointer(), ref.dtype, std::move(shape), ref.space};
}

using Groups = llvm::SmallVector<mlir::ReassociationIndices>;

/// Splits two shapes of equal size into the smallest blocks of equal size; returns the dimensions of each block.
static void matchDims(const layouts::Shape &from, const layouts::Shape &to, Groups &fromGroups, Groups &toGroups) {
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    mlir::ReassociationIndices left, right;
    int64_t a = 1, b = 1;
    auto takeLeft = [&] {
      left.push_back(static_cast<int64_t>(i));
      a *= from[i++];
    };
    auto takeRight = [&] {
      right.push_back(static_cast<int64_t>(j));
      b *= to[j++];
    };
    if (i < from.size())
      takeLeft();
    if (j < to.size())
      takeRight();
    while (a != b)
      a < b ? takeLeft() : takeRight();
    if ((left.empty() || right.empty()) && !fromGroups.empty()) { // trailing dimensions of size one
      llvm::append_range(fromGroups.back(), left);
      llvm::append_range(toGroups.back(), right);
    } else {
      fromGroups.push_back(std::move(left));
      toGroups.push_back(std::move(right));
    }
  }
}

std::optional<IrRef> MemoryEmitter::reshape(const IrRef &ref, const layouts::Shape &shape) {
  if (ref.shape == shape)
    return ref;
  assert(layouts::elementCount(ref.shape) == layouts::elementCount(shape) && "a reshape keeps all elements");
  Groups from, to;
  matchDims(ref.shape, shape, from, to);
  if (ref.shape.empty() || shape.empty()) // one element without dimensions
    from = to = {};
  mlir::Value view = unwrap(ref);
  auto merges = [](const mlir::ReassociationIndices &group) { return group.size() != 1; };
  if (shape.empty() || llvm::any_of(from, merges)) {
    auto type = mlir::cast<mlir::MemRefType>(view.getType());
    if (!mlir::memref::CollapseShapeOp::isGuaranteedCollapsible(type, from))
      return std::nullopt;
    view = impl_->create<mlir::memref::CollapseShapeOp>(view, from);
  }
  if (ref.shape.empty() || llvm::any_of(to, merges)) {
    auto type =
        mlir::memref::ExpandShapeOp::computeExpandedType(mlir::cast<mlir::MemRefType>(view.getType()), shape, to);
    if (mlir::failed(type))
      return std::nullopt;
    view = impl_->create<mlir::memref::ExpandShapeOp>(*type, view, to);
  }
  return IrRef{view.getAsOpaquePointer(), ref.dtype, shape, ref.space};
}

static mlir::BoolAttr optional(mlir::Builder &builder, std::optional<bool> flag) {
  return flag ? builder.getBoolAttr(*flag) : mlir::BoolAttr();
}

IrValue MemoryEmitter::load(const IrRef &ref, std::optional<bool> optimized, EvictionPolicy eviction) {
  mlir::StringAttr policy;
  if (eviction != EvictionPolicy::None)
    policy = impl_->builder.getStringAttr(eviction == EvictionPolicy::First ? "evict_first" : "evict_last");
  mlir::Value value = impl_->create<mosaic_gpu::VectorLoadOp>(impl_->type(ref.dtype, ref.shape), unwrap(ref),
                                                              optional(impl_->builder, optimized), policy);
  return wrap(value, ref.dtype, ref.shape);
}

mosaic_gpu::AtomicOpAttr atomicAttribute(mlir::MLIRContext *context, std::optional<AtomicKind> atomic) {
  if (!atomic)
    return {};
  using mosaic_gpu::AtomicOp;
  constexpr AtomicOp kOps[] = {AtomicOp::Add, AtomicOp::Min, AtomicOp::Max, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor};
  return mosaic_gpu::AtomicOpAttr::get(context, kOps[static_cast<size_t>(*atomic)]);
}

void MemoryEmitter::store(const IrValue &value, const IrRef &ref, std::optional<bool> optimized,
                          std::optional<AtomicKind> atomic) {
  assert(value.dtype == ref.dtype && value.shape == ref.shape && "the caller has made them agree");
  auto store = impl_->create<mosaic_gpu::VectorStoreOp>(unwrap(value), unwrap(ref), optional(impl_->builder, optimized),
                                                        atomicAttribute(impl_->context.get(), atomic),
                                                        impl_->builder.getBoolAttr(false));
  if (atomic && layouts::isUnsignedInteger(
                    value.dtype)) // minimum and maximum depend on the sign, and JAX reads all integers as signed
    store->setAttr("is_signed", impl_->builder.getBoolAttr(false));
}

static llvm::SmallVector<mlir::Value> indexValues(mlir::OpBuilder &builder, mlir::Location location,
                                                  llvm::ArrayRef<mlir::OpFoldResult> indices) {
  llvm::SmallVector<mlir::Value> values;
  for (mlir::OpFoldResult index : indices) {
    if (auto value = mlir::dyn_cast<mlir::Value>(index))
      values.push_back(value);
    else
      values.push_back(mlir::arith::ConstantOp::create(
          builder, location, mlir::cast<mlir::IntegerAttr>(mlir::cast<mlir::Attribute>(index))));
  }
  return values;
}

IrValue MemoryEmitter::loadScalar(const IrRef &ref, const std::vector<Offset> &indices) {
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  for (const Offset &index : indices)
    offsets.push_back(impl_->index(index));
  mlir::Value value =
      impl_->create<mlir::memref::LoadOp>(unwrap(ref), indexValues(impl_->builder, impl_->location, offsets));
  return wrap(value, ref.dtype, {});
}

void MemoryEmitter::storeScalar(const IrValue &value, const IrRef &ref, const std::vector<Offset> &indices) {
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  for (const Offset &index : indices)
    offsets.push_back(impl_->index(index));
  impl_->create<mlir::memref::StoreOp>(unwrap(value), unwrap(ref),
                                       indexValues(impl_->builder, impl_->location, offsets));
}

} // namespace lanescope::core
