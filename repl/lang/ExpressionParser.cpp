#include "repl/lang/ParserState.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <utility>

namespace lanescope::repl {

template <typename T> static std::unique_ptr<T> make(TextRange range) { return std::make_unique<T>(range); }

bool TokenParser::tooDeep() {
  if (depth_ <= kMaxNesting)
    return false;
  if (!nestingReported_)
    report("nesting", token().range, text("expressions nest more than ", kMaxNesting, " deep"));
  nestingReported_ = true;
  return true;
}

bool TokenParser::grow(Expr &parent, const Expr *child) {
  if (!child)
    return true;
  parent.height = std::max<uint16_t>(parent.height, child->height + 1);
  if (parent.height <= kMaxNesting)
    return true;
  if (!nestingReported_)
    report("nesting", child->range, text("expressions nest more than ", kMaxNesting, " deep"));
  nestingReported_ = true;
  return false;
}

ExprPtr TokenParser::expressionList() {
  uint32_t begin = token().range.begin;
  ExprPtr first = starOrTest();
  if (!first)
    return nullptr;
  if (!is(",")) {
    if (first->kind == ExprKind::Starred) {
      report("syntax", first->range, "a starred value needs a tuple, list or call around it");
      return nullptr;
    }
    return first;
  }
  auto tuple = make<TupleExpr>({});
  if (!grow(*tuple, first.get()))
    return nullptr;
  tuple->items.push_back(std::move(first));
  auto endsList = [&] {
    const Token &t = token();
    return t.kind == TokenKind::Newline || t.kind == TokenKind::End || t.is(")") || t.is("]") || t.is("}") ||
           t.is("=") || t.is(":") || t.is(";") || t.is("in");
  };
  while (accept(",")) {
    if (endsList())
      break;
    ExprPtr item = starOrTest();
    if (!item || !grow(*tuple, item.get()))
      return nullptr;
    tuple->items.push_back(std::move(item));
  }
  tuple->range = from(begin);
  return tuple;
}

ExprPtr TokenParser::targetList() {
  uint32_t begin = token().range.begin;
  auto one = [&]() -> ExprPtr {
    if (!is("*"))
      return binary(0);
    uint32_t star = take().range.begin;
    ExprPtr value = binary(0);
    if (!value)
      return nullptr;
    auto starred = make<StarredExpr>(from(star));
    starred->value = std::move(value);
    return starred;
  };
  ExprPtr first = one();
  if (!first || !is(","))
    return first;
  auto tuple = make<TupleExpr>({});
  tuple->items.push_back(std::move(first));
  while (accept(",")) {
    if (is("in") || is("="))
      break;
    ExprPtr item = one();
    if (!item)
      return nullptr;
    tuple->items.push_back(std::move(item));
  }
  for (const ExprPtr &item : tuple->items)
    if (!grow(*tuple, item.get()))
      return nullptr;
  tuple->range = from(begin);
  return tuple;
}

ExprPtr TokenParser::starOrTest() {
  if (!is("*"))
    return test();
  uint32_t begin = take().range.begin;
  ExprPtr value = binary(0);
  if (!value)
    return nullptr;
  auto starred = make<StarredExpr>(from(begin));
  if (!grow(*starred, value.get()))
    return nullptr;
  starred->value = std::move(value);
  return starred;
}

ExprPtr TokenParser::test() {
  Deeper deeper(*this);
  if (tooDeep())
    return nullptr;
  if (is("lambda"))
    return lambda();
  uint32_t begin = token().range.begin;
  ExprPtr value = disjunction();
  if (!value)
    return nullptr;
  if (is(":=")) {
    report("unsupported", token().range, "there is no `:=` here; assign on a line of its own");
    return nullptr;
  }
  if (!accept("if"))
    return value;
  auto node = make<ConditionalExpr>({});
  node->whenTrue = std::move(value);
  node->condition = disjunction();
  if (!node->condition || !expect("else", "the condition of `… if … else …`"))
    return nullptr;
  node->whenFalse = test();
  if (!node->whenFalse)
    return nullptr;
  node->range = from(begin);
  if (!grow(*node, node->whenTrue.get()) || !grow(*node, node->condition.get()) || !grow(*node, node->whenFalse.get()))
    return nullptr;
  return node;
}

ExprPtr TokenParser::lambda() {
  uint32_t begin = take().range.begin;
  auto node = make<LambdaExpr>({});
  auto parameterList = parameters(":", false);
  if (!parameterList || !expect(":", "the parameters of `lambda`"))
    return nullptr;
  node->function.name = "<lambda>";
  node->function.parameters = std::move(*parameterList);
  node->function.result = test();
  if (!node->function.result)
    return nullptr;
  node->range = node->function.range = node->function.nameRange = from(begin);
  for (const Parameter &parameter : node->function.parameters) {
    node->function.localNames.push_back(parameter.name);
    if (!grow(*node, parameter.defaultValue.get()))
      return nullptr;
  }
  std::ranges::sort(node->function.localNames);
  return grow(*node, node->function.result.get()) ? std::move(node) : nullptr;
}

static ExprPtr boolOp(BoolOp op, std::vector<ExprPtr> operands, TextRange range) {
  auto node = make<BoolOpExpr>(range);
  node->op = op;
  node->operands = std::move(operands);
  return node;
}

ExprPtr TokenParser::disjunction() {
  uint32_t begin = token().range.begin;
  ExprPtr first = conjunction();
  if (!first || !is("or"))
    return first;
  std::vector<ExprPtr> operands;
  operands.push_back(std::move(first));
  while (accept("or")) {
    operands.push_back(conjunction());
    if (!operands.back())
      return nullptr;
  }
  ExprPtr node = boolOp(BoolOp::Or, std::move(operands), from(begin));
  for (const ExprPtr &operand : static_cast<BoolOpExpr &>(*node).operands)
    if (!grow(*node, operand.get()))
      return nullptr;
  return node;
}

ExprPtr TokenParser::conjunction() {
  uint32_t begin = token().range.begin;
  ExprPtr first = inversion();
  if (!first || !is("and"))
    return first;
  std::vector<ExprPtr> operands;
  operands.push_back(std::move(first));
  while (accept("and")) {
    operands.push_back(inversion());
    if (!operands.back())
      return nullptr;
  }
  ExprPtr node = boolOp(BoolOp::And, std::move(operands), from(begin));
  for (const ExprPtr &operand : static_cast<BoolOpExpr &>(*node).operands)
    if (!grow(*node, operand.get()))
      return nullptr;
  return node;
}

ExprPtr TokenParser::inversion() {
  if (!is("not"))
    return comparison();
  Deeper deeper(*this);
  if (tooDeep())
    return nullptr;
  uint32_t begin = take().range.begin;
  auto node = make<UnaryExpr>({});
  node->op = UnaryOp::Not;
  node->operand = inversion();
  if (!node->operand || !grow(*node, node->operand.get()))
    return nullptr;
  node->range = from(begin);
  return node;
}

ExprPtr TokenParser::comparison() {
  uint32_t begin = token().range.begin;
  ExprPtr first = binary(0);
  if (!first)
    return nullptr;
  auto operatorHere = [&]() -> std::optional<CompareOp> {
    static constexpr std::pair<std::string_view, CompareOp> kOperators[] = {
        {"==", CompareOp::Equal},     {"!=", CompareOp::NotEqual}, {"<", CompareOp::Less},
        {"<=", CompareOp::LessEqual}, {">", CompareOp::Greater},   {">=", CompareOp::GreaterEqual},
        {"in", CompareOp::In}};
    for (auto [spelling, op] : kOperators)
      if (accept(spelling))
        return op;
    if (is("not") && ahead(1).is("in")) {
      take();
      take();
      return CompareOp::NotIn;
    }
    if (accept("is"))
      return accept("not") ? CompareOp::IsNot : CompareOp::Is;
    return std::nullopt;
  };
  std::unique_ptr<CompareExpr> node;
  while (auto op = operatorHere()) {
    if (!node) {
      node = make<CompareExpr>({});
      if (!grow(*node, first.get()))
        return nullptr;
      node->first = std::move(first);
    }
    ExprPtr operand = binary(0);
    if (!operand || !grow(*node, operand.get()))
      return nullptr;
    node->steps.push_back({*op, std::move(operand)});
  }
  if (!node)
    return first;
  node->range = from(begin);
  return node;
}

namespace {
struct LevelOperator {
  int level;
  std::string_view spelling;
  BinaryOp op;
};
constexpr LevelOperator kLevels[] = {
    {0, "|", BinaryOp::BitOr},        {1, "^", BinaryOp::BitXor},      {2, "&", BinaryOp::BitAnd},
    {3, "<<", BinaryOp::ShiftLeft},   {3, ">>", BinaryOp::ShiftRight}, {4, "+", BinaryOp::Add},
    {4, "-", BinaryOp::Subtract},     {5, "*", BinaryOp::Multiply},    {5, "/", BinaryOp::Divide},
    {5, "//", BinaryOp::FloorDivide}, {5, "%", BinaryOp::Modulo},      {5, "@", BinaryOp::MatrixMultiply}};
constexpr int kUnaryLevel = 6;
} // namespace

/// Left-associative operators of `level` and tighter.
ExprPtr TokenParser::binary(int level) {
  if (level == kUnaryLevel)
    return unary();
  uint32_t begin = token().range.begin;
  ExprPtr first = binary(level + 1);
  if (!first)
    return nullptr;
  std::unique_ptr<BinaryExpr> node;
  for (;;) {
    const LevelOperator *found = nullptr;
    if (token().kind == TokenKind::Operator)
      for (const LevelOperator &candidate : kLevels)
        if (candidate.level == level && is(candidate.spelling))
          found = &candidate;
    if (!found)
      break;
    TextRange opRange = take().range;
    if (!node) {
      node = make<BinaryExpr>({});
      if (!grow(*node, first.get()))
        return nullptr;
      node->first = std::move(first);
    }
    ExprPtr operand = binary(level + 1);
    if (!operand || !grow(*node, operand.get()))
      return nullptr;
    node->steps.push_back({found->op, opRange, std::move(operand)});
  }
  if (!node)
    return first;
  node->range = from(begin);
  return node;
}

ExprPtr TokenParser::unary() {
  UnaryOp op;
  if (is("-"))
    op = UnaryOp::Negate;
  else if (is("+"))
    op = UnaryOp::Plus;
  else if (is("~"))
    op = UnaryOp::Invert;
  else
    return power();
  Deeper deeper(*this);
  if (tooDeep())
    return nullptr;
  uint32_t begin = take().range.begin;
  auto node = make<UnaryExpr>({});
  node->op = op;
  node->operand = unary();
  if (!node->operand || !grow(*node, node->operand.get()))
    return nullptr;
  node->range = from(begin);
  return node;
}

ExprPtr TokenParser::power() {
  uint32_t begin = token().range.begin;
  ExprPtr base = postfix();
  if (!base || !is("**"))
    return base;
  Deeper deeper(*this);
  if (tooDeep())
    return nullptr;
  auto node = make<BinaryExpr>({});
  TextRange opRange = take().range;
  ExprPtr exponent = unary();
  if (!exponent || !grow(*node, base.get()) || !grow(*node, exponent.get()))
    return nullptr;
  node->first = std::move(base);
  node->steps.push_back({BinaryOp::Power, opRange, std::move(exponent)});
  node->range = from(begin);
  return node;
}

ExprPtr TokenParser::postfix() {
  ExprPtr value = atom();
  while (value) {
    if (is("(")) {
      value = call(std::move(value));
    } else if (is("[")) {
      value = subscript(std::move(value));
    } else if (is(".")) {
      take();
      if (token().kind != TokenKind::Name) {
        unexpected("the name of an attribute after `.`");
        return nullptr;
      }
      auto node = make<AttributeExpr>({});
      const Token &name = take();
      node->name = name.text;
      node->nameRange = name.range;
      node->range = from(value->range.begin);
      if (!grow(*node, value.get()))
        return nullptr;
      node->object = std::move(value);
      value = std::move(node);
    } else {
      break;
    }
  }
  return value;
}

ExprPtr TokenParser::call(ExprPtr callee) {
  auto node = make<CallExpr>({});
  if (!grow(*node, callee.get()))
    return nullptr;
  uint32_t begin = callee->range.begin;
  node->callee = std::move(callee);
  take(); // (
  bool keywordSeen = false;
  while (!is(")")) {
    CallExpr::Argument argument;
    uint32_t argumentBegin = token().range.begin;
    if (accept("**")) {
      argument.form = CallExpr::Form::DoubleStarred;
      argument.value = test();
      keywordSeen = true;
    } else if (accept("*")) {
      argument.form = CallExpr::Form::Starred;
      argument.value = test();
    } else if (token().kind == TokenKind::Name && ahead(1).is("=")) {
      argument.form = CallExpr::Form::Keyword;
      argument.name = token().text;
      argument.nameRange = take().range;
      take();
      for (const CallExpr::Argument &other : node->arguments)
        if (other.form == CallExpr::Form::Keyword && other.name == argument.name) {
          report("syntax", argument.nameRange, text("argument `", argument.name, "` is given twice"),
                 {{span(other.nameRange), "it is given here too"}});
          return nullptr;
        }
      argument.value = test();
      keywordSeen = true;
    } else {
      argument.value = test();
      if (argument.value && is("for")) {
        argument.value = comprehension(argumentBegin, nullptr, std::move(argument.value));
        if (argument.value && (!node->arguments.empty() || !is(")"))) {
          report("syntax", argument.value->range, "a `for` argument beside others needs brackets: `[… for …]`");
          return nullptr;
        }
      } else if (argument.value && keywordSeen) {
        report("syntax", argument.value->range, "a positional argument cannot follow a keyword argument");
        return nullptr;
      }
    }
    if (!argument.value || !grow(*node, argument.value.get()))
      return nullptr;
    node->arguments.push_back(std::move(argument));
    if (!accept(","))
      break;
  }
  if (!expect(")", "the arguments of this call"))
    return nullptr;
  node->range = from(begin);
  return node;
}

ExprPtr TokenParser::sliceOrTest() {
  uint32_t begin = token().range.begin;
  if (is("*"))
    return starOrTest();
  ExprPtr start;
  if (!is(":")) {
    start = test();
    if (!start || !is(":"))
      return start;
  }
  auto node = make<SliceExpr>({});
  node->start = std::move(start);
  auto part = [&](ExprPtr &out) {
    if (is(":") || is(",") || is("]"))
      return true;
    out = test();
    return out != nullptr;
  };
  take(); // :
  if (!part(node->stop))
    return nullptr;
  if (accept(":") && !part(node->step))
    return nullptr;
  node->range = from(begin);
  if (!grow(*node, node->start.get()) || !grow(*node, node->stop.get()) || !grow(*node, node->step.get()))
    return nullptr;
  return node;
}

ExprPtr TokenParser::subscript(ExprPtr object) {
  auto node = make<SubscriptExpr>({});
  if (!grow(*node, object.get()))
    return nullptr;
  uint32_t begin = object->range.begin;
  node->object = std::move(object);
  take(); // [
  if (is("]")) {
    unexpected("an index");
    return nullptr;
  }
  uint32_t indexBegin = token().range.begin;
  ExprPtr first = sliceOrTest();
  if (!first)
    return nullptr;
  if (is(",") || first->kind == ExprKind::Starred) {
    auto tuple = make<TupleExpr>({});
    if (!grow(*tuple, first.get()))
      return nullptr;
    tuple->items.push_back(std::move(first));
    while (accept(",")) {
      if (is("]"))
        break;
      ExprPtr item = sliceOrTest();
      if (!item || !grow(*tuple, item.get()))
        return nullptr;
      tuple->items.push_back(std::move(item));
    }
    tuple->range = from(indexBegin);
    first = std::move(tuple);
  }
  if (!grow(*node, first.get()) || !expect("]", "the index"))
    return nullptr;
  node->index = std::move(first);
  node->range = from(begin);
  return node;
}

ExprPtr TokenParser::atom() {
  const Token &here = token();
  switch (here.kind) {
  case TokenKind::Name: {
    auto node = make<NameExpr>(here.range);
    node->name = take().text;
    return node;
  }
  case TokenKind::Int: {
    auto node = make<IntExpr>(here.range);
    node->value = take().integer;
    return node;
  }
  case TokenKind::Float: {
    auto node = make<FloatExpr>(here.range);
    node->value = take().number;
    return node;
  }
  case TokenKind::Str:
  case TokenKind::FormattedStr: return strings();
  default: break;
  }
  if (is("None"))
    return make<NoneExpr>(take().range);
  if (is("..."))
    return make<EllipsisExpr>(take().range);
  if (is("True") || is("False")) {
    auto node = make<BoolExpr>(here.range);
    node->value = take().text == "True";
    return node;
  }
  if (is("("))
    return parenthesised();
  if (is("["))
    return listDisplay();
  if (is("{"))
    return dictDisplay();
  if (!unsupportedKeyword())
    unexpected("an expression");
  return nullptr;
}

ExprPtr TokenParser::parenthesised() {
  Deeper deeper(*this);
  if (tooDeep())
    return nullptr;
  uint32_t begin = take().range.begin;
  if (accept(")"))
    return make<TupleExpr>(from(begin));
  uint32_t innerBegin = token().range.begin;
  ExprPtr inner = starOrTest();
  if (!inner)
    return nullptr;
  if (is("for")) {
    inner = comprehension(innerBegin, nullptr, std::move(inner));
    if (inner)
      report("unsupported", inner->range, "there are no generators here; write a list, `[… for …]`");
    return nullptr;
  }
  if (is(",")) {
    auto tuple = make<TupleExpr>({});
    if (!grow(*tuple, inner.get()))
      return nullptr;
    tuple->items.push_back(std::move(inner));
    while (accept(",")) {
      if (is(")"))
        break;
      ExprPtr item = starOrTest();
      if (!item || !grow(*tuple, item.get()))
        return nullptr;
      tuple->items.push_back(std::move(item));
    }
    inner = std::move(tuple);
  } else if (inner->kind == ExprKind::Starred) {
    report("syntax", inner->range, "a starred value needs a tuple, list or call around it");
    return nullptr;
  }
  if (!expect(")", inner->kind == ExprKind::Tuple ? "the tuple" : "the expression"))
    return nullptr;
  inner->range = from(begin);
  return inner;
}

ExprPtr TokenParser::listDisplay() {
  Deeper deeper(*this);
  if (tooDeep())
    return nullptr;
  uint32_t begin = take().range.begin;
  auto list = make<ListExpr>({});
  while (!is("]")) {
    ExprPtr item = starOrTest();
    if (!item)
      return nullptr;
    if (list->items.empty() && is("for")) {
      auto node = comprehension(begin, nullptr, std::move(item));
      if (!node || !expect("]", "the comprehension"))
        return nullptr;
      node->range = from(begin);
      return node;
    }
    if (!grow(*list, item.get()))
      return nullptr;
    list->items.push_back(std::move(item));
    if (!accept(","))
      break;
  }
  if (!expect("]", "the list"))
    return nullptr;
  list->range = from(begin);
  return list;
}

ExprPtr TokenParser::dictDisplay() {
  Deeper deeper(*this);
  if (tooDeep())
    return nullptr;
  uint32_t begin = take().range.begin;
  auto dict = make<DictExpr>({});
  while (!is("}")) {
    DictExpr::Item item;
    if (accept("**")) {
      item.value = binary(0);
    } else {
      item.key = test();
      if (!item.key)
        return nullptr;
      if (is(",") || is("}") || is("for")) {
        report("unsupported", item.key->range, "there are no sets here; write a list, or `key: value` for a dict");
        return nullptr;
      }
      if (!expect(":", "the key of a dict"))
        return nullptr;
      item.value = test();
    }
    if (!item.value)
      return nullptr;
    if (dict->items.empty() && item.key && is("for")) {
      auto node = comprehension(begin, std::move(item.key), std::move(item.value));
      if (!node || !expect("}", "the comprehension"))
        return nullptr;
      node->range = from(begin);
      return node;
    }
    if (!grow(*dict, item.key.get()) || !grow(*dict, item.value.get()))
      return nullptr;
    dict->items.push_back(std::move(item));
    if (!accept(","))
      break;
  }
  if (!expect("}", "the dict"))
    return nullptr;
  dict->range = from(begin);
  return dict;
}

std::unique_ptr<ComprehensionExpr> TokenParser::comprehension(uint32_t begin, ExprPtr key, ExprPtr element) {
  auto node = make<ComprehensionExpr>({});
  if (element->kind == ExprKind::Starred) {
    report("syntax", element->range, "a comprehension's element cannot be starred");
    return nullptr;
  }
  if (!grow(*node, key.get()) || !grow(*node, element.get()))
    return nullptr;
  node->key = std::move(key);
  node->element = std::move(element);
  while (accept("for")) {
    if (node->clauses.size() >= kMaxNesting) {
      tooDeep();
      report("nesting", token().range, text("a comprehension has more than ", kMaxNesting, " loops"));
      return nullptr;
    }
    ComprehensionExpr::Clause clause;
    clause.target = targetList();
    if (!clause.target || !checkTarget(*clause.target, "loop over") || !expect("in", "the loop variable"))
      return nullptr;
    clause.iterable = disjunction();
    if (!clause.iterable || !grow(*node, clause.target.get()) || !grow(*node, clause.iterable.get()))
      return nullptr;
    while (accept("if")) {
      clause.conditions.push_back(disjunction());
      if (!clause.conditions.back() || !grow(*node, clause.conditions.back().get()))
        return nullptr;
    }
    node->clauses.push_back(std::move(clause));
  }
  node->range = from(begin);
  return node;
}

// --- strings ---------------------------------------------------------------------------------------------------------

/// Adjacent literals are one string.
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

/// Literal text and fields from `at`; at level > 0 (a format specification) it stops before the closing brace.
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
      report(diagnostic.kind, {diagnostic.span.begin, diagnostic.span.end}, diagnostic.message, diagnostic.notes);
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
