// Constants, iota, broadcasts, layout casts, block and warpgroup numbers, prints and regions.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/data/Numeric.h"

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
  return wrap(impl_->create<mlir::arith::ConstantOp>(impl_->constantAttribute(dtype, shape, value)), dtype, shape);
}

IrValue KernelBuilder::constant(Dtype dtype, const Shape &shape, int64_t value) {
  return wrap(impl_->create<mlir::arith::ConstantOp>(impl_->constantAttribute(dtype, shape, value)), dtype, shape);
}

IrValue KernelBuilder::splat(const IrValue &scalar, const Shape &shape) {
  assert(scalar.isScalar() && "only a scalar is repeated");
  return wrap(impl_->create<mlir::vector::BroadcastOp>(impl_->type(scalar.dtype, shape), unwrap(scalar)), scalar.dtype,
              shape);
}

IrValue KernelBuilder::iota(Dtype dtype, const Shape &shape, int64_t dimension) {
  return wrap(impl_->create<mosaic_gpu::BroadcastedIotaOp>(impl_->type(dtype, shape), static_cast<uint32_t>(dimension)),
              dtype, shape);
}

IrValue KernelBuilder::broadcastInDim(const IrValue &value, const Shape &shape,
                                      const std::vector<int64_t> &dimensions) {
  if (value.isScalar())
    return splat(value, shape);
  return wrap(impl_->create<mosaic_gpu::BroadcastInDimOp>(impl_->type(value.dtype, shape), unwrap(value),
                                                          impl_->builder.getDenseI64ArrayAttr(dimensions)),
              value.dtype, shape);
}

IrValue KernelBuilder::layoutCast(const IrValue &value, const layouts::RegisterLayout &layout) {
  mlir::Attribute attribute = toAttribute(impl_->context.get(), layout);
  return wrapLike(impl_->create<mosaic_gpu::LayoutCastOp>(unwrap(value).getType(), unwrap(value), attribute), value);
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

IrValue KernelBuilder::concatenate(const std::vector<IrValue> &values, int64_t dimension) {
  llvm::SmallVector<mlir::Value> sources;
  Shape shape = values.front().shape;
  shape[dimension] = 0;
  for (const IrValue &value : values) {
    sources.push_back(unwrap(value));
    shape[dimension] += value.shape[dimension];
  }
  Dtype dtype = values.front().dtype;
  return wrap(
      impl_->create<mosaic_gpu::VectorConcatOp>(impl_->type(dtype, shape), sources, static_cast<uint32_t>(dimension)),
      dtype, shape);
}

std::vector<IrValue> KernelBuilder::optimizationBarrier(const std::vector<IrValue> &values) {
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Type> types;
  for (const IrValue &value : values) {
    operands.push_back(unwrap(value));
    types.push_back(operands.back().getType());
  }
  auto op = impl_->create<mosaic_gpu::OptimizationBarrierOp>(types, operands);
  std::vector<IrValue> out;
  for (auto [value, result] : llvm::zip_equal(values, op.getResults()))
    out.push_back(wrapLike(result, value));
  return out;
}

IrValue KernelBuilder::programId(int dim) {
  return wrap(impl_->create<statements::ProgramIdOp>(impl_->builder.getI32Type(), static_cast<uint32_t>(dim)),
              Dtype::I32, {});
}

IrValue KernelBuilder::warpgroupId() {
  return wrap(impl_->create<statements::WarpgroupIdOp>(impl_->builder.getI32Type()), Dtype::I32, {});
}

void KernelBuilder::regionBegin(const std::string &name) { impl_->create<statements::RegionBeginOp>(name); }

void KernelBuilder::regionEnd(const std::string &name) { impl_->create<statements::RegionEndOp>(name); }

void KernelBuilder::debugPrint(const std::string &format, const std::vector<IrValue> &values) {
  llvm::SmallVector<mlir::Value> operands;
  for (const IrValue &value : values) {
    // What has no conversion of printf's own goes as a wider type that has.
    int bits = layouts::bitwidth(value.dtype);
    bool narrow = bits < 16 && value.dtype != Dtype::I1, wide = layouts::isUnsignedInteger(value.dtype) && bits < 64;
    Dtype shown = layouts::isFloat(value.dtype) && narrow ? Dtype::F32
                  : wide                                  ? (bits == 32 ? Dtype::I64 : Dtype::I32)
                  : narrow                                ? Dtype::I32
                                                          : value.dtype;
    operands.push_back(unwrap(cast(value, shown)));
  }
  impl_->create<mosaic_gpu::DebugPrintOp>(format, operands);
}

void KernelBuilder::printLayout(const std::string &format, const IrValue &value) {
  impl_->create<mosaic_gpu::PrintLayoutOp>(format, unwrap(value));
}

void KernelBuilder::printLayout(const std::string &format, const IrRef &ref) {
  impl_->create<mosaic_gpu::PrintLayoutOp>(format, unwrap(ref));
}

} // namespace lanescope::core
