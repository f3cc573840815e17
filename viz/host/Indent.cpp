#include "viz/host/Indent.h"

#include <algorithm>
#include <array>

namespace lanescope::viz {

std::string nextIndent(std::string_view before, std::string_view unit) {
  std::string_view line = before.substr(before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1);
  size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  std::string indent(line.substr(0, begin));
  size_t last = line.find_last_not_of(' ');
  if (last != std::string_view::npos && line[last] == ':')
    return indent + std::string(unit);
  std::string_view word = line.substr(begin);
  word = word.substr(0, std::min(word.find_first_of(" ("), word.size()));
  constexpr std::array<std::string_view, 4> kEnds = {"return", "pass", "break", "continue"};
  bool ends = std::ranges::find(kEnds, word) != kEnds.end();
  bool open = std::ranges::count_if(line, [](char c) { return c == '(' || c == '[' || c == '{'; }) >
              std::ranges::count_if(line, [](char c) { return c == ')' || c == ']' || c == '}'; });
  if (ends && !open && indent.ends_with(unit))
    indent.resize(indent.size() - unit.size());
  return indent;
}

} // namespace lanescope::viz
