// Interpreter: expressions.
#include "repl/lang/evaluate/ForeignNames.h"
#include "repl/lang/evaluate/Interpreter.h"
#include "repl/lang/evaluate/Iterators.h"
#include "repl/lang/evaluate/Methods.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {

Result<Value> Interpreter::evaluate(const Expr &expression) {
  switch (expression.kind) {
  case ExprKind::None: return Value();
  case ExprKind::Ellipsis: return Value::ellipsis();
  case ExprKind::Bool: return Value(as<BoolExpr>(&expression)->value);
  case ExprKind::Int: return Value(as<IntExpr>(&expression)->value);
  case ExprKind::Float: return Value(as<FloatExpr>(&expression)->value);
  case ExprKind::Str: return Value(as<StrExpr>(&expression)->value);
  case ExprKind::Name: return lookup(*as<NameExpr>(&expression));
  default: break;
  }
  LANESCOPE_CHECK(evaluator_.checkStack(span(expression)));
  switch (expression.kind) {
  case ExprKind::FormattedStr: return Value(LANESCOPE_TRY(formatted(*as<FormattedStrExpr>(&expression))));
  case ExprKind::Tuple: return Value::tuple(LANESCOPE_TRY(sequence(as<TupleExpr>(&expression)->items)));
  case ExprKind::List: return evaluator_.fresh(Value::list(LANESCOPE_TRY(sequence(as<ListExpr>(&expression)->items))));
  case ExprKind::Dict: return dict(*as<DictExpr>(&expression));
  case ExprKind::Unary: {
    const auto *unary = as<UnaryExpr>(&expression);
    Arg operand = arg(*unary->operand, LANESCOPE_TRY(evaluate(*unary->operand)));
    return evaluator_.unary(unary->op, operand, span(expression));
  }
  case ExprKind::Binary: return chain(*as<BinaryExpr>(&expression));
  case ExprKind::Bool2: return boolean(*as<BoolOpExpr>(&expression), 0);
  case ExprKind::Compare: {
    const auto *compare = as<CompareExpr>(&expression);
    Arg left = arg(*compare->first, LANESCOPE_TRY(evaluate(*compare->first)));
    return comparison(*compare, 0, left);
  }
  case ExprKind::Conditional: return conditional(*as<ConditionalExpr>(&expression));
  case ExprKind::Call: return call(*as<CallExpr>(&expression));
  case ExprKind::Attribute: {
    const auto *attribute = as<AttributeExpr>(&expression);
    auto found = evaluate(*attribute->object);
    if (const auto *tool = as<NameExpr>(attribute->object.get()); !found && tool)
      return unknownTool(*tool, *attribute, std::move(found.error()));
    Value object = LANESCOPE_TRY(std::move(found));
    if (object.asBuiltin()) // the name is a builtin here, but a module elsewhere, such as `cute`
      if (std::string here = foreignUse(object.asBuiltin()->name, attribute->name, false); !here.empty())
        return fail(attribute->nameRange, "no-attribute", std::move(here));
    return evaluator_.attribute(object, attribute->name,
                                object.asObject() ? span(expression) : span(attribute->nameRange));
  }
  case ExprKind::Subscript: return subscript(*as<SubscriptExpr>(&expression));
  case ExprKind::Slice: return slice(*as<SliceExpr>(&expression));
  case ExprKind::Lambda: return makeFunction(as<LambdaExpr>(&expression)->function);
  case ExprKind::Comprehension: return comprehension(*as<ComprehensionExpr>(&expression));
  case ExprKind::Named: return named(*as<NamedExpr>(&expression));
  default: return fail(expression.range, "syntax", "a starred value cannot stand here");
  }
}

/// Evaluates `name := value`. A comprehension's names are local to it, but this name is not.
Result<Value> Interpreter::named(const NamedExpr &expression) {
  if (mayNotRun_)
    return fail(
        expression.range, "staging",
        "this part is run by some threads only, so `:=` gives no name its value here; assign on a line of its own");
  Value value = LANESCOPE_TRY(evaluate(*expression.value));
  if (scope_ && !scope_->syntax) {
    Scope *scope = scope_.get();
    while (scope && !scope->syntax)
      scope = scope->parent.get();
    (scope ? scope->names : evaluator_.globals_).insert_or_assign(expression.name, value);
  } else {
    LANESCOPE_CHECK(bind(expression.name, value, expression.range));
  }
  return value;
}

Result<std::vector<Value>> Interpreter::sequence(const std::vector<ExprPtr> &items) {
  std::vector<Value> out;
  out.reserve(items.size());
  for (const ExprPtr &item : items) {
    if (const auto *star = as<StarredExpr>(item)) {
      Value value = LANESCOPE_TRY(evaluate(*star->value));
      std::vector<Value> more = LANESCOPE_TRY(evaluator_.iterate(value, span(*star->value)));
      LANESCOPE_CHECK(evaluator_.reserveItems(static_cast<int64_t>(out.size() + more.size()), span(*item)));
      out.insert(out.end(), more.begin(), more.end());
    } else {
      out.push_back(LANESCOPE_TRY(evaluate(*item)));
    }
  }
  return out;
}

