// Text with background colours, as terminal escape codes (ECMA-48 SGR) or without any. A code is written only when the
// colour changes. Colours are reset at the end of each line.
#pragma once

#include "viz/export/TerminalText.h"

#include <optional>

namespace lanescope::viz {

class TerminalCanvas {
public:
  explicit TerminalCanvas(TerminalColour colour) : colour_(colour) {}
  void write(std::string_view text) { write(text, std::nullopt); }
  void write(std::string_view text, std::optional<Colour> background);
  void bold(std::string_view text);
  void newLine();
  std::string take() { return std::move(out_); }

private:
  void reset();

  TerminalColour colour_;
  std::string out_;
  std::optional<Colour> background_;
};

/// The nearest of the terminal's 256 colours: from the 6 x 6 x 6 cube (16 to 231) or the greys (232 to 255).
int nearest256(Colour colour);

} // namespace lanescope::viz
