#include "viz/gui/style/Ansi.h"

#include "layouts/support/Text.h"

namespace lanescope::viz {

namespace {

/// Colour n of the 256-colour palette, for n from 16 on: first a 6x6x6 cube, then 24 greys.
Colour colour256(int n) {
  if (n >= 232) {
    auto grey = uint8_t(8 + 10 * (n - 232));
    return {grey, grey, grey};
  }
  auto level = [](int i) { return uint8_t(i ? 55 + 40 * i : 0); };
  n -= 16;
  return {level(n / 36), level(n / 6 % 6), level(n % 6)};
}

void setColour(const std::vector<int> &codes, size_t &i, std::optional<uint8_t> &palette,
               std::optional<Colour> &colour) {
  auto byte = [](int n) { return uint8_t(n < 0 ? 0 : n > 255 ? 255 : n); };
  if (i + 2 < codes.size() && codes[i + 1] == 5) {
    int n = byte(codes[i + 2]);
    palette.reset(), colour.reset();
    if (n < 16)
      palette = uint8_t(n);
    else
      colour = colour256(n);
    i += 2;
  } else if (i + 4 < codes.size() && codes[i + 1] == 2) {
    palette.reset();
    colour = Colour{byte(codes[i + 2]), byte(codes[i + 3]), byte(codes[i + 4])};
    i += 4;
  }
}

void applySgr(const std::vector<int> &codes, AnsiStyle &style) {
  for (size_t i = 0; i < codes.size(); ++i) {
    int code = codes[i];
    if (code == 0)
      style = {};
    else if (code == 1)
      style.bold = true;
    else if (code == 2)
      style.faint = true;
    else if (code == 4)
      style.underline = true;
    else if (code == 7)
      style.reverse = true;
    else if (code == 22)
      style.bold = style.faint = false;
    else if (code == 24)
      style.underline = false;
    else if (code == 27)
      style.reverse = false;
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
      style.palette = uint8_t(code >= 90 ? code - 90 + 8 : code - 30);
      style.colour.reset();
    } else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) {
      style.backgroundPalette = uint8_t(code >= 100 ? code - 100 + 8 : code - 40);
      style.background.reset();
    } else if (code == 38)
      setColour(codes, i, style.palette, style.colour);
    else if (code == 48)
      setColour(codes, i, style.backgroundPalette, style.background);
    else if (code == 39)
      style.palette.reset(), style.colour.reset();
    else if (code == 49)
      style.backgroundPalette.reset(), style.background.reset();
  }
}

/// Reads the sequence that begins at text[at] == ESC; returns the offset after it.
size_t readEscape(std::string_view text, size_t at, AnsiStyle &style) {
  size_t i = at + 1;
  if (i >= text.size())
    return text.size();
  if (text[i] == ']') { // an operating system command ends with BEL or ESC backslash
    while (i < text.size() && text[i] != '\a' && !(text[i] == '\\' && text[i - 1] == '\x1b'))
      ++i;
    return std::min(i + 1, text.size());
  }
  if (text[i] != '[')
    return i + 1;
  size_t begin = ++i;
  while (i < text.size() && (text[i] < '@' || text[i] > '~'))
    ++i;
  if (i >= text.size())
    return text.size();
  if (text[i] == 'm') {
    std::vector<int> codes;
    std::string_view list = text.substr(begin, i - begin);
    while (true) {
      size_t semicolon = list.find(';');
      codes.push_back(parseInteger<int>(list.substr(0, semicolon)).value_or(0));
      if (semicolon == std::string_view::npos)
        break;
      list.remove_prefix(semicolon + 1);
    }
    applySgr(codes, style);
  }
  return i + 1;
}

} // namespace

std::vector<AnsiLine> ansiLines(std::string_view text) {
  std::vector<AnsiLine> lines;
  AnsiStyle style;
  AnsiLine line;
  bool open = false; // the current line has text already
  auto append = [&](std::string_view part) {
    if (line.empty() || !(line.back().style == style))
      line.push_back({{}, style});
    line.back().text += part;
    open = true;
  };
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    if (c == '\x1b') {
      i = readEscape(text, i, style);
    } else if (c == '\n') {
      lines.push_back(std::move(line));
      line.clear();
      open = false;
      ++i;
    } else if (c == '\t') {
      append("    ");
      ++i;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      ++i;
    } else {
      size_t end = i;
      while (end < text.size() && static_cast<unsigned char>(text[end]) >= 0x20 && text[end] != 0x7F)
        ++end;
      append(text.substr(i, end - i));
      i = end;
    }
  }
  if (open)
    lines.push_back(std::move(line));
  return lines;
}

} // namespace lanescope::viz
