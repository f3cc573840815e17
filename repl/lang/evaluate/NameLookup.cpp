// Interpreter: looking up, binding and unpacking names.
#include "repl/lang/evaluate/ForeignNames.h"
#include "repl/lang/evaluate/Interpreter.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/values/ArrayViews.h"

#include "layouts/cute/CopyAtoms.h"
#include "layouts/cute/MmaAtoms.h"
#include "layouts/support/Nearest.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::repl {

static bool isLocal(const Scope &scope, std::string_view name) {
  return scope.syntax && std::ranges::binary_search(scope.syntax->localNames, name);
}

const Value *Interpreter::find(std::string_view name) const {
  for (const Scope *scope = scope_.get(); scope; scope = scope->parent.get()) {
    if (auto found = scope->names.find(name); found != scope->names.end())
      return &found->second;
    if (isLocal(*scope, name))
      return nullptr;
  }
  return evaluator_.isLibrary(module_->source) ? evaluator_.builtin(name) : evaluator_.lookup(name);
}

Result<Value> Interpreter::lookup(const NameExpr &name) {
  if (const Value *value = find(name.name))
    return *value;
  if (name.name == "__doc__" || name.name == "__file__") {
    const auto *first = module_->body.empty() ? nullptr : as<ExpressionStmt>(module_->body.front());
    const auto *doc = first ? as<StrExpr>(first->value) : nullptr;
    return name.name == "__file__" ? Value(std::string(module_->source->name())) : doc ? Value(doc->value) : Value();
  }
  if (unknownName)
    if (auto value = (*unknownName)(name.name))
      return std::move(*value);
  // CuTe has too many names of instructions for a table. Each name is a value that represents the instruction.
  if (layouts::cute::mmaAtom(name.name) || layouts::cute::copyAtom(name.name))
    return Value(name.name);
  return unknown(name);
}

std::unexpected<Diagnostics> Interpreter::unknown(const NameExpr &name) const {
  std::vector<std::string> known;
  for (const Scope *scope = scope_.get(); scope; scope = scope->parent.get()) {
    if (isLocal(*scope, name.name))
      return fail(name.range, "unbound-name",
                  Message("`{name}` has no value here: the function binds it, but not on the way to this place{}",
                          name.name,
                          evaluator_.staging() ? " (or only inside a loop or branch that runs on the device)" : ""));
    for (const auto &[other, value] : scope->names)
      known.push_back(other);
  }
  for (const auto &[other, value] : evaluator_.globals_)
    known.push_back(other);
  for (const Builtin &builtin : evaluator_.builtins_)
    known.push_back(builtin.name);
  // In CuTe, `_8` is an integer that is known at compile time. All integers of a snippet are known then.
  if (name.name.size() > 1 && name.name[0] == '_' && name.name.find_first_not_of("0123456789", 1) == std::string::npos)
    return fail(name.range, "unknown-name", Message("`{name}` is `{}` here", name.name, name.name.substr(1)));
  if (std::string why = absentName(name.name); !why.empty())
    return fail(name.range, "unknown-name", std::move(why));
  if (layouts::cute::looksLikeMmaAtom(name.name))
    known = layouts::cute::mmaAtomNames();
  else if (layouts::cute::looksLikeCopyAtom(name.name))
    known = layouts::cute::copyAtomNames();
  std::string near(layouts::nearest(name.name, known));
  return fail(name.range, "unknown-name",
              Message("name `{name}` is not defined{}", name.name, layouts::didYouMean(near)).with("nearest", near));
}

std::unexpected<Diagnostics> Interpreter::unknownTool(const NameExpr &tool, const AttributeExpr &use,
                                                      Diagnostics unknown) const {
  std::string here = unknown.front().kind == "unknown-name"
                         ? foreignUse(tool.name, use.name, evaluator_.findBuiltin(use.name) != nullptr)
                         : std::string();
  return here.empty() ? std::unexpected(std::move(unknown)) : fail(tool.range, "unknown-name", std::move(here));
}

Variable Interpreter::variableOf(const std::string &name) const {
  if (!scope_ || !scope_->syntax ||
      std::ranges::find(scope_->syntax->outerNames, name) == scope_->syntax->outerNames.end())
    return {scope_.get(), name};
  for (Scope *scope = scope_->parent.get(); scope; scope = scope->parent.get())
    if (scope->names.contains(name) || isLocal(*scope, name))
      return {scope, name};
  return {nullptr, name};
}

std::vector<Variable> Interpreter::reboundBy(const std::vector<std::string> &names) const {
  std::vector<Variable> out;
  for (const std::string &name : names)
    out.push_back(variableOf(name));
  for (Scope *scope = scope_.get(); scope; scope = scope->parent.get())
    if (scope->syntax)
      for (const std::string &name : scope->syntax->innerOuterNames)
        if (Variable variable{scope, name}; isLocal(*scope, name) && std::ranges::find(out, variable) == out.end())
          out.push_back(std::move(variable));
  return out;
}

