#include "repl/program/ProgramKind.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

/// Finds the places where statements may begin: after a line's indentation, `;` or `:`, outside of strings, comments
/// and brackets. It reads no other syntax, so it accepts all of Python.
class Statements {
public:
  explicit Statements(std::string_view text) : text_(text) {}

  /// Gives the text from the next place on. Returns false if there are no more places.
  bool next(std::string_view &from) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (starts_ && c != ' ' && c != '\t' && c != '\r' && c != '\f') {
        starts_ = false;
        from = text_.substr(at_);
        if (c == 'i' || c == 'f') {
          ++at_;
          return true;
        }
      }
      step(c);
    }
    return false;
  }

private:
  void step(char c) {
    if (c == '"' || c == '\'')
      return skipString(c);
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    at_ += c == '\\' ? 2 : 1;
    if (c == '(' || c == '[' || c == '{')
      ++depth_;
    else if (c == ')' || c == ']' || c == '}')
      depth_ = std::max(depth_ - 1, 0);
    else if (c == '\n' || c == ';' || c == ':')
      starts_ = depth_ == 0;
  }

  void skipString(char quote) {
    const std::string three(3, quote);
    const bool isLong = text_.substr(at_).starts_with(three);
    for (at_ += isLong ? 3 : 1; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (isLong ? text_.substr(at_).starts_with(three) : text_[at_] == quote || text_[at_] == '\n') {
        at_ += isLong ? 3 : text_[at_] == quote ? 1 : 0;
        return;
      }
    }
    at_ = std::min(at_, text_.size());
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  bool starts_ = true;
};

std::string_view withoutBlanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

bool begins(std::string_view text, std::string_view word) {
  return text.starts_with(word) && text.size() > word.size() && (text[word.size()] == ' ' || text[word.size()] == '\t');
}

std::string wordOf(std::string_view text) {
  text = withoutBlanks(text);
  return std::string(text.substr(0, text.find_first_of(" \t\r\n,;#(\\")));
}

/// The modules that the import statement at the begin of the text imports; empty if the text begins with another
/// statement.
std::vector<std::string> importedBy(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  if (begins(line, "from")) {
    std::string path = wordOf(line.substr(4));
    std::string_view rest = withoutBlanks(withoutBlanks(line.substr(4)).substr(path.size()));
    return path.empty() || !rest.starts_with("import") ? std::vector<std::string>() : std::vector{path};
  }
  std::vector<std::string> out;
  if (!begins(line, "import"))
    return out;
  line.remove_prefix(6);
  line = line.substr(0, line.find_first_of(";#"));
  while (!line.empty()) {
    size_t comma = std::min(line.find(','), line.size());
    if (std::string name = wordOf(line.substr(0, comma)); !name.empty())
      out.push_back(std::move(name));
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
  return out;
}

} // namespace

std::vector<std::string> importsOf(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark))
    text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> out;
  Statements statements(text);
  for (std::string_view from; statements.next(from);)
    for (std::string &path : importedBy(from))
      out.push_back(std::move(path));
  return out;
}

bool isProgram(std::string_view text) { return !importsOf(text).empty(); }

} // namespace lanescope::repl
