#include "core/gpu/codegen/PtxLines.h"

#include "layouts/support/Words.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace lanescope::core {

namespace {

/// Takes a number from the front of `rest`.
uint32_t number(std::string_view &rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  uint32_t value = 0;
  const char *end = std::from_chars(rest.data(), rest.data() + rest.size(), value).ptr;
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  return value;
}

/// Returns the rest of a line that begins with `word`; nothing for another word.
std::optional<std::string_view> after(std::string_view line, std::string_view word) {
  if (!line.starts_with(word) || line.size() == word.size() || (line[word.size()] != ' ' && line[word.size()] != '\t'))
    return std::nullopt;
  return line.substr(word.size());
}

/// Collects `.file` directives first, because they come after the code that uses their numbers.
std::map<uint32_t, std::string_view> filesOf(const Source &ptx) {
  std::map<uint32_t, std::string_view> files;
  std::string_view all = ptx.text();
  for (size_t at = all.find(".file"); at != all.npos; at = all.find(".file", at + 1)) {
    auto rest = after(all.substr(at, all.find('\n', at) - at), ".file");
    if (!rest)
      continue;
    uint32_t file = number(*rest);
    size_t begin = rest->find('"'), end = rest->rfind('"');
    if (begin < end)
      files[file] = rest->substr(begin + 1, end - begin - 1);
  }
  return files;
}

} // namespace

std::vector<std::string> ptxFiles(const Source &ptx) {
  std::vector<std::string> names;
  for (const auto &[number, name] : filesOf(ptx))
    names.emplace_back(name);
  return names;
}

std::vector<LineOrigin> ptxOrigins(const Source &ptx, const SourcePlaces &places) {
  const std::map<uint32_t, std::string_view> files = filesOf(ptx);
  std::vector<LineOrigin> origins;
  LineOrigin current{LineOrigin::Kind::Compiler};
  int64_t depth = 0; // brace depth; above 0 in the kernel's body
  bool inStatement = false;
  for (uint32_t i = 1; ptx.lineStart(i) < ptx.text().size(); ++i) {
    LineOrigin &origin = origins.emplace_back();
    std::string_view line = ptx.lineText(i);
    line = trimmed(line.substr(0, line.find("//")));
    bool inBody = depth > 0;
    depth += std::ranges::count(line, '{') - std::ranges::count(line, '}');
    if (auto rest = after(line, ".loc")) {
      uint32_t file = number(*rest), at = number(*rest), column = number(*rest);
      auto name = files.find(file);
      current = name == files.end() ? LineOrigin{} : places.at(name->second, at, column);
    } else if (line.find(".entry ") != line.npos) {
      origin = places.head();
    } else if (inBody && !line.empty() && line != "{" && line != "}" &&
               (inStatement || (line.front() != '.' && line.back() != ':'))) {
      origin = current;
      inStatement = line.back() != ';' && line.back() != '}';
    }
  }
  return origins;
}

} // namespace lanescope::core
