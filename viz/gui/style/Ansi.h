// Converts terminal text to coloured runs, so that the console looks like a terminal.
//
//   ansiLines("a \x1b[1;31mred\x1b[0m")[0]  ->  {"a ", plain}, {"red", bold, colour 1}
//
// It supports SGR (colours, bold, faint, reverse). All other escape sequences and control characters are dropped.
#pragma once

#include "viz/scene/Scene.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::viz {

struct AnsiStyle {
  /// Index in the terminal's palette, 0 to 15. The theme determines these colours. Unset for any other colour.
  std::optional<uint8_t> palette;
  std::optional<Colour> colour, background;
  std::optional<uint8_t> backgroundPalette;
  bool bold = false, faint = false, underline = false, reverse = false;
  bool operator==(const AnsiStyle &) const = default;
};

struct AnsiRun {
  std::string text; // no line breaks
  AnsiStyle style;
};
using AnsiLine = std::vector<AnsiRun>;

/// The lines of the text. A style stays in effect in the lines after it. A line break at the end starts no further
/// line.
std::vector<AnsiLine> ansiLines(std::string_view text);

} // namespace lanescope::viz
