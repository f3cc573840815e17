// Parser: string literals, and formatted ones with their fields.
#include "repl/lang/syntax/ParserState.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <utility>

namespace lanescope::repl {

/// Parses adjacent string literals, which form one string.
ExprPtr TokenParser::strings() {
  uint32_t begin = token().range.begin;
  auto formatted = make<FormattedStrExpr>({});
  bool anyFormatted = false;
  std::string plain;
  auto flush = [&] {
    if (!plain.empty())
      formatted->pieces.push_back({std::exchange(plain, {}), nullptr, 0, {}, nullptr});
  };
  while (token().kind == TokenKind::Str || token().kind == TokenKind::FormattedStr) {
    const Token &piece = take();
    if (piece.kind == TokenKind::Str) {
      plain += piece.text;
      continue;
    }
    anyFormatted = true;
    flush();
    uint32_t at = piece.bodyBegin;
    bool raw = piece.raw;
    uint32_t end = piece.bodyEnd;
    if (!formattedBody(*formatted, at, end, raw, 0))
      return nullptr;
  }
  if (!anyFormatted) {
    auto node = make<StrExpr>(from(begin));
    node->value = std::move(plain);
    return node;
  }
  flush();
  formatted->range = from(begin);
  return formatted;
}

/// Reads literal text and fields from `at` on. At a level above 0, which is a format specification, it stops before the
/// closing brace.
bool TokenParser::formattedBody(FormattedStrExpr &out, uint32_t &at, uint32_t end, bool raw, int level) {
  const std::string &text_ = source_->text();
  std::string literal;
  uint32_t literalBegin = at;
  auto flush = [&] {
    if (literal.empty())
      return;
    if (!raw) {
      std::vector<EscapeProblem> problems;
      std::string plain = unescape(literal, problems);
      for (EscapeProblem &problem : problems)
        report("bad-escape", {literalBegin, at}, std::move(problem.message));
      literal = std::move(plain);
    }
    out.pieces.push_back({std::exchange(literal, {}), nullptr, 0, {}, nullptr});
  };
  while (at < end) {
    char c = text_[at];
    bool doubled = at + 1 < end && text_[at + 1] == c;
    if (c == '}' && level > 0)
      break;
    if ((c == '{' || c == '}') && doubled && level == 0) {
      literal += c;
      at += 2;
      continue;
    }
    if (c == '}') {
      report("syntax", {at, at + 1}, "a single `}` in an f-string; a brace as text is written `}}`");
      return false;
    }
    if (c != '{') {
      literal += c;
      ++at;
      continue;
    }
    flush();
    if (!formattedField(out, at, end, raw, level))
      return false;
    literalBegin = at;
  }
  flush();
  return true;
}

bool TokenParser::formattedField(FormattedStrExpr &out, uint32_t &at, uint32_t end, bool raw, int level) {
  const std::string &body = source_->text();
  uint32_t open = at++;
  if (level >= 2) {
    report("syntax", {open, open + 1}, "the fields of an f-string nest too deep");
    return false;
  }
  // The expression ends at the first `}`, `!`, `:` or lone `=` outside brackets and strings.
  uint32_t begin = at;
  int depth = 0;
  bool debug = false;
  for (; at < end; ++at) {
    char c = body[at];
    char following = at + 1 < end ? body[at + 1] : '\0';
    if (c == '\'' || c == '"') {
      uint32_t closing = at + 1;
      while (closing < end && body[closing] != c)
        ++closing;
      at = closing;
      continue;
    }
    if (c == '(' || c == '[' || c == '{')
      ++depth;
    else if ((c == ')' || c == ']' || c == '}') && depth > 0)
      --depth;
    else if (depth > 0)
      continue;
    else if (c == '}' || c == ':' || (c == '!' && following != '='))
      break;
    else if (c == '=' || c == '!' || c == '<' || c == '>') {
      if (following == '=') {
        ++at;
      } else if (c == '=') {
        uint32_t after = at + 1;
        while (after < end && body[after] == ' ')
          ++after;
        if (after < end && (body[after] == '}' || body[after] == ':' || body[after] == '!')) {
          debug = true;
          break;
        }
      }
    }
  }
  TextRange range{begin, std::min(at, end)};
  FormattedStrExpr::Piece piece;
  if (debug) {
    ++at;
    while (at < end && body[at] == ' ')
      ++at;
    piece.debugText = body.substr(begin, at - begin);
  }
  if (body.find_first_not_of(" \t\r\n", range.begin) >= range.end) {
    report("syntax", {open, std::min(at + 1, end)}, "an f-string field needs an expression between `{` and `}`");
    return false;
  }
  piece.value = nestedExpression(range);
  if (!piece.value)
    return false;
  if (at < end && body[at] == '!') {
    piece.conversion = at + 1 < end ? body[at + 1] : '\0';
    if (piece.conversion != 'r' && piece.conversion != 's' && piece.conversion != 'a') {
      report("syntax", {at, std::min(at + 2, end)}, "the conversion after `!` must be `r`, `s` or `a`");
      return false;
    }
    at += 2;
  }
  if (at < end && body[at] == ':') {
    ++at;
    piece.spec = make<FormattedStrExpr>({at, at});
    if (!formattedBody(*piece.spec, at, end, raw, level + 1))
      return false;
    piece.spec->range.end = at;
    if (!grow(out, piece.spec.get()))
      return false;
  } else if (debug && !piece.conversion) {
    piece.conversion = 'r';
  }
  if (at >= end || body[at] != '}') {
    report("syntax", {open, open + 1}, "this `{` of the f-string is never closed; a brace as text is written `{{`");
    return false;
  }
  ++at;
  if (!grow(out, piece.value.get()))
    return false;
  out.pieces.push_back(std::move(piece));
  return true;
}

ExprPtr TokenParser::nestedExpression(TextRange range) {
  Deeper deeper(*this);
  if (tooDeep())
    return nullptr;
  Lexed lexed = lexExpression(source_, range);
  if (!lexed.diagnostics.empty()) {
    for (Diagnostic &diagnostic : lexed.diagnostics)
      report(*DiagnosticKind::named(diagnostic.kind), {diagnostic.span.begin, diagnostic.span.end},
             Message(std::move(diagnostic.message), std::move(diagnostic.parameters)),
             std::move(diagnostic.notes)); // the name is one of a DiagnosticKind, since the lexer reports such kinds
    return nullptr;
  }
  std::swap(tokens_, lexed.tokens);
  size_t at = std::exchange(at_, 0);
  ExprPtr value = expressionList();
  if (value && token().kind != TokenKind::End) {
    unexpected("the end of the f-string field");
    value = nullptr;
  }
  std::swap(tokens_, lexed.tokens);
  at_ = at;
  return value;
}

} // namespace lanescope::repl
