// Classes that derive from Python's Enum and IntEnum, and their members.
//
//   class Side(enum.IntEnum):
//     LEFT = 0
//   Side.LEFT.name, Side(0), Side["LEFT"], list(Side)      # a member of IntEnum counts as its int
#pragma once

#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

/// What the members of a class share.
struct EnumType {
  std::string name, doc;
  bool integers = false;                             // IntEnum
  std::map<std::string, Value, std::less<>> methods; // functions
};

class EnumMember final : public Object {
public:
  EnumMember(std::shared_ptr<const EnumType> type, std::string name, Value value)
      : name(std::move(name)), value(std::move(value)), type_(std::move(type)) {}
  const std::string name;
  const Value value;

  std::string typeName() const override { return type_->name; }
  std::string repr() const override;
  std::string str() const override;
  std::string key() const override;
  std::vector<std::string> members() const override { return {"name", "value"}; }
  Result<Value> attribute(Context &context, const std::string &attribute) override;
  std::optional<Value> countsAs() const override { return type_->integers ? std::optional(value) : std::nullopt; }
  Result<bool> truth(Context &context) override;
  Result<Value> unary(Context &context, UnaryOp op) override;
  Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected) override;
  Result<std::optional<Value>> compare(Context &context, CompareOp op, const Arg &other) override;

private:
  std::shared_ptr<const EnumType> type_;
};

class EnumClass final : public Object {
public:
  explicit EnumClass(EnumType type) : type_(std::make_shared<EnumType>(std::move(type))) {}
  /// `value` may be what `enum.auto()` gave. Errors: the name is taken, an IntEnum's value is no int.
  Result<void> add(std::string name, Value value, const Span &span);
  EnumType &type() { return *type_; }

  std::string typeName() const override { return "class"; }
  std::string repr() const override { return "<enum '" + type_->name + "'>"; }
  std::string key() const override;
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override;
  Result<Value> attribute(Context &context, const std::string &attribute) override;
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<std::vector<Value>> iterate(Context &context) override;
  Result<int64_t> length(Context &context) override { return static_cast<int64_t>(members_.size()); }
  std::vector<std::string> members() const override;

private:
  const std::shared_ptr<EnumMember> *find(std::string_view name) const;
  std::shared_ptr<EnumType> type_;
  std::vector<std::shared_ptr<EnumMember>> members_;
};

/// `Enum`, `IntEnum`, `auto`, `unique`: Python's module enum.
Builtins enumNatives();

} // namespace lanescope::repl
