#include "repl/lang/evaluate/Exceptions.h"
#include "repl/lang/evaluate/Classes.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Interpreter.h"

#include <algorithm>

namespace lanescope::repl {

using Flow = Interpreter::Flow;

bool ExceptionClass::derivesFrom(const ExceptionClass &other) const {
  for (const ExceptionClass *type = this; type; type = type->parent_.get())
    if (type->name_ == other.name_)
      return true;
  return false;
}

const Value *ExceptionClass::find(std::string_view attribute, const ExceptionClass *behind) const {
  bool looks = !behind;
  for (const ExceptionClass *type = this; type; type = type->parent_.get()) {
    if (const Value *found = looks && type->body_ ? type->body_->find(attribute) : nullptr)
      return found;
    looks |= type == behind;
  }
  return nullptr;
}

Result<Value> ExceptionClass::call(Context &context, const Arguments &arguments) {
  const Value *init = find("__init__");
  if (!init && !arguments.keyword.empty())
    return context.fail("arguments", text("`", name_, "` takes its arguments by position"));
  std::vector<Value> values;
  for (const Arg &argument : arguments.positional)
    values.push_back(argument.value);
  auto made = std::make_shared<ExceptionValue>(std::static_pointer_cast<const ExceptionClass>(shared_from_this()),
                                               std::move(values));
  if (init) {
    Value method = LANESCOPE_TRY(made->bound(context, *init));
    LANESCOPE_CHECK(context.evaluator.call(method, arguments, context.span));
  }
  return Value(std::move(made));
}

Result<Value> ExceptionClass::attribute(Context &context, const std::string &attribute) {
  if (attribute == "__name__")
    return Value(name_);
  if (const Value *found = find(attribute))
    return *found;
  return Object::attribute(context, attribute);
}

std::string ExceptionValue::repr() const {
  std::vector<std::string> parts;
  for (const Value &argument : arguments_)
    parts.push_back(lanescope::repl::repr(argument));
  return text(type_->name(), "(", joined(parts, ", "), ")");
}

std::string ExceptionValue::str() const {
  if (const Value *own = type_->find("__str__"); own && Evaluator::running()) {
    Arguments self;
    self.positional.push_back({Value(std::const_pointer_cast<Object>(shared_from_this())), {}});
    if (Result<Value> said = Evaluator::running()->call(*own, self, {}); said && said->asStr())
      return *said->asStr();
  }
  return plainText();
}

std::string ExceptionValue::plainText() const {
  if (told)
    return *told;
  static const ExceptionClass kKeyError("KeyError", nullptr);
  if (arguments_.size() == 1 && type_->derivesFrom(kKeyError)) // Python writes the key, as it is written
    return lanescope::repl::repr(arguments_[0]);
  return arguments_.empty()       ? std::string()
         : arguments_.size() == 1 ? lanescope::repl::str(arguments_[0])
                                  : lanescope::repl::repr(Value::tuple(arguments_));
}

Result<Value> ExceptionValue::attribute(Context &context, const std::string &attribute) {
  if (attribute == "args")
    return Value::tuple(arguments_);
  if (attribute == "code" && type_->name() == "SystemExit")
    return arguments_.empty() ? Value() : arguments_.front();
  if (const Value *field = fields_.find(std::string_view(attribute)))
    return *field;
  if (attribute == "__cause__" || attribute == "__context__")
    return cause;
  if (attribute == "__class__")
    return Value(std::const_pointer_cast<ExceptionClass>(type_));
  if (attribute == "with_traceback")
    return BuiltinValue::make(
        {.name = attribute,
         .signature = attribute + "(value)",
         .doc = "The exception as it is.",
         .call = [](Context &, const BoundArguments &args) -> Result<Value> { return *args.self; }},
        Value(shared_from_this()));
  if (const Value *found = type_->find(attribute))
    return bound(context, *found);
  return Object::attribute(context, attribute);
}

Result<Value> ExceptionValue::bound(Context &context, const Value &found) {
  Value self(shared_from_this());
  const auto *marked = found.as<Marked>();
  if (marked && marked->kind == Marked::Kind::Property) {
    Arguments arguments;
    arguments.positional.push_back({self, context.span});
    return context.evaluator.call(marked->value, arguments, context.span);
  }
  if (marked)
    return marked->value;
  return found.asFunction() ? Value(std::make_shared<BoundMethod>(found, self)) : found;
}

Result<void> ExceptionValue::setAttribute(Context &context, const std::string &attribute, const Arg &value) {
  fields_.set(Value(attribute), value.value);
  return {};
}

Result<Value> inheritedOf(Context &context, const Value &self, const std::shared_ptr<Object> &behind,
                          const std::string &name) {
  auto *exception = self.as<ExceptionValue>();
  const auto *type = dynamic_cast<const ExceptionClass *>(behind.get());
  if (!exception || !type)
    return context.fail("no-attribute", text("`super()` has no `", name, "` here"));
  if (const Value *found = exception->type().find(name, type))
    return exception->bound(context, *found);
  if (name == "__init__")
    return BuiltinValue::make({.name = "__init__",
                               .signature = "__init__(*arguments)",
                               .doc = "Keeps what the exception tells.",
                               .call = [](Context &, const BoundArguments &args) -> Result<Value> {
                                 std::vector<Value> values;
                                 for (const Arg &argument : args.rest())
                                   values.push_back(argument.value);
                                 args.self->as<ExceptionValue>()->setArguments(std::move(values));
                                 return Value();
                               }},
                              self);
  if (name == "__str__" || name == "__repr__") {
    std::string plain = name == "__repr__" ? exception->repr() : exception->plainText();
    return BuiltinValue::make(
        {.name = name,
         .signature = name + "()",
         .doc = "Its text.",
         .call = [plain](Context &, const BoundArguments &) -> Result<Value> { return Value(plain); }});
  }
  return context.fail("no-attribute", text("what `", type->name(), "` inherits from has no `", name, "`"));
}

const std::vector<std::shared_ptr<const ExceptionClass>> &exceptionClasses() {
  // Each after its parent (Python's library reference, "Exception hierarchy").
  static constexpr std::pair<std::string_view, std::string_view> kTable[] = {
      {"BaseException", ""},
      {"SystemExit", "BaseException"},
      {"KeyboardInterrupt", "BaseException"},
      {"Exception", "BaseException"},
      {"ArithmeticError", "Exception"},
      {"ZeroDivisionError", "ArithmeticError"},
      {"OverflowError", "ArithmeticError"},
      {"FloatingPointError", "ArithmeticError"},
      {"AssertionError", "Exception"},
      {"AttributeError", "Exception"},
      {"FrozenInstanceError", "AttributeError"},
      {"ImportError", "Exception"},
      {"ModuleNotFoundError", "ImportError"},
      {"LookupError", "Exception"},
      {"IndexError", "LookupError"},
      {"KeyError", "LookupError"},
      {"NameError", "Exception"},
      {"OSError", "Exception"},
      {"FileNotFoundError", "OSError"},
      {"RuntimeError", "Exception"},
      {"NotImplementedError", "RuntimeError"},
      {"RecursionError", "RuntimeError"},
      {"StopIteration", "Exception"},
      {"TypeError", "Exception"},
      {"ValueError", "Exception"},
  };
  static const auto kClasses = [] {
    std::vector<std::shared_ptr<const ExceptionClass>> out;
    for (auto [name, parent] : kTable) {
      auto found = std::ranges::find(out, parent, [](const auto &type) { return std::string_view(type->name()); });
      out.push_back(std::make_shared<ExceptionClass>(std::string(name), found == out.end() ? nullptr : *found));
    }
    return out;
  }();
  return kClasses;
}

bool isGoodExit(const Value &exception) {
  const auto *raised = exception.as<ExceptionValue>();
  if (!raised || raised->type().name() != "SystemExit")
    return false;
  return raised->arguments().empty() || raised->arguments()[0].isNone() || raised->arguments()[0].integer() == 0;
}

/// What Python calls the error of a kind; several where JAX and NumPy use one or the other.
static std::vector<std::string_view> pythonNames(std::string_view kind) {
  if (kind == "type" || kind == "arguments")
    return {"TypeError"};
  if (kind == "shape-mismatch" || kind == "dtype-mismatch")
    return {"ValueError", "TypeError"};
  if (kind == "value" || kind == "unpack" || kind == "range" || kind == "kernel")
    return {"ValueError"};
  if (kind == "index-range" || kind == "out-of-bounds")
    return {"IndexError"};
  if (kind == "key")
    return {"KeyError"};
  if (kind == "assertion")
    return {"AssertionError"};
  if (kind == "unknown-name" || kind == "unbound-name")
    return {"NameError"};
  if (kind == "no-attribute")
    return {"AttributeError"};
  if (kind == "frozen")
    return {"FrozenInstanceError", "TypeError"};
  if (kind == "import")
    return {"ModuleNotFoundError"};
  if (kind == "division-by-zero" || kind == "arithmetic")
    return {"ZeroDivisionError"};
  if (kind == "integer-overflow")
    return {"OverflowError"};
  if (kind == "no-item")
    return {"StopIteration"};
  if (kind == "unsupported")
    return {"NotImplementedError"};
  if (kind == "recursion")
    return {"RecursionError"};
  return {"RuntimeError"};
}

Builtins exceptionBuiltins() {
  Builtins out;
  for (const auto &type : exceptionClasses())
    out.push_back({.name = type->name(),
                   .doc = text("An exception, for `raise ", type->name(), "(\"…\")` and `except ", type->name(), ":`."),
                   .constant = Value(std::const_pointer_cast<ExceptionClass>(type)),
                   .group = "exceptions"});
  return out;
}

//===------------------------------------ statements --------------------------------------------------------------===//

Result<Flow> Interpreter::raise(const RaiseStmt &statement) {
  if (!statement.value) {
    if (evaluator_.handled_.empty())
      return fail(statement.range, "syntax", "`raise` alone stands in an `except` block: it raises what that handles");
    return std::unexpected(evaluator_.handled_.back());
  }
  Value value = LANESCOPE_TRY(evaluate(*statement.value));
  if (auto type = value.ref<ExceptionClass>()) {
    Context place = context(statement.value->range);
    value = LANESCOPE_TRY(type->call(place, {}));
  }
  const auto *exception = value.as<ExceptionValue>();
  if (!exception)
    return fail(statement.value->range, "type",
                text("`raise` takes an exception such as `ValueError(\"…\")`, not `", value.typeName(), "`"));
  if (statement.cause)
    value.as<ExceptionValue>()->cause = LANESCOPE_TRY(evaluate(*statement.cause));
  evaluator_.raised_ = value;
  std::string told = exception->str();
  return fail(statement.range, "raised", text(exception->type().name(), told.empty() ? "" : ": ", told));
}

Result<Flow> Interpreter::attempt(const TryStmt &statement) {
  Result<Flow> flow = handled(statement);
  if (statement.finally.empty() || (!flow && flow.error().front().kind == "interrupted"))
    return flow;
  std::optional<Value> raised = evaluator_.raised_;
  Value result = returned_;
  Flow after = LANESCOPE_TRY(execute(statement.finally));
  if (after != Flow::Normal)
    return after;
  evaluator_.raised_ = std::move(raised);
  returned_ = std::move(result);
  return flow;
}

/// What Python's exception of an error tells, where programs rely on it: the text of an assertion, the key that a dict
/// lacks.
static std::string toldBy(const Diagnostic &failed) {
  std::string_view message = failed.message;
  static constexpr std::string_view kAssertion = "assertion `", kBetween = "` does not hold",
                                    kNoKey = "the dict has no key ";
  if (failed.kind == "assertion" && message.starts_with(kAssertion)) {
    message.remove_prefix(std::min(message.find(kBetween) + kBetween.size(), message.size()));
    return std::string(message.starts_with(": ") ? message.substr(2) : message);
  }
  if (failed.kind == "key" && message.starts_with(kNoKey))
    return std::string(message.substr(kNoKey.size(), message.find("; did you mean") - kNoKey.size()));
  return std::string(message);
}

std::optional<Interpreter::Caught> Interpreter::caught(const Diagnostics &failed) const {
  const std::string &kind = failed.front().kind;
  // What is not for programs to catch: the user's stop, and limits of the session.
  if (kind == "interrupted" || kind == "out-of-memory" || kind == "too-large" || kind == "too-long")
    return std::nullopt;
  if (evaluator_.staging_) // part of the body is in the kernel already
    return std::nullopt;
  if (kind == "raised" && evaluator_.raised_)
    return Caught{*evaluator_.raised_, {evaluator_.raised_->as<ExceptionValue>()->typeRef()}};
  Caught out;
  for (std::string_view name : pythonNames(kind))
    out.types.push_back(*std::ranges::find(exceptionClasses(), name,
                                           [](const auto &type) -> std::string_view { return type->name(); }));
  std::string told = toldBy(failed.front());
  std::vector<Value> arguments;
  if (!told.empty())
    arguments.emplace_back(told);
  auto exception = std::make_shared<ExceptionValue>(out.types.front(), std::move(arguments));
  exception->told = std::move(told);
  out.value = Value(std::move(exception));
  return out;
}

/// The `try` with its `except` and `else`.
Result<Flow> Interpreter::handled(const TryStmt &statement) {
  size_t frames = evaluator_.frames_.size();
  Result<Flow> flow = execute(statement.body);
  if (flow)
    return *flow == Flow::Normal ? execute(statement.orElse) : *flow;
  evaluator_.frames_.resize(std::min(frames, evaluator_.frames_.size()));
  Diagnostics failed = std::move(flow.error());
  std::optional<Caught> exception = caught(failed);
  if (!exception)
    return std::unexpected(std::move(failed));
  auto catches = [&](const Value &type) {
    const auto *wanted = type.as<ExceptionClass>();
    if (!wanted)
      return false;
    return std::ranges::any_of(exception->types, [&](const auto &one) { return one->derivesFrom(*wanted); });
  };
  for (const TryStmt::Handler &handler : statement.handlers) {
    bool matches = !handler.type;
    if (handler.type) {
      Value type = LANESCOPE_TRY(evaluate(*handler.type));
      std::vector<Value> several = type.asTuple() ? *type.asTuple() : std::vector{type};
      for (const Value &one : several)
        if (!one.as<ExceptionClass>())
          return fail(handler.type->range, "type",
                      text("`except` names exceptions, such as `ValueError`, not `", one.typeName(), "`"));
      matches = std::ranges::any_of(several, catches);
    }
    if (!matches)
      continue;
    if (!handler.name.empty())
      bind(handler.name, exception->value);
    evaluator_.handled_.push_back(std::move(failed));
    Result<Flow> reaction = execute(handler.body);
    evaluator_.handled_.pop_back();
    if (!handler.name.empty())
      unbind(handler.name);
    return reaction;
  }
  return std::unexpected(std::move(failed));
}

} // namespace lanescope::repl
