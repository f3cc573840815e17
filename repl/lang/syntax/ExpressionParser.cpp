#include "repl/lang/syntax/ParserState.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <utility>

namespace lanescope::repl {

bool TokenParser::tooDeep() {
  if (depth_ <= kMaxNesting)
    return false;
  if (!nestingReported_)
    report("nesting", token().range, Message("expressions nest more than {limit} deep", kMaxNesting));
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
    report("nesting", child->range, Message("expressions nest more than {limit} deep", kMaxNesting));
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
  if (unsupportedKeyword())
    return nullptr;
  uint32_t begin = token().range.begin;
  ExprPtr value = disjunction();
  if (!value)
    return nullptr;
  if (is(":=")) {
    const auto *name = as<NameExpr>(value);
    if (!name) {
      report("syntax", token().range, "`:=` binds a name, `(n := value)`, and nothing else");
      return nullptr;
    }
    take();
    auto node = make<NamedExpr>({});
    node->name = name->name;
    node->nameRange = name->range;
    node->value = test();
    if (!node->value || !grow(*node, node->value.get()))
      return nullptr;
    named_.push_back(node->name);
    node->range = from(begin);
    return node;
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
  size_t named = named_.size();
  node->function.result = test();
  if (!node->function.result)
    return nullptr;
  if (named_.size() != named) {
    report("unsupported", node->function.result->range, "there is no `:=` in a `lambda` here; write a `def`");
    return nullptr;
  }
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

/// Parses left-associative operators of `level` and of levels that bind more tightly.
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

} // namespace lanescope::repl
