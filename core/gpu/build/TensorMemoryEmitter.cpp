// Tensor memory: one allocation for the kernel, its references, loads, stores, copies, and the tensor core's products.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/MosaicGpuTensor.h"
#include "core/ir/ElementTypes.h"
#include "layouts/support/Text.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lanescope::core {

using layouts::Dtype;
using layouts::kTmemColumns;
using layouts::kTmemLanes;
using layouts::Shape;

namespace {

/// The stored shape: all dimensions except the rows are side by side in the columns.
Shape storedShape(const Shape &shape) {
  Shape stored{shape[shape.size() - 2], shape.back()};
  for (size_t d = 0; d + 2 < shape.size(); ++d)
    stored[1] *= shape[d];
  return stored;
}

mlir::MemRefType tensorType(mlir::MLIRContext *context, const Shape &stored, mlir::Type element) {
  return mlir::MemRefType::get(stored, element, mlir::MemRefLayoutAttrInterface{}, mosaic_gpu::TmemAttr::get(context));
}

} // namespace

int64_t bufferColumns(const KernelFrame::TensorBuffer &buffer) {
  Shape one{buffer.shape[buffer.shape.size() - 2], buffer.shape.back()};
  auto columns = buffer.place.layout.columnsIn(one, layouts::bitwidth(buffer.dtype));
  assert(columns && "the caller has seen that the layout fits");
  return *columns * (storedShape(buffer.shape)[1] / one[1]);
}

std::unexpected<Diagnostics> tooMuchTensor(const KernelFrame &frame,
                                           const std::vector<KernelFrame::TensorBuffer> &scoped, int64_t columns) {
  std::vector<Note> notes;
  for (const auto *buffers : {&frame.tensorBuffers, &scoped})
    for (const auto &buffer : *buffers)
      notes.push_back({buffer.span, text("`", buffer.name, "` takes ", bufferColumns(buffer), " columns")});
  return error("tensor-memory", frame.span,
               Message("kernel `{kernel}` needs {columns} columns of tensor memory, but there are {limit}", frame.name,
                       columns, kTmemColumns),
               std::move(notes));
}

IrRef GpuBuilderImpl::sliceTensor(const KernelFrame::TensorBuffer &buffer, int64_t column) {
  if (!tensorAllocation) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Location place = location;
    location = locationOf(frame.span);
    builder.setInsertionPoint(prologueEnd);
    auto address = mlir::MemRefType::get({}, builder.getI32Type(), mlir::MemRefLayoutAttrInterface{},
                                         sharedMemorySpace(context.get()));
    mlir::Value word = sliceLasting(address, kBarrierBytes);
    builder.setInsertionPointAfter(prologueEnd);
    // The allocation gets its final number of columns at the kernel's end.
    auto type = tensorType(context.get(), {kTmemLanes, kTmemColumns}, builder.getI32Type());
    tensorAllocation = create<mosaic_gpu::TmemAllocOp>(type, word, buffer.place.collective, /*packing=*/1);
    create<mosaic_gpu::TmemRelinquishAllocPermitOp>(buffer.place.collective);
    location = place;
  }
  mlir::Location place = location;
  location = mlir::NameLoc::get(builder.getStringAttr(buffer.name), locationOf(buffer.span));
  auto type = tensorType(context.get(), storedShape(buffer.shape), this->type(buffer.dtype));
  auto slice = create<mosaic_gpu::SliceTmemOp>(type, tensorAllocation->getResult(0), static_cast<uint32_t>(column),
                                               mlir::IntegerAttr());
  // Facts that the type cannot express: several matrices side by side, and unsigned numbers.
  if (buffer.shape.size() > 2)
    slice->setAttr(kTensorShape, builder.getDenseI64ArrayAttr(buffer.shape));
  if (dtypeOf(type.getElementType()) != buffer.dtype)
    slice->setAttr(kTensorDtype, builder.getStringAttr(layouts::name(buffer.dtype)));
  mlir::Value ref = create<mosaic_gpu::TmemLayoutCastOp>(slice, toAttribute(context.get(), buffer.place.layout));
  location = place;
  return {ref.getAsOpaquePointer(), buffer.dtype, buffer.shape, MemorySpace::Tensor, buffer.place};
}

