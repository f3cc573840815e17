#include "repl/program/ProgramKind.h"

#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>
#include <filesystem>

namespace lanescope::repl {

namespace {

std::vector<std::string> importedBy(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  auto word = [](std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return std::string(text.substr(0, text.find_first_of(" \t\r\n,;#(")));
  };
  if (line.starts_with("from ") && line.find(" import ") != std::string_view::npos)
    return {word(line.substr(5))};
  std::vector<std::string> out;
  if (!line.starts_with("import "))
    return out;
  line.remove_prefix(7);
  line = line.substr(0, line.find_first_of(";#"));
  while (!line.empty()) {
    size_t comma = std::min(line.find(','), line.size());
    if (std::string name = word(line.substr(0, comma)); !name.empty())
      out.push_back(std::move(name));
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
  return out;
}

} // namespace

std::vector<std::string> importsOf(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    for (std::string &path : importedBy(text.substr(0, end)))
      out.push_back(std::move(path));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string foreignImport(const Source &source, const std::string &file, const Evaluator &evaluator) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  for (const std::string &path : importsOf(source.text())) {
    std::string beside = path.substr(0, path.find('.'));
    std::error_code ignored;
    bool isFile = std::filesystem::exists(folder / (beside + ".py"), ignored) ||
                  std::filesystem::exists(folder / beside, ignored);
    if (!evaluator.builtin(path) && !isFile)
      return path;
  }
  return {};
}

} // namespace lanescope::repl
