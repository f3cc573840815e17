#include "repl/lang/syntax/Parser.h"

#include "layouts/support/Text.h"
#include "repl/lang/syntax/NotInSnippets.h"
#include "repl/lang/syntax/ParserState.h"

#include <algorithm>
#include <utility>

namespace lanescope::repl {

namespace {
constexpr size_t kMaxErrors = 20;

/// Words that begin statements which Python has and snippets lack.
constexpr std::string_view kOnlyInPython[] = {"try", "except", "finally", "raise", "yield", "async", "await"};

std::optional<BinaryOp> augmentedOperator(const Token &token) {
  if (token.kind != TokenKind::Operator)
    return std::nullopt;
  static constexpr std::pair<std::string_view, BinaryOp> kOperators[] = {
      {"+=", BinaryOp::Add},        {"-=", BinaryOp::Subtract},       {"*=", BinaryOp::Multiply},
      {"/=", BinaryOp::Divide},     {"//=", BinaryOp::FloorDivide},   {"%=", BinaryOp::Modulo},
      {"**=", BinaryOp::Power},     {"@=", BinaryOp::MatrixMultiply}, {"&=", BinaryOp::BitAnd},
      {"|=", BinaryOp::BitOr},      {"^=", BinaryOp::BitXor},         {"<<=", BinaryOp::ShiftLeft},
      {">>=", BinaryOp::ShiftRight}};
  for (auto [spelling, op] : kOperators)
    if (token.text == spelling)
      return op;
  return std::nullopt;
}
} // namespace

// --- tokens ----------------------------------------------------------------------------------------------------------

void TokenParser::report(DiagnosticKind kind, TextRange range, Message message, std::vector<Note> notes) {
  if (diagnostics_.size() < kMaxErrors)
    diagnostics_.push_back(diagnosed(Severity::Error, kind, span(range), std::move(message), std::move(notes)));
}

std::string TokenParser::describe(const Token &token) {
  switch (token.kind) {
  case TokenKind::Newline: return "the end of the line";
  case TokenKind::Indent: return "a deeper indentation";
  case TokenKind::Dedent: return "the end of the block";
  case TokenKind::End: return "the end of the text";
  case TokenKind::Str:
  case TokenKind::FormattedStr: return "a string";
  default: return text("`", std::string_view(token.text).substr(0, 40), "`");
  }
}

void TokenParser::unexpected(std::string_view expected) {
  report("syntax", token().range, Message("expected {expected}, found {found}", expected, describe(token())));
}

bool TokenParser::expect(std::string_view spelling, std::string_view after) {
  if (accept(spelling))
    return true;
  std::string message = text("expected `", spelling, "` after ", after, ", found ", describe(token()));
  if (is("=") && spelling == ":")
    message += "; equality is `==`";
  report("syntax", token().range, std::move(message));
  return false;
}

void TokenParser::onlyInPython(TextRange range, std::string_view what) {
  report("unsupported", range, notInSnippets(what));
}

bool TokenParser::unsupportedKeyword() {
  if (token().kind != TokenKind::Keyword)
    return false;
  const std::string &word = token().text;
  const bool ofTry = word == "except" || word == "finally";
  if (ofTry && !diagnostics_.empty() && diagnostics_.back().message.starts_with("`try`"))
    return true; // the error is already reported
  if (std::ranges::find(kOnlyInPython, word) != std::end(kOnlyInPython))
    onlyInPython(token().range, text("`", word, "`"));
  else if (word == "import" || word == "from" || word == "class")
    report("unsupported", token().range, "this begins a statement of its own");
  else
    return false;
  return true;
}

/// True for `match value:`, where `match` is not a name of the snippet's.
bool TokenParser::saysMatch(const Expr &first) {
  const auto *name = as<NameExpr>(&first);
  const auto *call = as<CallExpr>(&first);
  if (!name && call)
    name = as<NameExpr>(call->callee.get());
  const bool follows =
      call ? is(":") && ahead(1).kind == TokenKind::Newline
           : token().kind == TokenKind::Name || token().kind == TokenKind::Int || token().kind == TokenKind::Str;
  if (!name || (name->name != "match" && name->name != "case") || !follows)
    return false;
  onlyInPython(name->range, text("`", name->name, "`"));
  return true;
}

/// Skips to the start of the next statement, past the block that belongs to the present line.
void TokenParser::skipLine() {
  if (token().kind != TokenKind::Indent) {
    while (token().kind != TokenKind::Newline && token().kind != TokenKind::End && token().kind != TokenKind::Dedent)
      take();
    if (token().kind == TokenKind::Newline)
      take();
    if (token().kind != TokenKind::Indent)
      return;
  }
  int depth = 0;
  do {
    const Token &skipped = take();
    depth += skipped.kind == TokenKind::Indent ? 1 : skipped.kind == TokenKind::Dedent ? -1 : 0;
  } while (depth > 0 && token().kind != TokenKind::End);
}

// --- statements ------------------------------------------------------------------------------------------------------

Block TokenParser::statements() {
  Block out;
  while (token().kind != TokenKind::End) {
    if (token().kind == TokenKind::Indent) {
      report("indentation", token().range, "this line is indented, but no block begins above it");
      // Parse the inner text as if it stood here.
      take();
      continue;
    }
    if (token().kind == TokenKind::Dedent || token().kind == TokenKind::Newline) {
      take();
      continue;
    }
    statement(out);
  }
  return out;
}

void TokenParser::statement(Block &out) {
  size_t before = at_;
  Naming naming(*this);
  StmtPtr parsed;
  if (is("def"))
    parsed = functionDefinition({}, token().range.begin);
  else if (is("class"))
    parsed = classDefinition({}, token().range.begin);
  else if (is("@"))
    parsed = decorated();
  else if (is("if"))
    parsed = conditionalStatement(0);
  else if (is("for"))
    parsed = forStatement();
  else if (is("while"))
    parsed = whileStatement();
  else if (is("with"))
    parsed = withStatement();
  else {
    simpleLine(out);
    if (at_ == before) // the rule took no token: skip one to prevent an endless loop
      take();
    return;
  }
  if (parsed) {
    out.push_back(naming.of(std::move(parsed)));
    return;
  }
  skipLine();
  if (at_ == before)
    take();
}

void TokenParser::simpleLine(Block &out) {
  for (;;) {
    Naming naming(*this);
    StmtPtr parsed = naming.of(simple());
    if (!parsed) {
      skipLine();
      return;
    }
    out.push_back(std::move(parsed));
    if (accept(";")) {
      if (token().kind == TokenKind::Newline || token().kind == TokenKind::End)
        break;
      continue;
    }
    break;
  }
  if (token().kind == TokenKind::Newline) {
    take();
    return;
  }
  if (token().kind == TokenKind::End || token().kind == TokenKind::Dedent)
    return;
  if (!unsupportedKeyword())
    unexpected("the end of the statement");
  skipLine();
}

StmtPtr TokenParser::simple() {
  uint32_t begin = token().range.begin;
  TextRange word = token().range;
  if (accept("pass"))
    return make<PassStmt>(word);
  if (is("break") || is("continue")) {
    bool isBreak = take().text == "break";
    if (loops_ == 0) {
      report("syntax", word, Message("`{statement}` stands outside a loop", isBreak ? "break" : "continue"));
      return nullptr;
    }
    if (isBreak)
      return make<BreakStmt>(word);
    return make<ContinueStmt>(word);
  }
  if (accept("return")) {
    if (functions_ == 0) {
      report("syntax", word, "`return` stands outside a function");
      return nullptr;
    }
    auto node = make<ReturnStmt>({});
    if (token().kind != TokenKind::Newline && token().kind != TokenKind::End && !is(";")) {
      node->value = expressionList();
      if (!node->value)
        return nullptr;
    }
    node->range = from(begin);
    return node;
  }
  if (accept("assert")) {
    auto node = make<AssertStmt>({});
    node->condition = test();
    if (!node->condition)
      return nullptr;
    if (accept(",")) {
      node->message = test();
      if (!node->message)
        return nullptr;
    }
    node->range = from(begin);
    return node;
  }
  if (is("del"))
    return deleteStatement();
  if (is("import"))
    return importStatement();
  if (is("from"))
    return fromStatement();
  if (is("global") || is("nonlocal"))
    return outerNames() ? make<PassStmt>(word) : nullptr;
  if (is("elif") || is("else")) {
    report("syntax", word, Message("`{keyword}` belongs to no `if` at this indentation", token().text));
    return nullptr;
  }
  if (unsupportedKeyword())
    return nullptr;
  return assignmentOrExpression();
}

StmtPtr TokenParser::deleteStatement() {
  uint32_t begin = take().range.begin;
  auto node = make<DeleteStmt>({});
  do {
    if (token().kind == TokenKind::Newline && !node->targets.empty())
      break;
    ExprPtr target = postfix();
    if (!target)
      return nullptr;
    if (target->kind != ExprKind::Name && target->kind != ExprKind::Subscript) {
      report("syntax", target->range, "`del` takes names and items, as `del x, d[\"key\"]`");
      return nullptr;
    }
    node->targets.push_back(std::move(target));
  } while (accept(","));
  node->range = from(begin);
  return node;
}

bool TokenParser::checkTarget(const Expr &target, std::string_view use) {
  switch (target.kind) {
  case ExprKind::Name:
  case ExprKind::Subscript:
  case ExprKind::Attribute: return true;
  case ExprKind::Tuple:
  case ExprKind::List: {
    const auto &items = target.kind == ExprKind::Tuple ? static_cast<const TupleExpr &>(target).items
                                                       : static_cast<const ListExpr &>(target).items;
    int starred = 0;
    for (const ExprPtr &item : items) {
      const auto *star = as<StarredExpr>(item);
      if (star && ++starred > 1) {
        report("syntax", item->range, "only one of the targets may be starred");
        return false;
      }
      if (!checkTarget(star ? *star->value : *item, use))
        return false;
    }
    return true;
  }
  case ExprKind::Compare:
    report("syntax", target.range, Message("cannot {} a comparison; equality is `==`", use));
    return false;
  case ExprKind::Call: report("syntax", target.range, Message("cannot {} the result of a call", use)); return false;
  case ExprKind::Starred:
    report("syntax", target.range, "a starred target needs others beside it, as in `first, *rest = values`");
    return false;
  default:
    report("syntax", target.range,
           Message("cannot {} this expression; a name, an item or a tuple of them is needed", use));
    return false;
  }
}

/// Reports `x := 1` as a whole statement, which Python does not allow: it would be an assignment in another spelling.
bool TokenParser::namedAlone(const Expr &expression, uint32_t begin) {
  if (expression.kind != ExprKind::Named || source_->text()[begin] == '(')
    return false;
  report("syntax", expression.range, "`:=` stands inside an expression; by itself a name gets its value by `=`");
  return true;
}

StmtPtr TokenParser::assignmentOrExpression() {
  uint32_t begin = token().range.begin;
  ExprPtr first = expressionList();
  if (!first || namedAlone(*first, begin) || saysMatch(*first))
    return nullptr;
  if (auto op = augmentedOperator(token())) {
    take();
    if (first->kind != ExprKind::Name && first->kind != ExprKind::Subscript && first->kind != ExprKind::Attribute) {
      report("syntax", first->range, "an augmented assignment needs one name, item or attribute on its left");
      return nullptr;
    }
    auto node = make<AugmentedAssignStmt>({});
    node->op = *op;
    node->target = std::move(first);
    node->value = expressionList();
    if (!node->value)
      return nullptr;
    node->range = from(begin);
    return node;
  }
  if (accept(":")) {
    auto node = make<AssignStmt>({});
    if (first->kind != ExprKind::Name && first->kind != ExprKind::Attribute && first->kind != ExprKind::Subscript) {
      report("syntax", first->range, "an annotation goes with one name");
      return nullptr;
    }
    node->targets.push_back(std::move(first));
    node->annotation = test();
    if (!node->annotation)
      return nullptr;
    if (accept("=")) {
      node->value = expressionList();
      if (!node->value)
        return nullptr;
    }
    node->range = from(begin);
    return node;
  }
  if (is("=")) {
    auto node = make<AssignStmt>({});
    while (accept("=")) {
      if (!checkTarget(*first, "assign to"))
        return nullptr;
      node->targets.push_back(std::move(first));
      first = expressionList();
      if (!first)
        return nullptr;
    }
    node->value = std::move(first);
    node->range = from(begin);
    return node;
  }
  if (first->kind == ExprKind::Name &&
      (token().kind == TokenKind::Name || token().kind == TokenKind::Str || token().kind == TokenKind::FormattedStr)) {
    // These names are often called without parentheses, as in a shell or in older Python.
    constexpr std::string_view kCalled[] = {"print", "help", "show", "run",   "layout", "owners",   "ptx",
                                            "sass",  "ir",   "load", "trace", "links",  "open_dump"};
    const std::string &name = static_cast<NameExpr &>(*first).name;
    if (std::ranges::find(kCalled, name) != std::end(kCalled)) {
      report(
          "syntax", token().range,
          Message("`{name}` is a function: `{}{}`", name, name, name == "help" || name == "show" ? "(WGMMA)" : "(…)"));
      return nullptr;
    }
  }
  auto node = make<ExpressionStmt>({});
  node->value = std::move(first);
  node->range = from(begin);
  return node;
}

std::optional<Block> TokenParser::block(std::string_view after) {
  if (!expect(":", after))
    return std::nullopt;
  Block out;
  if (token().kind != TokenKind::Newline) {
    if (token().kind == TokenKind::End) {
      unexpected("a block");
      return std::nullopt;
    }
    simpleLine(out);
    return out;
  }
  take();
  if (token().kind != TokenKind::Indent) {
    report("indentation", token().range,
           Message("expected an indented block after {after}, found {found}", after, describe(token())));
    return std::nullopt;
  }
  take();
  Deeper deeper(*this);
  if (tooDeep()) {
    --at_; // go back by one token, so that skipLine sees the whole block
    return std::nullopt;
  }
  while (token().kind != TokenKind::Dedent && token().kind != TokenKind::End) {
    if (token().kind == TokenKind::Indent) {
      report("indentation", token().range, "this line is indented deeper than its block");
      skipLine();
      continue;
    }
    statement(out);
  }
  if (token().kind == TokenKind::Dedent)
    take();
  return out;
}

std::optional<std::vector<Parameter>> TokenParser::parameters(std::string_view closing, bool annotations) {
  std::vector<Parameter> out;
  bool keywordOnly = false, keywordRest = false, defaults = false;
  while (!is(closing)) {
    Parameter parameter;
    uint32_t begin = token().range.begin;
    // The parameters before `/` may also be given by name, unlike in Python.
    if (is("/") && !out.empty() && !keywordOnly) {
      take();
      if (!accept(","))
        break;
      continue;
    }
    if (keywordRest) {
      unexpected("the end of the parameters after `**`");
      return std::nullopt;
    }
    if (accept("**")) {
      parameter.form = Parameter::Form::KeywordRest;
      keywordRest = true;
    } else if (accept("*")) {
      if (keywordOnly) {
        report("syntax", from(begin), "`*` stands twice among the parameters");
        return std::nullopt;
      }
      keywordOnly = true;
      if (is(",")) {
        take();
        continue;
      }
      parameter.form = Parameter::Form::Rest;
    } else if (keywordOnly) {
      parameter.form = Parameter::Form::KeywordOnly;
    }
    if (token().kind != TokenKind::Name) {
      unexpected("the name of a parameter");
      return std::nullopt;
    }
    const Token &name = take();
    parameter.name = name.text;
    parameter.range = name.range;
    for (const Parameter &other : out)
      if (other.name == parameter.name) {
        report("syntax", parameter.range, Message("parameter `{argument}` is named twice", parameter.name),
               {{span(other.range), "it is named here too"}});
        return std::nullopt;
      }
    bool plain = parameter.form == Parameter::Form::Normal || parameter.form == Parameter::Form::KeywordOnly;
    if (annotations && accept(":")) {
      parameter.annotation = test();
      if (!parameter.annotation)
        return std::nullopt;
    }
    if (plain && accept("=")) {
      parameter.defaultValue = test();
      if (!parameter.defaultValue)
        return std::nullopt;
    }
    if (parameter.form == Parameter::Form::Normal) {
      if (!parameter.defaultValue && defaults) {
        report("syntax", parameter.range,
               Message("parameter `{argument}` has no default but follows one that has", parameter.name));
        return std::nullopt;
      }
      defaults |= parameter.defaultValue != nullptr;
    }
    out.push_back(std::move(parameter));
    if (!accept(","))
      break;
  }
  return out;
}

/// Parses `nonlocal a, b` or `global a`.
bool TokenParser::outerNames() {
  const Token &word = take();
  if (functions_ == 0 && word.is("nonlocal")) {
    report("syntax", word.range, "`nonlocal` stands outside a function");
    return false;
  }
  do {
    if (token().kind != TokenKind::Name) {
      unexpected("a name");
      return false;
    }
    outerNames_.push_back(take().text);
  } while (accept(","));
  return true;
}

StmtPtr TokenParser::functionDefinition(std::vector<ExprPtr> decorators, uint32_t begin) {
  take(); // the word `def`
  auto node = make<FunctionStmt>({});
  FunctionSyntax &function = node->function;
  if (token().kind != TokenKind::Name) {
    unexpected("the name of the function");
    return nullptr;
  }
  const Token &name = take();
  function.name = name.text;
  function.nameRange = name.range;
  if (is("["))
    onlyInPython(token().range, "a type parameter");
  if (is("[") || !expect("(", "the function's name"))
    return nullptr;
  auto parameterList = parameters(")", true);
  if (!parameterList || !expect(")", "the parameters"))
    return nullptr;
  function.parameters = std::move(*parameterList);
  if (accept("->")) {
    function.returnAnnotation = test();
    if (!function.returnAnnotation)
      return nullptr;
  }
  int loops = std::exchange(loops_, 0);
  auto outer = std::exchange(outerNames_, {}), inner = std::exchange(innerOuterNames_, {});
  ++functions_;
  auto body = block("the header of a function");
  --functions_;
  loops_ = loops;
  function.outerNames = std::exchange(outerNames_, std::move(outer));
  function.innerOuterNames = std::exchange(innerOuterNames_, std::move(inner));
  for (const auto *names : {&function.outerNames, &function.innerOuterNames})
    innerOuterNames_.insert(innerOuterNames_.end(), names->begin(), names->end());
  if (!body)
    return nullptr;
  function.body = std::move(*body);
  function.range = from(begin);
  if (!function.body.empty())
    if (const auto *first = as<ExpressionStmt>(function.body.front()))
      if (const auto *doc = lanescope::repl::as<StrExpr>(first->value))
        function.doc = doc->value;
  function.localNames = boundNames(function.body);
  for (const Parameter &parameter : function.parameters)
    function.localNames.push_back(parameter.name);
  std::erase_if(function.localNames, [&](const std::string &name) {
    return std::ranges::find(function.outerNames, name) != function.outerNames.end();
  });
  std::ranges::sort(function.localNames);
  function.localNames.erase(std::ranges::unique(function.localNames).begin(), function.localNames.end());
  node->decorators = std::move(decorators);
  node->range = from(begin);
  return node;
}

StmtPtr TokenParser::conditionalStatement(int chain) {
  uint32_t begin = take().range.begin;
  if (chain >= kMaxNesting) {
    report("nesting", token().range, Message("this `if` has more than {limit} `elif`", kMaxNesting));
    return nullptr;
  }
  auto node = make<IfStmt>({});
  node->condition = test();
  if (!node->condition)
    return nullptr;
  auto body = block("the condition");
  if (!body)
    return nullptr;
  node->body = std::move(*body);
  if (is("elif")) {
    Naming naming(*this);
    StmtPtr other = naming.of(conditionalStatement(chain + 1));
    if (!other)
      return nullptr;
    node->orElse.push_back(std::move(other));
  } else if (accept("else")) {
    auto other = block("`else`");
    if (!other)
      return nullptr;
    node->orElse = std::move(*other);
  }
  node->range = from(begin);
  return node;
}

bool TokenParser::loopBlocks(std::string_view after, Block &body, Block &orElse) {
  ++loops_;
  auto inside = block(after);
  --loops_;
  if (!inside)
    return false;
  body = std::move(*inside);
  if (accept("else")) {
    auto other = block("`else`");
    if (!other)
      return false;
    orElse = std::move(*other);
  }
  return true;
}

StmtPtr TokenParser::forStatement() {
  uint32_t begin = take().range.begin;
  auto node = make<ForStmt>({});
  node->target = targetList();
  if (!node->target || !checkTarget(*node->target, "loop over") || !expect("in", "the loop variable"))
    return nullptr;
  node->iterable = expressionList();
  if (!node->iterable)
    return nullptr;
  if (!loopBlocks("the header of a loop", node->body, node->orElse))
    return nullptr;
  node->range = from(begin);
  return node;
}

StmtPtr TokenParser::whileStatement() {
  uint32_t begin = take().range.begin;
  auto node = make<WhileStmt>({});
  node->condition = test();
  if (!node->condition)
    return nullptr;
  if (!loopBlocks("the condition", node->body, node->orElse))
    return nullptr;
  node->range = from(begin);
  return node;
}

StmtPtr TokenParser::withStatement() {
  uint32_t begin = take().range.begin;
  auto node = make<WithStmt>({});
  do {
    WithStmt::Item item;
    item.manager = test();
    if (!item.manager)
      return nullptr;
    if (accept("as")) {
      item.target = postfix();
      if (!item.target || !checkTarget(*item.target, "bind"))
        return nullptr;
    }
    node->items.push_back(std::move(item));
  } while (accept(","));
  auto body = block("the header of `with`");
  if (!body)
    return nullptr;
  node->body = std::move(*body);
  node->range = from(begin);
  return node;
}

ExprPtr TokenParser::wholeExpression() {
  while (token().kind == TokenKind::Newline || token().kind == TokenKind::Indent)
    take();
  if (token().kind == TokenKind::End) {
    unexpected("an expression");
    return nullptr;
  }
  uint32_t begin = token().range.begin;
  ExprPtr value = expressionList();
  if (!value || namedAlone(*value, begin))
    return nullptr;
  while (token().kind == TokenKind::Newline || token().kind == TokenKind::Dedent)
    take();
  if (token().kind == TokenKind::End)
    return value;
  unexpected("the end of the expression");
  return nullptr;
}

} // namespace lanescope::repl
