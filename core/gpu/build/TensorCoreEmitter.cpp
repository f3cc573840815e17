// Variables in registers, and the tensor cores' operations on them.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/MosaicGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lanescope::core {

IrVariable TensorCoreEmitter::variable(layouts::Dtype dtype, const layouts::Shape &shape) {
  auto type = mlir::MemRefType::get({}, impl_->type(dtype, shape));
  mlir::Value place = impl_->create<mlir::memref::AllocaOp>(type);
  IrVariable variable{place.getAsOpaquePointer(), dtype, shape};
  auto zero = layouts::isFloat(dtype) ? impl_->constantAttribute(dtype, shape, 0.0)
                                      : impl_->constantAttribute(dtype, shape, int64_t{0});
  write(wrap(impl_->create<mlir::arith::ConstantOp>(zero), dtype, shape), variable);
  return variable;
}

IrValue TensorCoreEmitter::read(const IrVariable &variable) {
  mlir::Value value = impl_->create<mlir::memref::LoadOp>(unwrap(variable), mlir::ValueRange{});
  return wrap(value, variable.dtype, variable.shape);
}

void TensorCoreEmitter::write(const IrValue &value, const IrVariable &variable) {
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

void TensorCoreEmitter::wgmma(const IrVariable &accumulator, const std::variant<IrRef, IrValue> &a, const IrRef &b) {
  IrValue before = read(accumulator);
  mlir::Value left = std::visit([](const auto &operand) { return unwrap(operand); }, a);
  auto multiply = impl_->create<mosaic_gpu::WGMMAOp>(unwrap(before).getType(), unwrap(before), left, unwrap(b));
  markUnsigned(multiply, std::visit([](const auto &operand) { return operand.dtype; }, a), b.dtype);
  write(wrapLike(multiply.getResult(), before), accumulator);
  impl_->create<statements::WgmmaCommitOp>();
}

void TensorCoreEmitter::wgmmaWait(int64_t pending) {
  impl_->create<statements::WgmmaWaitOp>(mlir::TypeRange{}, static_cast<uint32_t>(pending), mlir::ValueRange{});
}

IrValue TensorCoreEmitter::wgmmaWait(int64_t pending, const IrVariable &accumulator) {
  IrValue before = read(accumulator);
  mlir::Value value = unwrap(before);
  auto wait = impl_->create<statements::WgmmaWaitOp>(mlir::TypeRange{value.getType()}, static_cast<uint32_t>(pending),
                                                     mlir::ValueRange{value});
  IrValue result = wrapLike(wait.getResult(0), before);
  write(result, accumulator);
  return result;
}

IrValue TensorCoreEmitter::mma(const IrValue &accumulator, const IrValue &a, const IrValue &b, int64_t warpsAlongM,
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
