// Hover: shows what the analysis knows about a value, or help about a name.
#include "repl/lang/builtins/Builtins.h"
#include "repl/lsp/Answers.h"
#include "repl/lsp/KernelWords.h"
#include "repl/session/CursorContext.h"

namespace lanescope::repl::lsp {

namespace {

constexpr size_t kMostHelp = 4000; // limit in bytes, so that the help fits into a small window

uint32_t lineOf(const Document &document, uint32_t offset) { return document.text().lineColumn(offset).line; }

/// The text inside a Markdown fence that is longer than any fence in the text.
std::string fenced(std::string_view language, std::string words) {
  if (words.size() > kMostHelp) {
    words.resize(kMostHelp);
    words += "\n...";
  }
  while (!words.empty() && words.back() == '\n')
    words.pop_back();
  std::string fence = "```";
  while (words.find(fence) != words.npos)
    fence += '`';
  return text(fence, language, "\n", words, "\n", fence, "\n");
}

/// The value that the variable has at the place: the last one that is computed up to the end of the line. If there is
/// none, the first one, which a loop carries to its next iteration.
std::optional<ValueFact> valueAt(const Document &document, const NameUse &use) {
  const FunctionStmt *function = document.functionAt(use.range.begin);
  std::optional<ValueFact> first, last;
  if (function)
    for (const ValueFact &fact : document.values()) {
      if (fact.name != use.name || fact.place.begin < function->range.begin || fact.place.begin >= function->range.end)
        continue;
      if (!first)
        first = fact;
      if (lineOf(document, fact.place.begin) <= lineOf(document, use.range.begin) &&
          (!last || fact.place.begin >= last->place.begin))
        last = fact;
    }
  return last ? last : first;
}

std::string costWords(const Document &document, uint32_t line) {
  std::string out;
  for (const CostFact &cost : document.costs())
    if (lineOf(document, cost.place.begin) == line)
      out += text(cost.words, "\n");
  return out;
}

/// The value of the chain of members that ends at `end`, looked up in the session.
std::optional<Value> valueBefore(const Document &document, uint32_t end, std::string &name) {
  Lexed lexed = lex(Source::make("<hover>", document.text().text().substr(0, end)));
  Tokens tokens = lexed.tokens;
  while (!tokens.empty() && tokens.back().kind != TokenKind::Name)
    tokens = tokens.first(tokens.size() - 1);
  if (tokens.empty() || tokens.back().range.end != end)
    return std::nullopt;
  name = tokens.back().text;
  return chainValue(document.known->session->evaluator(), tokens);
}

std::string helpOf(const Document &document, const Value &value, const std::string &name) {
  Evaluator &evaluator = document.known->session->evaluator();
  Context context{evaluator, {}};
  if (Object *object = value.asObject())
    if (auto words = object->help(context))
      return *words;
  return helpText(evaluator, value, name);
}

/// The word around a place; empty: none.
TextRange wordAt(std::string_view text, uint32_t offset) {
  auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  uint32_t begin = std::min<uint32_t>(offset, static_cast<uint32_t>(text.size())), end = begin;
  while (begin > 0 && isWord(text[begin - 1]))
    --begin;
  while (end < text.size() && isWord(text[end]))
    ++end;
  return {begin, end};
}

} // namespace

std::optional<HoverAnswer> hover(const Document &document, uint32_t offset) {
  TextRange word = wordAt(document.text().text(), offset);
  std::string costs = costWords(document, lineOf(document, offset));
  if (word.begin == word.end)
    return costs.empty() ? std::nullopt : std::optional(HoverAnswer{{offset, offset}, fenced("text", costs)});
  const NameUse *use = document.names.at(offset);
  if (use && (use->range.begin != word.begin || use->range.end != word.end))
    use = nullptr;
  if (auto value = use ? valueAt(document, *use) : std::nullopt) {
    std::string markdown = fenced("python", text(value->name, ": ", value->type));
    markdown += text("\nlayout `", value->layout, "`", value->size.empty() ? "" : text(", ", value->size), "\n");
    if (!costs.empty())
      markdown += "\nthis line costs\n" + fenced("text", costs);
    return HoverAnswer{word, std::move(markdown)};
  }
  // If the function binds the name, the session's name is hidden.
  const NameUse *bound = use ? document.names.definition(*use) : nullptr;
  bool local = bound && bound->scope != 0;
  std::string name;
  bool bare = word.begin == 0 || document.text().text()[word.begin - 1] != '.';
  std::string_view written = std::string_view(document.text().text()).substr(word.begin, word.end - word.begin);
  if (auto words = bare && !local ? kernelFunctionAt(document, offset, written) : std::nullopt)
    return HoverAnswer{word, fenced("text", text(words->label, "\n\n", words->doc)) +
                                 (costs.empty() ? "" : "\nthis line costs\n" + fenced("text", costs))};
  if (auto value = local ? std::nullopt : valueBefore(document, word.end, name))
    return HoverAnswer{word, fenced("text", helpOf(document, *value, name)) +
                                 (costs.empty() ? "" : "\nthis line costs\n" + fenced("text", costs))};
  return costs.empty() ? std::nullopt : std::optional(HoverAnswer{word, fenced("text", costs)});
}

} // namespace lanescope::repl::lsp
