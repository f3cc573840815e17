// A scene as LaTeX: a document of one page that is the picture, drawn with TikZ and nothing else that a plain TeX
// installation lacks. To include it in a paper, take the tikzpicture out of it, or the PDF that it compiles to.
//
//   pdflatex wgmma.tex
//
// Cells of one colour share paths, and labels are plain boxes of LaTeX's `picture`, to spare TeX's memory of 5 million
// words (TeX Live's own limit): a 128 x 64 grid with its labels takes 3.8 million and 3 seconds, 8704 hatched cells
// of four owners each 4.6 million. A TikZ node per cell ends at a quarter of that.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

/// Error: a picture larger than TeX can measure (16383 pt a side), or of more cells than its memory holds.
Result<std::string> toTikz(const Scene &scene);
/// `text` as it prints in LaTeX, in text mode; characters outside ASCII that we do not write ourselves become "?".
std::string latexText(std::string_view text);

} // namespace lanescope::viz
