// Exceptions: what `raise` raises and `except` catches.
//
//   raise ValueError("no")     a Diagnostic of kind "raised", `ValueError: no`, with the value beside it in the
//   evaluator except ValueError as e:    catches it, and the errors of the language that Python gives that name
//   ("value", …)
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

class ExceptionClass final : public Object {
public:
  ExceptionClass(std::string name, std::shared_ptr<const ExceptionClass> parent)
      : name_(std::move(name)), parent_(std::move(parent)) {}
  const std::string &name() const { return name_; }
  /// It, or one that it derives from.
  bool derivesFrom(const ExceptionClass &other) const;
  std::string typeName() const override { return "exception class"; }
  std::string repr() const override { return "<class '" + name_ + "'>"; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override;
  Result<Value> attribute(Context &context, const std::string &attribute) override;

private:
  std::string name_;
  std::shared_ptr<const ExceptionClass> parent_;
};

class ExceptionValue final : public Object {
public:
  ExceptionValue(std::shared_ptr<const ExceptionClass> type, std::vector<Value> arguments)
      : type_(std::move(type)), arguments_(std::move(arguments)) {}
  const ExceptionClass &type() const { return *type_; }
  const std::vector<Value> &arguments() const { return arguments_; }
  std::string typeName() const override { return type_->name(); }
  std::string repr() const override;
  std::string str() const override;
  Result<Value> attribute(Context &context, const std::string &attribute) override;

private:
  std::shared_ptr<const ExceptionClass> type_;
  std::vector<Value> arguments_;
};

/// Whether it is a SystemExit of a program that did what it should: `sys.exit()`, `sys.exit(0)`.
bool isGoodExit(const Value &exception);

/// Python's exceptions, by name.
const std::vector<std::shared_ptr<const ExceptionClass>> &exceptionClasses();
Builtins exceptionBuiltins();

} // namespace lanescope::repl
