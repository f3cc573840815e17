// Answers about places in the text: definitions, uses, hints, lenses, symbols.
#include "layouts/notation/Notation.h"
#include "repl/lang/syntax/Lexer.h"
#include "repl/lsp/Answers.h"

namespace lanescope::repl::lsp {

namespace {

constexpr size_t kLongestHint = 60; // limit in characters; the tooltip has the full text

uint32_t lineOf(const Document &document, uint32_t offset) { return document.text().lineColumn(offset).line; }

/// The binding of the variable that gets the value: the last one before the expression that computes the value.
const NameUse *bindingOf(const Document &document, const ValueFact &fact) {
  const NameUse *found = nullptr;
  for (const NameUse &use : document.names.uses()) {
    if (use.range.begin >= fact.place.begin)
      break;
    if (use.binds && use.name == fact.name)
      found = &use;
  }
  bool sameFunction = found && document.functionAt(found->range.begin) == document.functionAt(fact.place.begin);
  return sameFunction ? found : nullptr;
}

bool isKernelFunction(const Document &document, const FunctionStmt &function) {
  if (std::ranges::find(document.known->kernels, function.function.name) != document.known->kernels.end())
    return true;
  return std::ranges::any_of(document.values(),
                             [&](const ValueFact &fact) { return document.functionAt(fact.place.begin) == &function; });
}

const Layout *layoutNamed(const Document &document, const std::string &name) {
  const auto &globals = document.known->session->evaluator().globals();
  auto found = globals.find(name);
  return found == globals.end() ? nullptr : found->second.asLayout();
}

void addSymbol(const Stmt &statement, std::vector<SymbolAnswer> &out) {
  if (const auto *function = as<FunctionStmt>(&statement)) {
    bool kernel = std::ranges::any_of(function->decorators, [](const ExprPtr &decorator) {
      const auto *call = as<CallExpr>(decorator);
      const auto *name = as<NameExpr>(call ? call->callee : decorator);
      return name && name->name == "kernel";
    });
    out.push_back({function->function.name, kernel ? SymbolKind::Kernel : SymbolKind::Function, function->range,
                   function->function.nameRange});
  } else if (const auto *type = as<ClassStmt>(&statement)) {
    out.push_back({type->name, SymbolKind::Class, type->range, type->nameRange});
  } else if (const auto *assign = as<AssignStmt>(&statement)) {
    for (const ExprPtr &target : assign->targets)
      if (const auto *name = as<NameExpr>(target))
        out.push_back({name->name, SymbolKind::Variable, assign->range, name->range});
  }
}

} // namespace

std::optional<TextRange> definition(const Document &document, uint32_t offset) {
  const NameUse *use = document.names.at(offset);
  const NameUse *bound = use ? document.names.definition(*use) : nullptr;
  return bound ? std::optional(bound->range) : std::nullopt;
}

std::vector<NameUse> references(const Document &document, uint32_t offset) {
  std::vector<NameUse> out;
  if (const NameUse *use = document.names.at(offset))
    for (const NameUse *same : document.names.sameVariable(*use))
      out.push_back(*same);
  return out;
}

Result<std::vector<NameUse>> renaming(const Document &document, uint32_t offset, const std::string &name) {
  Lexed lexed = lex(Source::make("<name>", name));
  if (lexed.tokens.empty() || lexed.tokens.front().kind != TokenKind::Name || lexed.tokens.front().text != name)
    return error("rename", Message("`{name}` is no name", name));
  std::vector<NameUse> uses = references(document, offset);
  if (uses.empty())
    return error("rename", "there is no name here that this file binds");
  auto taken = [&](const NameUse &use) { return use.name == name; };
  if (std::ranges::any_of(document.names.uses(), taken))
    return error("rename", Message("`{name}` is a name of this file already", name));
  for (const NameUse &use : uses) {
    if (document.names.isKeyword(use.name))
      return error("rename", Message("calls give an argument by the name `{name}`: change it by hand", use.name));
  }
  return uses;
}

std::vector<HintAnswer> inlayHints(const Document &document, TextRange within) {
  // Hints by their places; if a variable gets several values in one run, the last one counts.
  std::map<uint32_t, HintAnswer> out;
  for (const ValueFact &fact : document.values()) {
    const NameUse *binding = fact.name.empty() ? nullptr : bindingOf(document, fact);
    if (!binding)
      continue;
    std::string layout = fact.layout.size() <= kLongestHint ? fact.layout : fact.layout.substr(0, kLongestHint) + "…";
    out[binding->range.end] = {binding->range.end, text(": ", fact.type, " ", layout),
                               text(fact.layout, fact.size.empty() ? "" : ", ", fact.size)};
  }
  for (const CostFact &cost : document.costs()) {
    if (!cost.avoidable)
      continue;
    uint32_t line = lineOf(document, cost.place.begin);
    auto end = document.text().lineStart(line) + static_cast<uint32_t>(document.text().lineText(line).size());
    HintAnswer &hint = out.try_emplace(end, HintAnswer{end, {}, {}}).first->second;
    hint.label += text("  ", cost.words);
  }
  std::vector<HintAnswer> hints;
  for (auto &[place, hint] : out)
    if (place >= within.begin && place <= within.end)
      hints.push_back(std::move(hint));
  return hints;
}

std::vector<LensAnswer> lenses(const Document &document) {
  std::vector<LensAnswer> out;
  for (const FunctionStmt *function : functionsOf(*document.snippet))
    if (isKernelFunction(document, *function)) {
      out.push_back({function->function.nameRange, LensKind::Run, function->function.name});
      out.push_back({function->function.nameRange, LensKind::ShowLayouts, function->function.name});
    }
  if (out.empty() && !document.snippet->entries.empty()) {
    uint32_t begin = rangeOf(document.snippet->entries.front()).begin;
    out.push_back({{begin, begin}, LensKind::Run, {}});
  }
  for (const SymbolAnswer &symbol : symbols(document))
    if (symbol.kind == SymbolKind::Variable && layoutNamed(document, symbol.name))
      out.push_back({symbol.nameRange, LensKind::ShowLayouts, symbol.name});
  return out;
}

std::string layoutsText(const Document &document, std::string_view name) {
  Session &session = *document.known->session;
  if (const Layout *layout = layoutNamed(document, std::string(name)))
    return text(name, "\n\n", session.render(*layout));
  std::string out;
  std::vector<std::string> pictured;
  for (const FunctionStmt *function : functionsOf(*document.snippet)) {
    if (function->function.name != name)
      continue;
    out += text("kernel ", name, "\n\n");
    for (const ValueFact &fact : document.values()) {
      if (document.functionAt(fact.place.begin) != function)
        continue;
      out +=
          text("line ", lineOf(document, fact.place.begin), "  ", fact.name.empty() ? "-" : fact.name, "  ", fact.type,
               "  ", fact.layout, fact.size.empty() ? "" : "  (", fact.size, fact.size.empty() ? "" : ")", "\n");
      if (std::ranges::find(pictured, fact.layout) == pictured.end())
        pictured.push_back(fact.layout);
    }
    for (const CostFact &cost : document.costs())
      if (document.functionAt(cost.place.begin) == function)
        out += text("line ", lineOf(document, cost.place.begin), "  ", cost.avoidable ? "! " : "", cost.words, "\n");
  }
  for (const std::string &each : pictured)
    if (auto layout = layouts::parseLayout(Source::make("<layout>", each)))
      out += text("\n", each, "\n", session.render(*layout));
  return out.empty() ? text("nothing is known of `", name, "` yet: it has not compiled\n") : out;
}

std::vector<SymbolAnswer> symbols(const Document &document) {
  std::vector<SymbolAnswer> out;
  for (const Parsed &entry : document.snippet->entries)
    for (const StmtPtr &statement : entry.module->body)
      addSymbol(*statement, out);
  return out;
}

} // namespace lanescope::repl::lsp
