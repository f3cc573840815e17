#include "repl/check/StatementText.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace lanescope::repl {

namespace {

bool isBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Walks over a source and cuts it into statements.
class Statements {
public:
  explicit Statements(const Source &source)
      : text_(source.text()), python_(source.name().ends_with(".py")), ptx_(source.name().ends_with(".ptx")) {}

  StatementText at(uint32_t offset) {
    while (at_ < text_.size()) {
      step();
      // A place in white space belongs to the statement before it.
      if (ended_ && at_ > offset)
        break;
      if (ended_)
        begin();
    }
    return statement_;
  }

private:
  std::string_view rest() const { return text_.substr(at_); }

  void begin() {
    statement_ = {};
    depth_ = 0;
    ended_ = directive_ = false;
  }

  void take(char c) {
    if (isBlank(c))
      return;
    if (statement_.first == 0)
      statement_.first = line_;
    statement_.last = line_;
    if (std::string_view(")]}").find(c) != std::string_view::npos && statement_.text.ends_with(','))
      statement_.text.pop_back();
    statement_.text += python_ && c == '\'' ? '"' : c;
  }

  void pass(size_t count) {
    for (size_t end = std::min(at_ + count, text_.size()); at_ < end; ++at_)
      line_ += text_[at_] == '\n';
  }

  /// Passes a comment. Returns false if none begins here.
  bool comment() {
    bool toLineEnd = python_ ? rest().starts_with('#') : rest().starts_with("//");
    if (toLineEnd) {
      pass(std::min(rest().find('\n'), rest().size()));
      return true;
    }
    if (python_ || !rest().starts_with("/*"))
      return false;
    size_t end = rest().find("*/", 2);
    pass(end == std::string_view::npos ? rest().size() : end + 2);
    return true;
  }

  /// Takes a string with its quotes. Returns false if none begins here.
  bool quoted() {
    char quote = text_[at_];
    if (quote != '"' && quote != '\'')
      return false;
    const std::string mark(python_ && rest().starts_with(std::string(3, quote)) ? 3 : 1, quote);
    size_t end = at_ + mark.size();
    while (end < text_.size() && text_.substr(end, mark.size()) != mark && (mark.size() == 3 || text_[end] != '\n'))
      end += text_[end] == '\\' ? 2 : 1;
    end = std::min(end + mark.size(), text_.size());
    while (at_ < end) {
      take(text_[at_]);
      pass(1);
    }
    return true;
  }

  void step() {
    if (comment() || quoted())
      return;
    char c = text_[at_];
    if (c == '#' && !python_ && statement_.text.empty())
      directive_ = true;
    bool continued = c == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
    if (continued) {
      pass(2);
      return;
    }
    take(c);
    if (std::string_view("([").find(c) != std::string_view::npos || (python_ && c == '{'))
      ++depth_;
    if (std::string_view(")]").find(c) != std::string_view::npos || (python_ && c == '}'))
      depth_ = std::max(0, depth_ - 1);
    if (python_ || ptx_ || directive_)
      ended_ = c == '\n' && (depth_ == 0 || !python_) && !statement_.text.empty();
    else
      ended_ = (c == ';' || c == '{' || c == '}') && depth_ == 0;
    pass(1);
  }

  std::string_view text_;
  const bool python_, ptx_;
  StatementText statement_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  int depth_ = 0;
  bool ended_ = false, directive_ = false;
};

} // namespace

StatementText statementAt(const Source &source, uint32_t offset) { return Statements(source).at(offset); }

} // namespace lanescope::repl
