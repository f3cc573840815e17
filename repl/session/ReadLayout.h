// What layout a text is: an expression of the language, another language's notation, or a chunk that holds one.
//
//   readLayout(session, Source::make("<layout>", "WGMMA"))                            WGMMA
//   readLayout(session, Source::make("<layout>", "%x : tensor<64x64xf16, #mma>…"))    #mma, for 64x64 elements of 16
//   bits
#pragma once

#include "repl/session/Session.h"

namespace lanescope::repl {

/// A layout and, where a type or an operation around it says so, the array that it is for.
struct ReadLayout {
  layouts::Layout layout;
  std::optional<layouts::Shape> shape = {};
  std::optional<int> bitwidth = {};
  Diagnostics remarks = {}; // how an ambiguous text was read; which of several layouts this is
};

/// `tmem`: an attribute without more is a layout of tensor memory. Expressions are evaluated in the session.
/// Errors: the expression's, the notation's, "empty-layout", "not-a-layout".
Result<ReadLayout> readLayout(Session &session, const SourceRef &source, bool tmem = false);

} // namespace lanescope::repl
