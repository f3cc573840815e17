// Asynchronous copies, the fences and waits around them, and barriers.
#include "core/build/BuilderImpl.h"

#include "core/ir/Lanescope.h"
#include "core/ir/MosaicGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lanescope::core {

namespace {

/// Start indices (i32) and lengths (-1 for an integer index) as the copy operations write them.
struct CopySlice {
  llvm::SmallVector<mlir::Value> indices;
  llvm::SmallVector<int64_t> lengths;
};

} // namespace

mlir::Value KernelBuilder::Impl::barrier(const IrBarrier &barrier) {
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
  auto type = mlir::MemRefType::get({}, mosaic_gpu::BarrierType::get(context.get(), false),
                                    mlir::MemRefLayoutAttrInterface{}, sharedMemorySpace(context.get()));
  return create<mlir::UnrealizedConversionCastOp>(mlir::TypeRange{type}, mlir::ValueRange{pointer}).getResult(0);
}

void KernelBuilder::asyncLoad(const IrRef &source, const std::vector<SliceDim> &dims, const IrRef &destination,
                              const IrBarrier &barrier) {
  CopySlice slice;
  for (const SliceDim &dim : dims) {
    slice.indices.push_back(impl_->i32(dim.start));
    slice.lengths.push_back(dim.keep ? dim.length : -1);
  }
  arriveExpectTx(barrier, layouts::elementCount(destination.shape) * layouts::bitwidth(destination.dtype) / 8);
  impl_->create<mosaic_gpu::AsyncLoadOp>(unwrap(source), unwrap(destination), impl_->barrier(barrier), slice.indices,
                                         mlir::Attribute(), mlir::Value(), mlir::Value(),
                                         impl_->builder.getDenseI64ArrayAttr(slice.lengths),
                                         impl_->builder.getArrayAttr({}), mosaic_gpu::OobFillMode::Zeros);
}

void KernelBuilder::asyncStore(const IrRef &source, const IrRef &destination, const std::vector<SliceDim> &dims,
                               bool commitGroup, const std::optional<IrValue> &predicate) {
  CopySlice slice;
  for (const SliceDim &dim : dims) {
    slice.indices.push_back(impl_->i32(dim.start));
    slice.lengths.push_back(dim.keep ? dim.length : -1);
  }
  impl_->create<mosaic_gpu::AsyncStoreOp>(
      unwrap(source), unwrap(destination), slice.indices, predicate ? unwrap(*predicate) : mlir::Value(), mlir::Value(),
      impl_->builder.getDenseI64ArrayAttr(slice.lengths), impl_->builder.getBoolAttr(commitGroup),
      mosaic_gpu::TmaReductionAttr(), impl_->builder.getBoolAttr(false));
}

void KernelBuilder::commitGroup() { impl_->create<statements::CommitGroupOp>(); }

void KernelBuilder::waitSmemToGmem(int64_t pending, bool readOnly) {
  impl_->create<statements::WaitSmemToGmemOp>(static_cast<uint32_t>(pending), readOnly);
}

void KernelBuilder::commitSmem() { impl_->create<statements::CommitSmemOp>(); }

void KernelBuilder::arriveExpectTx(const IrBarrier &barrier, int64_t bytes) {
  mlir::Value place = impl_->barrier(barrier);
  impl_->create<mosaic_gpu::ArriveExpectTxOp>(place, impl_->i32(bytes));
}

void KernelBuilder::arrive(const IrBarrier &barrier) {
  impl_->create<mosaic_gpu::ArriveOp>(impl_->barrier(barrier), false);
}

void KernelBuilder::wait(const IrBarrier &barrier) {
  using namespace mlir;
  Value phases = impl_->barriers[barrier.group].phases;
  Value mask = impl_->create<memref::LoadOp>(phases, ValueRange{});
  const int64_t *known = std::get_if<int64_t>(&barrier.index);
  Value one = impl_->i32(1);
  Value bit = known ? impl_->i32(int64_t{1} << *known)
                    : impl_->create<arith::ShLIOp>(one, unwrap(std::get<IrValue>(barrier.index))).getResult();
  Value masked = impl_->create<arith::AndIOp>(mask, bit);
  Value parity = impl_->create<arith::CmpIOp>(arith::CmpIPredicate::ne, masked, impl_->i32(0));
  Value flipped = impl_->create<arith::XOrIOp>(mask, bit);
  impl_->create<memref::StoreOp>(flipped, phases, ValueRange{});
  impl_->create<mosaic_gpu::WaitOp>(impl_->barrier(barrier), parity);
}

} // namespace lanescope::core
