#include "repl/check/PythonText.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <cctype>

namespace lanescope::repl {

namespace {

constexpr size_t kLongestStatement = 1 << 16;
constexpr int kDeepest = 64; // limit for nested brackets in an expression
constexpr std::string_view kOpen = "([{", kClose = ")]}";

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The end of the string literal that begins at `at`; the end of the text if the literal has none.
size_t stringEnd(std::string_view text, size_t at) {
  std::string_view quote = text.substr(at, 1);
  if (text.substr(at, 3) == std::string(3, text[at]))
    quote = text.substr(at, 3);
  for (size_t n = at + quote.size(); n < text.size(); ++n) {
    if (text[n] == '\\')
      ++n;
    else if (text.substr(n, quote.size()) == quote)
      return n + quote.size();
    else if (quote.size() == 1 && text[n] == '\n')
      return n;
  }
  return text.size();
}

/// Calls `each(at, depth)` for each character outside of strings and comments, until `each` returns false.
template <class Each> void scan(std::string_view text, Each each) {
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '"' || c == '\'') {
      at = stringEnd(text, at);
      continue;
    }
    depth -= kClose.find(c) != kClose.npos && depth > 0;
    if (!each(at, depth))
      return;
    depth += kOpen.find(c) != kOpen.npos;
    ++at;
  }
}

/// The statement without a trailing comment.
std::string_view withoutComment(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '"' || text[at] == '\'') {
      at = stringEnd(text, at);
      continue;
    }
    if (text[at] == '#' && text.find('\n', at) == text.npos)
      return text.substr(0, at);
    ++at;
  }
  return text;
}

/// A recursive-descent parser and evaluator of integer expressions.
class Integer {
public:
  Integer(std::string_view text, const std::map<std::string, int64_t, std::less<>> &names)
      : text_(text), names_(names) {}

  std::optional<int64_t> read() {
    std::optional<int64_t> value = sum(0);
    skip();
    return at_ == text_.size() ? value : std::nullopt;
  }

private:
  void skip() {
    while (at_ < text_.size() && isSpace(text_[at_]))
      ++at_;
  }
  bool take(std::string_view word) {
    skip();
    bool found = text_.substr(at_).starts_with(word);
    at_ += found ? word.size() : 0;
    return found;
  }

  std::optional<int64_t> sum(int depth) {
    std::optional<int64_t> left = product(depth);
    for (int64_t out = 0; left;) {
      bool minus = take("-");
      if (!minus && !take("+"))
        break;
      std::optional<int64_t> right = product(depth);
      if (!right || (minus ? __builtin_sub_overflow(*left, *right, &out) : __builtin_add_overflow(*left, *right, &out)))
        return std::nullopt;
      left = out;
    }
    return left;
  }

  std::optional<int64_t> product(int depth) {
    std::optional<int64_t> left = factor(depth);
    for (int64_t out = 0; left;) {
      bool quotient = take("//"), rest = !quotient && take("%");
      if (!quotient && !rest && (text_.substr(at_).starts_with("**") || !take("*")))
        break;
      std::optional<int64_t> right = factor(depth);
      // Python's division rounds down, and that of C++ rounds towards zero.
      if (!right || ((quotient || rest) && (*right <= 0 || *left < 0)))
        return std::nullopt;
      if (!quotient && !rest && __builtin_mul_overflow(*left, *right, &out))
        return std::nullopt;
      left = quotient ? *left / *right : rest ? *left % *right : out;
    }
    return left;
  }

  std::optional<int64_t> factor(int depth) {
    if (depth > kDeepest)
      return std::nullopt;
    if (take("-")) {
      std::optional<int64_t> value = factor(depth + 1);
      return value ? std::optional(-*value) : std::nullopt;
    }
    if (take("(")) {
      std::optional<int64_t> value = sum(depth + 1);
      return take(")") ? value : std::nullopt;
    }
    skip();
    size_t begin = at_;
    while (at_ < text_.size() && isWord(text_[at_]))
      ++at_;
    std::string_view word = text_.substr(begin, at_ - begin);
    if (auto number = parseInteger<int64_t>(word))
      return number;
    auto known = names_.find(word);
    return known == names_.end() ? std::nullopt : std::optional(known->second);
  }

  std::string_view text_;
  const std::map<std::string, int64_t, std::less<>> &names_;
  size_t at_ = 0;
};

} // namespace

std::vector<PythonStatement> pythonStatements(std::string_view source) {
  std::vector<PythonStatement> out;
  size_t from = 0;
  auto end = [&](size_t to) {
    std::string_view text = trimmed(withoutComment(source.substr(from, to - from)));
    if (!text.empty() && text.size() <= kLongestStatement)
      out.push_back({text, static_cast<size_t>(text.data() - source.data())});
    from = to + 1;
  };
  scan(source, [&](size_t at, int depth) {
    if (depth == 0 && (source[at] == '\n' || source[at] == ';'))
      end(at);
    return true;
  });
  if (from < source.size())
    end(source.size());
  return out;
}

std::vector<PythonBlock> pythonBlocks(std::string_view source) {
  std::vector<PythonBlock> out;
  for (size_t at = 0; at < source.size();) {
    if (source[at] == '#') {
      at = std::min(source.find('\n', at), source.size());
    } else if (source[at] == '"' || source[at] == '\'') {
      size_t end = stringEnd(source, at);
      if (end - at >= 6 && source.substr(at, 3) == std::string(3, source[at]))
        out.push_back({source.substr(at + 3, end - at - 6), at, end});
      at = end;
    } else {
      ++at;
    }
  }
  return out;
}

std::vector<std::string_view> splitPython(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t from = 0;
  scan(text, [&](size_t at, int depth) {
    if (depth == 0 && text[at] == ',') {
      parts.push_back(trimmed(text.substr(from, at - from)));
      from = at + 1;
    }
    return true;
  });
  if (std::string_view last = trimmed(text.substr(from)); !last.empty())
    parts.push_back(last);
  return parts;
}

std::optional<std::string_view> argumentsOf(std::string_view text, std::string_view function) {
  text = trimmed(text);
  if (!text.starts_with(function) || text.substr(function.size(), 1) != "(" || text.back() != ')')
    return std::nullopt;
  std::string_view rest = text.substr(function.size());
  size_t close = rest.npos;
  scan(rest, [&](size_t at, int depth) {
    if (depth == 0 && rest[at] == ')')
      close = at;
    return close == rest.npos;
  });
  return close + 1 == rest.size() ? std::optional(rest.substr(1, close - 1)) : std::nullopt;
}

std::optional<std::vector<std::string_view>> pythonTuple(std::string_view text) {
  text = trimmed(text);
  if (text.size() < 2 || !((text.front() == '(' && text.back() == ')') || (text.front() == '[' && text.back() == ']')))
    return std::nullopt;
  return splitPython(text.substr(1, text.size() - 2));
}

bool isPythonName(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) && std::ranges::all_of(text, isWord);
}

std::optional<int64_t> pythonInteger(std::string_view text, const std::map<std::string, int64_t, std::less<>> &names) {
  return Integer(trimmed(text), names).read();
}

} // namespace lanescope::repl
