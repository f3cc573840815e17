// The registers that a function declares. A register gets its slot when an instruction first names it.
//
//   .reg .f32 %f<4>;      declares %f0 to %f3 in this scope and those within
#pragma once

#include "core/gpu/emulator/decode/RegisterFile.h"
#include "core/gpu/emulator/decode/ScopedNames.h"
#include "core/gpu/emulator/ptx/PtxModule.h"

namespace lanescope::core::emulator {

struct RegisterRef {
  uint32_t slot = UINT32_MAX;
  uint32_t bits = 0;
  bool byte = false; // declared as `.b8`; the slot has 16 bits
  RegisterKind kind = RegisterKind::Bits;
};

class RegisterNames {
public:
  explicit RegisterNames(RegisterFile &file) : file_(file) {}
  void declare(const Function &function);
  /// The register that `name` means in an instruction; null if there is none.
  const RegisterRef *find(std::string_view name, const Instruction &at);
  /// Lets a name mean a register that no `.reg` declares: a parameter that is passed in a register.
  void bind(const ScopedName &name, const RegisterRef &ref) {
    named_[name] = ref;
    declared_[name] = {.name = name.name, .bits = static_cast<uint8_t>(ref.bits), .scope = name.scope};
  }
  /// The registers that instructions have named. A `.b128` register has two adjacent slots.
  const std::unordered_map<ScopedName, RegisterRef, ScopedHash> &named() const { return named_; }

private:
  RegisterFile &file_;
  const Function *function_ = nullptr;
  // declared_: a register like `a`; ranges_: a range like `a<2>`, which declares a0 and a1
  std::unordered_map<ScopedName, RegisterDecl, ScopedHash> declared_, ranges_;
  std::unordered_map<ScopedName, RegisterRef, ScopedHash> named_;
};

} // namespace lanescope::core::emulator
