// Layouts as text: one parser and printer per notation, and a reader that finds the notation itself.
//
//   parseLayout(Source::make("cli", "WGMMA"))                          a catalogue name
//   parseLayout(Source::make("cli", "TiledLayout(tiling=Tiling(tiles=((64, 8), …)), …)"))     JAX's Python form
//   parseLayout(Source::make("cli", "#mosaic_gpu.TiledLayout<[[64, 8], …], warp_dims = [-7], …>"))   MLIR attribute
//   parseLayout(Source::make("cli", "local(2, 1).spatial(8, 4).local(1, 2)"))                        Tilus
//   notation(*parseLayout(…), "jax", Shape{64, 64}, 16)  ->  the same layout in JAX's words, or why it has none
//
// The parsers read back what the printers print. No text crashes or hangs a parser: texts are limited to 64 KiB, lists
// to 256 entries, and no grammar nests without bound. A new notation is one file with `bool looksLike…`, `parse…` and a
// printer, one row of the table in Notation.cpp, and its examples.
#pragma once

#include "layouts/Layout.h"
#include "layouts/support/Source.h"

#include <optional>
#include <string>
#include <string_view>

namespace lanescope::layouts {

/// Reads a layout in any notation, or only in `language` if that is not empty (a name of notationNames()). Old or not
/// canonical spellings are accepted and canonicalised; `remarks`, if given, reports that. Errors carry spans. A text
/// that no notation claims gets the error of the notation that read the most of it, and the names of all notations.
Result<Layout> parseLayout(const SourceRef &source, Diagnostics *remarks = nullptr, std::string_view language = {});
/// True if a notation claims the text by its looks, as parseLayout asks before it reads. The text may still have
/// errors.
bool looksLikeLayout(std::string_view text);
/// Like parseLayout, but for a tensor-memory layout: MLIR spells register and tensor-memory layouts alike.
Result<TMEMLayout> parseTmemLayout(const SourceRef &source, Diagnostics *remarks = nullptr);
/// `Tiling((64, 8), (16, 8))`, `Tiling(tiles=((64, 8), (16, 8)))`, JAX's str `Tiling((64, 8)(16, 8))`, or the bare
/// tuples `(64, 8)(16, 8)`.
Result<Tiling> parseTiling(const SourceRef &source);

/// The names that parseLayout's `language` takes: "jax, mlir, cute, …".
std::string readableNotations();
/// The names that notation() takes.
std::string writableNotations();
/// The layout in another language, for one array. `shape` and `bitwidth` are taken from the layout if it holds them.
/// The text reads back to a layout that puts every element in the same place (checked). `memory` selects the memory if
/// the layout can be read for several; the default is given in Reading.h. Errors: "notation-lossy", which says why the
/// language has no such layout; a shape or a width that is needed and missing; an unknown language.
Result<std::string> notation(const Layout &layout, std::string_view language, std::optional<Shape> shape = std::nullopt,
                             std::optional<int> bitwidth = std::nullopt, std::optional<Memory> memory = std::nullopt);

} // namespace lanescope::layouts
