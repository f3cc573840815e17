// Terminal text as coloured runs, so that the console looks like a terminal.
//
//   ansiLines("a \x1b[1;31mred\x1b[0m")[0]  ->  {"a ", plain}, {"red", bold, colour 1}
//
// It understands SGR (colours, bold, faint, reverse). Other escape sequences and control characters are dropped.
#pragma once

#include "viz/scene/Scene.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::viz {

struct AnsiStyle {
  /// Index in the terminal's palette, 0 to 15, whose colours the theme decides; unset for any other colour.
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

/// The text's lines. The style carries over from line to line. A final line break does not start a line.
std::vector<AnsiLine> ansiLines(std::string_view text);

} // namespace lanescope::viz
