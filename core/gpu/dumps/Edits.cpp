#include "core/gpu/dumps/Edits.h"

#include "core/gpu/inference/DumpInference.h"
#include "core/gpu/ir/Context.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/LayoutRules.h"
#include "core/gpu/ir/MosaicGpuTensor.h"
#include "core/ir/DiagnosticCollector.h"
#include "core/ir/KernelModule.h"
#include "core/ir/KernelModuleImpl.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include "mlir/IR/Builders.h"

namespace lanescope::core::dumps {

namespace {

std::unexpected<Diagnostics> unfit(const CastRequest &request, std::string message) {
  return error("what-if", request.op, std::move(message));
}

mlir::Operation *find(KernelModule::Impl &impl, const Span &place) {
  mlir::Operation *found = nullptr;
  impl.module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    Span span = spanOf(op->getLoc(), impl.sources);
    if (span.source != place.source || span.begin < place.begin || span.begin >= place.end)
      return mlir::WalkResult::advance();
    found = op;
    return mlir::WalkResult::interrupt();
  });
  return found;
}

/// Checks that the layout fits the kind of value.
Result<void> check(const CastRequest &request, mlir::Value value) {
  std::string role = text(request.result ? "result " : "operand ", request.index);
  auto type = llvm::dyn_cast<mlir::ShapedType>(value.getType());
  auto memref = llvm::dyn_cast<mlir::MemRefType>(value.getType());
  if (const auto *layout = std::get_if<layouts::RegisterLayout>(&request.to)) {
    if (!llvm::isa<mlir::VectorType>(value.getType()))
      return unfit(request, text(role, " is no array in registers, so it has no register layout"));
    if (std::holds_alternative<layouts::WGSplatFragLayout>(*layout))
      return unfit(request, "a splat is what a constant has; nothing is cast to one");
    if (auto fits = layouts::checkApplies(*layout, type.getShape().vec()); !fits)
      return unfit(request, fits.error().front().message);
  } else if (std::holds_alternative<layouts::TMEMLayout>(request.to)) {
    if (!memref || !isTensorMemory(memref))
      return unfit(request, text(role, " is no reference to tensor memory"));
  } else if (!memref || !isSharedMemory(memref)) {
    return unfit(request, text(role, " is no reference to shared memory, so it has no transforms"));
  }
  return {};
}

struct Caster {
  mlir::OpBuilder &builder;
  mlir::Value value;

  mlir::Operation *operator()(const layouts::RegisterLayout &layout) const {
    return builder.create<mosaic_gpu::LayoutCastOp>(value.getLoc(), value.getType(), value,
                                                    toAttribute(builder.getContext(), layout));
  }
  mlir::Operation *operator()(const layouts::TMEMLayout &layout) const {
    return builder.create<mosaic_gpu::TmemLayoutCastOp>(value.getLoc(), value.getType(), value,
                                                        toAttribute(builder.getContext(), layout));
  }
  mlir::Operation *operator()(const SmemTransforms &transforms) const {
    return builder.create<mosaic_gpu::WithTransformsOp>(value.getLoc(), value.getType(), value,
                                                        toAttribute(builder.getContext(), transforms));
  }
};

/// If the operation is a layout cast, changes the layout that it casts to; otherwise returns false.
bool changed(mlir::Operation *op, const CastRequest &request) {
  mlir::MLIRContext *context = op->getContext();
  if (auto cast = llvm::dyn_cast<mosaic_gpu::LayoutCastOp>(op))
    if (const auto *layout = std::get_if<layouts::RegisterLayout>(&request.to))
      return cast.setNewLayoutAttr(toAttribute(context, *layout)), true;
  if (auto cast = llvm::dyn_cast<mosaic_gpu::TmemLayoutCastOp>(op))
    if (const auto *layout = std::get_if<layouts::TMEMLayout>(&request.to))
      return cast.setNewLayoutAttr(toAttribute(context, *layout)), true;
  if (auto cast = llvm::dyn_cast<mosaic_gpu::WithTransformsOp>(op))
    if (const auto *transforms = std::get_if<SmemTransforms>(&request.to))
      return cast.setTransformsAttr(toAttribute(context, *transforms)), true;
  return false;
}

/// Moves the insertion point to just before the first operation that uses the result. Operations between the two, such
/// as a product's wait, may have to run before the cast.
void placeBehind(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value value) {
  mlir::Operation *first = nullptr;
  for (mlir::Operation *user : value.getUsers()) {
    mlir::Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    if (!here)
      return builder.setInsertionPointAfter(op); // the use is in another block
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  if (first)
    builder.setInsertionPoint(first);
  else
    builder.setInsertionPointAfter(op);
}

Result<void> insert(mlir::Operation *op, const CastRequest &request) {
  size_t count = request.result ? op->getNumResults() : op->getNumOperands();
  if (request.index >= count)
    return unfit(request,
                 text("there is no ", request.result ? "result " : "operand ", request.index, ": it has ", count));
  auto index = static_cast<unsigned>(request.index);
  mlir::Value value = request.result ? mlir::Value(op->getResult(index)) : op->getOperand(index);
  LANESCOPE_CHECK(check(request, value));
  if (request.result && changed(op, request))
    return {};
  mlir::OpBuilder builder(op);
  if (request.result)
    placeBehind(builder, op, value);
  mlir::Operation *cast = std::visit(Caster{builder, value}, request.to);
  if (request.result)
    value.replaceAllUsesExcept(cast->getResult(0), cast);
  else
    op->setOperand(index, cast->getResult(0));
  return {};
}

} // namespace

Result<SourceRef> withCast(const SourceRef &module, const CastRequest &request) {
  IrContext context = makeGpuContext();
  KernelModule read = LANESCOPE_TRY(parseModule(context, module, ModuleChecks::Structure));
  mlir::Operation *op = find(read.impl(), request.op);
  if (!op)
    return unfit(request, "the operation is not in the module");
  LANESCOPE_CHECK(insert(op, request));
  LANESCOPE_CHECK(layOutDump(read, {}));
  constexpr std::string_view kEdited = " (edited)";
  std::string name(module->name());
  return Source::make(name.ends_with(kEdited) ? name : text(name, kEdited), moduleText(read));
}

} // namespace lanescope::core::dumps
