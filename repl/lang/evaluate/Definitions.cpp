// Interpreter: functions under decorators, classes, imports.
#include "repl/lang/evaluate/Classes.h"
#include "repl/lang/evaluate/Enums.h"
#include "repl/lang/evaluate/Exceptions.h"
#include "repl/lang/evaluate/Interpreter.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::repl {

using Flow = Interpreter::Flow;

/// `@kernel` or `@kernel(…)`, `@sc_kernel(…)`
static bool makesKernel(const Expr &decorator) {
  const auto *call = as<CallExpr>(&decorator);
  const auto *name = as<NameExpr>(call ? call->callee.get() : &decorator);
  return name && (name->name == "kernel" || name->name == "sc_kernel");
}

Result<Value> Interpreter::decorated(Value value, const std::vector<ExprPtr> &decorators, TextRange nameRange) {
  std::vector<Value> values; // evaluated as they are written, applied from the last to the first
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
  bind(statement.function.name,
       LANESCOPE_TRY(decorated(std::move(function), statement.decorators, statement.function.nameRange)));
  return Flow::Normal;
}

/// `name: ClassVar[int] = 0`: no field of the instances.
static bool isOfTheClass(const Expr &annotation) {
  const Expr *type = &annotation;
  if (const auto *item = as<SubscriptExpr>(type))
    type = item->object.get();
  const auto *name = as<NameExpr>(type);
  const auto *attribute = as<AttributeExpr>(type);
  return (name && name->name == "ClassVar") || (attribute && attribute->name == "ClassVar");
}

Result<Flow> Interpreter::classDefinition(const ClassStmt &statement) {
  auto type = std::make_shared<ClassValue>();
  std::shared_ptr<const ExceptionClass> exception; // what it inherits from, if that is one
  type->name = statement.name;
  type->doc = statement.doc;
  type->span = span(statement.nameRange);
  for (const ExprPtr &base : statement.bases) {
    Value value = LANESCOPE_TRY(evaluate(*base));
    const BuiltinValue *builtin = value.asBuiltin();
    if (builtin && builtin->name == "object")
      continue;
    if (value.asObject() && value.typeName() == "type")
      continue; // `Protocol`, `Generic[T]`: for the reader
    if (builtin && (builtin->name == "Enum" || builtin->name == "IntEnum"))
      return enumeration(statement, builtin->name == "IntEnum");
    if (builtin && builtin->name == "NamedTuple") {
      type->kind = ClassValue::Kind::NamedTuple;
      type->equality = true;
      continue;
    }
    if (auto parent = value.ref<ExceptionClass>()) {
      if (!exception)
        exception = parent;
      continue;
    }
    auto parent = value.ref<ClassValue>();
    if (!parent)
      return fail(
          base->range, "unsupported",
          text("a class inherits from classes of the program, exceptions, `Enum` and `NamedTuple` here, not from `",
               value.typeName() == "builtin" ? builtin->name : value.typeName(),
               "`; put one into a field of the other"));
    type->inherit(parent);
  }
  // Names of the body are seen in the body, and not by the methods: what these see is the class, for `super()`.
  auto cell = std::make_shared<ClassCell>();
  auto methods = std::make_shared<Scope>();
  methods->parent = scope_;
  methods->names.emplace("__class__", Value(cell));
  auto body = std::make_shared<Scope>();
  body->parent = methods;
  std::shared_ptr<Scope> outside = scope_;
  if (outside)
    evaluator_.capture(outside);
  Result<void> read;
  {
    scope_ = body;
    read = classBody(statement, *type, methods);
    scope_ = outside;
  }
  LANESCOPE_CHECK(std::move(read));
  if (exception) {
    auto made = std::make_shared<ExceptionClass>(statement.name, exception, type);
    cell->type = made;
    bind(statement.name, Value(std::move(made)));
    return Flow::Normal;
  }
  cell->type = type;
  Value made = LANESCOPE_TRY(decorated(Value(type), statement.decorators, statement.nameRange));
  type->settle();
  bind(statement.name, std::move(made));
  return Flow::Normal;
}

/// The fields, constants and methods of a class, read in the scope of its body.
Result<void> Interpreter::classBody(const ClassStmt &statement, ClassValue &type,
                                    const std::shared_ptr<Scope> &methods) {
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
      if (value && (!field->annotation || isOfTheClass(*field->annotation))) {
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
      Value function = LANESCOPE_TRY(makeFunction(method->function, methods));
      Value made = LANESCOPE_TRY(decorated(std::move(function), method->decorators, method->function.nameRange));
      scope_->names.insert_or_assign(method->function.name, made);
      type.attributes.insert_or_assign(method->function.name, std::move(made));
    }
  }
  return {};
}

Result<Flow> Interpreter::enumeration(const ClassStmt &statement, bool integers) {
  auto type = std::make_shared<EnumClass>(EnumType{statement.name, statement.doc, integers, {}});
  for (const StmtPtr &part : statement.body) {
    if (const auto *member = as<AssignStmt>(part)) {
      const auto *name = as<NameExpr>(member->targets.front());
      if (!name || member->targets.size() != 1 || !member->value)
        return fail(member->range, "unsupported", "a member of an enumeration is `NAME = value`");
      LANESCOPE_CHECK(type->add(name->name, LANESCOPE_TRY(evaluate(*member->value)), span(member->range)));
    } else if (const auto *method = as<FunctionStmt>(part)) {
      if (!method->decorators.empty())
        return fail(method->decorators.front()->range, "unsupported",
                    "methods of an enumeration are plain functions here");
      type->type().methods.insert_or_assign(method->function.name, LANESCOPE_TRY(makeFunction(method->function)));
    }
  }
  bind(statement.name, LANESCOPE_TRY(decorated(Value(std::move(type)), statement.decorators, statement.nameRange)));
  return Flow::Normal;
}

