#include "core/inference/Layouts.h"

namespace lanescope::core {

using namespace mlir;

static std::optional<layouts::RegisterLayout> entry(Operation *op, llvm::StringRef name, TypeRange types,
                                                    unsigned index) {
  auto list = op->getAttrOfType<ArrayAttr>(name);
  if (!list || index >= types.size() || !isa<VectorType>(types[index]))
    return std::nullopt;
  unsigned at = 0;
  for (unsigned i = 0; i < index; ++i)
    at += isa<VectorType>(types[i]);
  return at < list.size() ? toLayout(list[at]) : std::nullopt;
}

std::optional<layouts::RegisterLayout> operandLayout(Operation *op, unsigned index) {
  return entry(op, kInLayouts, op->getOperandTypes(), index);
}

std::optional<layouts::RegisterLayout> resultLayout(Operation *op, unsigned index) {
  return entry(op, kOutLayouts, op->getResultTypes(), index);
}

} // namespace lanescope::core
