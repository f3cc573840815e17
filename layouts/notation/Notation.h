// Layouts as text: one parser and printer per notation, and a reader that finds the notation itself.
//
//   parseLayout(Source::make("cli", "WGMMA"))                          a catalogue name
//   parseLayout(Source::make("cli", "TiledLayout(tiling=Tiling(tiles=((64, 8), …)), …)"))     JAX's Python form
//   parseLayout(Source::make("cli", "#mosaic_gpu.TiledLayout<[[64, 8], …], warp_dims = [-7], …>"))   MLIR attribute
//   parseLayout(Source::make("cli", "local(2, 1).spatial(8, 4).local(1, 2)"))                        Tilus
//   notation(*parseLayout(…), "jax", Shape{64, 64}, 16)  ->  the same layout in JAX's words, or why it has none
//
// The parsers read back what the printers print. No text can crash or hang a parser, because texts are limited to 64
// KiB, lists to 256 entries, and the nesting of every grammar is bounded. A new notation is one file with `bool
// looksLike…`, `parse…` and a printer, one row of the table in Notation.cpp, and its examples.
#pragma once

#include "layouts/Layout.h"
#include "layouts/support/Source.h"

#include <optional>
#include <string>
#include <string_view>

namespace lanescope::layouts {

/// Reads a layout in any notation, or only in `language` if that is not empty (a name of readableNotations()). Old or
/// not canonical spellings are accepted and canonicalised; `remarks`, if given, reports that. Errors carry spans. A
/// text that no notation claims gets the error of the notation that read the most of it, and the names of all
/// notations.
Result<Layout> parseLayout(const SourceRef &source, Diagnostics *remarks = nullptr, std::string_view language = {});
/// True if the text begins like a layout of some notation. parseLayout makes the same check to choose a notation. The
/// text may still have errors.
bool looksLikeLayout(std::string_view text);
/// Like parseLayout, but for a tensor-memory layout. In MLIR, register layouts and tensor-memory layouts have the same
/// text.
Result<TMEMLayout> parseTmemLayout(const SourceRef &source, Diagnostics *remarks = nullptr);
/// Reads `Tiling((64, 8), (16, 8))`, `Tiling(tiles=((64, 8), (16, 8)))`, JAX's str `Tiling((64, 8)(16, 8))`, or the
/// bare tuples `(64, 8)(16, 8)`.
Result<Tiling> parseTiling(const SourceRef &source);

/// The names that parseLayout's `language` takes: "jax, mlir, cute, …".
std::string readableNotations();
/// The names that notation() takes.
std::string writableNotations();
/// Writes the layout in another language, for one array. If the layout states a shape or a width, `shape` and
/// `bitwidth` are not needed. The function checks that the text reads back to a layout that puts every element in the
/// same place. `memory` selects the memory if the layout can be read for several; the default is given in Reading.h.
/// Errors: "notation-lossy", which says why the language has no such layout; a shape or a width that is needed and
/// missing; an unknown language.
Result<std::string> notation(const Layout &layout, std::string_view language, std::optional<Shape> shape = std::nullopt,
                             std::optional<int> bitwidth = std::nullopt, std::optional<Memory> memory = std::nullopt);

} // namespace lanescope::layouts
