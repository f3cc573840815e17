#include "layouts/support/TerminalWidth.h"

#include "layouts/support/Utf8.h"

#include <algorithm>

#ifdef __wasi__
#include <cwchar>
#else
#include <utf8proc.h>
#endif

namespace lanescope {
namespace {

int64_t widthOf(char32_t code) {
#ifdef __wasi__ // There is no utf8proc for WebAssembly, but the C library there knows the widths in every locale.
  return std::max(0, wcwidth(static_cast<wchar_t>(code)));
#else
  return utf8proc_charwidth(static_cast<utf8proc_int32_t>(code));
#endif
}

/// Removes the first character, or a byte that is not UTF-8, and returns its width.
int64_t takeCharacter(std::string_view &text) {
  char32_t code = 0;
  size_t length = characterLength(text, &code);
  text.remove_prefix(std::max<size_t>(length, 1));
  return length == 0 ? 1 : widthOf(code);
}

} // namespace

int64_t columnCount(std::string_view text) {
  int64_t columns = 0;
  for (;;) {
    columns += static_cast<int64_t>(takePrintable(text).size()); // most texts have only such characters
    if (text.empty())
      return columns;
    columns += takeCharacter(text);
  }
}

std::string_view firstColumns(std::string_view text, int64_t columns) {
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view after = rest;
    columns -= takeCharacter(after);
    if (columns < 0)
      break;
    rest = after;
  }
  return text.substr(0, text.size() - rest.size());
}

std::string_view lastColumns(std::string_view text, int64_t columns) {
  int64_t over = columnCount(text) - columns;
  if (over <= 0)
    return text;
  while (!text.empty()) {
    std::string_view after = text;
    int64_t width = takeCharacter(after);
    if (over <= 0 && width > 0)
      break; // a mark without its character goes with the character
    over -= width;
    text = after;
  }
  return text;
}

std::string padded(std::string_view text, int64_t columns, Aligned aligned) {
  std::string spaces(static_cast<size_t>(std::max<int64_t>(0, columns - columnCount(text))), ' ');
  return aligned == Aligned::Right ? spaces + std::string(text) : std::string(text) + spaces;
}

} // namespace lanescope
