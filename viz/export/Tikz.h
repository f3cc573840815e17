// A scene as LaTeX: a one-page document with the picture, drawn with TikZ and no other package that a plain TeX
// installation lacks. To include it in a paper, copy the tikzpicture, or use the PDF that the document compiles to.
//
//   pdflatex wgmma.tex
//
// Cells of one colour share paths, and labels are plain boxes of LaTeX's `picture`, to save TeX's memory of 5 million
// words (TeX Live's own limit): a 128 x 64 grid with its labels takes 3.8 million and 3 seconds, 8704 hatched cells of
// four owners each 4.6 million. With a TikZ node per cell, a quarter of that many cells would be the limit.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

/// Error: the picture is larger than TeX can measure (16383 pt a side), or has more cells than TeX's memory holds.
Result<std::string> toTikz(const Scene &scene);
/// `text` as LaTeX text in text mode. Characters outside ASCII that the program itself does not write become "?".
std::string latexText(std::string_view text);

} // namespace lanescope::viz
