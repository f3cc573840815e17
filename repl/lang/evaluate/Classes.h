// Dataclasses of a snippet: fields and methods.
//
//   @dataclass(frozen=True)
//   class Ring:                Ring is a ClassValue; Ring(slots=3) an InstanceValue. Its fields are a dict, so that
//     slots: int = 2           changing one is undone as any other change is
//     def bytes(self): …
//
// They do not inherit or define operators; a program that needs more is written in Python.
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

#include <map>
#include <string>
#include <vector>

namespace lanescope::repl {

class ClassValue final : public Object {
public:
  struct Field {
    std::string name;
    std::optional<Value> value; // the default
    bool factory = false;       // true if the default is a function that is called for each instance
    bool init = true;           // true for a parameter of the constructor
    Span span;
    bool shown = true, compared = true; // shown: the instance's text contains the field; compared: `==` compares it
  };
  std::string name, doc;
  bool dataclass = false, frozen = false, equality = true, ordered = false;
  std::vector<Field> fields;
  std::map<std::string, Value, std::less<>> attributes; // methods and constants
  Span span;

  std::string typeName() const override { return "class"; }
  std::string repr() const override { return "<class '" + name + "'>"; }
  std::string key() const override;
  bool callable() const override { return true; }
  /// Makes an instance, with the fields from the arguments.
  Result<Value> call(Context &context, const Arguments &arguments) override;
  Result<Value> attribute(Context &context, const std::string &attribute) override;
  std::vector<std::string> members() const override;
};

class InstanceValue final : public Object {
public:
  InstanceValue(std::shared_ptr<ClassValue> type, Value fields) : type_(std::move(type)), fields_(std::move(fields)) {}
  /// Destroys the instance without recursion, however deep instances nest.
  ~InstanceValue() override;
  const std::shared_ptr<ClassValue> &type() const { return type_; }
  /// The fields as a dict, in the order of the class.
  const Value &fields() const { return fields_; }

  std::string typeName() const override { return type_->name; }
  std::string repr() const override;
  std::string key() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  Result<void> setAttribute(Context &context, const std::string &name, const Arg &value) override;
  std::vector<std::string> members() const override;
  Result<bool> truth(Context &) override { return true; }
  Result<std::optional<Value>> compare(Context &context, CompareOp op, const Arg &other) override;

private:
  /// The fields that `==` and the class's ordering compare.
  std::vector<Value> comparedItems() const;
  std::shared_ptr<ClassValue> type_;
  Value fields_;
};

/// The value of `object.method`. A call inserts the object before the arguments.
class BoundMethod final : public Object {
public:
  BoundMethod(Value function, Value self) : function_(std::move(function)), self_(std::move(self)) {}
  const Value &self() const { return self_; }
  std::string typeName() const override { return "method"; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override;
  Result<Value> attribute(Context &context, const std::string &name) override;

private:
  Value function_, self_;
};

/// The result of `property` for a method, and of `field(…)` for a field.
class Marked final : public Object {
public:
  enum class Kind : uint8_t { Property, Field };
  Marked(Kind kind, Value value) : kind(kind), value(std::move(value)) {}
  Kind kind;
  // The function. For a field, the default, or the function that makes it.
  Value value;
  bool hasDefault = true, factory = false, init = true; // these are for a field
  bool shown = true, compared = true;
  std::string typeName() const override { return kind == Kind::Property ? "property" : "field"; }
};

/// The builtins `dataclass`, `field`, `replace`, `property`, `isinstance`, `type`, ….
Builtins classBuiltins();

} // namespace lanescope::repl
