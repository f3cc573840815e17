#include "viz/export/TerminalCanvas.h"

#include "layouts/support/Text.h"
#include "viz/scene/Palette.h"

#include <array>
#include <cstdlib>

namespace lanescope::viz {
namespace {

std::string code(TerminalColour mode, bool background, Colour c) {
  int which = background ? 48 : 38;
  if (mode == TerminalColour::Ansi256)
    return text(which, ";5;", nearest256(c));
  return text(which, ";2;", static_cast<int>(c.r), ";", static_cast<int>(c.g), ";", static_cast<int>(c.b));
}

int distance(Colour a, Colour b) {
  return (a.r - b.r) * (a.r - b.r) + (a.g - b.g) * (a.g - b.g) + (a.b - b.b) * (a.b - b.b);
}

} // namespace

int nearest256(Colour colour) {
  constexpr std::array<int, 6> kLevels{0, 95, 135, 175, 215, 255}; // the levels of xterm's colour cube
  auto level = [&](uint8_t value) {
    int best = 0;
    for (int i = 1; i < 6; ++i)
      if (std::abs(kLevels[i] - value) < std::abs(kLevels[best] - value))
        best = i;
    return best;
  };
  auto byte = [](int value) { return static_cast<uint8_t>(value); };
  int r = level(colour.r), g = level(colour.g), b = level(colour.b);
  Colour cube{byte(kLevels[r]), byte(kLevels[g]), byte(kLevels[b])};
  int mean = (colour.r + colour.g + colour.b) / 3;
  int grey = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
  Colour greyColour{byte(8 + 10 * grey), byte(8 + 10 * grey), byte(8 + 10 * grey)};
  return distance(colour, greyColour) < distance(colour, cube) ? 232 + grey : 16 + 36 * r + 6 * g + b;
}

void TerminalCanvas::write(std::string_view text, std::optional<Colour> background) {
  if (text.empty())
    return;
  if (colour_ != TerminalColour::None && background != background_) {
    reset();
    if (background) {
      Colour light = inTheme(kInk, ColourTheme::Dark);
      Colour ink = contrast(kInk, *background) >= contrast(light, *background) ? kInk : light;
      out_ += lanescope::text("\x1b[", code(colour_, false, ink), ";", code(colour_, true, *background), "m");
    }
    background_ = background;
  }
  out_ += text;
}

void TerminalCanvas::bold(std::string_view text) {
  reset();
  if (colour_ != TerminalColour::None && !text.empty())
    out_ += lanescope::text("\x1b[1m", text, "\x1b[0m");
  else
    out_ += text;
}

void TerminalCanvas::newLine() {
  reset();
  while (!out_.empty() && out_.back() == ' ')
    out_.pop_back();
  out_ += '\n';
}

void TerminalCanvas::reset() {
  if (background_)
    out_ += "\x1b[0m";
  background_.reset();
}

} // namespace lanescope::viz
