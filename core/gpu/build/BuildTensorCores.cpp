// Variables in registers, and the tensor cores' operations on them.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/MosaicGpu.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lanescope::core {

IrVariable GpuBuilder::variable(layouts::Dtype dtype, const layouts::Shape &shape) {
  auto type = mlir::MemRefType::get({}, impl_->type(dtype, shape));
  mlir::Value place = impl_->create<mlir::memref::AllocaOp>(type);
  IrVariable variable{place.getAsOpaquePointer(), dtype, shape};
  write(layouts::isFloat(dtype) ? constant(dtype, shape, 0.0) : constant(dtype, shape, int64_t{0}), variable);
  return variable;
}

IrValue GpuBuilder::read(const IrVariable &variable) {
  mlir::Value value = impl_->create<mlir::memref::LoadOp>(unwrap(variable), mlir::ValueRange{});
  return wrap(value, variable.dtype, variable.shape);
}

void GpuBuilder::write(const IrValue &value, const IrVariable &variable) {
  assert(value.dtype == variable.dtype && value.shape == variable.shape && "the caller has made them agree");
  impl_->create<mlir::memref::StoreOp>(unwrap(value), unwrap(variable), mlir::ValueRange{});
}

/// Marks unsigned operands, because MLIR's integers have no sign.
static void markUnsigned(mlir::Operation *product, layouts::Dtype a, layouts::Dtype b) {
  auto mark = mlir::UnitAttr::get(product->getContext());
  if (layouts::isUnsignedInteger(a))
    product->setAttr("lanescope.unsigned_a", mark);
  if (layouts::isUnsignedInteger(b))
    product->setAttr("lanescope.unsigned_b", mark);
}

void GpuBuilder::wgmma(const IrVariable &accumulator, const std::variant<IrRef, IrValue> &a, const IrRef &b) {
  IrValue before = read(accumulator);
  mlir::Value left = std::visit([](const auto &operand) { return unwrap(operand); }, a);
  auto multiply = impl_->create<mosaic_gpu::WGMMAOp>(unwrap(before).getType(), unwrap(before), left, unwrap(b));
  markUnsigned(multiply, std::visit([](const auto &operand) { return operand.dtype; }, a), b.dtype);
  write(wrapLike(multiply.getResult(), before), accumulator);
  impl_->create<statements::WgmmaCommitOp>();
}

void GpuBuilder::wgmmaWait(int64_t pending) {
  impl_->create<statements::WgmmaWaitOp>(mlir::TypeRange{}, static_cast<uint32_t>(pending), mlir::ValueRange{});
}

IrValue GpuBuilder::wgmmaWait(int64_t pending, const IrVariable &accumulator) {
  IrValue before = read(accumulator);
  mlir::Value value = unwrap(before);
  auto wait = impl_->create<statements::WgmmaWaitOp>(mlir::TypeRange{value.getType()}, static_cast<uint32_t>(pending),
                                                     mlir::ValueRange{value});
  IrValue result = wrapLike(wait.getResult(0), before);
  write(result, accumulator);
  return result;
}

IrValue GpuBuilder::mma(const IrValue &accumulator, const IrValue &a, const IrValue &b, int64_t warpsAlongM,
                        const std::optional<MmaScales> &scales) {
  llvm::SmallVector<mlir::Value, 2> both;
  if (scales)
    both = {unwrap(scales->a), unwrap(scales->b)};
  auto mma =
      impl_->create<mosaic_gpu::MMAOp>(unwrap(accumulator).getType(), unwrap(accumulator), unwrap(a), unwrap(b), both);
  mma->setAttr("lanescope.m_warps", impl_->builder.getI32IntegerAttr(static_cast<int32_t>(warpsAlongM)));
  markUnsigned(mma, a.dtype, b.dtype);
  return wrapLike(mma.getResult(), accumulator);
}

} // namespace lanescope::core
