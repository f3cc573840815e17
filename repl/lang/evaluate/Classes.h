// Classes of a snippet: fields, methods, and what they inherit.
//
//   @dataclass(frozen=True)
//   class Ring:                Ring is a ClassValue; Ring(slots=3) an InstanceValue whose fields are a dict, so that
//     slots: int = 2           changing one is undone as any other change is
//
// `@dataclass` and `NamedTuple` make the constructor of the fields; other classes have `__init__`.
//
//   class Tile(Ring): …        Tile's ancestors are [Ring]: what it lacks is looked up there, in this order
//   super().__init__()         a Super: the methods of the ancestors behind the class that the method stands in
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
    bool shown = true, compared = true; // in its text; by `==`
  };
  std::string name, doc;
  Kind kind = Kind::Plain;
  bool frozen = false, equality = false, ordered = false;
  std::vector<Field> fields;
  std::map<std::string, Value, std::less<>> attributes; // methods and constants of its own
  std::vector<std::shared_ptr<ClassValue>> ancestors;   // all that it inherits from, in the order of look-ups
  Span span;

  /// Adds a base with its ancestors; those that were there already move to the end, as Python has it for diamonds.
  void inherit(const std::shared_ptr<ClassValue> &base);
  bool derivesFrom(const ClassValue &other) const;
  /// An attribute of its own or of an ancestor's; null where there is none. With `behind`, only of those behind it.
  const Value *find(std::string_view attribute, const ClassValue *behind = nullptr) const;
  /// The default of an annotated name.
  const Value *defaultOf(std::string_view attribute) const;
  /// The fields of the ancestors that make constructors, then its own; one that is declared again keeps its place.
  void takeFields();
  /// What a class without a decorator takes from an ancestor that makes a constructor.
  void settle();

  std::string typeName() const override { return "class"; }
  std::string repr() const override { return "<class '" + name + "'>"; }
  std::string key() const override;
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override;
  Result<Value> attribute(Context &context, const std::string &attribute) override;
  Result<void> setAttribute(Context &context, const std::string &attribute, const Arg &value) override;
  std::vector<std::string> members() const override;

  /// Runs `__init__`, or fills the fields as the constructor says. With `behind`, that of the ancestors behind it.
  Result<void> construct(Context &context, const Value &instance, const Arguments &arguments,
                         const ClassValue *behind = nullptr);

private:
  Result<void> fill(Context &context, const Value &instance, const Arguments &arguments) const;
  /// Those after which the rest is looked up: itself and its ancestors, or the ancestors behind one.
  std::vector<const ClassValue *> lookedUp(const ClassValue *behind) const;
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
  /// Those that `==` and the order of a dataclass look at.
  std::vector<Value> comparedItems() const;

  std::string typeName() const override { return type_->name; }
  std::string repr() const override;
  std::string str() const override;
  std::string key() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  Result<void> setAttribute(Context &context, const std::string &name, const Arg &value) override;
  std::vector<std::string> members() const override;
  bool callable() const override { return type_->find("__call__"); }
  Result<Value> call(Context &context, const Arguments &arguments) override;
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<void> setItem(Context &context, const Arg &index, const Arg &value) override;
  Result<Value> unary(Context &context, UnaryOp op) override;
  Result<bool> truth(Context &context) override;
  Result<int64_t> length(Context &context) override;
  Result<std::vector<Value>> iterate(Context &context) override;
  Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected) override;
  Result<std::optional<Value>> compare(Context &context, CompareOp op, const Arg &other) override;
  Result<Value> enter(Context &context) override;
  Result<void> exit(Context &context) override;
  Result<bool> exitAfter(Context &context, const Value &exception) override;

  /// An attribute of the class as the instance has it: methods bound to it, properties computed.
  Result<Value> bound(Context &context, const Value &found);

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

/// The class that a method stands in, for `super()`: its name in the methods' scope is `__class__`.
class ClassCell final : public Object {
public:
  std::weak_ptr<Object> type;
  std::string typeName() const override { return "class"; }
};

/// `super()`
class Super final : public Object {
public:
  Super(Value self, std::shared_ptr<Object> behind) : self_(std::move(self)), behind_(std::move(behind)) {}
  std::string typeName() const override { return "super"; }
  Result<Value> attribute(Context &context, const std::string &name) override;

private:
  Value self_;
  std::shared_ptr<Object> behind_; // a ClassValue or an ExceptionClass
};

/// What `property`, `staticmethod`, `classmethod` make of a method, and `dataclasses.field(…)` of a field.
class Marked final : public Object {
public:
  enum class Kind : uint8_t { Property, Static, Class, Field, Abstract };
  Marked(Kind kind, Value value) : kind(kind), value(std::move(value)) {}
  Kind kind;
  Value value;                                          // the function; of a field: its default, or what makes it
  Value setter;                                         // of a property; None: it is only read
  bool hasDefault = true, factory = false, init = true; // of a field
  bool shown = true, compared = true;
  std::string typeName() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
};

/// `value` is of the type that `type` names: a class, an exception, `int`, …; error where `type` is none of these.
Result<bool> isInstance(Context &context, const Value &value, const Arg &type);

/// `property`, `staticmethod`, `classmethod`, `isinstance`, `type`, …
Builtins classBuiltins();

} // namespace lanescope::repl
