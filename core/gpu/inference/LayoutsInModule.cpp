#include "core/gpu/inference/LayoutsInModule.h"

#include "core/gpu/ir/LayoutRules.h"

namespace lanescope::core {

using namespace mlir;

/// The attribute's entry for a value; the list has entries only for values of one `kind` of types. Null: none.
static Attribute entry(Operation *op, llvm::StringRef name, TypeRange types, unsigned index,
                       llvm::function_ref<bool(Type)> kind) {
  auto list = op->getAttrOfType<ArrayAttr>(name);
  if (!list || index >= types.size() || !kind(types[index]))
    return {};
  unsigned at = 0;
  for (unsigned i = 0; i < index; ++i)
    at += kind(types[i]);
  return at < list.size() ? list[at] : Attribute();
}

static bool isArray(Type type) { return isa<VectorType>(type); }

std::optional<layouts::RegisterLayout> operandLayout(Operation *op, unsigned index) {
  return toLayout(entry(op, kInLayouts, op->getOperandTypes(), index, isArray));
}

std::optional<layouts::RegisterLayout> resultLayout(Operation *op, unsigned index) {
  return toLayout(entry(op, kOutLayouts, op->getResultTypes(), index, isArray));
}

std::optional<layouts::TMEMLayout> operandTmemLayout(Operation *op, unsigned index) {
  return toTmemLayout(entry(op, kInTmemLayouts, op->getOperandTypes(), index, hasTensorLayout));
}

std::optional<layouts::TMEMLayout> resultTmemLayout(Operation *op, unsigned index) {
  return toTmemLayout(entry(op, kOutTmemLayouts, op->getResultTypes(), index, hasTensorLayout));
}

} // namespace lanescope::core
