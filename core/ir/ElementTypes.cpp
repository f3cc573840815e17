#include "core/ir/ElementTypes.h"

#include "layouts/support/Text.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace lanescope::core {

std::optional<layouts::Dtype> dtypeOf(mlir::Type type) {
  using layouts::Dtype;
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type))
    return layouts::dtypeNamed(text(integer.isUnsigned() ? 'u' : 'i', integer.getWidth()));
  return llvm::TypeSwitch<mlir::Type, std::optional<Dtype>>(type)
      .Case([](mlir::Float16Type) { return Dtype::F16; })
      .Case([](mlir::BFloat16Type) { return Dtype::BF16; })
      .Case([](mlir::Float32Type) { return Dtype::F32; })
      .Case([](mlir::Float64Type) { return Dtype::F64; })
      .Case([](mlir::FloatTF32Type) { return Dtype::TF32; })
      .Case([](mlir::Float8E4M3FNType) { return Dtype::F8E4M3FN; })
      .Case([](mlir::Float8E5M2Type) { return Dtype::F8E5M2; })
      .Case([](mlir::Float8E8M0FNUType) { return Dtype::F8E8M0FNU; })
      .Case([](mlir::Float6E2M3FNType) { return Dtype::F6E2M3FN; })
      .Case([](mlir::Float6E3M2FNType) { return Dtype::F6E3M2FN; })
      .Case([](mlir::Float4E2M1FNType) { return Dtype::F4E2M1FN; })
      .Default([](mlir::Type) { return std::nullopt; });
}

int storageBits(mlir::Type element) {
  auto bits = static_cast<int>(element.getIntOrFloatBitWidth());
  return bits == 6 ? 8 : bits;
}

} // namespace lanescope::core
