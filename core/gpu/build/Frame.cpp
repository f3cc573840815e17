// The kernel's frame: module, function, shared memory, barriers; and the way out of the builder.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "layouts/support/Text.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <numeric>

namespace lanescope::core {

namespace {

int64_t profilerBytes(const KernelFrame &frame) { return frame.profileEntries * 4 * frame.warpgroups; }

/// The profiler's words that still fit behind `bytes` of shared memory, where the frame lets them be fewer.
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
               text("kernel `", frame.name, "` needs ", sizeText(total), " of shared memory, but a block has ",
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

} // namespace

KernelBuilder::Impl::Impl(std::shared_ptr<mlir::MLIRContext> context)
    : context(std::move(context)), builder(this->context.get()), location(mlir::UnknownLoc::get(this->context.get())) {}

KernelBuilder::KernelBuilder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KernelBuilder::~KernelBuilder() = default;

int64_t KernelBuilder::sharedBytes(const KernelFrame &frame) {
  int64_t bytes = alignedTo(placeBuffers(frame.buffers, 0).end, kBarrierBytes);
  for (const auto &group : frame.barriers)
    bytes += group.count * kBarrierBytes;
  return frame.profileEntries ? alignedTo(bytes, 8) + profilerBytes(frame) : bytes;
}

Result<std::unique_ptr<KernelBuilder>> KernelBuilder::make(IrContext &context, const KernelFrame &asked) {
  KernelFrame frame = asked;
  frame.profileEntries = 0;
  int64_t bytes = sharedBytes(frame);
  frame.profileEntries = asked.profileEntries;
  shrinkProfile(frame, bytes);
  if (int64_t total = sharedBytes(frame); total > frame.target->sharedBytesPerBlock)
    return tooMuchShared(frame, {}, total);

  auto impl = std::make_unique<Impl>(context.impl().mlir);
  mlir::OpBuilder &builder = impl->builder;
  impl->location = impl->locationOf(frame.span);
  impl->module = mlir::ModuleOp::create(impl->location, frame.name);

  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Attribute> descriptions;
  for (const auto &argument : frame.arguments) {
    types.push_back(mlir::MemRefType::get(argument.shape, impl->type(argument.dtype)));
    llvm::SmallVector<mlir::NamedAttribute> entries{
        builder.getNamedAttr("name", builder.getStringAttr(argument.name)),
        builder.getNamedAttr("kind", builder.getStringAttr(kindName(argument.kind)))};
    // What the element type does not say: the sign, and floats that no register type of LLVM has.
    if (layouts::isUnsignedInteger(argument.dtype) || layouts::bitwidth(argument.dtype) < 8 ||
        (layouts::isFloat(argument.dtype) && layouts::bitwidth(argument.dtype) == 8))
      entries.push_back(builder.getNamedAttr("dtype", builder.getStringAttr(layouts::name(argument.dtype))));
    descriptions.push_back(builder.getDictionaryAttr(entries));
  }
  builder.setInsertionPointToStart(impl->module->getBody());
  auto function = impl->create<mlir::func::FuncOp>(frame.name, builder.getFunctionType(types, {}));
  function->setAttr("lanescope.grid", builder.getDenseI64ArrayAttr(frame.grid));
  if (frame.cluster != std::array<int64_t, 3>{1, 1, 1})
    function->setAttr("lanescope.cluster", builder.getDenseI64ArrayAttr(frame.cluster));
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
  std::unique_ptr<KernelBuilder> result(new KernelBuilder(std::move(impl)));
  Impl &made = *result->impl_;
  for (const auto &accumulator : frame.accumulators) {
    made.location = mlir::NameLoc::get(made.builder.getStringAttr(accumulator.name), made.locationOf(accumulator.span));
    made.accumulators.push_back(result->variable(accumulator.dtype, accumulator.shape));
  }
  made.location = made.locationOf(frame.span);
  return result;
}

Result<KernelModule> KernelBuilder::finish() {
  if (auto placed = impl_->placeLasting(); !placed)
    return std::unexpected(std::move(placed.error()));
  impl_->create<mlir::func::ReturnOp>();
  Diagnostics problems;
  mlir::ScopedDiagnosticHandler handler(impl_->context.get(), [&](mlir::Diagnostic &problem) {
    problems.push_back({.severity = Severity::Error, .kind = "ir", .span = {}, .message = problem.str(), .notes = {}});
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(*impl_->module)))
    return std::unexpected(std::move(problems));
  auto module = std::make_unique<KernelModule::Impl>();
  module->context = impl_->context;
  module->module = std::move(impl_->module);
  module->sources = std::move(impl_->sources);
  return KernelModule(std::move(module));
}

Result<void> KernelBuilder::Impl::placeLasting() {
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

int64_t KernelBuilder::Impl::threadInstructions(mlir::Operation *op) {
  auto elements = [](mlir::Type type) -> int64_t {
    auto array = mlir::dyn_cast<mlir::VectorType>(type);
    return array ? array.getNumElements() : 1;
  };
  int64_t most = 1; // a constant or iota is as large as its result, a store as its operand
  for (mlir::Type type : op->getResultTypes())
    most = std::max(most, elements(type));
  for (mlir::Type type : op->getOperandTypes())
    most = std::max(most, elements(type));
  return 1 + most / layouts::kThreadsPerWarpgroup;
}

int64_t KernelBuilder::emitted() const { return impl_->emitted; }

IrRef KernelBuilder::argument(size_t index) const { return impl_->arguments[index]; }
IrRef KernelBuilder::buffer(size_t index) const { return impl_->buffers[index]; }
IrVariable KernelBuilder::accumulator(size_t index) const { return impl_->accumulators[index]; }

//===------------------------------------ places ------------------------------------------------------------------===//

mlir::Location KernelBuilder::Impl::locationOf(const Span &span) {
  if (!span.source)
    return mlir::UnknownLoc::get(context.get());
  if (std::find(sources.begin(), sources.end(), span.source) == sources.end())
    sources.push_back(span.source);
  LineColumn place = span.source->lineColumn(span.begin);
  return mlir::FileLineColLoc::get(context.get(), span.source->name(), place.line, place.column);
}

void KernelBuilder::setPlace(const Span &span) {
  if (span.source)
    impl_->location = impl_->locationOf(span);
}

void KernelBuilder::setName(const IrValue &value, const std::string &name) {
  mlir::Value named = unwrap(value);
  if (mlir::isa<mlir::NameLoc>(named.getLoc()))
    return; // the first name is the one that its statement gave
  auto location = mlir::NameLoc::get(mlir::StringAttr::get(impl_->context.get(), name), named.getLoc());
  if (mlir::Operation *op = named.getDefiningOp()) {
    if (op->getNumResults() == 1)
      op->setLoc(location);
  } else {
    named.setLoc(location);
  }
}

//===------------------------------------ types -------------------------------------------------------------------===//

mlir::Type KernelBuilder::Impl::type(layouts::Dtype dtype) const {
  mlir::Builder types(context.get());
  using layouts::Dtype;
  switch (dtype) {
  case Dtype::F16: return types.getF16Type();
  case Dtype::BF16: return types.getBF16Type();
  case Dtype::F32: return types.getF32Type();
  case Dtype::F64: return types.getF64Type();
  case Dtype::TF32: return types.getTF32Type();
  case Dtype::F8E4M3FN: return mlir::Float8E4M3FNType::get(context.get());
  case Dtype::F8E5M2: return mlir::Float8E5M2Type::get(context.get());
  case Dtype::F8E8M0FNU: return mlir::Float8E8M0FNUType::get(context.get());
  case Dtype::F4E2M1FN: return mlir::Float4E2M1FNType::get(context.get());
  default: return types.getIntegerType(layouts::bitwidth(dtype)); // signless: operations carry the sign
  }
}

mlir::Type KernelBuilder::Impl::type(layouts::Dtype dtype, const layouts::Shape &shape) const {
  mlir::Type element = type(dtype);
  return shape.empty() ? element : mlir::VectorType::get(shape, element);
}

mlir::Value KernelBuilder::Impl::i32(int64_t value) {
  return create<mlir::arith::ConstantOp>(builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

mlir::Value KernelBuilder::Impl::i32(const Offset &offset) {
  if (const int64_t *known = std::get_if<int64_t>(&offset))
    return i32(*known);
  return unwrap(std::get<IrValue>(offset));
}

mlir::OpFoldResult KernelBuilder::Impl::index(const Offset &offset) {
  if (const int64_t *known = std::get_if<int64_t>(&offset))
    return builder.getIndexAttr(*known);
  return create<mlir::arith::IndexCastOp>(builder.getIndexType(), unwrap(std::get<IrValue>(offset))).getResult();
}

} // namespace lanescope::core