static std::string notHashable(const Value &key) {
  return text("`", key.typeName(), "` cannot be a dict's key", key.asList() ? "; a tuple can" : "");
}

Result<Value> Interpreter::dict(const DictExpr &expression) {
  DictData out;
  for (const DictExpr::Item &item : expression.items) {
    Value value = LANESCOPE_TRY(evaluate(*item.value));
    if (!item.key) {
      const DictData *other = value.asDict();
      if (!other)
        return fail(item.value->range, "type", Message("`**` needs a dict, not `{type}`", value.typeName()));
      for (const DictData::Item &pair : other->items())
        out.set(pair.key, pair.value);
      continue;
    }
    Value key = LANESCOPE_TRY(evaluate(*item.key));
    if (!out.set(key, std::move(value)))
      return fail(item.key->range, "type", notHashable(key));
  }
  return evaluator_.fresh(Value::dict(std::move(out)));
}

Result<Value> Interpreter::chain(const BinaryExpr &expression) {
  Arg left = arg(*expression.first, LANESCOPE_TRY(evaluate(*expression.first)));
  for (const BinaryExpr::Step &step : expression.steps) {
    Arg right = arg(*step.operand, LANESCOPE_TRY(evaluate(*step.operand)));
    TextRange whole{expression.range.begin, step.operand->range.end};
    left.value = LANESCOPE_TRY(evaluator_.binary(step.op, left, right, span(whole)));
    left.span = span(whole);
  }
  return std::move(left.value);
}

Result<Value> Interpreter::boolean(const BoolOpExpr &expression, size_t from) {
  Value left = LANESCOPE_TRY(evaluate(*expression.operands[from]));
  for (; from + 1 < expression.operands.size(); ++from) {
    const Expr &operand = *expression.operands[from];
    if (traced(left)) {
      Context here = context(expression.range);
      size_t next = from + 1;
      auto out = evaluator_.staging_->boolean(here, expression.op, left,
                                              [&, next] { return perhaps([&] { return boolean(expression, next); }); });
      if (!out)
        return at(here.span, std::move(out.error()));
      return out;
    }
    bool holds = LANESCOPE_TRY(evaluator_.truth(left, span(operand)));
    if (holds != (expression.op == BoolOp::And))
      return left;
    left = LANESCOPE_TRY(evaluate(*expression.operands[from + 1]));
  }
  return left;
}

Result<Value> Interpreter::comparison(const CompareExpr &expression, size_t from, const Arg &first) {
  Arg left = first;
  for (;; ++from) {
    const CompareExpr::Step &step = expression.steps[from];
    Arg right = arg(*step.operand, LANESCOPE_TRY(evaluate(*step.operand)));
    Span place = left.span;
    place.end = right.span.end;
    Value out = LANESCOPE_TRY(evaluator_.compare(step.op, left, right, place));
    if (from + 1 == expression.steps.size())
      return out;
    if (traced(out)) {
      Context here = context(expression.range);
      auto both = evaluator_.staging_->boolean(here, BoolOp::And, out, [&, from] {
        return perhaps([&] { return comparison(expression, from + 1, right); });
      });
      if (!both)
        return at(here.span, std::move(both.error()));
      return both;
    }
    if (!LANESCOPE_TRY(evaluator_.truth(out, place)))
      return out;
    left = std::move(right);
  }
}

Result<Value> Interpreter::conditional(const ConditionalExpr &expression) {
  Value condition = LANESCOPE_TRY(evaluate(*expression.condition));
  if (traced(condition)) {
    Context here = context(expression.range);
    auto out = evaluator_.staging_->conditional(
        here, condition, [&] { return perhaps([&] { return evaluate(*expression.whenTrue); }); },
        [&] { return perhaps([&] { return evaluate(*expression.whenFalse); }); });
    if (!out)
      return at(here.span, std::move(out.error()));
    return out;
  }
  bool holds = LANESCOPE_TRY(evaluator_.truth(condition, span(*expression.condition)));
  return evaluate(holds ? *expression.whenTrue : *expression.whenFalse);
}

Result<Value> Interpreter::call(const CallExpr &expression) {
  Value callee = LANESCOPE_TRY(evaluate(*expression.callee));
  Arguments arguments;
  auto keyword = [&](std::string name, Span nameSpan, Value value, Span valueSpan) -> Result<void> {
    if (arguments.find(name))
      return error("arguments", nameSpan, Message("argument `{argument}` is given twice", name));
    arguments.keyword.push_back({std::move(name), std::move(nameSpan), std::move(value), std::move(valueSpan)});
    return {};
  };
  for (const CallExpr::Argument &argument : expression.arguments) {
    Value value = LANESCOPE_TRY(evaluate(*argument.value));
    Span place = span(*argument.value);
    switch (argument.form) {
    case CallExpr::Form::Positional: arguments.positional.push_back({std::move(value), std::move(place)}); break;
    case CallExpr::Form::Starred:
      for (Value &item : LANESCOPE_TRY(evaluator_.iterate(value, place)))
        arguments.positional.push_back({std::move(item), place});
      break;
    case CallExpr::Form::Keyword:
      LANESCOPE_CHECK(keyword(argument.name, span(argument.nameRange), std::move(value), std::move(place)));
      break;
    case CallExpr::Form::DoubleStarred: {
      const DictData *dict = value.asDict();
      if (!dict)
        return fail(argument.value->range, "type", Message("`**` needs a dict, not `{type}`", value.typeName()));
      for (const DictData::Item &item : dict->items()) {
        if (!item.key.asStr())
          return fail(argument.value->range, "type",
                      Message("the keys after `**` must be strings, not `{type}`", item.key.typeName()));
        LANESCOPE_CHECK(keyword(*item.key.asStr(), place, item.value, place));
      }
      break;
    }
    }
  }
  return evaluator_.call(callee, arguments, span(expression));
}

