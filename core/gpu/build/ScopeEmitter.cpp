// Shared memory: offsets of buffers, unions, scopes, and memory that lasts for the whole kernel (barriers).
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/kernel/DeviceBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <algorithm>

namespace lanescope::core {

int64_t bufferBytes(const KernelFrame::Buffer &buffer) {
  return static_cast<int64_t>(deviceBytes(buffer.dtype, buffer.shape));
}

template <typename Buffer>
static SharedPlan place(const std::vector<Buffer> &buffers, int64_t from, int64_t alignment,
                        int64_t (*sizeOf)(const Buffer &)) {
  SharedPlan plan;
  plan.end = from;
  for (size_t i = 0; i < buffers.size();) {
    // Members of one overlay all begin at `start`; a buffer without an overlay is a member on its own.
    int64_t overlay = buffers[i].overlay, member = buffers[i].member, start = plan.end, at = start;
    do {
      if (buffers[i].member != member)
        at = start;
      member = buffers[i].member;
      plan.offsets.push_back(alignedTo(at, alignment));
      at = plan.offsets.back() + sizeOf(buffers[i]);
      plan.end = std::max(plan.end, at);
    } while (++i < buffers.size() && overlay > 0 && buffers[i].overlay == overlay);
  }
  return plan;
}

SharedPlan placeBuffers(const std::vector<KernelFrame::Buffer> &buffers, int64_t from) {
  return place(buffers, from, kSharedAlignment, bufferBytes);
}

SharedPlan placeBuffers(const std::vector<KernelFrame::TensorBuffer> &buffers, int64_t from) {
  constexpr int64_t kColumnAlignment = 4; // the alignment of scales and metadata
  return place(buffers, from, kColumnAlignment, bufferColumns);
}

IrRef GpuBuilderImpl::sliceShared(const KernelFrame::Buffer &buffer, int64_t offset) {
  mlir::Location place = location;
  location = mlir::NameLoc::get(builder.getStringAttr(buffer.name), locationOf(buffer.span));
  auto type = mlir::MemRefType::get(buffer.shape, this->type(buffer.dtype), mlir::MemRefLayoutAttrInterface{},
                                    sharedMemorySpace(context.get()));
  mlir::Value ref = create<mosaic_gpu::SliceSmemOp>(type, static_cast<uint32_t>(offset), mlir::IntegerAttr());
  // Plain buffers state empty transforms, because inference chooses transforms where none are stated.
  if (buffer.transforms)
    ref = create<mosaic_gpu::WithTransformsOp>(ref, toAttribute(context.get(), *buffer.transforms));
  location = place;
  return {ref.getAsOpaquePointer(), buffer.dtype, buffer.shape, MemorySpace::Shared};
}

mlir::Value GpuBuilderImpl::sliceLasting(mlir::MemRefType type, int64_t bytes) {
  auto slice = create<mosaic_gpu::SliceSmemOp>(type, static_cast<uint32_t>(lasting), mlir::IntegerAttr());
  lastingSlices.push_back(slice);
  lasting += bytes;
  return slice;
}

mlir::ArrayAttr GpuBuilderImpl::collectiveAttribute(const std::vector<std::vector<int64_t>> &groups) {
  llvm::SmallVector<mlir::Attribute> attributes;
  for (const auto &dims : groups)
    attributes.push_back(builder.getDenseI64ArrayAttr(dims));
  return builder.getArrayAttr(attributes);
}

void GpuBuilderImpl::addBarriers(const KernelFrame::BarrierGroup &group) {
  mlir::Location place = location;
  location = mlir::NameLoc::get(builder.getStringAttr(group.name), locationOf(group.span));
  auto pointerType = mlir::LLVM::LLVMPointerType::get(context.get(), 3);
  auto refType =
      mlir::MemRefType::get({group.count}, mosaic_gpu::BarrierType::get(context.get(), group.ordersTensorCore),
                            mlir::MemRefLayoutAttrInterface{}, sharedMemorySpace(context.get()));
  mlir::Value ref = sliceLasting(refType, group.count * kBarrierBytes);
  mlir::Value pointer =
      create<mlir::UnrealizedConversionCastOp>(mlir::TypeRange{pointerType}, mlir::ValueRange{ref}).getResult(0);
  auto arrivals = static_cast<uint64_t>(group.arrivals);
  auto count = static_cast<uint32_t>(group.count);
  if (group.collective)
    create<statements::InitializeClusterBarrierOp>(pointer, arrivals, count, collectiveAttribute(*group.collective));
  else
    create<mosaic_gpu::InitializeBarrierOp>(pointer, arrivals, count, group.ordersTensorCore);
  mlir::Value phases = create<mlir::memref::AllocaOp>(mlir::MemRefType::get({}, builder.getI32Type()));
  create<mlir::memref::StoreOp>(i32(0), phases, mlir::ValueRange{});
  barriers.push_back({pointer, phases, group.collective, group.leaderTracked, group.ordersTensorCore});
  location = place;
}

ScopeEmitter::ScopeMark ScopeEmitter::openScope() const { return {impl_->used, impl_->usedColumns}; }

void ScopeEmitter::closeScope(const ScopeMark &mark) {
  if (impl_->frame.warpgroups != 1)
    return;
  impl_->used = mark.bytes;
  impl_->usedColumns = mark.columns;
}

std::vector<IrRef> ScopeEmitter::allocate(const std::vector<KernelFrame::Buffer> &buffers) {
  SharedPlan plan = placeBuffers(buffers, impl_->used);
  std::vector<IrRef> refs;
  for (size_t i = 0; i < buffers.size(); ++i)
    refs.push_back(impl_->sliceShared(buffers[i], plan.offsets[i]));
  impl_->used = plan.end;
  impl_->mostUsed = std::max(impl_->mostUsed, plan.end);
  impl_->scoped.insert(impl_->scoped.end(), buffers.begin(), buffers.end());
  return refs;
}

std::vector<IrRef> ScopeEmitter::allocate(const std::vector<KernelFrame::TensorBuffer> &buffers) {
  SharedPlan plan = placeBuffers(buffers, impl_->usedColumns);
  std::vector<IrRef> refs;
  for (size_t i = 0; i < buffers.size(); ++i)
    refs.push_back(impl_->sliceTensor(buffers[i], plan.offsets[i]));
  impl_->usedColumns = plan.end;
  impl_->mostColumns = std::max(impl_->mostColumns, plan.end);
  impl_->scopedTensor.insert(impl_->scopedTensor.end(), buffers.begin(), buffers.end());
  return refs;
}

size_t ScopeEmitter::allocateBarriers(const KernelFrame::BarrierGroup &group) {
  mlir::OpBuilder::InsertionGuard guard(impl_->builder);
  impl_->builder.setInsertionPoint(impl_->prologueEnd);
  impl_->addBarriers(group);
  return impl_->barriers.size() - 1;
}

} // namespace lanescope::core
