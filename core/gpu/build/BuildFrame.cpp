// The kernel's frame: module, function, shared memory, barriers; and finishing the builder.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "layouts/support/Text.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lanescope::core {

namespace {

int64_t profilerBytes(const KernelFrame &frame) { return frame.profileEntries * 4 * frame.warpgroups; }

/// Reduces the profiler's words to those that fit after `bytes` of shared memory, if the frame permits fewer.
void shrinkProfile(KernelFrame &frame, int64_t bytes) {
  constexpr int64_t kFewest = 16; // six events
  if (!frame.profileEntries || !frame.profileShrinks)
    return;
  int64_t room = (frame.target->sharedBytesPerBlock - alignedTo(bytes, 8)) / 4 / frame.warpgroups;
  frame.profileEntries = std::max(kFewest, std::min(frame.profileEntries, room - room % 2));
}

std::string sizeText(int64_t bytes) { return bytes % 1024 == 0 ? text(bytes / 1024, " KiB") : text(bytes, " bytes"); }

std::unexpected<Diagnostics> tooMuchShared(const KernelFrame &frame, const std::vector<KernelFrame::Buffer> &scoped,
                                           int64_t total) {
  std::vector<Note> notes;
  for (const auto *buffers : {&frame.buffers, &scoped})
    for (const auto &buffer : *buffers)
      notes.push_back({buffer.span, text("`", buffer.name, "` takes ", sizeText(bufferBytes(buffer)))});
  if (frame.profileEntries)
    notes.push_back({frame.span, text("the profiler takes ", sizeText(profilerBytes(frame)),
                                      "; a smaller `profile=` is a number of words per warpgroup")});
  return error("shared-memory", frame.span,
               Message("kernel `{kernel}` needs {} of shared memory, but a block has {}", frame.name, sizeText(total),
                       sizeText(frame.target->sharedBytesPerBlock)),
               std::move(notes));
}

llvm::StringRef kindName(ArgumentKind kind) {
  switch (kind) {
  case ArgumentKind::In: return "in";
  case ArgumentKind::Out: return "out";
  case ArgumentKind::InOut: return "inout";
  case ArgumentKind::Scratch: return "scratch";
  }
  return "in";
}

/// The function's attribute for an argument.
mlir::DictionaryAttr described(mlir::Builder &builder, const KernelFrame::Argument &argument) {
  llvm::SmallVector<mlir::NamedAttribute> entries{
      builder.getNamedAttr("name", builder.getStringAttr(argument.name)),
      builder.getNamedAttr("kind", builder.getStringAttr(kindName(argument.kind)))};
  // Facts that the IR's element type cannot express: the sign of integers, and float types that LLVM has no registers
  // for.
  if (layouts::isUnsignedInteger(argument.dtype) || layouts::bitwidth(argument.dtype) < 8 ||
      (layouts::isFloat(argument.dtype) && layouts::bitwidth(argument.dtype) == 8))
    entries.push_back(builder.getNamedAttr("dtype", builder.getStringAttr(layouts::name(argument.dtype))));
  return builder.getDictionaryAttr(entries);
}

} // namespace

GpuBuilderImpl::GpuBuilderImpl(std::shared_ptr<mlir::MLIRContext> context)
    : KernelBuilder::Impl(std::move(context), layouts::kThreadsPerWarpgroup) {}

std::function<void()> GpuBuilderImpl::checkpoint() {
  return [this, used = used, mostUsed = mostUsed, usedColumns = usedColumns, mostColumns = mostColumns] {
    this->used = used;
    this->mostUsed = mostUsed;
    this->usedColumns = usedColumns;
    this->mostColumns = mostColumns;
  };
}

GpuBuilder::GpuBuilder(GpuBuilderImpl *impl)
    : KernelBuilder(std::unique_ptr<KernelBuilder::Impl>(impl)), ScopeEmitter(*impl), MemoryEmitter(*impl),
      CopyEmitter(*impl), LaunchEmitter(*impl), DeviceEmitter(*impl), WarpEmitter(*impl), TensorCoreEmitter(*impl),
      TensorMemoryEmitter(*impl), impl_(impl) {}

int64_t GpuBuilder::tensorColumns(const KernelFrame &frame) { return placeBuffers(frame.tensorBuffers, 0).end; }

int64_t GpuBuilder::sharedBytes(const KernelFrame &frame) {
  int64_t bytes = alignedTo(placeBuffers(frame.buffers, 0).end, kBarrierBytes);
  if (!frame.tensorBuffers.empty())
    bytes += kBarrierBytes; // for the address of the tensor memory allocation
  for (const auto &group : frame.barriers)
    bytes += group.count * kBarrierBytes;
  return frame.profileEntries ? alignedTo(bytes, 8) + profilerBytes(frame) : bytes;
}

