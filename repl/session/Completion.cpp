#include "repl/session/Completion.h"

#include "repl/lang/evaluate/Methods.h"
#include "repl/session/CursorContext.h"

#include <algorithm>
#include <set>

namespace lanescope::repl {
namespace {

bool isWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool callable(const Value &value) {
  return value.asFunction() || value.asBuiltin() || (value.asObject() && value.asObject()->callable());
}

/// The callee's keyword arguments, without those that finished positional arguments fill.
std::vector<std::string> keywordsOf(const Value &callee, const OpenCall &call) {
  std::vector<std::string> out;
  size_t position = 0;
  auto add = [&](const std::string &name, Parameter::Form form) {
    if (form == Parameter::Form::Rest || form == Parameter::Form::KeywordRest)
      return;
    bool taken = form == Parameter::Form::Normal && position++ < call.positional;
    if (!taken && !call.given.contains(name))
      out.push_back(name + "=");
  };
  if (const BuiltinValue *builtin = callee.asBuiltin())
    for (const SignatureParameter &parameter : builtin->signature->parameters)
      add(parameter.name, parameter.form);
  if (const Function *function = callee.asFunction())
    for (const Parameter &parameter : function->syntax->parameters)
      add(parameter.name, parameter.form);
  return out;
}

/// The candidate for a member. A method's candidate ends with `(`.
std::string memberText(const Value &value, const std::string &name) {
  if (value.asObject())
    return name;
  auto attribute = attributeOf(value, name);
  return attribute && callable(*attribute) ? name + "(" : name;
}

class Candidates {
public:
  explicit Candidates(std::string_view prefix) : prefix_(prefix) {}
  void add(std::string text) {
    if (text.starts_with(prefix_) && (!text.starts_with('_') || !prefix_.empty()))
      found_.insert(std::move(text));
  }
  bool empty() const { return found_.empty(); }
  std::vector<std::string> take() { return {found_.begin(), found_.end()}; }

private:
  std::string_view prefix_;
  std::set<std::string> found_;
};

void addNames(const Evaluator &evaluator, Tokens tokens, Candidates &candidates) {
  auto add = [&](const std::string &name, const Value &value) { candidates.add(callable(value) ? name + "(" : name); };
  for (const auto &[name, value] : evaluator.globals())
    add(name, value);
  for (const Builtin &builtin : evaluator.builtins())
    if (const Value *value = evaluator.lookup(builtin.name);
        value && builtin.group != "modules" && !evaluator.globals().contains(builtin.name))
      add(builtin.name, *value);
  for (const std::string &word : languageKeywords())
    candidates.add(word);
  // Add the text's own names: parameters and variables of a function that is being typed.
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].kind == TokenKind::Name && (i == 0 || !tokens[i - 1].is(".")) && !evaluator.lookup(tokens[i].text))
      candidates.add(tokens[i].text);
}

} // namespace

Completion complete(Evaluator &evaluator, std::string_view text, size_t cursor) {
  text = text.substr(0, std::min(cursor, text.size()));
  Completion out{.from = text.size()};
  auto source = Source::make("<completion>", std::string(text));
  Lexed lexed = lex(source);
  std::vector<Token> &tokens = lexed.tokens;
  while (!tokens.empty() && (tokens.back().kind == TokenKind::End || tokens.back().kind == TokenKind::Dedent ||
                             tokens.back().kind == TokenKind::Indent ||
                             (tokens.back().kind == TokenKind::Newline && tokens.back().range.end >= text.size())))
    tokens.pop_back();
  uint32_t end = tokens.empty() ? 0 : tokens.back().range.end;
  bool inString =
      !tokens.empty() && end == text.size() && tokens.back().kind == TokenKind::Str &&
      std::ranges::any_of(lexed.diagnostics, [](const Diagnostic &d) { return d.kind == "unterminated-string"; });
  size_t line = text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1;
  bool inComment = text.find('#', std::max<size_t>(end, line)) != text.npos;
  if (inString || inComment)
    return out;

  // The prefix to complete is the word in front of the cursor.
  size_t from = text.size();
  while (from > 0 && isWord(text[from - 1]))
    --from;
  std::string_view prefix = text.substr(from);
  bool isName = !prefix.empty() && (prefix[0] < '0' || prefix[0] > '9');
  if (!prefix.empty() && !isName)
    return out; // the word is a number, which has no candidates
  if (isName && !tokens.empty() && tokens.back().range.end == text.size())
    tokens.pop_back();
  out.from = from;

  Candidates candidates(prefix);
  if (!tokens.empty() && tokens.back().is(".")) {
    if (auto value = chainValue(evaluator, Tokens(tokens).first(tokens.size() - 1)))
      for (const std::string &name : members(*value))
        candidates.add(memberText(*value, name));
    out.candidates = candidates.take();
    return out;
  }
  if (auto call = openCall(tokens); call && call->atArgument)
    if (auto callee = chainValue(evaluator, Tokens(tokens).first(call->bracket)))
      for (std::string &keyword : keywordsOf(*callee, *call))
        candidates.add(std::move(keyword));
  if (!prefix.empty())
    addNames(evaluator, tokens, candidates);
  out.candidates = candidates.take();
  return out;
}

std::string commonBeginning(const std::vector<std::string> &candidates) {
  if (candidates.empty())
    return {};
  std::string out = candidates[0];
  for (const std::string &candidate : candidates) {
    auto [mine, theirs] = std::ranges::mismatch(out, candidate);
    out.erase(mine, out.end());
  }
  return out;
}

} // namespace lanescope::repl
