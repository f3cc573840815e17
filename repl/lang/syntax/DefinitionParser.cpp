// Decorators, classes and imports.
#include "repl/lang/syntax/ParserState.h"

#include "layouts/support/Text.h"

#include <utility>

namespace lanescope::repl {

StmtPtr TokenParser::decorated() {
  uint32_t begin = token().range.begin;
  std::vector<ExprPtr> decorators;
  while (accept("@")) {
    ExprPtr decorator = test();
    if (!decorator)
      return nullptr;
    decorators.push_back(std::move(decorator));
    if (token().kind != TokenKind::Newline) {
      unexpected("the end of the line after the decorator");
      return nullptr;
    }
    take();
  }
  if (is("def"))
    return functionDefinition(std::move(decorators), begin);
  if (is("class"))
    return classDefinition(std::move(decorators), begin);
  report("syntax", token().range, Message("expected `def` after the decorator, found {found}", describe(token())));
  return nullptr;
}

StmtPtr TokenParser::classDefinition(std::vector<ExprPtr> decorators, uint32_t begin) {
  take(); // the word `class`
  auto node = make<ClassStmt>({});
  node->decorators = std::move(decorators);
  if (token().kind != TokenKind::Name) {
    unexpected("the name of the class");
    return nullptr;
  }
  const Token &name = take();
  node->name = name.text;
  node->nameRange = name.range;
  if (is("[")) {
    onlyInPython(token().range, "a type parameter");
    return nullptr;
  }
  if (accept("(") && !accept(")")) {
    onlyInPython(token().range, "a class that inherits");
    return nullptr;
  }
  int loops = std::exchange(loops_, 0);
  auto body = block("the header of a class");
  loops_ = loops;
  if (!body)
    return nullptr;
  node->body = std::move(*body);
  for (const StmtPtr &statement : node->body) {
    const auto *value = as<ExpressionStmt>(statement);
    bool fits = statement->kind == StmtKind::Function || statement->kind == StmtKind::Assign ||
                statement->kind == StmtKind::Pass || (value && value->value->kind == ExprKind::Str) ||
                (value && value->value->kind == ExprKind::Ellipsis);
    if (!fits) {
      report("unsupported", statement->range, "a class holds fields, `name: type = value`, and methods, nothing else");
      return nullptr;
    }
  }
  if (!node->body.empty())
    if (const auto *first = as<ExpressionStmt>(node->body.front()))
      if (const auto *doc = lanescope::repl::as<StrExpr>(first->value))
        node->doc = doc->value;
  node->range = from(begin);
  return node;
}

std::optional<std::string> TokenParser::dottedName() {
  std::string name;
  while (is(".") || is("...")) // a relative import
    name += take().text;
  if (is("import"))
    return name;
  do {
    if (token().kind != TokenKind::Name) {
      unexpected("the name of a module");
      return std::nullopt;
    }
    name += (name.empty() || name.ends_with('.') ? "" : ".") + take().text;
  } while (accept("."));
  return name;
}

bool TokenParser::importedAs(ImportStmt::Item &item) {
  if (!accept("as"))
    return true;
  if (token().kind != TokenKind::Name) {
    unexpected("a name after `as`");
    return false;
  }
  item.asRange = token().range;
  item.as = take().text;
  return true;
}

StmtPtr TokenParser::importStatement() {
  uint32_t begin = take().range.begin;
  auto node = make<ImportStmt>({});
  do {
    ImportStmt::Item item;
    uint32_t start = token().range.begin;
    auto name = dottedName();
    if (!name)
      return nullptr;
    item.name = std::move(*name);
    item.range = from(start);
    if (!importedAs(item))
      return nullptr;
    node->items.push_back(std::move(item));
  } while (accept(","));
  node->range = from(begin);
  return node;
}

StmtPtr TokenParser::fromStatement() {
  uint32_t begin = take().range.begin;
  auto node = make<ImportStmt>({});
  uint32_t start = token().range.begin;
  auto name = dottedName();
  if (!name)
    return nullptr;
  node->from = std::move(*name);
  node->fromRange = from(start);
  if (!expect("import", "the module"))
    return nullptr;
  if (is("*")) {
    node->items.push_back({"*", "*", take().range, {}});
    node->range = from(begin);
    return node;
  }
  bool brackets = accept("(");
  do {
    if (brackets && is(")"))
      break;
    if (token().kind != TokenKind::Name) {
      unexpected("a name to import");
      return nullptr;
    }
    ImportStmt::Item item;
    item.range = token().range;
    item.name = item.as = take().text;
    if (!importedAs(item))
      return nullptr;
    node->items.push_back(std::move(item));
  } while (accept(","));
  if (brackets && !expect(")", "the names to import"))
    return nullptr;
  node->range = from(begin);
  return node;
}

} // namespace lanescope::repl
