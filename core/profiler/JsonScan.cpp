#include "core/profiler/JsonScan.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core {

namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr size_t kNone = std::string_view::npos;

/// The place after the string whose opening quote is at `at`.
size_t skipString(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at)
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  return kNone;
}

constexpr size_t kMostDepth = 1000;

/// Checks values strictly, except that `NaN` and `Infinity`, which Python writes, pass.
class Checker {
public:
  Checker(std::string_view text, size_t at) : text_(text), at_(at) {}

  JsonFault check() {
    value(0);
    return std::move(fault_);
  }

private:
  bool fail(std::string what) {
    if (fault_.what.empty())
      fault_ = {std::min(at_, text_.size()), std::move(what)};
    return false;
  }
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void space() { at_ = skipJsonSpace(text_, at_); }

  bool value(size_t depth) {
    if (at_ >= text_.size())
      return fail("the text ends where a value is expected");
    if (depth > kMostDepth)
      return fail("values nest too deep");
    switch (here()) {
    case '"': return string();
    case '{': return list(depth, '}', true);
    case '[': return list(depth, ']', false);
    default: return scalar();
    }
  }

  /// Checks the members of an object or the elements of an array.
  bool list(size_t depth, char close, bool members) {
    ++at_;
    space();
    if (here() == close)
      return ++at_, true;
    for (;;) {
      if (members) {
        if (here() != '"')
          return fail(at_ < text_.size() ? "expected a key in double quotes here" : "the text ends within an object");
        if (!string())
          return false;
        space();
        if (here() != ':')
          return fail("a key has no `:` after it");
        ++at_;
        space();
      }
      if (!value(depth + 1))
        return false;
      space();
      if (here() == close)
        return ++at_, true;
      if (here() != ',')
        return fail(text("neither `,` nor `", close, "` follows a value"));
      ++at_;
      space();
    }
  }

  bool string() {
    constexpr std::string_view kEscapes = "\"\\/bfnrtu", kHex = "0123456789abcdefABCDEF";
    for (++at_; at_ < text_.size(); ++at_) {
      auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"')
        return ++at_, true;
      if (c < 0x20)
        return fail(text("the control character ", controlText(c), " within a string must be written as an escape"));
      if (c != '\\')
        continue;
      ++at_;
      if (kEscapes.find(here()) == kNone || at_ >= text_.size())
        return fail("this is no escape of JSON's");
      if (text_[at_] == 'u')
        for (int digit = 0; digit < 4; ++digit) {
          ++at_;
          if (kHex.find(here()) == kNone || at_ >= text_.size())
            return fail("four hexadecimal digits follow `\\u`");
        }
    }
    return fail("a string does not end");
  }

  static std::string controlText(unsigned char c) {
    constexpr std::string_view kHex = "0123456789abcdef";
    return c == '\t' ? "tab" : c == '\n' ? "line break" : std::string("0x") + kHex[c / 16] + kHex[c % 16];
  }

  bool scalar() {
    size_t begin = at_;
    at_ = std::min(text_.find_first_of(" \t\r\n,:]}\"{[", at_), text_.size());
    std::string_view word = text_.substr(begin, at_ - begin);
    if (at_ == text_.size() && begin < at_)
      return fail("the text ends within a value");
    for (std::string_view known : {"true", "false", "null", "NaN", "Infinity", "-Infinity"})
      if (word == known)
        return true;
    if (isNumber(word))
      return true;
    at_ = begin;
    return fail(word.empty() ? "a value is due here" : text("`", word.substr(0, 20), "` is no value of JSON's"));
  }

  static bool isNumber(std::string_view word) {
    size_t at = 0;
    auto digits = [&] {
      size_t begin = at;
      while (at < word.size() && word[at] >= '0' && word[at] <= '9')
        ++at;
      return at - begin;
    };
    at += word.starts_with('-');
    size_t whole = digits();
    if (whole == 0 || (whole > 1 && word[at - whole] == '0'))
      return false;
    if (at < word.size() && word[at] == '.' && (++at, digits() == 0))
      return false;
    if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
      ++at;
      at += at < word.size() && (word[at] == '+' || word[at] == '-');
      if (digits() == 0)
        return false;
    }
    return at == word.size();
  }

  std::string_view text_;
  size_t at_;
  JsonFault fault_;
};

} // namespace

JsonFault firstJsonFault(std::string_view text, size_t at) { return Checker(text, at).check(); }

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
