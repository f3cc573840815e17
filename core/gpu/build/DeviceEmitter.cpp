// The memory of other devices: references to it, stores to all devices at once, loads that combine their values.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/DeviceOps.h"
#include "core/gpu/ir/MosaicGpuAsync.h"

namespace lanescope::core {

IrValue DeviceEmitter::deviceId() {
  return wrap(impl_->create<statements::DeviceIdOp>(impl_->builder.getI32Type()), layouts::Dtype::I32, {});
}

void DeviceEmitter::releaseFence() { impl_->create<statements::ReleaseFenceOp>(); }

IrRef DeviceEmitter::onDevice(const IrRef &argument, const IrValue &device) {
  mlir::Value ref = unwrap(argument);
  mlir::Value there = impl_->create<statements::PeerRefOp>(ref.getType(), ref, unwrap(device));
  return {there.getAsOpaquePointer(), argument.dtype, argument.shape, MemorySpace::Global};
}

IrRef DeviceEmitter::onAllDevices(const IrRef &argument) {
  mlir::Value ref = unwrap(argument);
  mlir::Value there = impl_->create<statements::MulticastRefOp>(ref.getType(), ref);
  return {there.getAsOpaquePointer(), argument.dtype, argument.shape, MemorySpace::Global};
}

void DeviceEmitter::storeToAll(const IrValue &value, const IrRef &ref) {
  assert(value.dtype == ref.dtype && value.shape == ref.shape && "the caller has made them agree");
  impl_->create<mosaic_gpu::VectorStoreOp>(unwrap(value), unwrap(ref), mlir::BoolAttr(), mosaic_gpu::AtomicOpAttr(),
                                           impl_->builder.getBoolAttr(true));
}

IrValue DeviceEmitter::loadReduce(const IrRef &ref, MultimemKind kind) {
  using enum mosaic_gpu::MultimemReduction;
  bool isFloat = layouts::isFloat(ref.dtype), isSigned = layouts::isSignedInteger(ref.dtype);
  mosaic_gpu::MultimemReduction reduction = Add;
  switch (kind) {
  case MultimemKind::Add: break;
  case MultimemKind::Minimum: reduction = isFloat ? Min : isSigned ? Smin : Umin; break;
  case MultimemKind::Maximum: reduction = isFloat ? Max : isSigned ? Smax : Umax; break;
  case MultimemKind::And: reduction = And; break;
  case MultimemKind::Or: reduction = Or; break;
  case MultimemKind::Xor: reduction = Xor; break;
  }
  mlir::Value value =
      impl_->create<mosaic_gpu::MultimemLoadReduceOp>(impl_->type(ref.dtype, ref.shape), unwrap(ref), reduction);
  return wrap(value, ref.dtype, ref.shape);
}

} // namespace lanescope::core
