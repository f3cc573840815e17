// Asynchronous copies, the fences and waits around them, and barriers.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/DeviceOps.h"
#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/kernel/DeviceBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lanescope::core {

mlir::Value GpuBuilderImpl::barrier(const IrBarrier &barrier) {
  mlir::Value pointer = barriers[barrier.group].pointer;
  const int64_t *known = std::get_if<int64_t>(&barrier.index);
  if (!known || *known != 0) {
    llvm::SmallVector<mlir::LLVM::GEPArg> indices;
    if (known)
      indices.push_back(static_cast<int32_t>(*known));
    else
      indices.push_back(unwrap(std::get<IrValue>(barrier.index)));
    pointer = create<mlir::LLVM::GEPOp>(pointer.getType(), builder.getI64Type(), pointer, indices);
  }
  bool orders = barriers[barrier.group].ordersTensorCore;
  auto type = mlir::MemRefType::get({}, mosaic_gpu::BarrierType::get(context.get(), orders),
                                    mlir::MemRefLayoutAttrInterface{}, sharedMemorySpace(context.get()));
  return create<mlir::UnrealizedConversionCastOp>(mlir::TypeRange{type}, mlir::ValueRange{pointer}).getResult(0);
}

void GpuBuilderImpl::copySlice(const std::vector<SliceDim> &dims, llvm::SmallVector<mlir::Value> &indices,
                               llvm::SmallVector<int64_t> &lengths) {
  for (const SliceDim &dim : dims) {
    const auto *rows = std::get_if<IrValue>(&dim.start);
    indices.push_back(rows && !rows->isScalar() ? unwrap(*rows) : i32(dim.start));
    lengths.push_back(dim.keep ? dim.length : -1);
  }
}

mlir::Value GpuBuilderImpl::announcedBytes(const IrRef &destination, const std::optional<IrValue> &predicate,
                                           int64_t parts) {
  mlir::Value bytes = i32(parts * static_cast<int64_t>(deviceBytes(destination.dtype, destination.shape)));
  if (!predicate)
    return bytes;
  mlir::Value none = i32(0);
  return create<mlir::arith::SelectOp>(unwrap(*predicate), bytes, none);
}

mlir::ArrayAttr GpuBuilderImpl::dimensions(const std::vector<int64_t> &dims) {
  llvm::SmallVector<mlir::Attribute> attributes;
  for (int64_t dim : dims)
    attributes.push_back(mosaic_gpu::DimensionAttr::get(context.get(), static_cast<mosaic_gpu::Dimension>(dim)));
  return builder.getArrayAttr(attributes);
}

GpuBuilderImpl::DeviceSide GpuBuilderImpl::deviceSide(const IrRef &ref) {
  mlir::Value whole = unwrap(ref);
  if (auto peer = whole.getDefiningOp<statements::PeerRefOp>())
    return {peer.getRef(), peer.getDevice(), false};
  if (auto all = whole.getDefiningOp<statements::MulticastRefOp>())
    return {all.getRef(), mlir::Value(), true};
  return {whole, mlir::Value(), false};
}

