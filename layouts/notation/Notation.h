// Layouts as text: one parser and printer per notation, and a reader that finds the notation itself.
//
//   parseLayout(Source::make("cli", "WGMMA"))                          a catalogue name
//   parseLayout(Source::make("cli", "tmem_half_lane_layout(128, 2)"))  with arguments, keywords too
//   parseLayout(Source::make("cli", "TiledLayout(tiling=Tiling(tiles=((64, 8), …)), …)"))     JAX's Python form
//   parseLayout(Source::make("cli", "#mosaic_gpu.TiledLayout<[[64, 8], …], warp_dims = [-7], …>"))   MLIR attribute
//
// Printers are jaxText() and mlirText() (RegisterLayout.h, TmemLayout.h); the parsers read back what they print. No
// text crashes or hangs a parser: texts are limited to 64 KiB, lists to 256 entries, and no grammar nests without
// bound. A new notation is one file with `bool looksLike…` and `parse…`, one line in Notation.cpp, and its examples.
#pragma once

#include "layouts/support/Source.h"
#include "layouts/Layout.h"

namespace lanescope::layouts {

/// Any notation. A tiled layout in a spelling that is not canonical is accepted and canonicalised, which `remarks`
/// (where given) then says. Errors carry spans.
Result<Layout> parseLayout(const SourceRef &source, Diagnostics *remarks = nullptr);
/// As parseLayout, for a place that wants a tensor-memory layout: MLIR spells both kinds alike.
Result<TMEMLayout> parseTmemLayout(const SourceRef &source, Diagnostics *remarks = nullptr);
/// `Tiling((64, 8), (16, 8))`, `Tiling(tiles=((64, 8), (16, 8)))`, JAX's str `Tiling((64, 8)(16, 8))`, or the bare
/// tuples `(64, 8)(16, 8)`.
Result<Tiling> parseTiling(const SourceRef &source);

} // namespace lanescope::layouts
