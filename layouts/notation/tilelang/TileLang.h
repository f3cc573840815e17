// TileLang's layouts in the form that its DebugOutput prints: shapes, and index expressions over placeholders.
//
//   Fragment([16, 16] -> [8], replicate: 1, thread: 32, forward_thread: _i % 8 * 4 + _j % 8 // 2,
//            forward_index: [_j // 8 * 4 + _i // 8 * 2 + _j % 2])
//   Layout([8, 64] -> [8, 64], transform: [_i, _j] -> [_i, T.bitwise_xor(_j // 8, _i) * 8 + _j % 8])
//
// `_i`, `_j`, `_k`, … are the dimensions' indices, and `_rep` counts copies. `//` and `%` round down. TVM's
// `T.bitwise_xor(a, b)` and Python's `a ^ b` are the same. Brackets may be round. A fragment gives registers (numbered
// row-major over the output shape), a layout gives offsets in shared memory. Source: tile-ai/tilelang
// src/layout/layout.cc. Printer: text(), which writes expressions with all parentheses. Layouts of other languages have
// no TileLang form.
#pragma once

#include "layouts/Layout.h"
#include "layouts/notation/text/Scanner.h"

namespace lanescope::layouts {

bool looksLikeTileLang(std::string_view text);
Result<Layout> parseTileLang(Scanner &in, Diagnostics *remarks);

} // namespace lanescope::layouts
