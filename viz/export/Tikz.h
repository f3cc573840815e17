// A scene as LaTeX: a document of one page with the picture. It needs only TikZ and packages that a plain TeX
// installation has. To include the picture in a paper, copy the tikzpicture, or use the PDF made from the document.
//
//   pdflatex wgmma.tex
//
// Cells of one colour share paths, and labels are plain boxes in LaTeX's `picture`. This saves TeX's memory of 5
// million words (TeX Live's own limit). A 128 x 64 grid with its labels takes 3.8 million words and 3 seconds. 8704
// hatched cells with four owners each take 4.6 million words. With a TikZ node per cell, only a quarter of that many
// cells would be possible.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

/// Error: the picture is larger than TeX can measure (16383 pt a side), or has more cells than TeX's memory holds.
Result<std::string> toTikz(const Scene &scene);
/// Returns `text` as LaTeX text for text mode. A character outside of ASCII becomes "?", unless the program itself
/// writes it.
std::string latexText(std::string_view text);

} // namespace lanescope::viz