Result<Value> Interpreter::subscript(const SubscriptExpr &expression) {
  Arg object = arg(*expression.object, LANESCOPE_TRY(evaluate(*expression.object)));
  Arg index = arg(*expression.index, LANESCOPE_TRY(evaluate(*expression.index)));
  return evaluator_.getItem(object, index, span(expression));
}

Result<Value> Interpreter::slice(const SliceExpr &expression) {
  auto part = [&](const ExprPtr &bound) -> Result<Value> { return bound ? evaluate(*bound) : Value(); };
  Value start = LANESCOPE_TRY(part(expression.start));
  Value stop = LANESCOPE_TRY(part(expression.stop));
  Value step = LANESCOPE_TRY(part(expression.step));
  return Value::slice(std::move(start), std::move(stop), std::move(step));
}

Result<Value> Interpreter::comprehension(const ComprehensionExpr &expression) {
  auto scope = std::make_shared<Scope>();
  scope->parent = scope_;
  Interpreter inner(evaluator_, module_, scope);
  inner.unknownName = unknownName;
  inner.mayNotRun_ = mayNotRun_;
  std::vector<Value> items;
  DictData pairs;
  auto element = [&]() -> Result<void> {
    Value value = LANESCOPE_TRY(inner.evaluate(*expression.element));
    if (expression.key) {
      Value key = LANESCOPE_TRY(inner.evaluate(*expression.key));
      if (!pairs.set(key, std::move(value)))
        return fail(expression.key->range, "type", notHashable(key));
    } else {
      items.push_back(std::move(value));
    }
    size_t count = items.size() + pairs.size();
    return evaluator_.limits_.containerItems < static_cast<int64_t>(count)
               ? evaluator_.reserveItems(static_cast<int64_t>(count), span(expression))
               : Result<void>();
  };
  // As in Python, the first iterable is evaluated outside of the comprehension.
  std::function<Result<void>(size_t)> run = [&](size_t depth) -> Result<void> {
    if (depth == expression.clauses.size())
      return element();
    const ComprehensionExpr::Clause &clause = expression.clauses[depth];
    Value iterable = LANESCOPE_TRY((depth == 0 ? *this : inner).evaluate(*clause.iterable));
    Context here = context(clause.iterable->range);
    auto values = LANESCOPE_TRY(Iterator::of(here, iterable, span(*clause.iterable)));
    while (auto value = LANESCOPE_TRY(values->next(here))) {
      LANESCOPE_CHECK(inner.assign(*clause.target, *std::move(value), clause.iterable->range));
      bool wanted = true;
      for (const ExprPtr &condition : clause.conditions) {
        Value holds = LANESCOPE_TRY(inner.evaluate(*condition));
        wanted = LANESCOPE_TRY(evaluator_.truth(holds, span(*condition)));
        if (!wanted)
          break;
      }
      if (wanted)
        LANESCOPE_CHECK(run(depth + 1));
    }
    return {};
  };
  LANESCOPE_CHECK(run(0));
  Value out = evaluator_.fresh(expression.key ? Value::dict(std::move(pairs)) : Value::list(std::move(items)));
  if (!expression.generator)
    return out;
  Context here = context(expression.range);
  return Value(LANESCOPE_TRY(Iterator::of(here, out, here.span)));
}

Result<std::string> Interpreter::formatted(const FormattedStrExpr &expression) {
  std::string out;
  for (const FormattedStrExpr::Piece &piece : expression.pieces) {
    if (!piece.value) {
      out += piece.literal;
      continue;
    }
    Value value = LANESCOPE_TRY(evaluate(*piece.value));
    out += piece.debugText;
    if (piece.conversion == 's')
      value = Value(str(value));
    else if (piece.conversion)
      value = Value(repr(value));
    std::string spec;
    if (piece.spec)
      spec = LANESCOPE_TRY(formatted(*piece.spec));
    auto shown = formatValue(value, spec);
    if (!shown)
      return at(span(*piece.value), std::move(shown.error()));
    LANESCOPE_CHECK(evaluator_.reserveString(static_cast<int64_t>(out.size() + shown->size()), span(expression)));
    out += *shown;
  }
  return out;
}

} // namespace lanescope::repl
