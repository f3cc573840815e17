// Interpreter: decorated functions, dataclasses, imports.
#include "repl/lang/evaluate/Classes.h"
#include "repl/lang/evaluate/Interpreter.h"

#include "layouts/support/Text.h"
#include "repl/lang/syntax/NotInSnippets.h"

#include <algorithm>

namespace lanescope::repl {

using Flow = Interpreter::Flow;

/// True for a decorator that makes a kernel: `@kernel`, `@kernel(…)`, `@sc_kernel(…)`.
static bool makesKernel(const Expr &decorator) {
  const auto *call = as<CallExpr>(&decorator);
  const auto *name = as<NameExpr>(call ? call->callee.get() : &decorator);
  return name && (name->name == "kernel" || name->name == "sc_kernel");
}

Result<Value> Interpreter::decorated(Value value, const std::vector<ExprPtr> &decorators, TextRange nameRange) {
  std::vector<Value> values; // decorators, evaluated in written order and applied from the last to the first
  for (const ExprPtr &decorator : decorators)
    values.push_back(LANESCOPE_TRY(evaluate(*decorator)));
  for (size_t i = decorators.size(); i-- > 0;) {
    Arguments arguments;
    arguments.positional.push_back({std::move(value), span(nameRange)});
    value = LANESCOPE_TRY(evaluator_.call(values[i], arguments, span(*decorators[i])));
  }
  return value;
}

Result<Flow> Interpreter::definition(const FunctionStmt &statement) {
  if (evaluator_.staging_)
    for (const ExprPtr &decorator : statement.decorators)
      if (makesKernel(*decorator))
        return fail(decorator->range, "staging", "a kernel cannot be defined inside a kernel");
  Value function = LANESCOPE_TRY(makeFunction(statement.function));
  Value made = LANESCOPE_TRY(decorated(std::move(function), statement.decorators, statement.function.nameRange));
  LANESCOPE_CHECK(bind(statement.function.name, std::move(made), statement.function.nameRange));
  return Flow::Normal;
}

Result<Flow> Interpreter::classDefinition(const ClassStmt &statement) {
  auto type = std::make_shared<ClassValue>();
  type->name = statement.name;
  type->doc = statement.doc;
  type->span = span(statement.nameRange);
  // Names of the body are visible in the body, but not in the methods.
  auto body = std::make_shared<Scope>();
  body->parent = scope_;
  std::shared_ptr<Scope> outside = scope_;
  if (outside)
    evaluator_.capture(outside);
  scope_ = body;
  Result<void> read = classBody(statement, *type, outside);
  scope_ = outside;
  LANESCOPE_CHECK(std::move(read));
  Value made = LANESCOPE_TRY(decorated(Value(type), statement.decorators, statement.nameRange));
  if (!type->dataclass)
    return fail(statement.nameRange, "unsupported", notInSnippets("a class without `@dataclass`"));
  LANESCOPE_CHECK(bind(statement.name, std::move(made), statement.nameRange));
  return Flow::Normal;
}

/// Reads the fields, constants and methods of a class in the scope of its body.
Result<void> Interpreter::classBody(const ClassStmt &statement, ClassValue &type,
                                    const std::shared_ptr<Scope> &outside) {
  for (const StmtPtr &part : statement.body) {
    if (const auto *field = as<AssignStmt>(part)) {
      const auto *name = as<NameExpr>(field->targets.front());
      if (!name || field->targets.size() != 1)
        return fail(field->range, "unsupported", "a class's field is one name: `name: type = value`");
      std::optional<Value> value;
      if (field->value)
        value = LANESCOPE_TRY(evaluate(*field->value));
      if (value)
        scope_->names.insert_or_assign(name->name, *value);
      if (value && !field->annotation) {
        type.attributes.insert_or_assign(name->name, *value);
        continue;
      }
      const auto *marked = value ? value->as<Marked>() : nullptr;
      if (marked && marked->kind == Marked::Kind::Field)
        type.fields.push_back({name->name, marked->hasDefault ? std::optional(marked->value) : std::nullopt,
                               marked->factory, marked->init, span(field->range), marked->shown, marked->compared});
      else
        type.fields.push_back({name->name, std::move(value), false, true, span(field->range)});
    } else if (const auto *method = as<FunctionStmt>(part)) {
      const std::string &name = method->function.name;
      if (name.starts_with("__") && name != "__post_init__")
        return fail(method->function.nameRange, "unsupported", notInSnippets(text("a method `", name, "`")));
      Value function = LANESCOPE_TRY(makeFunction(method->function, outside));
      Value made = LANESCOPE_TRY(decorated(std::move(function), method->decorators, method->function.nameRange));
      type.attributes.insert_or_assign(name, std::move(made));
    }
  }
  return {};
}

/// The prefix of a module, such as `jnp` for `jax.numpy`; empty if snippets have none for the module.
static std::string prefixOf(const Evaluator &evaluator, const std::string &path) {
  for (const Builtin &builtin : evaluator.builtins())
    if (builtin.group == "prefixes" && builtin.constant.asObject()->key() == text("module ", path))
      return builtin.name;
  return {};
}

/// A snippet has no imports. However, a program may contain a line that gives a module the name that it already has
/// here, such as `import jax.numpy as jnp`. Such a line does nothing.
Result<Flow> Interpreter::import(const ImportStmt &statement) {
  if (statement.from == "__future__")
    return Flow::Normal; // the features of `__future__` are standard in Python by now
  for (const ImportStmt::Item &item : statement.items) {
    const std::string path = statement.from.empty() ? item.name : text(statement.from, ".", item.name);
    const std::string bound = !item.as.empty() ? item.as : path;
    const std::string prefix = prefixOf(evaluator_, path);
    if (!prefix.empty() && prefix == bound)
      continue;
    const std::string said = prefix.empty() ? text("`", path, "`") : text("`", path, "` as `", bound, "`");
    return fail(
        item.range, "import",
        Message(
            "snippets have no imports, so {name} cannot be imported; `lanescope run FILE` runs a file with imports in "
            "Python; without import {}",
            said,
            prefix.empty() ? "`np.`, `jnp.`, `jax.`, `lax.`, `pl.` and `plgpu.` name what snippets have"
                           : text("`", prefix, ".` names what snippets have of it")));
  }
  return Flow::Normal;
}

} // namespace lanescope::repl
