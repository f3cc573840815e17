#include "repl/lang/evaluate/Exceptions.h"

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

Result<Value> ExceptionClass::call(Context &context, const Arguments &arguments) {
  if (!arguments.keyword.empty())
    return context.fail("arguments", text("`", name_, "` takes its arguments by position"));
  std::vector<Value> values;
  for (const Arg &argument : arguments.positional)
    values.push_back(argument.value);
  return Value(std::make_shared<ExceptionValue>(std::static_pointer_cast<const ExceptionClass>(shared_from_this()),
                                                std::move(values)));
}

Result<Value> ExceptionClass::attribute(Context &context, const std::string &attribute) {
  if (attribute == "__name__")
    return Value(name_);
  return Object::attribute(context, attribute);
}

std::string ExceptionValue::repr() const {
  std::vector<std::string> parts;
  for (const Value &argument : arguments_)
    parts.push_back(lanescope::repl::repr(argument));
  return text(type_->name(), "(", joined(parts, ", "), ")");
}

std::string ExceptionValue::str() const {
  return arguments_.empty()       ? std::string()
         : arguments_.size() == 1 ? lanescope::repl::str(arguments_[0])
                                  : lanescope::repl::repr(Value::tuple(arguments_));
}

Result<Value> ExceptionValue::attribute(Context &context, const std::string &attribute) {
  if (attribute == "args")
    return Value::tuple(arguments_);
  if (attribute == "code" && type_->name() == "SystemExit")
    return arguments_.empty() ? Value() : arguments_.front();
  return Object::attribute(context, attribute);
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

/// The `try` with its `except` and `else`.
Result<Flow> Interpreter::handled(const TryStmt &statement) {
  size_t frames = evaluator_.frames_.size();
  Result<Flow> flow = execute(statement.body);
  if (flow)
    return *flow == Flow::Normal ? execute(statement.orElse) : *flow;
  evaluator_.frames_.resize(std::min(frames, evaluator_.frames_.size()));
  Diagnostics failed = std::move(flow.error());
  std::string kind = failed.front().kind;
  // What is not for programs to catch: the user's stop, and limits of the session.
  if (kind == "interrupted" || kind == "out-of-memory" || kind == "too-large" || kind == "too-long")
    return std::unexpected(std::move(failed));
  if (evaluator_.staging_) // part of the body is in the kernel already
    return std::unexpected(std::move(failed));
  Value exception;
  std::vector<std::shared_ptr<const ExceptionClass>> types;
  if (kind == "raised" && evaluator_.raised_) {
    exception = *evaluator_.raised_;
  } else {
    for (std::string_view name : pythonNames(kind))
      types.push_back(*std::ranges::find(exceptionClasses(), name,
                                         [](const auto &type) -> std::string_view { return type->name(); }));
    exception = Value(std::make_shared<ExceptionValue>(types.front(), std::vector{Value(failed.front().message)}));
  }
  auto catches = [&](const Value &type) {
    const auto *wanted = type.as<ExceptionClass>();
    if (!wanted)
      return false;
    if (types.empty())
      return exception.as<ExceptionValue>()->type().derivesFrom(*wanted);
    return std::ranges::any_of(types, [&](const auto &one) { return one->derivesFrom(*wanted); });
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
      bind(handler.name, exception);
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
