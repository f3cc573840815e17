#include "core/gpu/inference/ModuleRules.h"

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/MosaicGpuRegions.h"
#include "core/ir/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/DenseSet.h"

namespace lanescope::core {

using namespace mlir;

static VectorType arrayType(Value array) {
  if (auto memref = dyn_cast<MemRefType>(array.getType()))
    return cast<VectorType>(memref.getElementType());
  return cast<VectorType>(array.getType());
}

layouts::Shape shapeOf(Value array) { return arrayType(array).getShape().vec(); }

int bitwidthOf(Value array) {
  Type element = arrayType(array).getElementType();
  return element.isIntOrFloat() ? storageBits(element) : 64;
}

layouts::Shape tensorShape(Value tensor) { return cast<MemRefType>(tensor.getType()).getShape().vec(); }

int tensorBits(Value tensor) {
  Type element = cast<MemRefType>(tensor.getType()).getElementType();
  return element.isIntOrFloat() ? static_cast<int>(element.getIntOrFloatBitWidth()) : layouts::kTmemCellBits;
}

FailureOr<ModuleRules> collectRules(Operation *root) {
  ModuleRules module;
  bool complete = true;
  llvm::DenseSet<const void *> ruled; // operands and values that a rule covers
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    size_t before = module.entries().size();
    module.rules.ask(op);
    for (const LayoutRules::Entry &entry : ArrayRef(module.entries()).drop_front(before))
      for (const LayoutSite &site : sitesOf(entry.rule))
        ruled.insert(site.use ? site.use : site.value.getAsOpaquePointer());

    bool arrays = true, references = true;
    auto defined = [&](Value value) {
      if (hasRegisterLayout(value.getType())) {
        module.arrays.push_back(value);
        arrays &= ruled.contains(value.getAsOpaquePointer());
      } else if (hasTransforms(value.getType()) || hasTensorLayout(value.getType())) {
        references &= ruled.contains(value.getAsOpaquePointer());
      }
    };
    for (OpOperand &operand : op->getOpOperands())
      if (hasRegisterLayout(operand.get().getType()))
        arrays &= ruled.contains(&operand);
    llvm::for_each(op->getResults(), defined);
    // A primitive contains per-thread code, which has no rules.
    const bool opaque = isa<mosaic_gpu::CustomPrimitiveOp>(op);
    const WalkResult next = opaque ? WalkResult::skip() : WalkResult::advance();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!opaque)
          llvm::for_each(block.getArguments(), defined);
    if (arrays && references)
      return next;
    complete = false;
    op->emitError() << "no layout rule for `" << op->getName() << "`: it does not say "
                    << (arrays ? "how its references are stored" : "which layouts its arrays have");
    return next;
  });
  if (!complete)
    return failure();
  return module;
}

std::pair<LayoutSite, LayoutSite> endsOf(const LayoutRule &derived) {
  auto sites = sitesOf(derived);
  return sites[0].use ? std::pair(sites[1], sites[0]) : std::pair(sites[0], sites[1]);
}

} // namespace lanescope::core