IrRef GpuBuilderImpl::sliceTensor(const IrRef &ref, const std::vector<SliceDim> &dims) {
  size_t leading = ref.shape.size() - 2;
  const SliceDim &rows = dims[leading], &columns = dims[leading + 1];
  Shape shape;
  int64_t stride = ref.shape.back(), known = 0;
  mlir::Value computed;
  auto advance = [&](const Offset &start, int64_t by) {
    if (const int64_t *number = std::get_if<int64_t>(&start)) {
      known += *number * by;
      return;
    }
    mlir::Value product = unwrap(std::get<IrValue>(start));
    if (by != 1)
      product = create<mlir::arith::MulIOp>(product, i32(by));
    computed = computed ? create<mlir::arith::AddIOp>(computed, product).getResult() : product;
  };
  int64_t count = 1; // the number of stored blocks in the part
  for (size_t d = leading; d-- > 0;) {
    advance(dims[d].start, stride);
    stride *= ref.shape[d];
    if (dims[d].keep) {
      shape.insert(shape.begin(), dims[d].length);
      count *= dims[d].length;
    }
  }
  advance(columns.start, 1);
  shape.insert(shape.end(), {rows.length, columns.length});
  bool whole = !computed && known == 0 && shape == ref.shape;
  if (whole)
    return ref;
  assert((count == 1 || columns.length == ref.shape.back()) && "what stays lies side by side");
  if (computed && known)
    computed = create<mlir::arith::AddIOp>(computed, i32(known));
  mlir::OpFoldResult start = computed ? create<mlir::arith::IndexCastOp>(builder.getIndexType(), computed).getResult()
                                      : mlir::OpFoldResult(builder.getIndexAttr(known));
  auto index = [&](int64_t value) { return mlir::OpFoldResult(builder.getIndexAttr(value)); };
  mlir::OpFoldResult firstRow = this->index(rows.start);
  llvm::SmallVector<mlir::OpFoldResult> offsets{firstRow, start},
      sizes{index(rows.length), index(count * columns.length)}, strides{index(1), index(1)};
  mlir::Value view = create<mlir::memref::SubViewOp>(unwrap(ref), offsets, sizes, strides);
  return {view.getAsOpaquePointer(), ref.dtype, std::move(shape), MemorySpace::Tensor, ref.tensor};
}

Result<void> GpuBuilderImpl::placeTensor() {
  if (!tensorAllocation)
    return {};
  if (mostColumns > kTmemColumns)
    return tooMuchTensor(frame, scopedTensor, mostColumns);
  auto alloc = mlir::cast<mosaic_gpu::TmemAllocOp>(tensorAllocation);
  alloc.getResult().setType(tensorType(context.get(), {kTmemLanes, mostColumns}, builder.getI32Type()));
  create<mosaic_gpu::TmemDeallocOp>(alloc.getResult());
  return {};
}

void GpuBuilderImpl::inLeader(std::optional<int64_t> collective, llvm::function_ref<void()> emit) {
  if (!collective)
    return emit();
  mlir::Value rank = create<statements::BlockInClusterOp>(builder.getI32Type(), static_cast<uint32_t>(*collective));
  mlir::Value isFirst = create<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::eq, rank, i32(0));
  auto branch = create<mlir::scf::IfOp>(mlir::TypeRange{}, isFirst, /*addThenBlock=*/true, /*addElseBlock=*/false);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&branch.getThenRegion().front());
  emit();
  create<mlir::scf::YieldOp>();
}

IrRef TensorMemoryEmitter::tensorLayoutCast(const IrRef &tensor, const layouts::TMEMLayout &layout) {
  mlir::Value ref =
      impl_->create<mosaic_gpu::TmemLayoutCastOp>(unwrap(tensor), toAttribute(impl_->context.get(), layout));
  bool collective = tensor.tensor && tensor.tensor->collective;
  return {ref.getAsOpaquePointer(), tensor.dtype, tensor.shape, MemorySpace::Tensor, TensorPlace{layout, collective}};
}

IrValue TensorMemoryEmitter::asyncLoadTmem(const IrRef &tensor) {
  auto load = impl_->create<mosaic_gpu::AsyncLoadTmemOp>(impl_->type(tensor.dtype, tensor.shape), mlir::Type(),
                                                         unwrap(tensor), mosaic_gpu::TmemLoadReductionAttr());
  return wrap(load.getResult(), tensor.dtype, tensor.shape);
}

