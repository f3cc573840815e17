// Assigns layouts to the memory of a module, by core/tpu/program/TpuTiling.h.
#include "core/ir/KernelModuleImpl.h"
#include "core/tpu/build/TpuBuilder.h"
#include "core/tpu/ir/Tpu.h"
#include "core/tpu/program/TpuTiling.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace lanescope::core {

namespace {

/// The type with tiles; unchanged if it has a layout, or if its memory gets none.
mlir::MemRefType tiled(mlir::MemRefType type, bool allocated) {
  using sparsecore::Space;
  if (!type.getLayout().isIdentity() || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return type;
  sparsecore::Element element{.bits = static_cast<uint8_t>(type.getElementTypeBitWidth())};
  Space space = tpu::isIn(type, tpu::MemorySpace::Vmem)         ? Space::Vmem
                : tpu::isIn(type, tpu::MemorySpace::VmemShared) ? Space::VmemShared
                : tpu::isIn(type, tpu::MemorySpace::Hbm)        ? Space::Hbm
                                                                : Space::Smem;
  auto layout = sparsecore::tensorCoreLayout(element, space, type.getShape().vec(), allocated);
  if (!layout)
    return type;
  return mlir::MemRefType::get(type.getShape(), type.getElementType(), tpu::toAttribute(type.getContext(), *layout),
                               type.getMemorySpace());
}

/// Gives the value its layout, in a way that its users still see the old type.
void layOut(mlir::Value value, bool allocated, mlir::OpBuilder &builder) {
  auto before = mlir::dyn_cast<mlir::MemRefType>(value.getType());
  mlir::MemRefType after = before ? tiled(before, allocated) : before;
  if (after == before)
    return;
  value.setType(after);
  auto erased = tpu::EraseLayoutOp::create(builder, value.getLoc(), before, value);
  value.replaceAllUsesExcept(erased.getResult(), erased);
}

} // namespace

KernelModule inTensorCoreTiles(const KernelModule &module) {
  KernelModule made = module.clone();
  mlir::OpBuilder builder(made.impl().context.get());
  for (auto function : made.impl().module->getOps<mlir::func::FuncOp>()) {
    if (!function->hasAttr(tpu::kCoreType) || function.isExternal())
      continue;
    function.walk([&](mlir::memref::AllocaOp allocation) {
      builder.setInsertionPointAfter(allocation);
      layOut(allocation.getResult(), true, builder);
    });
    builder.setInsertionPointToStart(&function.getBody().front());
    for (mlir::BlockArgument argument : function.getArguments()) {
      auto type = mlir::dyn_cast<mlir::MemRefType>(argument.getType());
      layOut(argument, type && !tpu::isIn(type, tpu::MemorySpace::Hbm), builder);
    }
    function.setFunctionType(
        builder.getFunctionType(function.getBody().front().getArgumentTypes(), function.getResultTypes()));
  }
  return made;
}

} // namespace lanescope::core
