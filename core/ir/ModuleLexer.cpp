#include "core/ir/ModuleLexer.h"

#include <algorithm>
#include <vector>

namespace lanescope::core {

namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

} // namespace

bool isModuleNameByte(char c) { return isLetter(c) || isDigit(c) || c == '$' || c == '.' || c == '-'; }

size_t pastSpace(std::string_view text, size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

size_t pastString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '"')
      return at + 1;
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n')
      ++at;
  }
  return at;
}

ModuleToken ModuleLexer::next() {
  using Kind = ModuleToken::Kind;
  for (at_ = pastSpace(text_, at_); text_.substr(at_, 2) == "//"; at_ = pastSpace(text_, at_))
    at_ = std::min(text_.find('\n', at_), text_.size());
  size_t begin = at_;
  auto token = [&](Kind kind, size_t end) {
    at_ = end;
    return ModuleToken{kind, begin, end};
  };
  auto pastWhile = [&](size_t at, auto belongs) {
    while (at < text_.size() && belongs(text_[at]))
      ++at;
    return at;
  };
  if (begin >= text_.size())
    return token(Kind::End, text_.size());
  char c = text_[begin];
  if (isLetter(c))
    return token(Kind::Word,
                 pastWhile(begin, [](char b) { return isLetter(b) || isDigit(b) || b == '.' || b == '$'; }));
  if (c == '"')
    return token(Kind::String, pastString(text_, begin));
  if (c == '%' || c == '#' || c == '!')
    return token(c == '%'   ? Kind::Value
                 : c == '#' ? Kind::Attribute
                            : Kind::Type,
                 pastWhile(begin + 1, isModuleNameByte));
  std::string_view pair = text_.substr(begin, 2);
  if (isDigit(c) || (c == '-' && pair.size() == 2 && isDigit(pair[1])))
    return token(Kind::Number, pastWhile(begin + 1, isDigit));
  bool both = pair == "->" || pair == ">=" || pair == "<=" || pair == "==" || pair == "::";
  return token(Kind::Punctuation, begin + (both ? 2 : 1));
}

size_t pastBracket(std::string_view text, size_t open) {
  constexpr std::string_view kOpen = "([{<", kClose = ")]}>";
  std::vector<char> expected;
  ModuleLexer lexer(text, open);
  do {
    ModuleToken token = lexer.next();
    if (token.kind == ModuleToken::Kind::End)
      return std::string_view::npos;
    if (token.kind != ModuleToken::Kind::Punctuation || token.end - token.begin != 1)
      continue;
    char c = text[token.begin];
    if (size_t kind = kOpen.find(c); kind != std::string_view::npos)
      expected.push_back(kClose[kind]);
    else if (kClose.contains(c) && (expected.empty() || expected.back() != c))
      return std::string_view::npos;
    else if (kClose.contains(c))
      expected.pop_back();
  } while (!expected.empty());
  return lexer.at();
}

} // namespace lanescope::core
