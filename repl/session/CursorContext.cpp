#include "repl/session/CursorContext.h"

#include "repl/lang/evaluate/Methods.h"

#include <vector>

namespace lanescope::repl {

std::optional<Value> chainValue(Evaluator &evaluator, Tokens tokens) {
  std::vector<const Token *> names;
  while (!tokens.empty() && tokens.back().kind == TokenKind::Name) {
    names.push_back(&tokens.back());
    tokens = tokens.first(tokens.size() - 1);
    if (tokens.empty() || !tokens.back().is("."))
      break;
    tokens = tokens.first(tokens.size() - 1);
    if (!tokens.empty() && tokens.back().kind == TokenKind::Str &&
        tokens.back().range.end > tokens.back().range.begin) {
      names.push_back(&tokens.back());
      break;
    }
    if (tokens.empty() || tokens.back().kind != TokenKind::Name)
      return std::nullopt; // the dot stands after a call or a subscript
  }
  if (names.empty()) {
    if (!tokens.empty() && tokens.back().kind == TokenKind::Str)
      return Value(tokens.back().text);
    return std::nullopt;
  }
  Value value;
  if (names.back()->kind == TokenKind::Str) {
    value = Value(names.back()->text);
  } else {
    const Value *found = evaluator.lookup(names.back()->text);
    if (!found)
      return std::nullopt;
    value = *found;
  }
  for (auto name = names.rbegin() + 1; name != names.rend(); ++name) {
    bool module = value.asObject() && value.typeName() == "module";
    if (value.asObject() && !module)
      return std::nullopt; // an Object's attributes may be computed
    auto attribute = module ? evaluator.attribute(value, (*name)->text, {}) : attributeOf(value, (*name)->text);
    if (!attribute)
      return std::nullopt;
    value = std::move(*attribute);
  }
  return value;
}

std::optional<OpenCall> openCall(Tokens tokens) {
  int depth = 0;
  for (size_t i = tokens.size(); i-- > 0;) {
    const Token &token = tokens[i];
    if (token.is(")") || token.is("]") || token.is("}"))
      ++depth;
    else if (token.is("(") || token.is("[") || token.is("{")) {
      if (depth-- > 0)
        continue;
      if (!token.is("(") || i == 0 || tokens[i - 1].kind != TokenKind::Name)
        return std::nullopt; // the bracket begins a list, a subscript or a group
      if (i >= 2 && tokens[i - 2].is("def"))
        return std::nullopt;
      OpenCall call{.bracket = i};
      int inner = 0;
      for (size_t j = i + 1; j < tokens.size(); ++j) {
        if (tokens[j].is("(") || tokens[j].is("[") || tokens[j].is("{"))
          ++inner;
        else if (tokens[j].is(")") || tokens[j].is("]") || tokens[j].is("}"))
          --inner;
        else if (inner == 0 && tokens[j].is("=") && tokens[j - 1].kind == TokenKind::Name) {
          call.given.insert(tokens[j - 1].text);
          call.keyword = tokens[j - 1].text;
        } else if (inner == 0 && tokens[j].is(",")) {
          call.positional += call.keyword.empty();
          call.keyword.clear();
        }
      }
      call.atArgument = tokens.back().is("(") || (inner == 0 && tokens.back().is(","));
      return call;
    }
  }
  return std::nullopt;
}

} // namespace lanescope::repl
