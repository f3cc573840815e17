#include "layouts/support/Utf8.h"

#include <algorithm>

namespace lanescope {

size_t characterLength(std::string_view text, char32_t *code) {
  if (text.empty())
    return 0;
  auto first = static_cast<unsigned char>(text[0]);
  size_t length = first < 0x80                    ? 1
                  : first >= 0xC2 && first < 0xE0 ? 2
                  : first >= 0xE0 && first < 0xF0 ? 3
                  : first >= 0xF0 && first < 0xF5 ? 4
                                                  : 0;
  if (length == 0 || length > text.size())
    return 0;
  char32_t value = length == 1 ? first : first & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (!continuesCharacter(text[i]))
      return 0;
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  if ((length == 3 && (value < 0x800 || (value >= 0xD800 && value < 0xE000))) ||
      (length == 4 && (value < 0x10000 || value > 0x10FFFF)))
    return 0;
  if (code)
    *code = value;
  return length;
}

void appendCharacter(std::string &text, char32_t code) {
  auto rest = [&](int shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    rest(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    rest(6), rest(0);
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    rest(12), rest(6), rest(0);
  }
}

size_t characterEnd(std::string_view text, size_t begin) {
  do
    ++begin;
  while (begin < text.size() && continuesCharacter(text[begin]));
  return begin;
}

void dropLastCharacter(std::string &text) {
  while (text.size() > 1 && continuesCharacter(text.back()))
    text.pop_back();
  if (!text.empty())
    text.pop_back();
}

int64_t characterCount(std::string_view text) {
  int64_t count = 0;
  for (char c : text)
    count += !continuesCharacter(c);
  return count;
}

std::string_view firstCharacters(std::string_view text, int64_t count) {
  for (size_t i = 0; i < text.size(); ++i)
    if (!continuesCharacter(text[i]) && count-- == 0)
      return text.substr(0, i);
  return text;
}

std::string_view takePrintable(std::string_view &text) {
  auto isPrintable = [](char c) { return c >= 0x20 && c < 0x7F; };
  auto count = static_cast<size_t>(std::ranges::find_if_not(text, isPrintable) - text.begin());
  std::string_view taken = text.substr(0, count);
  text.remove_prefix(count);
  return taken;
}

std::string validUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (;;) {
    out += takePrintable(text); // most texts have only such characters
    if (text.empty())
      return out;
    size_t length = characterLength(text);
    auto first = static_cast<unsigned char>(text[0]);
    bool control = first < 0x20 || first == 0x7F;
    if (length == 0 || control)
      out += "\xef\xbf\xbd";
    else
      out.append(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

} // namespace lanescope
