// Arrays in mosaic_gpu's own operations: iota, broadcasts, concatenation, layout casts.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/MosaicGpu.h"

namespace lanescope::core {

using layouts::Dtype;
using layouts::Shape;

IrValue GpuBuilder::iota(Dtype dtype, const Shape &shape, int64_t dimension) {
  return wrap(impl_->create<mosaic_gpu::BroadcastedIotaOp>(impl_->type(dtype, shape), static_cast<uint32_t>(dimension)),
              dtype, shape);
}

IrValue GpuBuilder::broadcastInDim(const IrValue &value, const Shape &shape, const std::vector<int64_t> &dimensions) {
  if (value.isScalar())
    return splat(value, shape);
  return wrap(impl_->create<mosaic_gpu::BroadcastInDimOp>(impl_->type(value.dtype, shape), unwrap(value),
                                                          impl_->builder.getDenseI64ArrayAttr(dimensions)),
              value.dtype, shape);
}

IrValue GpuBuilder::layoutCast(const IrValue &value, const layouts::RegisterLayout &layout) {
  mlir::Attribute attribute = toAttribute(impl_->context.get(), layout);
  return wrapLike(impl_->create<mosaic_gpu::LayoutCastOp>(unwrap(value).getType(), unwrap(value), attribute), value);
}

IrValue GpuBuilder::concatenate(const std::vector<IrValue> &values, int64_t dimension) {
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

std::vector<IrValue> GpuBuilder::optimizationBarrier(const std::vector<IrValue> &values) {
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

} // namespace lanescope::core
