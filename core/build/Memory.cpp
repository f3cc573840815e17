// References: slices, transposes, loads and stores.
#include "core/build/BuilderImpl.h"

#include "core/ir/MosaicGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineMap.h"

#include <algorithm>

namespace lanescope::core {

IrRef KernelBuilder::slice(const IrRef &ref, const std::vector<SliceDim> &dims) {
  assert(dims.size() == ref.shape.size() && "one slice per dimension");
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

IrRef KernelBuilder::transpose(const IrRef &ref, const std::vector<size_t> &order) {
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

static mlir::BoolAttr optional(mlir::Builder &builder, std::optional<bool> flag) {
  return flag ? builder.getBoolAttr(*flag) : mlir::BoolAttr();
}

IrValue KernelBuilder::load(const IrRef &ref, std::optional<bool> optimized) {
  mlir::Value value = impl_->create<mosaic_gpu::VectorLoadOp>(impl_->type(ref.dtype, ref.shape), unwrap(ref),
                                                              optional(impl_->builder, optimized));
  return wrap(value, ref.dtype, ref.shape);
}

static mosaic_gpu::AtomicOpAttr atomicAttribute(mlir::MLIRContext *context, std::optional<AtomicKind> atomic) {
  if (!atomic)
    return {};
  using mosaic_gpu::AtomicOp;
  constexpr AtomicOp kOps[] = {AtomicOp::Add, AtomicOp::Min, AtomicOp::Max, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor};
  return mosaic_gpu::AtomicOpAttr::get(context, kOps[static_cast<size_t>(*atomic)]);
}

void KernelBuilder::store(const IrValue &value, const IrRef &ref, std::optional<bool> optimized,
                          std::optional<AtomicKind> atomic) {
  assert(value.dtype == ref.dtype && value.shape == ref.shape && "the caller has made them agree");
  auto store = impl_->create<mosaic_gpu::VectorStoreOp>(unwrap(value), unwrap(ref), optional(impl_->builder, optimized),
                                                        atomicAttribute(impl_->context.get(), atomic),
                                                        impl_->builder.getBoolAttr(false));
  if (atomic && layouts::isUnsignedInteger(value.dtype)) // minima and maxima differ; JAX takes all integers as signed
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

IrValue KernelBuilder::loadScalar(const IrRef &ref, const std::vector<Offset> &indices) {
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  for (const Offset &index : indices)
    offsets.push_back(impl_->index(index));
  mlir::Value value =
      impl_->create<mlir::memref::LoadOp>(unwrap(ref), indexValues(impl_->builder, impl_->location, offsets));
  return wrap(value, ref.dtype, {});
}

void KernelBuilder::storeScalar(const IrValue &value, const IrRef &ref, const std::vector<Offset> &indices) {
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  for (const Offset &index : indices)
    offsets.push_back(impl_->index(index));
  impl_->create<mlir::memref::StoreOp>(unwrap(value), unwrap(ref),
                                       indexValues(impl_->builder, impl_->location, offsets));
}

} // namespace lanescope::core