std::pair<IrValue, IrValue> TensorMemoryEmitter::asyncLoadTmem(const IrRef &tensor, RowReduction reduction) {
  using enum mosaic_gpu::TmemLoadReduction;
  constexpr mosaic_gpu::TmemLoadReduction kReductions[] = {Min, Max, AbsMin, AbsMax};
  Shape rows(tensor.shape.begin(), tensor.shape.end() - 1);
  auto load = impl_->create<mosaic_gpu::AsyncLoadTmemOp>(
      impl_->type(tensor.dtype, tensor.shape), impl_->type(tensor.dtype, rows), unwrap(tensor),
      mosaic_gpu::TmemLoadReductionAttr::get(impl_->context.get(), kReductions[static_cast<size_t>(reduction)]));
  return {wrap(load.getResult(), tensor.dtype, tensor.shape), wrap(load.getReduced(), tensor.dtype, rows)};
}

void TensorMemoryEmitter::asyncStoreTmem(const IrValue &value, const IrRef &tensor) {
  impl_->create<mosaic_gpu::AsyncStoreTmemOp>(unwrap(value), unwrap(tensor));
}

void TensorMemoryEmitter::waitLoadTmem() { impl_->create<statements::WaitLoadTmemOp>(); }

void TensorMemoryEmitter::commitTmem() { impl_->create<statements::CommitTmemOp>(); }

void TensorMemoryEmitter::copyToTensor(const IrRef &shared, const IrRef &tensor, std::optional<int64_t> collective) {
  impl_->inLeader(collective, [&] {
    impl_->create<mosaic_gpu::AsyncStoreSmemToTmemOp>(unwrap(shared), unwrap(tensor), collective.has_value());
  });
}

void TensorMemoryEmitter::copyScalesToTensor(const IrRef &shared, const IrRef &tensor,
                                             std::optional<int64_t> collective) {
  impl_->inLeader(collective, [&] {
    impl_->create<mosaic_gpu::AsyncStoreScalesSmemToTmemOp>(unwrap(shared), unwrap(tensor), collective.has_value());
  });
}

void TensorMemoryEmitter::copySparseMetadataToTensor(const IrRef &shared, const IrRef &tensor,
                                                     std::optional<int64_t> collective) {
  impl_->inLeader(collective, [&] {
    impl_->create<mosaic_gpu::AsyncStoreSparseMetadataSmemToTmemOp>(unwrap(shared), unwrap(tensor),
                                                                    collective.has_value());
  });
}

void TensorMemoryEmitter::tcgen05Mma(const IrRef &accumulator, const IrRef &a, const IrRef &b,
                                     const Tcgen05Options &options) {
  const bool *known = std::get_if<bool>(&options.accumulate);
  mlir::Value accumulate =
      known ? impl_->create<mlir::arith::ConstantOp>(impl_->constantAttribute(Dtype::I1, {}, int64_t{*known}))
            : unwrap(std::get<IrValue>(options.accumulate));
  auto optional = [](const std::optional<IrRef> &ref) { return ref ? unwrap(*ref) : mlir::Value(); };
  mlir::Value barrier = options.barrier ? impl_->barrier(*options.barrier) : mlir::Value();
  bool collective = options.collective.has_value();
  impl_->inLeader(options.collective, [&] {
    auto product = impl_->create<mosaic_gpu::Tcgen05MMAOp>(unwrap(accumulator), unwrap(a), unwrap(b), accumulate,
                                                           optional(options.aScale), optional(options.bScale),
                                                           optional(options.aSparseMetadata), collective);
    auto mark = impl_->builder.getUnitAttr(); // MLIR's integers have no sign
    if (layouts::isUnsignedInteger(a.dtype))
      product->setAttr("lanescope.unsigned_a", mark);
    if (layouts::isUnsignedInteger(b.dtype))
      product->setAttr("lanescope.unsigned_b", mark);
    if (barrier)
      impl_->create<mosaic_gpu::Tcgen05CommitArriveOp>(barrier, collective);
  });
}

void TensorMemoryEmitter::tcgen05CommitArrive(const IrBarrier &barrier, std::optional<int64_t> collective) {
  mlir::Value place = impl_->barrier(barrier);
  impl_->inLeader(collective, [&] { impl_->create<mosaic_gpu::Tcgen05CommitArriveOp>(place, collective.has_value()); });
}

void TensorMemoryEmitter::tcgen05Shift(const IrRef &tensor, std::optional<int64_t> collective) {
  impl_->inLeader(collective,
                  [&] { impl_->create<statements::Tcgen05ShiftOp>(unwrap(tensor), collective.has_value()); });
}

} // namespace lanescope::core
