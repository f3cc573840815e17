// Constants, scalars over a shape, reshapes and slices.
#include "core/build/BuilderImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lanescope::core {

using layouts::Dtype;
using layouts::Shape;

static mlir::TypedAttr overShape(mlir::Type type, mlir::TypedAttr element) {
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    return mlir::DenseElementsAttr::get(vector, llvm::ArrayRef<mlir::Attribute>(element));
  return element;
}

mlir::TypedAttr KernelBuilder::Impl::constantAttribute(Dtype dtype, const Shape &shape, double value) {
  mlir::Type element = type(dtype);
  if (layouts::isFloat(dtype))
    return overShape(type(dtype, shape), builder.getFloatAttr(element, value));
  return constantAttribute(dtype, shape, static_cast<int64_t>(value));
}

mlir::TypedAttr KernelBuilder::Impl::constantAttribute(Dtype dtype, const Shape &shape, int64_t value) {
  mlir::Type element = type(dtype);
  if (layouts::isFloat(dtype))
    return overShape(type(dtype, shape), builder.getFloatAttr(element, static_cast<double>(value)));
  llvm::APInt bits(layouts::bitwidth(dtype), static_cast<uint64_t>(value), /*isSigned=*/true, /*implicitTrunc=*/true);
  return overShape(type(dtype, shape), builder.getIntegerAttr(element, bits));
}

IrValue KernelBuilder::constant(Dtype dtype, const Shape &shape, double value) {
  if (impl_->repeatsNumbers && !shape.empty())
    return splat(constant(dtype, {}, value), shape);
  return wrap(impl_->create<mlir::arith::ConstantOp>(impl_->constantAttribute(dtype, shape, value)), dtype, shape);
}

IrValue KernelBuilder::constant(Dtype dtype, const Shape &shape, int64_t value) {
  if (impl_->repeatsNumbers && !shape.empty())
    return splat(constant(dtype, {}, value), shape);
  return wrap(impl_->create<mlir::arith::ConstantOp>(impl_->constantAttribute(dtype, shape, value)), dtype, shape);
}

IrValue KernelBuilder::splat(const IrValue &scalar, const Shape &shape) {
  assert(scalar.isScalar() && "only a scalar is repeated");
  return wrap(impl_->create<mlir::vector::BroadcastOp>(impl_->type(scalar.dtype, shape), unwrap(scalar)), scalar.dtype,
              shape);
}

IrValue KernelBuilder::reshape(const IrValue &value, const Shape &shape) {
  assert(layouts::elementCount(shape) == layouts::elementCount(value.shape) && "the caller has checked the counts");
  if (shape == value.shape)
    return value;
  return wrap(impl_->create<mlir::vector::ShapeCastOp>(impl_->type(value.dtype, shape), unwrap(value)), value.dtype,
              shape);
}

IrValue KernelBuilder::slice(const IrValue &value, const std::vector<SliceDim> &dims) {
  std::vector<int64_t> offsets, sizes, strides(dims.size(), 1);
  Shape shape;
  for (const SliceDim &dim : dims) {
    offsets.push_back(std::get<int64_t>(dim.start));
    sizes.push_back(dim.length);
    if (dim.keep)
      shape.push_back(dim.length);
  }
  assert(!shape.empty() && "at least one dimension is kept");
  IrValue part = value;
  if (sizes != value.shape)
    part = wrap(impl_->create<mlir::vector::ExtractStridedSliceOp>(unwrap(value), offsets, sizes, strides), value.dtype,
                sizes);
  return reshape(part, shape);
}

} // namespace lanescope::core
