// Terminal text as coloured runs, so that the console shows what a terminal would.
//
//   ansiRuns("a \x1b[1;31mred\x1b[0m")  ->  {"a ", plain}, {"red", bold, colour 1}
//
// Understands SGR (colours, bold, faint, reverse); other escape sequences are dropped, as are control characters.
#pragma once

#include "viz/scene/Scene.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::viz {

struct AnsiStyle {
  /// 0 to 15: the terminal's palette, which the theme decides; else a colour of its own.
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

/// The text's lines; the style carries over from line to line. A final line break starts no line.
std::vector<AnsiLine> ansiLines(std::string_view text);

} // namespace lanescope::viz
