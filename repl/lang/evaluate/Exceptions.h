// Exceptions: what `raise` raises and `except` catches.
//
//   raise ValueError("no")     a Diagnostic of kind "raised", `ValueError: no`, with the value beside it in the
//   evaluator except ValueError as e:    catches it, and the errors of the language that Python gives that name
//   ("value", …)
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

class ClassValue;

class ExceptionClass final : public Object {
public:
  /// `body` (may be null): the methods and constants that a program's own exception has.
  ExceptionClass(std::string name, std::shared_ptr<const ExceptionClass> parent,
                 std::shared_ptr<ClassValue> body = nullptr)
      : name_(std::move(name)), parent_(std::move(parent)), body_(std::move(body)) {}
  const std::string &name() const { return name_; }
  /// An attribute of its own body or of those that it derives from; with `behind`, only of those behind that one.
  const Value *find(std::string_view attribute, const ExceptionClass *behind = nullptr) const;
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
  std::shared_ptr<ClassValue> body_;
};

class ExceptionValue final : public Object {
public:
  ExceptionValue(std::shared_ptr<const ExceptionClass> type, std::vector<Value> arguments)
      : type_(std::move(type)), arguments_(std::move(arguments)) {}
  const ExceptionClass &type() const { return *type_; }
  const std::shared_ptr<const ExceptionClass> &typeRef() const { return type_; }
  const std::vector<Value> &arguments() const { return arguments_; }
  std::string typeName() const override { return type_->name(); }
  std::string repr() const override;
  std::string str() const override;
  Result<Value> attribute(Context &context, const std::string &attribute) override;
  Result<void> setAttribute(Context &context, const std::string &attribute, const Arg &value) override;
  /// An attribute of the class as the instance has it.
  Result<Value> bound(Context &context, const Value &found);
  /// Its text without a `__str__` of its own.
  std::string plainText() const;
  void setArguments(std::vector<Value> arguments) { arguments_ = std::move(arguments); }
  /// What it was raised `from`.
  Value cause;
  /// The text of an error of the language, where it differs from that of the arguments.
  std::optional<std::string> told;

private:
  std::shared_ptr<const ExceptionClass> type_;
  std::vector<Value> arguments_;
  DictData fields_; // what its methods have set
};

/// What `super()` in a method of an exception finds behind the class `behind`.
Result<Value> inheritedOf(Context &context, const Value &self, const std::shared_ptr<Object> &behind,
                          const std::string &name);

/// Whether it is a SystemExit of a program that did what it should: `sys.exit()`, `sys.exit(0)`.
bool isGoodExit(const Value &exception);

/// Python's exceptions, by name.
const std::vector<std::shared_ptr<const ExceptionClass>> &exceptionClasses();
Builtins exceptionBuiltins();

} // namespace lanescope::repl
