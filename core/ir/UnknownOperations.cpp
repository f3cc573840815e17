#include "core/ir/UnknownOperations.h"

#include "core/ir/ModuleLexer.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core {

namespace {

using Kind = ModuleToken::Kind;
// The assumed type of an operation that does not end in types, until the parser reports the right one.
constexpr std::string_view kNoType = "none";

/// Removes the text before `mark`, and the mark, from the front of `text`, and returns that text; nothing if there is
/// no mark.
std::optional<std::string_view> takeUntil(std::string_view &text, std::string_view mark) {
  size_t at = text.find(mark);
  if (at == std::string_view::npos)
    return std::nullopt;
  std::string_view before = text.substr(0, at);
  text.remove_prefix(at + mark.size());
  return before;
}

/// The text, escaped for an MLIR string.
std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20 || byte == 0x7f)
      out += {'\\', kDigits[byte >> 4], kDigits[byte & 15]};
    else
      out += c;
  }
  return out;
}

/// The end of the operation whose name begins at `begin`: the end of the line on which no bracket is open.
size_t pastStatement(std::string_view text, size_t begin) {
  ModuleLexer lexer(text, begin);
  size_t end = lexer.next().end;
  for (ModuleToken token = lexer.next(); token.kind != Kind::End; token = lexer.next()) {
    if (text.substr(end, token.begin - end).contains('\n'))
      break;
    std::string_view words = lexer.of(token);
    if (words == "(" || words == "[" || words == "{" || words == "<") {
      size_t close = pastBracket(text, token.begin);
      if (close == std::string_view::npos)
        break;
      end = close;
      lexer = ModuleLexer(text, close);
    } else if (words == ")" || words == "]" || words == "}" || words == ">") {
      break;
    } else {
      end = token.end;
    }
  }
  return end;
}

/// The items of a list. Commas separate them; a bracket with its contents is part of one item.
std::vector<std::string> itemsOf(std::string_view text) {
  std::vector<std::string> items;
  size_t begin = pastSpace(text, 0), end = begin;
  ModuleLexer lexer(text);
  for (ModuleToken token = lexer.next(); token.kind != Kind::End; token = lexer.next()) {
    if (lexer.of(token) == ",") {
      items.emplace_back(text.substr(begin, end - begin));
      begin = pastSpace(text, token.end);
      continue;
    }
    end = token.end;
    if (size_t close = std::string_view("([{<").contains(text[token.begin]) && token.end - token.begin == 1
                           ? pastBracket(text, token.begin)
                           : std::string_view::npos;
        close != std::string_view::npos) {
      end = close;
      lexer = ModuleLexer(text, close);
    }
  }
  if (end > begin)
    items.emplace_back(text.substr(begin, end - begin));
  return items;
}

/// The types at the end of a statement, as most operations write them: `: i32, f32`, `: (i32) -> f32`, `: i32 -> f32`.
struct FinalTypes {
  std::vector<std::string> before, after; // the arrow; without one, all types are in `before`
  bool arrow = false;
};
FinalTypes finalTypes(std::string_view body) {
  size_t colon = std::string_view::npos, arrow = std::string_view::npos;
  ModuleLexer lexer(body);
  for (ModuleToken token = lexer.next(); token.kind != Kind::End; token = lexer.next()) {
    std::string_view word = lexer.of(token);
    if (word == ":" || word == "->") {
      (word == ":" ? colon : arrow) = token.end;
      if (word == ":")
        arrow = std::string_view::npos;
    } else if (word == "(" || word == "[" || word == "{" || word == "<") {
      size_t close = pastBracket(body, token.begin);
      if (close == std::string_view::npos)
        return {};
      lexer = ModuleLexer(body, close);
    }
  }
  FinalTypes types;
  if (colon == std::string_view::npos)
    return types;
  types.arrow = arrow != std::string_view::npos;
  auto listed = [](std::string_view part) {
    part.remove_prefix(pastSpace(part, 0));
    if (part.starts_with('(') && pastBracket(part, 0) != std::string_view::npos)
      part = part.substr(1, pastBracket(part, 0) - 2);
    return itemsOf(part);
  };
  types.before = listed(types.arrow ? body.substr(colon, arrow - 2 - colon) : body.substr(colon));
  if (types.arrow)
    types.after = listed(body.substr(arrow));
  return types;
}

} // namespace

/// Takes the text at the operation's end as the first guess at its types. The parser reports a wrong guess.
void UnknownOperations::guessTypes(Operation &operation, std::string_view body) {
  FinalTypes types = finalTypes(body);
  auto give = [](std::vector<Value> &values, const std::vector<std::string> &given) {
    for (size_t i = 0; i < values.size(); ++i)
      if (given.size() == values.size() || given.size() == 1)
        values[i].type = given.size() == 1 ? given[0] : given[i];
  };
  give(operation.operands, types.before);
  give(operation.results, types.arrow ? types.after : types.before);
}

void UnknownOperations::addOthers(std::string_view name) {
  std::string_view all = source_->text();
  ModuleLexer lexer(all);
  bool begins = false; // after a result's `=`
  size_t before = 0;
  for (ModuleToken token = lexer.next(); token.kind != Kind::End; token = lexer.next()) {
    bool first = all.substr(before, token.begin - before).contains('\n');
    if (token.kind == Kind::Word && (first || begins) && lexer.of(token) == name) {
      size_t next = pastSpace(all, token.end);
      if (all.substr(next, 1) != "=") // an attribute's name
        addAt(static_cast<uint32_t>(token.begin));
    }
    begins = lexer.of(token) == "=";
    before = token.end;
  }
}