void CopyEmitter::asyncLoad(const IrRef &source, const std::vector<SliceDim> &dims, const IrRef &destination,
                            const IrBarrier &barrier, const LoadOptions &options) {
  llvm::SmallVector<mlir::Value> indices;
  llvm::SmallVector<int64_t> lengths;
  impl_->copySlice(dims, indices, lengths);
  mlir::Value place = impl_->barrier(barrier);
  // If one barrier counts the bytes for both blocks of a pair, it is the first block's barrier.
  bool shared = options.partitionedAxis || options.replicated;
  mlir::Value bytes = impl_->announcedBytes(destination, options.predicate, shared ? 2 : 1);
  mlir::Attribute tracked;
  if (options.partitionedAxis)
    tracked = mosaic_gpu::CopyPartitionedAttr::get(impl_->context.get(), *options.partitionedAxis);
  else if (options.replicated)
    tracked = mosaic_gpu::CopyReplicatedAttr::get(impl_->context.get());
  impl_->inLeader(shared ? std::optional(options.collective.front()) : std::nullopt,
                  [&] { impl_->create<mosaic_gpu::ArriveExpectTxOp>(place, bytes); });
  using mosaic_gpu::OobFillMode;
  OobFillMode fill = options.fill == CopyFill::Undefined  ? OobFillMode::Undefined
                     : options.fill == CopyFill::InBounds ? OobFillMode::PromiseInBounds
                                                          : OobFillMode::Zeros;
  auto [ref, device, all] = impl_->deviceSide(source);
  assert(!all && "a copy reads one device");
  auto load = impl_->create<mosaic_gpu::AsyncLoadOp>(
      ref, unwrap(destination), place, indices, tracked, options.predicate ? unwrap(*options.predicate) : mlir::Value(),
      device, impl_->builder.getDenseI64ArrayAttr(lengths), impl_->dimensions(options.collective), fill);
  if (options.fill == CopyFill::Nan) // JAX has no such mode
    load->setAttr("lanescope.nan_fill", impl_->builder.getUnitAttr());
}

static mosaic_gpu::TmaReduction reductionOf(CopyReduction reduction, layouts::Dtype dtype) {
  using enum mosaic_gpu::TmaReduction;
  bool isFloat = layouts::isFloat(dtype), isSigned = layouts::isSignedInteger(dtype);
  switch (reduction) {
  case CopyReduction::Add: return Add;
  case CopyReduction::Minimum: return isFloat ? Min : isSigned ? Smin : Umin;
  case CopyReduction::Maximum: return isFloat ? Max : isSigned ? Smax : Umax;
  case CopyReduction::Increment: return Inc;
  case CopyReduction::Decrement: return Dec;
  case CopyReduction::And: return And;
  case CopyReduction::Or: return Or;
  case CopyReduction::Xor: return Xor;
  }
  return Add;
}

void CopyEmitter::asyncStore(const IrRef &source, const IrRef &destination, const std::vector<SliceDim> &dims,
                             bool commitGroup, const std::optional<IrValue> &predicate,
                             std::optional<CopyReduction> reduction) {
  llvm::SmallVector<mlir::Value> indices;
  llvm::SmallVector<int64_t> lengths;
  impl_->copySlice(dims, indices, lengths);
  mosaic_gpu::TmaReductionAttr combine;
  if (reduction)
    combine = mosaic_gpu::TmaReductionAttr::get(impl_->context.get(), reductionOf(*reduction, source.dtype));
  auto [ref, device, all] = impl_->deviceSide(destination);
  impl_->create<mosaic_gpu::AsyncStoreOp>(unwrap(source), ref, indices, predicate ? unwrap(*predicate) : mlir::Value(),
                                          device, impl_->builder.getDenseI64ArrayAttr(lengths),
                                          impl_->builder.getBoolAttr(commitGroup), combine,
                                          impl_->builder.getBoolAttr(all));
}

void CopyEmitter::asyncPrefetch(const IrRef &source, const std::vector<SliceDim> &dims,
                                const std::optional<IrValue> &predicate, const std::vector<int64_t> &collective) {
  llvm::SmallVector<mlir::Value> indices;
  llvm::SmallVector<int64_t> lengths;
  impl_->copySlice(dims, indices, lengths);
  impl_->create<mosaic_gpu::AsyncPrefetchOp>(unwrap(source), indices, predicate ? unwrap(*predicate) : mlir::Value(),
                                             impl_->builder.getDenseI64ArrayAttr(lengths),
                                             impl_->dimensions(collective));
}