//===------------------------------------ imports -----------------------------------------------------------------===//

/// The modules that there are: constants among the builtins.
static std::vector<std::string> moduleNames(const Evaluator &evaluator) {
  std::vector<std::string> names;
  for (const Builtin &builtin : evaluator.builtins())
    if (builtin.group == "modules")
      names.push_back(builtin.name);
  return names;
}

/// What a user of a module that is not here may want instead; empty for others.
static std::string_view insteadOf(std::string_view root) {
  if (root == "torch" || root == "tensorflow" || root == "cupy")
    return "; arrays here are NumPy's and JAX's: `import numpy as np`, `import jax.numpy as jnp`";
  if (root == "triton" || root == "cutlass" || root == "tilelang")
    return "; kernels here are Pallas': `from jax.experimental.pallas import mosaic_gpu as plgpu`";
  constexpr std::string_view kHosts[] = {
      "os",     "pathlib", "subprocess", "io",        "shutil", "socket",  "ctypes",    "pickle", "tempfile",
      "urllib", "http",    "requests",   "threading", "signal", "asyncio", "importlib", "glob",   "multiprocessing"};
  if (std::ranges::find(kHosts, root) != std::end(kHosts))
    return ", for a snippet does not reach the host system: what needs it is a program of Python, for `python3`; "
           "`load` "
           "and `save` read and write arrays here";
  if (root == "scipy" || root == "ml_dtypes")
    return "; NumPy's and JAX's functions are here: `import numpy as np`, `import jax.numpy as jnp`";
  if (root == "flax" || root == "optax" || root == "haiku" || root == "equinox")
    return "; models are functions of arrays here: `import jax`, `import jax.numpy as jnp`";
  if (root == "matplotlib" || root == "pandas")
    return "; `print` and `show` show arrays and layouts";
  if (root == "pytest" || root == "unittest" || root == "absl")
    return "; use `assert` and `np.testing.assert_allclose`, and call the functions at the end of the file";
  return {};
}

static Result<Value> moduleOf(Evaluator &evaluator, const std::string &path, const Span &span) {
  if (path == "random") // a builtin has the name already
    return *evaluator.builtin("_random");
  size_t dot = path.find('.');
  const Value *root = evaluator.builtin(path.substr(0, dot));
  auto isModule = [](const Value *value) { return value && value->asObject() && value->typeName() == "module"; };
  if (!isModule(root)) {
    std::string near(layouts::nearest(path, moduleNames(evaluator)));
    std::string_view instead = insteadOf(path.substr(0, dot));
    return error("import", span,
                 text("there is no module `", path, "` here", instead,
                      !instead.empty() || near.empty() ? std::string() : text("; did you mean `", near, "`?")));
  }
  Value module = *root;
  while (dot != std::string::npos) {
    size_t next = path.find('.', dot + 1);
    auto part =
        evaluator.attribute(module, path.substr(dot + 1, next == std::string::npos ? next : next - dot - 1), span);
    if (!part)
      return error("import", span, part.error().front().message);
    module = std::move(*part);
    dot = next;
  }
  return module;
}

namespace {

/// A name out of JAX's inside: files import it, and mostly for what they do not need here.
class InsideOfJax final : public Object {
public:
  explicit InsideOfJax(std::string path) : path_(std::move(path)) {}
  std::string typeName() const override { return "module"; }
  std::string repr() const override { return "<" + path_ + ">"; }
  Result<Value> attribute(Context &context, const std::string &) override { return missing(context); }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &) override { return missing(context); }

private:
  std::unexpected<Diagnostics> missing(const Context &context) const {
    return context.fail("no-attribute", text("`", path_,
                                             "` is of JAX's inside, which is not here; what `jax`, `jax.numpy` "
                                             "and `jax.experimental.pallas` have is"));
  }
  std::string path_;
};

} // namespace

Result<Flow> Interpreter::import(const ImportStmt &statement) {
  if (statement.from == "__future__")
    return Flow::Normal; // its features are Python's ways by now
  if (statement.from == "jax._src" || statement.from.starts_with("jax._src.")) {
    auto module = moduleOf(evaluator_, statement.from, span(statement.fromRange));
    for (const ImportStmt::Item &item : statement.items) {
      auto known = module ? evaluator_.attribute(*module, item.name, span(item.range)) : Result<Value>(module);
      bind(item.as,
           known ? std::move(*known) : Value(std::make_shared<InsideOfJax>(text(statement.from, ".", item.name))));
    }
    return Flow::Normal;
  }
  if (!statement.from.empty()) {
    Value module = LANESCOPE_TRY(moduleOf(evaluator_, statement.from, span(statement.fromRange)));
    for (const ImportStmt::Item &item : statement.items) {
      auto value = evaluator_.attribute(module, item.name, span(item.range));
      if (!value)
        return error("import", span(item.range), value.error().front().message);
      bind(item.as, std::move(*value));
    }
    return Flow::Normal;
  }
  for (const ImportStmt::Item &item : statement.items) {
    Value module = LANESCOPE_TRY(moduleOf(evaluator_, item.name, span(item.range)));
    if (item.as.empty()) {
      std::string root = item.name.substr(0, item.name.find('.'));
      const Value *known = evaluator_.builtin(root);
      if (item.name != root && (!known || known->typeName() != "module"))
        return fail(item.range, "import",
                    text("a file in a folder gets a name of its own: `import ", item.name, " as ",
                         item.name.substr(item.name.rfind('.') + 1), "`"));
      bind(root, item.name == root ? std::move(module) : *known);
    } else {
      bind(item.as, std::move(module));
    }
  }
  return Flow::Normal;
}

} // namespace lanescope::repl
