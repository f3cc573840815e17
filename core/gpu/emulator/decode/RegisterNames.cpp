#include "core/gpu/emulator/decode/RegisterNames.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

void RegisterNames::declare(const Function &function) {
  function_ = &function;
  for (const RegisterDecl &decl : function.registers)
    (decl.count ? ranges_ : declared_)[{decl.scope, decl.name}] = decl;
}

const RegisterRef *RegisterNames::find(std::string_view name, const Instruction &at) {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  std::string_view prefix = name.substr(0, digits);
  auto number = digits < name.size() ? parseInteger<uint32_t>(name.substr(digits)) : std::nullopt;
  for (uint32_t scope = at.scope;; scope = function_->scopeParents[scope]) {
    const RegisterDecl *decl = nullptr;
    if (auto it = declared_.find({scope, name}); it != declared_.end())
      decl = &it->second;
    else if (number)
      if (auto range = ranges_.find({scope, prefix}); range != ranges_.end() && *number < range->second.count)
        decl = &range->second;
    if (decl && decl->begin <= at.begin) { // a name is known after its declaration
      auto [it, added] = named_.try_emplace({scope, name}, RegisterRef{});
      if (added) {
        it->second.byte = decl->bits == 8;
        it->second.kind = decl->kind;
        it->second.bits = it->second.byte ? 16 : decl->bits;
        it->second.slot = file_.allocate(std::min<uint32_t>(it->second.bits, 64));
        if (decl->bits == 128)
          file_.allocate(64); // its upper half, in the next slot
      }
      return &it->second;
    }
    if (function_->scopeParents[scope] == scope)
      return nullptr;
  }
}

} // namespace lanescope::core::emulator
