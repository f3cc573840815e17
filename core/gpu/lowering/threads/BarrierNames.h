// The snippet's name of a barrier, for the emulator's reports: a comment after the instruction that initialises it.
//
//   mbarrier.init.shared::cta.b64 [%r3], %r2; // lanescope: `loaded` (slot 1)
#pragma once

#include "layouts/support/Text.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringExtras.h"

namespace lanescope::core {

/// The comment for slot `slot` of the barriers that `op` creates; empty if its location has no name. `kind`: further
/// words about the slot.
inline std::string barrierComment(mlir::Operation *op, int64_t slot, llvm::StringRef kind = "") {
  auto named = llvm::dyn_cast<mlir::NameLoc>(op->getLoc());
  if (!named)
    return "";
  llvm::StringRef name = named.getName().getValue();
  bool plain = llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (name.empty() || !plain) // the comment is part of inline assembly, which gives some characters a meaning
    return "";
  return text(" // lanescope: `", std::string_view(name), "` (slot ", slot, std::string_view(kind), ")");
}

} // namespace lanescope::core