Result<void> Interpreter::bind(const std::string &name, Value value, TextRange range) {
  if (evaluator_.staging_)
    evaluator_.staging_->named(name, value);
  Variable variable = variableOf(name);
  if (variable.scope != scope_.get())
    LANESCOPE_CHECK(evaluator_.willRebind(variable, span(range)));
  evaluator_.namesOf(variable).insert_or_assign(name, std::move(value));
  return {};
}

void Interpreter::unbind(const std::string &name) { evaluator_.namesOf(variableOf(name)).erase(name); }

Bindings Interpreter::current(const std::vector<Variable> &variables) const {
  Bindings out;
  for (const Variable &variable : variables) {
    const auto &names = evaluator_.namesOf(variable);
    auto found = names.find(variable.name);
    out.push_back(found == names.end() ? std::nullopt : std::optional(found->second));
  }
  return out;
}

void Interpreter::install(const std::vector<Variable> &variables, const Bindings &bindings) {
  for (size_t i = 0; i < variables.size(); ++i) {
    auto &names = evaluator_.namesOf(variables[i]);
    if (i < bindings.size() && bindings[i])
      names.insert_or_assign(variables[i].name, *bindings[i]);
    else
      names.erase(variables[i].name);
  }
}

Result<void> Interpreter::assign(const Expr &target, Value value, TextRange valueRange) {
  switch (target.kind) {
  case ExprKind::Name: return bind(as<NameExpr>(&target)->name, std::move(value), target.range);
  case ExprKind::Tuple: return unpack(target, as<TupleExpr>(&target)->items, value, valueRange);
  case ExprKind::List: return unpack(target, as<ListExpr>(&target)->items, value, valueRange);
  case ExprKind::Subscript: {
    const auto *subscript = as<SubscriptExpr>(&target);
    Arg object = arg(*subscript->object, LANESCOPE_TRY(evaluate(*subscript->object)));
    Arg index = arg(*subscript->index, LANESCOPE_TRY(evaluate(*subscript->index)));
    Arg item{std::move(value), span(valueRange)};
    Span place = span(target);
    if (Object *holder = object.value.asObject()) {
      Context here = context(target.range);
      auto done = holder->setItem(here, index, item);
      if (!done)
        return at(place, std::move(done.error()));
      return {};
    }
    if (auto may = mayWrite(object.value); !may)
      return at(place, std::move(may.error()));
    return setItemOf(evaluator_, object, index, item, place);
  }
  case ExprKind::Attribute: {
    const auto *attribute = as<AttributeExpr>(&target);
    Value object = LANESCOPE_TRY(evaluate(*attribute->object));
    if (Object *holder = object.asObject()) {
      Context here = context(target.range);
      auto done = holder->setAttribute(here, attribute->name, {std::move(value), span(valueRange)});
      if (!done)
        return at(here.span, std::move(done.error()));
      return {};
    }
    return fail(target.range, "type", Message("attributes of `{type}` cannot be assigned to", object.typeName()));
  }
  default: return fail(target.range, "syntax", "this cannot be assigned to");
  }
}

Result<void> Interpreter::unpack(const Expr &target, const std::vector<ExprPtr> &targets, const Value &value,
                                 TextRange valueRange) {
  std::vector<Value> items = LANESCOPE_TRY(evaluator_.iterate(value, span(valueRange)));
  auto starred = std::ranges::find_if(targets, [](const ExprPtr &item) { return item->kind == ExprKind::Starred; });
  bool hasStar = starred != targets.end();
  size_t plain = targets.size() - (hasStar ? 1 : 0);
  if (hasStar ? items.size() < plain : items.size() != plain)
    return fail(target.range, "unpack",
                Message("expected {}{} to unpack, found {found}", hasStar ? "at least " : "", counted(plain, "value"),
                        items.size())
                    .with("expected", plain));
  size_t next = 0;
  for (const ExprPtr &item : targets) {
    if (const auto *star = as<StarredExpr>(item)) {
      size_t count = items.size() - plain;
      std::vector<Value> rest(items.begin() + static_cast<ptrdiff_t>(next),
                              items.begin() + static_cast<ptrdiff_t>(next + count));
      next += count;
      LANESCOPE_CHECK(assign(*star->value, evaluator_.fresh(Value::list(std::move(rest))), valueRange));
    } else {
      LANESCOPE_CHECK(assign(*item, items[next++], valueRange));
    }
  }
  return {};
}

Result<Value> Interpreter::makeFunction(const FunctionSyntax &syntax, const std::shared_ptr<Scope> &closure) {
  auto function = std::make_shared<Function>();
  function->module = module_;
  function->syntax = &syntax;
  function->closure = closure;
  for (const Parameter &parameter : syntax.parameters) {
    if (parameter.defaultValue)
      function->defaults.emplace_back(LANESCOPE_TRY(evaluate(*parameter.defaultValue)));
    else
      function->defaults.emplace_back(std::nullopt);
  }
  if (closure)
    evaluator_.capture(closure);
  return Value(std::shared_ptr<const Function>(std::move(function)));
}

} // namespace lanescope::repl
