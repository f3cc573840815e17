#include "layouts/support/Visible.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"

#include <algorithm>
#include <cstdint>

namespace lanescope {

namespace {

/// Unicode's controls of direction (UAX 9), separators, and characters that take no room.
bool isHidden(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range kRanges[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},
                               {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
                               {0xFE00, 0xFE0E}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
  return std::ranges::any_of(kRanges, [&](const Range &range) { return code >= range.first && code <= range.last; });
}

void appendEscape(std::string &out, char32_t code) {
  constexpr char kDigits[] = "0123456789abcdef";
  int digits = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
  out += digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U";
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    out += kDigits[code >> shift & 0xF];
}

/// The length of the sequence at the front that chooses colours: ESC [ numbers m.
size_t colourLength(std::string_view text) {
  if (!text.starts_with("\x1b["))
    return 0;
  size_t end = text.find_first_not_of("0123456789;", 2);
  return end != text.npos && text[end] == 'm' ? end + 1 : 0;
}

enum class Keep : uint8_t { Lines, LinesAndColours, Nothing };

void appendFirst(std::string &out, std::string_view &text, Keep keep) {
  char first = text.front();
  if (size_t colour = keep == Keep::LinesAndColours ? colourLength(text) : 0) {
    out.append(text.substr(0, colour));
    text.remove_prefix(colour);
    return;
  }
  char32_t code = 0;
  size_t length = characterLength(text, &code);
  if (length == 0) {
    appendEscape(out, static_cast<unsigned char>(first));
    length = 1;
  } else if (first == '\n' || first == '\t') {
    out += keep != Keep::Nothing ? std::string(1, first) : first == '\n' ? "\\n" : "\\t";
  } else if (first == '\r') {
    out += "\\r";
  } else if (isHidden(code)) {
    appendEscape(out, code);
  } else {
    out.append(text.substr(0, length));
  }
  text.remove_prefix(length);
}

std::string escaped(std::string_view text, Keep keep) {
  std::string out;
  out.reserve(text.size());
  for (;;) {
    out += takePrintable(text); // most texts have only such characters
    if (text.empty())
      return out;
    appendFirst(out, text, keep);
  }
}

} // namespace

std::string visible(std::string_view text) { return escaped(text, Keep::Lines); }

std::string visibleWithColours(std::string_view text) { return escaped(text, Keep::LinesAndColours); }

std::string visibleLine(std::string_view text) { return escaped(text, Keep::Nothing); }

QuotedPart quotedPart(std::string_view line, size_t at) {
  at = std::min(at, line.size());
  size_t begin = at > kWidestQuote / 2 && line.size() > kWidestQuote ? at - kWidestQuote / 2 : 0;
  size_t end = std::min(line.size(), begin + kWidestQuote);
  while (begin > 0 && continuesCharacter(line[begin]))
    --begin;
  while (end < line.size() && continuesCharacter(line[end]))
    --end;
  return {begin, end};
}

std::string shownLine(std::string_view line, size_t at) {
  QuotedPart part = quotedPart(line, at);
  return lanescope::text(part.begin > 0 ? "… " : "", visible(line.substr(part.begin, part.end - part.begin)),
                         part.end < line.size() ? " …" : "");
}

std::string shownName(std::string_view text) {
  constexpr size_t kEnd = kLongestShownName / 2 - 20; // leaves room for the words in the middle
  if (text.size() <= kLongestShownName)
    if (std::string out = visibleLine(text); out.size() <= kLongestShownName)
      return out;
  size_t head = std::min(text.size(), kEnd), tail = text.size() - std::min(text.size() - head, kEnd);
  while (head > 0 && continuesCharacter(text[head]))
    --head;
  while (tail < text.size() && continuesCharacter(text[tail]))
    ++tail;
  std::string front = visibleLine(text.substr(0, head)), back = visibleLine(text.substr(tail));
  while (front.size() > kEnd) // the escapes have made it longer
    dropLastCharacter(front);
  size_t from = back.size() - std::min(back.size(), kEnd);
  while (from < back.size() && continuesCharacter(back[from]))
    ++from;
  back.erase(0, from);
  return lanescope::text(front, "… (", text.size(), " bytes) …", back);
}

} // namespace lanescope
