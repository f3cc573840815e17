// `match`: the first case whose pattern fits the value.
#include "repl/lang/evaluate/Interpreter.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::repl {

using Flow = Interpreter::Flow;

Result<Flow> Interpreter::match(const MatchStmt &statement) {
  Value subject = LANESCOPE_TRY(evaluate(*statement.subject));
  if (traced(subject))
    return fail(statement.subject->range, "staging",
                "the device knows this value, and a kernel's text is made before: compare with `if` or `jnp.where`, "
                "or choose with `lax.switch`");
  for (const MatchStmt::Case &each : statement.cases) {
    LANESCOPE_CHECK(evaluator_.poll(span(each.pattern.range)));
    Matched names;
    if (!LANESCOPE_TRY(matches(each.pattern, subject, names)))
      continue;
    for (auto &[name, value] : names)
      bind(name, std::move(value));
    if (each.guard) {
      Value holds = LANESCOPE_TRY(evaluate(*each.guard));
      if (!LANESCOPE_TRY(evaluator_.truth(holds, span(*each.guard))))
        continue;
    }
    return execute(each.body);
  }
  return Flow::Normal;
}

Result<bool> Interpreter::matches(const Pattern &pattern, const Value &value, Matched &names) {
  bool fits = true;
  switch (pattern.form) {
  case Pattern::Form::Wildcard:
  case Pattern::Form::Capture: break;
  case Pattern::Form::Value: {
    Value wanted = LANESCOPE_TRY(evaluate(*pattern.value));
    if (wanted.isNone() || wanted.asBool()) { // by identity, as in Python
      fits = value.identical(wanted);
      break;
    }
    Arg right = arg(*pattern.value, wanted);
    Value same = LANESCOPE_TRY(evaluator_.compare(CompareOp::Equal, {value, right.span}, right, right.span));
    fits = LANESCOPE_TRY(evaluator_.truth(same, right.span));
    break;
  }
  case Pattern::Form::Sequence: fits = LANESCOPE_TRY(matchesParts(pattern, value, names)); break;
  case Pattern::Form::Mapping: fits = LANESCOPE_TRY(matchesKeys(pattern, value, names)); break;
  case Pattern::Form::Class: fits = LANESCOPE_TRY(matchesClass(pattern, value, names)); break;
  case Pattern::Form::Choice:
    fits = false;
    for (const Pattern &choice : pattern.parts) {
      const size_t before = names.size();
      fits = LANESCOPE_TRY(matches(choice, value, names));
      if (fits)
        break;
      names.resize(before);
    }
    break;
  }
  if (fits && !pattern.name.empty())
    names.emplace_back(pattern.name, value);
  return fits;
}

/// Of tuples and lists, with what `*rest` leaves over.
Result<bool> Interpreter::matchesParts(const Pattern &pattern, const Value &value, Matched &names) {
  if (!value.asTuple() && !value.asList())
    return false;
  const std::vector<Value> items = value.asTuple() ? *value.asTuple() : value.asList()->items;
  const std::vector<Pattern> &parts = pattern.parts;
  const auto rest = std::ranges::find_if(parts, &Pattern::rest);
  const auto before = static_cast<size_t>(rest - parts.begin());
  const size_t after = rest == parts.end() ? 0 : parts.size() - before - 1;
  if (rest == parts.end() ? items.size() != parts.size() : items.size() < before + after)
    return false;
  for (size_t i = 0; i < before; ++i)
    if (!LANESCOPE_TRY(matches(parts[i], items[i], names)))
      return false;
  if (rest == parts.end())
    return true;
  if (!rest->name.empty())
    names.emplace_back(rest->name, evaluator_.fresh(Value::list({items.begin() + static_cast<std::ptrdiff_t>(before),
                                                                 items.end() - static_cast<std::ptrdiff_t>(after)})));
  for (size_t i = 0; i < after; ++i)
    if (!LANESCOPE_TRY(matches(parts[before + 1 + i], items[items.size() - after + i], names)))
      return false;
  return true;
}

/// Of a dict that has these keys, and maybe more.
Result<bool> Interpreter::matchesKeys(const Pattern &pattern, const Value &value, Matched &names) {
  if (!value.asDict())
    return false;
  DictData left = *value.asDict(); // a key's text may not change it
  for (size_t i = 0; i < pattern.keys.size(); ++i) {
    Value key = LANESCOPE_TRY(evaluate(*pattern.keys[i]));
    const Value *found = left.find(key);
    if (!found)
      return value.asDict()->find(key)
                 ? fail(pattern.keys[i]->range, "value", text("the key ", repr(key), " stands in the pattern already"))
                 : Result<bool>(false);
    Value item = *found;
    if (!LANESCOPE_TRY(matches(pattern.parts[i], item, names)))
      return false;
    left.erase(key);
  }
  if (pattern.parts.size() > pattern.keys.size())
    names.emplace_back(pattern.parts.back().name, evaluator_.fresh(Value::dict(std::move(left))));
  return true;
}

Result<bool> Interpreter::matchesClass(const Pattern &pattern, const Value &value, Matched &names) {
  Arg type = arg(*pattern.value, LANESCOPE_TRY(evaluate(*pattern.value)));
  Arguments question;
  question.positional = {{value, type.span}, type};
  Value is = LANESCOPE_TRY(evaluator_.call(*evaluator_.builtin("isinstance"), question, type.span));
  if (!LANESCOPE_TRY(evaluator_.truth(is, type.span)))
    return false;
  const size_t byPlace = pattern.parts.size() - pattern.attributes.size();
  if (byPlace == 1 && type.value.asBuiltin()) { // `int(n)`: the value itself
    if (!LANESCOPE_TRY(matches(pattern.parts.front(), value, names)))
      return false;
  } else if (byPlace > 0) {
    return fail(pattern.parts.front().range, "unsupported",
                "the parts of a class go by name in a pattern here, as `Point(x=0, y=y)`");
  }
  for (size_t i = 0; i < pattern.attributes.size(); ++i) {
    const Pattern &part = pattern.parts[byPlace + i];
    auto found = evaluator_.attribute(value, pattern.attributes[i], span(part.range));
    if (!found || !LANESCOPE_TRY(matches(part, *found, names)))
      return false;
  }
  return true;
}

} // namespace lanescope::repl
