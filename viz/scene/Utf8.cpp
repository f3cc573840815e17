#include "viz/scene/Utf8.h"

namespace lanescope::viz {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// Length of the well-formed sequence at the front of `text` (Unicode, table 3-7), 0 if there is none.
size_t sequence(std::string_view text) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  unsigned first = byte(0), second = byte(1);
  if (first < 0x80)
    return 1;
  if (first >= 0xc2 && first <= 0xdf)
    return (second & 0xc0) == 0x80 ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    unsigned least = first == 0xe0 ? 0xa0 : 0x80, most = first == 0xed ? 0x9f : 0xbf;
    return second >= least && second <= most && (byte(2) & 0xc0) == 0x80 ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    unsigned least = first == 0xf0 ? 0x90 : 0x80, most = first == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= most && (byte(2) & 0xc0) == 0x80 && (byte(3) & 0xc0) == 0x80 ? 4 : 0;
  }
  return 0;
}

} // namespace

std::string validUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t length = sequence(text);
    unsigned char first = static_cast<unsigned char>(text[0]);
    bool control = first < 0x20 || first == 0x7f;
    if (length == 0 || control)
      out += "\xef\xbf\xbd";
    else
      out.append(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

int64_t characterCount(std::string_view text) {
  int64_t count = 0;
  for (char c : text)
    count += !continues(c);
  return count;
}

std::string_view firstCharacters(std::string_view text, int64_t count) {
  for (size_t i = 0; i < text.size(); ++i)
    if (!continues(text[i]) && count-- == 0)
      return text.substr(0, i);
  return text;
}

} // namespace lanescope::viz
