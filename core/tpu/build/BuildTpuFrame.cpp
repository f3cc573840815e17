// The kernel's frame (module, function, parameters, index maps), and finish(). The form is that of JAX's lowering for
// SparseCores of 2025 (jax/_src/pallas/mosaic/sc_lowering.py): blocks of operands are parameters, and `transform_N`
// gives the block of operand N for a step of the grid.
#include "core/tpu/build/TpuBuilderImpl.h"

#include "core/tpu/ir/TpuContext.h"
#include "layouts/support/Text.h"
#include "layouts/tpu/TiledMemoryLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"

#include <algorithm>

namespace lanescope::core {

namespace {

tpu::MemorySpace spaceOf(TpuMemory memory) {
  switch (memory) {
  case TpuMemory::Hbm: return tpu::MemorySpace::Hbm;
  case TpuMemory::Vmem: return tpu::MemorySpace::Vmem;
  case TpuMemory::VmemShared: return tpu::MemorySpace::VmemShared;
  case TpuMemory::Smem: return tpu::MemorySpace::Smem;
  case TpuMemory::Semaphore: return tpu::MemorySpace::SemaphoreMem;
  case TpuMemory::Host: return tpu::MemorySpace::Host;
  }
  return tpu::MemorySpace::Any;
}

tpu::DimensionSemantics semanticsOf(TpuSemantics semantics) {
  switch (semantics) {
  case TpuSemantics::Parallel: return tpu::DimensionSemantics::Parallel;
  case TpuSemantics::Arbitrary: return tpu::DimensionSemantics::Arbitrary;
  case TpuSemantics::CoreParallel: return tpu::DimensionSemantics::CoreParallel;
  case TpuSemantics::SubcoreParallel: return tpu::DimensionSemantics::SubcoreParallel;
  }
  return tpu::DimensionSemantics::Arbitrary;
}

} // namespace

TpuBuilder::Impl::Impl(std::shared_ptr<mlir::MLIRContext> context)
    : KernelBuilder::Impl(std::move(context), /*elementsAtOnce=*/16) {
  repeatsNumbers = plainShifts = true;
}

static tpu::CoreType coreTypeOf(TpuCore core) {
  return core == TpuCore::ScalarSubcore ? tpu::CoreType::ScScalarSubcore : tpu::CoreType::ScVectorSubcore;
}

tpu::MemorySpaceAttr TpuBuilder::Impl::space(const TpuMemoryType &type) const {
  std::optional<tpu::CoreType> owner;
  if (type.owner && *type.owner != frame.core)
    owner = coreTypeOf(*type.owner);
  return tpu::MemorySpaceAttr::get(context.get(), spaceOf(type.memory), owner);
}

mlir::Type TpuBuilder::Impl::elementType(TpuElement element, layouts::Dtype dtype) const {
  switch (element) {
  case TpuElement::Number: // a truth value takes a word of memory
    return type(dtype == layouts::Dtype::I1 ? layouts::Dtype::I32 : dtype);
  case TpuElement::Semaphore: return tpu::SemaphoreType::get(context.get());
  case TpuElement::DmaSemaphore: return tpu::DMASemaphoreType::get(context.get());
  }
  return {};
}

mlir::MemRefType TpuBuilder::Impl::memrefType(const TpuMemoryType &type) const {
  mlir::MemRefLayoutAttrInterface layout;
  if (!type.tiles.empty())
    if (auto tiled = layouts::TiledMemoryLayout::packed(type.tiles, type.shape)) // the caller has checked the tiles
      layout = tpu::toAttribute(context.get(), *tiled);
  return mlir::MemRefType::get(type.shape, elementType(type.element, type.dtype), layout, space(type));
}

TpuRef TpuBuilder::Impl::wrapRef(mlir::Value value, const TpuMemoryType &type) const {
  return {value.getAsOpaquePointer(), type.element, type.dtype, type.shape, type.memory, type.owner};
}

mlir::Value TpuBuilder::Impl::constant(mlir::Type type, int64_t value) {
  return create<mlir::arith::ConstantOp>(builder.getIntegerAttr(type, value));
}

mlir::Value TpuBuilder::Impl::orNull(const std::optional<IrValue> &value) {
  return value ? core::unwrap(*value) : mlir::Value();
}

std::function<void()> TpuBuilder::Impl::checkpoint() {
  return [this, count = globals.size()] {
    for (; globals.size() > count; globals.pop_back())
      function.getBody().front().eraseArgument(globals.back().argument.getArgNumber());
  };
}

TpuBuilder::TpuBuilder(Impl *impl) : KernelBuilder(std::unique_ptr<KernelBuilder::Impl>(impl)), impl_(impl) {}

std::unique_ptr<TpuBuilder> TpuBuilder::make(IrContext &context, const TpuFrame &frame) {
  auto impl = std::make_unique<Impl>(context.impl().mlir);
  mlir::OpBuilder &builder = impl->builder;
  impl->frame = frame;
  impl->location = impl->locationOf(frame.span);
  impl->module = mlir::ModuleOp::create(impl->location);

  llvm::SmallVector<mlir::Type> types(frame.bounds.size(), builder.getI32Type());
  for (const auto &operand : frame.operands)
    types.push_back(impl->memrefType(operand.type));
  builder.setInsertionPointToStart(impl->module->getBody());
  impl->function = impl->create<mlir::func::FuncOp>(frame.name, builder.getFunctionType(types, {}));
  mlir::Block *entry = impl->function.addEntryBlock();
  for (size_t i = 0; i < frame.operands.size(); ++i) {
    const auto &operand = frame.operands[i];
    auto number = static_cast<unsigned>(frame.bounds.size() + i);
    mlir::BlockArgument argument = entry->getArgument(number);
    argument.setLoc(mlir::NameLoc::get(builder.getStringAttr(operand.name), impl->locationOf(operand.span)));
    impl->operands.push_back(impl->wrapRef(argument, operand.type));
    if (!operand.window)
      continue;
    if (frame.sideBySide) {
      auto zeros = mlir::AffineMap::get(
          static_cast<unsigned>(frame.bounds.size()), 0,
          llvm::SmallVector<mlir::AffineExpr>(operand.type.shape.size(), builder.getAffineConstantExpr(0)),
          builder.getContext());
      impl->windows.push_back(
          builder.getDictionaryAttr(builder.getNamedAttr("transform_indices", mlir::AffineMapAttr::get(zeros))));
      continue;
    }
    TpuMemory memory = operand.type.memory; // operands in these memories are passed as whole arrays, not in blocks
    if (memory == TpuMemory::Hbm || memory == TpuMemory::Semaphore || memory == TpuMemory::Host)
      impl->function.setArgAttr(number, "sc.persistent", builder.getUnitAttr());
    if (operand.indexedBy)
      impl->function.setArgAttr(number, "sc.indexed_by", builder.getI32IntegerAttr(*operand.indexedBy));
    if (operand.indexedDim)
      impl->function.setArgAttr(number, "sc.indexed_dim", builder.getI32IntegerAttr(*operand.indexedDim));
  }
  builder.setInsertionPointToEnd(entry);
  return std::unique_ptr<TpuBuilder>(new TpuBuilder(impl.release()));
}

IrValue TpuBuilder::gridIndex(size_t axis) const {
  return wrap(impl_->function.getArgument(static_cast<unsigned>(axis)), layouts::Dtype::I32, {});
}

TpuRef TpuBuilder::operand(size_t index) const { return impl_->operands[index]; }

TpuRef TpuBuilder::global(const TpuMemoryType &type) {
  mlir::BlockArgument argument =
      impl_->function.getBody().front().addArgument(impl_->memrefType(type), impl_->location);
  impl_->globals.push_back({type, argument});
  return impl_->wrapRef(argument, type);
}

Result<void> TpuBuilder::indexMap(size_t operand, const IndexMap &map) {
  mlir::OpBuilder &builder = impl_->builder;
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Location place = impl_->location;
  std::string name = text("transform_", operand);
  builder.setInsertionPointToEnd(impl_->module->getBody());
  llvm::SmallVector<mlir::Type> inputs(impl_->frame.bounds.size(), builder.getI32Type());
  size_t rank = impl_->frame.operands[operand].type.shape.size();
  llvm::SmallVector<mlir::Type> outputs(rank, builder.getI32Type());
  auto function = impl_->create<mlir::func::FuncOp>(name, builder.getFunctionType(inputs, outputs));
  mlir::Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  std::vector<IrValue> indices;
  for (mlir::BlockArgument argument : entry->getArguments())
    indices.push_back(wrap(argument, layouts::Dtype::I32, {}));
  auto block = map(indices);
  impl_->location = place;
  if (!block)
    return std::unexpected(std::move(block.error()));
  llvm::SmallVector<mlir::Value> results;
  for (const Offset &offset : *block)
    results.push_back(impl_->i32(offset));
  impl_->i32(int64_t{0}); // JAX also emits an index for dimensions that the element type adds
  impl_->create<mlir::func::ReturnOp>(results);
  auto bounds = builder.getDenseI64ArrayAttr(impl_->frame.operands[operand].type.shape);
  impl_->windows.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr("transform_indices", mlir::FlatSymbolRefAttr::get(builder.getContext(), name)),
       builder.getNamedAttr("window_bounds", bounds)}));
  return {};
}