Result<std::unique_ptr<GpuBuilder>> GpuBuilder::make(IrContext &context, const KernelFrame &asked) {
  KernelFrame frame = asked;
  frame.profileEntries = 0;
  int64_t bytes = sharedBytes(frame);
  frame.profileEntries = asked.profileEntries;
  shrinkProfile(frame, bytes);
  if (int64_t total = sharedBytes(frame); total > frame.target->sharedBytesPerBlock)
    return tooMuchShared(frame, {}, total);

  if (int64_t columns = tensorColumns(frame); columns > layouts::kTmemColumns)
    return tooMuchTensor(frame, {}, columns);

  auto impl = std::make_unique<GpuBuilderImpl>(context.impl().mlir);
  mlir::OpBuilder &builder = impl->builder;
  impl->location = impl->locationOf(frame.span);
  impl->module = mlir::ModuleOp::create(impl->location, frame.name);

  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Attribute> descriptions;
  for (const auto &argument : frame.arguments) {
    types.push_back(mlir::MemRefType::get(argument.shape, impl->type(argument.dtype)));
    descriptions.push_back(described(builder, argument));
  }
  builder.setInsertionPointToStart(impl->module->getBody());
  auto function = impl->create<mlir::func::FuncOp>(frame.name, builder.getFunctionType(types, {}));
  function->setAttr("lanescope.grid", builder.getDenseI64ArrayAttr(frame.grid));
  if (frame.cluster != std::array<int64_t, 3>{1, 1, 1})
    function->setAttr("lanescope.cluster", builder.getDenseI64ArrayAttr(frame.cluster));
  if (frame.devices)
    function->setAttr("lanescope.devices", builder.getI64IntegerAttr(frame.devices));
  function->setAttr("lanescope.num_warpgroups", builder.getI64IntegerAttr(frame.warpgroups));
  function->setAttr("lanescope.arguments", builder.getArrayAttr(descriptions));
  impl->function = function;

  mlir::Block *entry = function.addEntryBlock();
  for (size_t i = 0; i < frame.arguments.size(); ++i) {
    const auto &argument = frame.arguments[i];
    mlir::Location place = impl->locationOf(argument.span);
    entry->getArgument(i).setLoc(mlir::NameLoc::get(builder.getStringAttr(argument.name), place));
    impl->arguments.push_back(
        {entry->getArgument(i).getAsOpaquePointer(), argument.dtype, argument.shape, MemorySpace::Global});
  }

  builder.setInsertionPointToEnd(entry);
  SharedPlan plan = placeBuffers(frame.buffers, 0);
  for (size_t i = 0; i < frame.buffers.size(); ++i)
    impl->buffers.push_back(impl->sliceShared(frame.buffers[i], plan.offsets[i]));
  impl->used = impl->mostUsed = plan.end;
  for (const auto &group : frame.barriers)
    impl->addBarriers(group);
  impl->frame = frame;
  impl->location = impl->locationOf(frame.span);
  impl->prologueEnd = impl->create<statements::InitDoneOp>();
  std::unique_ptr<GpuBuilder> result(new GpuBuilder(impl.release()));
  GpuBuilderImpl &made = *result->impl_;
  for (const auto &accumulator : frame.accumulators) {
    made.location = mlir::NameLoc::get(made.builder.getStringAttr(accumulator.name), made.locationOf(accumulator.span));
    made.accumulators.push_back(result->variable(accumulator.dtype, accumulator.shape));
  }
  made.location = made.locationOf(frame.span);
  SharedPlan tensor = placeBuffers(frame.tensorBuffers, 0);
  for (size_t i = 0; i < frame.tensorBuffers.size(); ++i)
    made.tensorBuffers.push_back(made.sliceTensor(frame.tensorBuffers[i], tensor.offsets[i]));
  made.usedColumns = made.mostColumns = tensor.end;
  return result;
}

Result<KernelModule> GpuBuilder::finish() {
  if (auto placed = impl_->placeTensor(); !placed)
    return std::unexpected(std::move(placed.error()));
  if (auto placed = impl_->placeLasting(); !placed)
    return std::unexpected(std::move(placed.error()));
  impl_->create<mlir::func::ReturnOp>();
  return takeModule();
}

Result<void> GpuBuilderImpl::placeLasting() {
  int64_t start = alignedTo(mostUsed, kBarrierBytes), end = start + lasting;
  for (mlir::Operation *op : lastingSlices) {
    auto slice = mlir::cast<mosaic_gpu::SliceSmemOp>(op);
    slice.setOffset(slice.getOffset() + static_cast<uint32_t>(start));
  }
  shrinkProfile(frame, end);
  function->setAttr("lanescope.smem_bytes", builder.getI64IntegerAttr(end));
  if (frame.profileEntries)
    function->setAttr("lanescope.profile_entries", builder.getI64IntegerAttr(frame.profileEntries));
  if (int64_t total = end + profilerBytes(frame); total > frame.target->sharedBytesPerBlock)
    return tooMuchShared(frame, scoped, total);
  return {};
}

IrRef GpuBuilder::addScratch(const KernelFrame::Argument &argument) {
  auto function = mlir::cast<mlir::func::FuncOp>(impl_->function);
  unsigned index = function.getNumArguments();
  mlir::Location place =
      mlir::NameLoc::get(impl_->builder.getStringAttr(argument.name), impl_->locationOf(argument.span));
  auto type = mlir::MemRefType::get(argument.shape, impl_->type(argument.dtype));
  [[maybe_unused]] auto added = function.insertArgument(index, type, {}, place);
  assert(mlir::succeeded(added) && "it comes behind all others");
  auto known = function->getAttrOfType<mlir::ArrayAttr>("lanescope.arguments");
  llvm::SmallVector<mlir::Attribute> descriptions(known.begin(), known.end());
  descriptions.push_back(described(impl_->builder, argument));
  function->setAttr("lanescope.arguments", impl_->builder.getArrayAttr(descriptions));
  return {function.getArgument(index).getAsOpaquePointer(), argument.dtype, argument.shape, MemorySpace::Global};
}

IrRef GpuBuilder::argument(size_t index) const { return impl_->arguments[index]; }
bool GpuBuilder::touches(size_t argument) const { return !unwrap(impl_->arguments[argument]).use_empty(); }
IrRef GpuBuilder::buffer(size_t index) const { return impl_->buffers[index]; }
IrRef GpuBuilder::tensorBuffer(size_t index) const { return impl_->tensorBuffers[index]; }
IrVariable GpuBuilder::accumulator(size_t index) const { return impl_->accumulators[index]; }

} // namespace lanescope::core
