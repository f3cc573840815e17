#include "core/profiler/JsonScan.h"

#include <algorithm>

namespace lanescope::core {

namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr size_t kNone = std::string_view::npos;

/// Just after the string whose opening quote is at `at`.
size_t skipString(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at)
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  return kNone;
}

} // namespace

size_t skipJsonSpace(std::string_view text, size_t at) {
  size_t found = text.find_first_not_of(kSpace, at);
  return std::min(found, text.size());
}

size_t skipJsonValue(std::string_view text, size_t at) {
  if (at >= text.size() || std::string_view(",:]}").find(text[at]) != kNone)
    return kNone;
  if (text[at] == '"')
    return skipString(text, at);
  if (text[at] != '{' && text[at] != '[')
    return std::min(text.find_first_of(" \t\r\n,:]}", at), text.size());
  for (size_t depth = 0; at < text.size();) {
    char c = text[at];
    if (c == '"') {
      at = skipString(text, at);
      if (at == kNone)
        return kNone;
      continue;
    }
    ++at;
    if (c == '{' || c == '[')
      ++depth;
    else if ((c == '}' || c == ']') && --depth == 0)
      return at;
  }
  return kNone;
}

size_t endOfJsonElements(std::string_view text, size_t at, size_t least) {
  for (size_t begin = at;;) {
    size_t end = skipJsonValue(text, at);
    if (end == kNone)
      return kNone;
    size_t next = skipJsonSpace(text, end);
    if (next == text.size())
      return kNone;
    if (text[next] != ',' || end - begin >= least)
      return end;
    at = skipJsonSpace(text, next + 1);
  }
}

size_t guessEndOfObjects(std::string_view text, size_t at, size_t most) {
  for (size_t comma = std::min(text.size(), at + most); comma > at;) {
    comma = text.rfind(',', comma - 1);
    if (comma == kNone || comma <= at)
      return kNone;
    size_t before = text.find_last_not_of(kSpace, comma - 1), after = skipJsonSpace(text, comma + 1);
    if (before != kNone && text[before] == '}' && after < text.size() && text[after] == '{')
      return comma;
  }
  return kNone;
}

} // namespace lanescope::core
