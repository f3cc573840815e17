// `match` and the patterns of its cases. Both words are names elsewhere: a line that begins with `match` is the
// statement when a block that begins with `case` follows.
#include "repl/lang/syntax/ParserState.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {

StmtPtr TokenParser::matchStatement(bool &isMatch) {
  if (token().kind != TokenKind::Name || token().text != "match")
    return nullptr;
  const size_t start = at_;
  const std::vector<std::string> named = named_;
  const size_t reported = diagnostics_.size();
  uint32_t begin = take().range.begin;
  auto node = make<MatchStmt>({});
  node->subject = expressionList();
  isMatch = node->subject && is(":") && ahead(1).kind == TokenKind::Newline && ahead(2).kind == TokenKind::Indent &&
            ahead(3).kind == TokenKind::Name && ahead(3).text == "case";
  if (!isMatch) {
    at_ = start;
    named_ = named;
    diagnostics_.resize(reported);
    return nullptr;
  }
  node->range = from(begin);
  take(); // :
  take(); // the line's end
  take(); // the indentation
  Deeper deeper(*this);
  if (tooDeep())
    return nullptr;
  while (token().kind != TokenKind::Dedent && token().kind != TokenKind::End)
    if (!caseBlock(*node))
      return nullptr;
  if (token().kind == TokenKind::Dedent)
    take();
  return node;
}

bool TokenParser::caseBlock(MatchStmt &match) {
  if (token().kind != TokenKind::Name || token().text != "case") {
    unexpected("`case`");
    return false;
  }
  take();
  auto pattern = casePattern();
  if (!pattern)
    return false;
  MatchStmt::Case &added = match.cases.emplace_back();
  added.pattern = std::move(*pattern);
  if (accept("if")) {
    added.guard = test();
    if (!added.guard)
      return false;
  }
  auto body = block("the pattern");
  if (!body)
    return false;
  added.body = std::move(*body);
  return true;
}

/// `a, b` without brackets is a sequence.
std::optional<Pattern> TokenParser::casePattern() {
  uint32_t begin = token().range.begin;
  auto first = asPattern();
  if (!first || (!is(",") && !first->rest))
    return first;
  Pattern sequence{.form = Pattern::Form::Sequence};
  sequence.parts.push_back(std::move(*first));
  while (accept(",") && !is(":") && !is("if")) {
    auto part = asPattern();
    if (!part)
      return std::nullopt;
    sequence.parts.push_back(std::move(*part));
  }
  sequence.range = from(begin);
  return sequence;
}

std::optional<Pattern> TokenParser::asPattern() {
  uint32_t begin = token().range.begin;
  if (accept("*")) {
    if (token().kind != TokenKind::Name) {
      unexpected("a name after `*`");
      return std::nullopt;
    }
    Pattern rest{.form = Pattern::Form::Capture, .range = {}, .name = take().text, .rest = true};
    if (rest.name == "_")
      rest.name.clear();
    rest.range = from(begin);
    return rest;
  }
  auto pattern = choicePattern();
  if (!pattern || !accept("as"))
    return pattern;
  if (token().kind != TokenKind::Name || !pattern->name.empty()) {
    unexpected("a name after `as`");
    return std::nullopt;
  }
  pattern->name = take().text;
  pattern->range = from(begin);
  return pattern;
}

std::optional<Pattern> TokenParser::choicePattern() {
  uint32_t begin = token().range.begin;
  auto first = closedPattern();
  if (!first || !is("|"))
    return first;
  Pattern choice{.form = Pattern::Form::Choice};
  choice.parts.push_back(std::move(*first));
  while (accept("|")) {
    auto other = closedPattern();
    if (!other)
      return std::nullopt;
    choice.parts.push_back(std::move(*other));
  }
  choice.range = from(begin);
  return choice;
}

std::optional<Pattern> TokenParser::closedPattern() {
  Deeper deeper(*this);
  if (tooDeep())
    return std::nullopt;
  if (is("(") || is("["))
    return sequencePattern(take().text == "(" ? ")" : "]");
  if (token().kind == TokenKind::Name)
    return namedPattern();
  if (accept("{"))
    return mappingPattern();
  uint32_t begin = token().range.begin;
  Pattern literal{.form = Pattern::Form::Value};
  literal.value = unary();
  if (!literal.value)
    return std::nullopt;
  literal.range = from(begin);
  return literal;
}