void CopyEmitter::cpAsync(const IrRef &source, const std::vector<SliceDim> &dims, const IrRef &destination,
                          const std::optional<IrBarrier> &barrier, CopyFill fill,
                          const std::optional<IrValue> &predicate) {
  llvm::SmallVector<mlir::Value> indices;
  llvm::SmallVector<int64_t> lengths;
  impl_->copySlice(dims, indices, lengths);
  mlir::Value place = barrier ? impl_->barrier(*barrier) : mlir::Value();
  auto fills = [&](CopyFill with) { return fill == with ? impl_->builder.getUnitAttr() : mlir::UnitAttr(); };
  impl_->create<statements::CpAsyncOp>(
      unwrap(source), unwrap(destination), place, indices, predicate ? unwrap(*predicate) : mlir::Value(),
      impl_->builder.getDenseI64ArrayAttr(lengths), fills(CopyFill::Zeros), fills(CopyFill::Nan));
}

void CopyEmitter::waitCpAsync(int64_t pending) {
  impl_->create<statements::WaitCpAsyncOp>(static_cast<uint32_t>(pending));
}

void CopyEmitter::commitGroup() { impl_->create<statements::CommitGroupOp>(); }

void CopyEmitter::waitSmemToGmem(int64_t pending, bool readOnly) {
  impl_->create<statements::WaitSmemToGmemOp>(static_cast<uint32_t>(pending), readOnly);
}

void CopyEmitter::commitSmem() { impl_->create<statements::CommitSmemOp>(); }

void CopyEmitter::arriveExpectTx(const IrBarrier &barrier, int64_t bytes) {
  mlir::Value place = impl_->barrier(barrier);
  impl_->create<mosaic_gpu::ArriveExpectTxOp>(place, impl_->i32(bytes));
}

void CopyEmitter::arrive(const IrBarrier &barrier) {
  mlir::Value place = impl_->barrier(barrier);
  const GpuBuilderImpl::BarrierGroup &group = impl_->barriers[barrier.group];
  if (group.collective)
    impl_->create<statements::ClusterArriveOp>(place, impl_->collectiveAttribute(*group.collective),
                                               group.leaderTracked);
  else
    impl_->create<mosaic_gpu::ArriveOp>(place, group.ordersTensorCore);
}

std::pair<mlir::Value, mlir::Value> GpuBuilderImpl::nextPhase(const IrBarrier &barrier) {
  using namespace mlir;
  Value mask = create<memref::LoadOp>(barriers[barrier.group].phases, ValueRange{});
  const int64_t *known = std::get_if<int64_t>(&barrier.index);
  Value one = i32(1);
  Value bit = known ? i32(int64_t{1} << *known)
                    : create<arith::ShLIOp>(one, unwrap(std::get<IrValue>(barrier.index))).getResult();
  Value masked = create<arith::AndIOp>(mask, bit);
  Value parity = create<arith::CmpIOp>(arith::CmpIPredicate::ne, masked, i32(0));
  return {parity, create<arith::XOrIOp>(mask, bit)};
}

void CopyEmitter::wait(const IrBarrier &barrier) {
  const auto &group = impl_->barriers[barrier.group];
  auto [parity, flipped] = impl_->nextPhase(barrier);
  impl_->create<mlir::memref::StoreOp>(flipped, group.phases, mlir::ValueRange{});
  auto wait = impl_->create<mosaic_gpu::WaitOp>(impl_->barrier(barrier), parity);
  if (group.collective)
    wait->setAttr("lanescope.cluster_scope", impl_->builder.getUnitAttr());
}

IrValue CopyEmitter::test(const IrBarrier &barrier) {
  const auto &group = impl_->barriers[barrier.group];
  auto [parity, flipped] = impl_->nextPhase(barrier);
  auto test = impl_->create<statements::BarrierTestOp>(impl_->builder.getI1Type(), impl_->barrier(barrier), parity);
  if (group.collective)
    test->setAttr("lanescope.cluster_scope", impl_->builder.getUnitAttr());
  mlir::Value before = impl_->create<mlir::memref::LoadOp>(group.phases, mlir::ValueRange{});
  mlir::Value after = impl_->create<mlir::arith::SelectOp>(test.getCompleted(), flipped, before);
  impl_->create<mlir::memref::StoreOp>(after, group.phases, mlir::ValueRange{});
  return wrap(test.getCompleted(), layouts::Dtype::I1, {});
}

} // namespace lanescope::core
