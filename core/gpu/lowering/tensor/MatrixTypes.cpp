#include "core/gpu/lowering/tensor/MatrixTypes.h"

#include "layouts/support/Text.h"

#include "mlir/IR/BuiltinTypes.h"

namespace lanescope::core {

using namespace mlir;

std::string matrixType(Type element, bool isUnsigned) {
  if (isa<Float16Type>(element))
    return "f16";
  if (isa<BFloat16Type>(element))
    return "bf16";
  if (isa<Float8E4M3FNType>(element))
    return "e4m3";
  if (isa<Float8E5M2Type>(element))
    return "e5m2";
  if (isa<FloatTF32Type, Float32Type>(element))
    return "tf32";
  return text(isUnsigned ? "u" : "s", element.getIntOrFloatBitWidth());
}

} // namespace lanescope::core
