// Reads a layout from a text: an expression of the language, another language's notation, or a chunk that contains one.
//
//   readLayout(session, Source::make("<layout>", "WGMMA"))                            WGMMA
//   readLayout(session, Source::make("<layout>", "%x : tensor<64x64xf16, #mma>…"))    #mma for a 64x64 array of 16 bits
#pragma once

#include "repl/session/Session.h"

namespace lanescope::repl {

/// A layout, and the shape and bit width of its array if a type or an operation around it gives them.
struct ReadLayout {
  layouts::Layout layout;
  std::optional<layouts::Shape> shape = {};
  std::optional<int> bitwidth = {};
  Diagnostics remarks = {}; // notes on how an ambiguous text was read, and on which of several layouts was taken
};

/// Reads a layout. Expressions are evaluated in the session. `tmem`: a bare attribute is a layout of tensor memory.
/// Errors: the expression's, the notation's, "empty-layout", "not-a-layout".
Result<ReadLayout> readLayout(Session &session, const SourceRef &source, bool tmem = false);

} // namespace lanescope::repl
