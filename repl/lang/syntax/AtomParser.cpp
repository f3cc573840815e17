// Parser: names, literals and brackets, and their suffixes: calls, subscripts, attributes.
#include "repl/lang/syntax/ParserState.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <utility>

namespace lanescope::repl {

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
  take(); // the `(`
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
          report("syntax", argument.nameRange, Message("argument `{argument}` is given twice", argument.name),
                 {{span(other.nameRange), "it is given here too"}});
          return nullptr;
        }
      argument.value = test();
      keywordSeen = true;
    } else {
      argument.value = test();
      if (argument.value && is("for")) {
        auto generator = comprehension(argumentBegin, nullptr, std::move(argument.value));
        if (generator)
          generator->generator = true;
        argument.value = std::move(generator);
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
  take(); // the `:`
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
  take(); // the `[`
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
    auto node = comprehension(innerBegin, nullptr, std::move(inner));
    if (!node || !expect(")", "the comprehension"))
      return nullptr;
    node->generator = true;
    return node;
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
      if (dict->items.empty() && (is(",") || is("}") || is("for"))) {
        onlyInPython(from(begin), "a set");
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
      report("nesting", token().range, Message("a comprehension has more than {limit} loops", kMaxNesting));
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

} // namespace lanescope::repl