bool UnknownOperations::addAt(uint32_t place) {
  std::string_view all = source_->text();
  ModuleLexer name(all, place);
  ModuleToken word = name.next();
  bool ofADialect = word.kind == Kind::Word && name.of(word).contains('.');
  if (!ofADialect || word.begin != place || places_.contains(place))
    return false;
  Operation operation{place, static_cast<uint32_t>(pastStatement(all, place)), std::string(name.of(word)), {}, {}};
  std::string_view body = all.substr(place, operation.end - place);
  if (!body.contains('\n')) { // values that are used inside of a region are not taken as operands
    ModuleLexer lexer(body);
    for (ModuleToken token = lexer.next(); token.kind != Kind::End; token = lexer.next()) {
      if (token.kind != Kind::Value)
        continue;
      size_t end = token.end;
      if (body.substr(end, 1) == "#")
        end = lexer.next().end;
      std::string value(body.substr(token.begin, end - token.begin));
      if (std::ranges::find(operation.operands, value, &Value::name) == operation.operands.end())
        operation.operands.push_back({value, std::string(kNoType)});
    }
  }
  uint32_t line = source_->lineStart(source_->lineColumn(place).line);
  std::string_view before = all.substr(line, place - line);
  ModuleLexer lexer(before);
  ModuleToken token = lexer.next();
  for (; token.kind == Kind::Value; token = lexer.next()) {
    std::string value(lexer.of(token));
    token = lexer.next();
    if (lexer.of(token) == ":") {
      int count = parseInteger<int>(lexer.of(lexer.next())).value_or(0);
      constexpr int kMostResults = 256; // no operation returns more, but a damaged text may claim it
      if (count < 1 || count > kMostResults)
        return false;
      for (int i = 0; i < count; ++i)
        operation.results.push_back({text(value, "#", i), std::string(kNoType)});
      token = lexer.next();
    } else {
      operation.results.push_back({value, std::string(kNoType)});
    }
    if (lexer.of(token) != ",")
      break;
  }
  if (lexer.of(token) != "=" && !operation.results.empty())
    return false;
  if (!body.contains('\n'))
    guessTypes(operation, body);
  places_.insert(place);
  operations_.push_back(std::move(operation));
  return true;
}

bool UnknownOperations::setType(const Diagnostic &problem, std::string_view value, std::string_view atUse,
                                std::string_view before) {
  auto give = [](std::vector<Value> &values, std::string_view name, std::string_view type) {
    for (Value &each : values) {
      bool same = each.name == name || (each.name.starts_with(name) && each.name.substr(name.size()) == "#0");
      if (!same || each.type == type)
        continue;
      each.type = type;
      return true;
    }
    return false;
  };
  std::string_view written = value; // with the number of the result, if there is one
  ModuleLexer lexer(source_->text(), problem.span.begin);
  if (ModuleToken token = lexer.next(); token.kind == Kind::Value && lexer.of(token) == value) {
    size_t end = token.end;
    if (std::string_view(source_->text()).substr(end, 1) == "#")
      end = lexer.next().end;
    written = std::string_view(source_->text()).substr(token.begin, end - token.begin);
  }
  Operation *nearest = nullptr;
  for (Operation &operation : operations_) {
    if (operation.begin == problem.span.begin)
      return give(operation.operands, value, before);
    bool gives = std::ranges::any_of(operation.results, [&](const Value &result) { return result.name == written; });
    if (operation.begin < problem.span.begin && gives && (!nearest || nearest->begin < operation.begin))
      nearest = &operation;
  }
  return nearest && give(nearest->results, written, atUse);
}

bool UnknownOperations::learn(const Diagnostic &problem) {
  std::string_view message = problem.message;
  if (!problem.span.source)
    return false;
  if (message.starts_with("custom op ") &&
      (message.ends_with("is unknown") || message.ends_with("has no custom assembly form") ||
       message.contains("is unknown (tried "))) {
    if (!addAt(problem.span.begin))
      return false;
    addOthers(std::string(operations_.back().name));
    return true;
  }
  if (!takeUntil(message, "use of value '"))
    return false;
  auto value = takeUntil(message, "' expects different type than prior uses: '");
  auto atUse = takeUntil(message, "' vs '");
  auto before = takeUntil(message, "'");
  return value && atUse && before && setType(problem, *value, *atUse, *before);
}

std::vector<TextEdit> UnknownOperations::edits() const {
  std::vector<TextEdit> edits;
  auto column = [](const std::vector<Value> &values, std::string Value::*field) {
    std::vector<std::string> words;
    for (const Value &value : values)
      words.push_back(value.*field);
    return joined(words, ", ");
  };
  for (const Operation &operation : operations_) {
    std::string_view written =
        std::string_view(source_->text()).substr(operation.begin, operation.end - operation.begin);
    edits.push_back({operation.begin, operation.end,
                     text("\"", operation.name, "\"(", column(operation.operands, &Value::name), ") {text = \"",
                          escaped(written), "\"} : (", column(operation.operands, &Value::type), ") -> (",
                          column(operation.results, &Value::type), ")")});
  }
  return edits;
}

} // namespace lanescope::core
