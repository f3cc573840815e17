// Classes of a snippet: fields and methods, without inheritance.
//
//   @dataclass(frozen=True)
//   class Ring:                Ring is a ClassValue; Ring(slots=3) an InstanceValue whose fields are a dict, so that
//     slots: int = 2           changing one is undone as any other change is
//
// `@dataclass` and `NamedTuple` make the constructor of the fields; other classes have `__init__`.
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

#include <map>
#include <string>
#include <vector>

namespace lanescope::repl {

class ClassValue final : public Object {
public:
  enum class Kind : uint8_t { Plain, Dataclass, NamedTuple };
  struct Field {
    std::string name;
    std::optional<Value> value; // the default
    bool factory = false;       // the default is called for each instance
    bool init = true;           // a parameter of the constructor
    Span span;
  };
  std::string name, doc;
  Kind kind = Kind::Plain;
  bool frozen = false, equality = false;
  std::vector<Field> fields;
  std::map<std::string, Value, std::less<>> attributes; // methods and constants
  Span span;

  std::string typeName() const override { return "class"; }
  std::string repr() const override { return "<class '" + name + "'>"; }
  std::string key() const override;
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override;
  Result<Value> attribute(Context &context, const std::string &attribute) override;
  Result<void> setAttribute(Context &context, const std::string &attribute, const Arg &value) override;
  std::vector<std::string> members() const override;

private:
  Result<void> construct(Context &context, const Value &instance, const Arguments &arguments);
};

class InstanceValue final : public Object {
public:
  InstanceValue(std::shared_ptr<ClassValue> type, Value fields) : type_(std::move(type)), fields_(std::move(fields)) {}
  /// Without recursion, however deep instances nest.
  ~InstanceValue() override;
  const std::shared_ptr<ClassValue> &type() const { return type_; }
  /// A dict, in the order of the class.
  const Value &fields() const { return fields_; }
  /// In that order.
  std::vector<Value> items() const;

  std::string typeName() const override { return type_->name; }
  std::string repr() const override;
  std::string str() const override;
  std::string key() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  Result<void> setAttribute(Context &context, const std::string &name, const Arg &value) override;
  std::vector<std::string> members() const override;
  bool callable() const override { return type_->attributes.contains("__call__"); }
  Result<Value> call(Context &context, const Arguments &arguments) override;
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<bool> truth(Context &context) override;
  Result<int64_t> length(Context &context) override;
  Result<std::vector<Value>> iterate(Context &context) override;
  Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected) override;
  Result<std::optional<Value>> compare(Context &context, CompareOp op, const Arg &other) override;
  Result<Value> enter(Context &context) override;
  Result<void> exit(Context &context) override;

private:
  friend class ClassValue;
  /// Calls a method by name; nothing where the class lacks it.
  Result<std::optional<Value>> method(Context &context, std::string_view name, std::vector<Arg> arguments);
  std::optional<std::string> ownText(const std::string &method) const;
  std::shared_ptr<ClassValue> type_;
  Value fields_;
};

/// `object.method`: called with the object before the arguments.
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

/// What `property`, `staticmethod`, `classmethod` make of a method, and `dataclasses.field(…)` of a field.
class Marked final : public Object {
public:
  enum class Kind : uint8_t { Property, Static, Class, Field };
  Marked(Kind kind, Value value) : kind(kind), value(std::move(value)) {}
  Kind kind;
  Value value;                                          // the function; of a field: its default, or what makes it
  bool hasDefault = true, factory = false, init = true; // of a field
  std::string typeName() const override;
};

/// `value` is of the type that `type` names: a class, an exception, `int`, …; error where `type` is none of these.
Result<bool> isInstance(Context &context, const Value &value, const Arg &type);

/// `property`, `staticmethod`, `classmethod`, `isinstance`, `type`, …
Builtins classBuiltins();

} // namespace lanescope::repl