Result<KernelModule> TpuBuilder::finish() {
  mlir::OpBuilder &builder = impl_->builder;
  impl_->create<mlir::func::ReturnOp>();
  // Requested memory becomes parameters grouped by type, and those of one type in reverse order.
  mlir::Block &entry = impl_->function.getBody().front();
  std::vector<Impl::Global> open = std::move(impl_->globals), sorted;
  while (!open.empty()) {
    TpuMemoryType type = open.front().type;
    for (auto it = open.rbegin(); it != open.rend(); ++it)
      if (it->type == type)
        sorted.push_back(*it);
    std::erase_if(open, [&](const Impl::Global &global) { return global.type == type; });
  }
  for (Impl::Global &global : sorted)
    global.argument.replaceAllUsesWith(entry.addArgument(global.argument.getType(), global.argument.getLoc()));
  auto first = static_cast<unsigned>(impl_->frame.bounds.size() + impl_->frame.operands.size());
  entry.eraseArguments(first, static_cast<unsigned>(sorted.size()));
  llvm::SmallVector<mlir::Type> types(entry.getArgumentTypes());
  mlir::ArrayAttr arguments = impl_->function.getAllArgAttrs();
  impl_->function.setFunctionType(builder.getFunctionType(types, {}));
  if (arguments) { // set them again, because there are more parameters now
    llvm::SmallVector<mlir::Attribute> all(arguments.begin(), arguments.end());
    all.resize(types.size(), builder.getDictionaryAttr({}));
    impl_->function.setAllArgAttrs(all);
  }

  llvm::SmallVector<mlir::Attribute> semantics;
  for (TpuSemantics each : impl_->frame.semantics)
    semantics.push_back(tpu::DimensionSemanticsAttr::get(builder.getContext(), semanticsOf(each)));
  int64_t scratch = static_cast<int64_t>(sorted.size()) +
                    std::ranges::count(impl_->frame.operands, false, &TpuFrame::Operand::window);
  impl_->function->setAttr("dimension_semantics", builder.getArrayAttr(semantics));
  impl_->function->setAttr("iteration_bounds", builder.getDenseI64ArrayAttr(impl_->frame.bounds));
  impl_->function->setAttr("scratch_operands", builder.getI64IntegerAttr(scratch));
  impl_->function->setAttr(tpu::kCoreType, tpu::CoreTypeAttr::get(builder.getContext(), coreTypeOf(impl_->frame.core)));
  if (impl_->frame.sideBySide)
    impl_->function->setAttr("scalar_prefetch", builder.getI64IntegerAttr(0));
  impl_->function->setAttr("window_params", builder.getArrayAttr(impl_->windows));
  return takeModule();
}

} // namespace lanescope::core
