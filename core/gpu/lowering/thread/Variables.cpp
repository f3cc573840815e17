#include "core/gpu/lowering/thread/Variables.h"

#include "core/gpu/inference/LayoutsInModule.h"

namespace lanescope::core {

using namespace mlir;

LogicalResult makeArrayVariable(KernelLowering &k, Operation *alloca) {
  auto type = cast<VectorType>(cast<MemRefType>(alloca->getResult(0).getType()).getElementType());
  std::optional<layouts::RegisterLayout> layout;
  if (auto given = alloca->getAttrOfType<ArrayAttr>(kOutLayouts); given && given.size() == 1)
    layout = toLayout(given[0]);
  if (!layout || std::holds_alternative<layouts::WGSplatFragLayout>(*layout))
    return alloca->emitError("a variable of the warpgroup needs a layout");
  if (!k.registerElement(type.getElementType()))
    return alloca->emitError() << "a variable cannot hold elements of `" << type.getElementType() << "`";
  // The array's "registers" are the addresses of its stack slots.
  RegisterArray slots{*layout, layouts::Shape(type.getShape().begin(), type.getShape().end()), {}};
  Type registerType = k.registerType(type.getElementType(), *layout);
  for (int64_t i = 0, n = KernelLowering::registerCount(*layout, slots.shape); i < n; ++i)
    slots.registers.push_back(k.t.slot(registerType));
  k.set(alloca->getResult(0), std::move(slots));
  return success();
}

/// The alignment of a slot, which is its size. Every access may rely on it.
static unsigned slotAlignment(Type type) {
  int64_t bytes = ThreadBuilder::countOf(type) * ThreadBuilder::elementOf(type).getIntOrFloatBitWidth() / 8;
  return bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
}

LogicalResult readArrayVariable(KernelLowering &k, Value variable, Value result) {
  RegisterArray value = k.array(variable);
  Type type = k.registerType(getElementTypeOrSelf(result.getType()), value.layout);
  for (Value &each : value.registers)
    each = k.t.load(type, each, slotAlignment(type));
  k.set(result, std::move(value));
  return success();
}

LogicalResult writeArrayVariable(KernelLowering &k, Value variable, Value value) {
  const RegisterArray slots = k.array(variable);
  RegisterArray stored = k.array(value, slots.layout);
  for (auto [slot, each] : llvm::zip_equal(slots.registers, stored.registers))
    k.t.store(each, slot, slotAlignment(each.getType()));
  return success();
}

} // namespace lanescope::core
