// Lists the values of a laid-out module, for views.
#include "core/gpu/inference/LayoutInference.h"
#include "core/gpu/inference/LayoutsInModule.h"

#include "layouts/support/Text.h"

#include "mlir/IR/Matchers.h"

namespace lanescope::core {

using namespace mlir;

static std::string typeText(Type type) {
  auto shaped = cast<ShapedType>(type);
  std::string element;
  llvm::raw_string_ostream stream(element);
  stream << shaped.getElementType();
  return text(element, "[", joined(shaped.getShape(), ", "), "]");
}

static std::string nameOf(Location location) {
  if (auto name = location->findInstanceOf<NameLoc>())
    return name.getName().str();
  return {};
}

std::vector<ValueLayout> valueLayouts(ModuleOp module, llvm::function_ref<Span(Location)> spanOf) {
  std::vector<ValueLayout> list;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      return;
    auto transforms = op->getAttrOfType<ArrayAttr>(kOutTransforms);
    size_t reference = 0;
    for (OpResult result : op->getResults()) {
      ValueLayout entry;
      if (auto layout = resultLayout(op, result.getResultNumber())) {
        entry.layout = layouts::jaxText(*layout);
      } else if (auto tensor = resultTmemLayout(op, result.getResultNumber())) {
        entry.layout = layouts::jaxText(*tensor);
      } else if (auto memref = dyn_cast<MemRefType>(result.getType());
                 memref && isSharedMemory(memref) && transforms && reference < transforms.size()) {
        auto own = toTransforms(dyn_cast<ArrayAttr>(transforms[reference++]));
        if (!own)
          continue;
        entry.layout = jaxText(*own);
      } else {
        continue;
      }
      entry.span = spanOf(op->getLoc());
      entry.name = nameOf(op->getLoc());
      entry.type = typeText(result.getType());
      list.push_back(std::move(entry));
    }
  });
  return list;
}

} // namespace lanescope::core