/// A name to bind, `_`, `lib.NAME` to compare with, or a class and its parts.
std::optional<Pattern> TokenParser::namedPattern() {
  uint32_t begin = token().range.begin;
  Pattern pattern;
  auto name = make<NameExpr>(token().range);
  name->name = take().text;
  if (!is(".") && !is("(")) {
    pattern.range = from(begin);
    if (name->name == "_")
      return pattern;
    pattern.form = Pattern::Form::Capture;
    pattern.name = std::move(name->name);
    return pattern;
  }
  ExprPtr value = std::move(name);
  for (int parts = 0; accept("."); ++parts) {
    if (token().kind != TokenKind::Name || parts == kMaxNesting) {
      unexpected("a name after `.`");
      return std::nullopt;
    }
    auto attribute = make<AttributeExpr>({});
    attribute->object = std::move(value);
    attribute->nameRange = token().range;
    attribute->name = take().text;
    attribute->range = from(begin);
    value = std::move(attribute);
  }
  pattern.form = is("(") ? Pattern::Form::Class : Pattern::Form::Value;
  pattern.value = std::move(value);
  if (accept("(") && !classParts(pattern))
    return std::nullopt;
  pattern.range = from(begin);
  return pattern;
}

bool TokenParser::classParts(Pattern &pattern) {
  while (!is(")")) {
    if (token().kind == TokenKind::Name && ahead(1).is("=")) {
      pattern.attributes.push_back(take().text);
      take();
    } else if (!pattern.attributes.empty()) {
      unexpected("`name=` and a pattern");
      return false;
    }
    auto part = asPattern();
    if (!part)
      return false;
    pattern.parts.push_back(std::move(*part));
    if (!accept(","))
      break;
  }
  return expect(")", "the parts of a class");
}

/// Behind the opening bracket. One pattern in parentheses is that pattern.
std::optional<Pattern> TokenParser::sequencePattern(std::string_view closing) {
  uint32_t begin = lastEnd() - 1;
  Pattern sequence{.form = Pattern::Form::Sequence};
  bool comma = closing == "]" || is(closing);
  int rests = 0;
  while (!is(closing)) {
    auto part = asPattern();
    if (!part)
      return std::nullopt;
    if (part->rest && ++rests > 1) {
      report("syntax", part->range, "only one of the patterns may be starred");
      return std::nullopt;
    }
    comma |= part->rest;
    sequence.parts.push_back(std::move(*part));
    if (!accept(","))
      break;
    comma = true;
  }
  if (!expect(closing, "the pattern"))
    return std::nullopt;
  if (!comma)
    return std::move(sequence.parts.front());
  sequence.range = from(begin);
  return sequence;
}

/// Behind `{`: keys are literals or `lib.NAME`; a dict that fits may have more of them, which `**rest` gets.
std::optional<Pattern> TokenParser::mappingPattern() {
  uint32_t begin = lastEnd() - 1;
  Pattern mapping{.form = Pattern::Form::Mapping};
  while (!is("}")) {
    if (accept("**")) {
      if (token().kind != TokenKind::Name || token().text == "_") {
        unexpected("a name after `**`, for the other keys");
        return std::nullopt;
      }
      Pattern rest{.form = Pattern::Form::Capture, .range = token().range, .name = take().text, .rest = true};
      mapping.parts.push_back(std::move(rest));
      accept(",");
      break;
    }
    auto key = closedPattern();
    if (!key)
      return std::nullopt;
    if (key->form != Pattern::Form::Value) {
      report("syntax", key->range, "a key of a pattern is a literal, or a value such as `lib.NAME`");
      return std::nullopt;
    }
    if (!expect(":", "the key"))
      return std::nullopt;
    auto part = asPattern();
    if (!part)
      return std::nullopt;
    if (part->rest) {
      report("syntax", part->range, "a starred name stands in a sequence; other keys go to `**rest`");
      return std::nullopt;
    }
    mapping.keys.push_back(std::move(key->value));
    mapping.parts.push_back(std::move(*part));
    if (!accept(","))
      break;
  }
  if (!expect("}", "the pattern"))
    return std::nullopt;
  mapping.range = from(begin);
  return mapping;
}

} // namespace lanescope::repl
