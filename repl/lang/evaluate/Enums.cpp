#include "repl/lang/evaluate/Enums.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Classes.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

/// `enum.auto()`: one more than the value before.
class AutoValue final : public Object {
public:
  std::string typeName() const override { return "auto"; }
};

} // namespace

std::string EnumMember::repr() const {
  return text("<", type_->name, ".", name, ": ", lanescope::repl::repr(value), ">");
}
std::string EnumMember::str() const {
  return type_->integers ? lanescope::repl::str(value) : text(type_->name, ".", name);
}
std::string EnumMember::key() const { return text("enum ", reinterpret_cast<uintptr_t>(type_.get()), ".", name); }

Result<Value> EnumMember::attribute(Context &context, const std::string &attribute) {
  if (attribute == "name")
    return Value(name);
  if (attribute == "value")
    return value;
  if (auto method = type_->methods.find(attribute); method != type_->methods.end())
    return Value(std::make_shared<BoundMethod>(method->second, Value(shared_from_this())));
  return Object::attribute(context, attribute);
}

Result<bool> EnumMember::truth(Context &context) {
  return type_->integers ? context.evaluator.truth(value, context.span) : true;
}
Result<Value> EnumMember::unary(Context &context, UnaryOp op) {
  return type_->integers ? context.evaluator.unary(op, {value, context.span}, context.span)
                         : Object::unary(context, op);
}
Result<std::optional<Value>> EnumMember::binary(Context &context, BinaryOp op, const Arg &other, bool reflected) {
  if (!type_->integers)
    return std::nullopt;
  Arg mine{value, context.span};
  return LANESCOPE_TRY(reflected ? context.evaluator.binary(op, other, mine, context.span)
                                 : context.evaluator.binary(op, mine, other, context.span));
}
Result<std::optional<Value>> EnumMember::compare(Context &context, CompareOp op, const Arg &other) {
  if (!type_->integers)
    return std::nullopt;
  return LANESCOPE_TRY(
      context.evaluator.compare(op, {value, context.span}, {other.value.plain(), other.span}, context.span));
}

Result<void> EnumClass::add(std::string name, Value value, const Span &span) {
  if (find(name))
    return error("value", span, text("`", type_->name, "` has two members called `", name, "`"));
  if (value.as<AutoValue>()) {
    auto last = members_.empty() ? std::optional<int64_t>(0) : members_.back()->value.integer();
    if (!last)
      return error("value", span, text("`auto()` counts on from an int, and `", members_.back()->name, "` is none"));
    value = *last + 1;
  }
  if (type_->integers && !value.integer())
    return error("type", span, text("a member of an `IntEnum` is an int, not `", value.typeName(), "`"));
  members_.push_back(std::make_shared<EnumMember>(type_, std::move(name), std::move(value)));
  return {};
}

const std::shared_ptr<EnumMember> *EnumClass::find(std::string_view name) const {
  auto found = std::ranges::find(members_, name, [](const auto &member) { return std::string_view(member->name); });
  return found == members_.end() ? nullptr : &*found;
}

std::string EnumClass::key() const { return text("enum ", reinterpret_cast<uintptr_t>(type_.get())); }

std::vector<std::string> EnumClass::members() const {
  std::vector<std::string> names;
  for (const auto &member : members_)
    names.push_back(member->name);
  return names;
}

Result<Value> EnumClass::call(Context &context, const Arguments &arguments) {
  if (arguments.positional.size() != 1 || !arguments.keyword.empty())
    return context.fail("arguments", text("`", type_->name, "(value)` gives the member of that value"));
  Value wanted = arguments.positional[0].value;
  for (const auto &member : members_)
    if (wanted.asObject() == member.get() || equal(member->value, wanted.plain()))
      return Value(member);
  return context.fail("value", text(lanescope::repl::repr(wanted), " is no value of `", type_->name, "`"));
}

Result<Value> EnumClass::attribute(Context &context, const std::string &attribute) {
  if (const auto *member = find(attribute))
    return Value(*member);
  if (attribute == "__name__")
    return Value(type_->name);
  return Object::attribute(context, attribute);
}

Result<Value> EnumClass::getItem(Context &context, const Arg &index) {
  const std::string *name = index.value.asStr();
  const auto *member = name ? find(*name) : nullptr;
  if (!member)
    return error("key", index.span, text("`", type_->name, "` has no member ", lanescope::repl::repr(index.value)));
  return Value(*member);
}

Result<std::vector<Value>> EnumClass::iterate(Context &) {
  return std::vector<Value>(members_.begin(), members_.end());
}

Builtins enumNatives() {
  auto notCalled = [](Context &context, const BoundArguments &) -> Result<Value> {
    return context.fail("unsupported", "an enumeration is a class that derives from it: `class Side(enum.IntEnum):`");
  };
  return {{"Enum", "Enum()", "What classes of named values derive from.", notCalled},
          {"IntEnum", "IntEnum()", "What classes of named ints derive from.", notCalled},
          {"auto", "auto()", "One more than the value of the member before.",
           [](Context &, const BoundArguments &) -> Result<Value> { return Value(std::make_shared<AutoValue>()); }},
          {"unique", "unique(type)", "The class.",
           [](Context &, const BoundArguments &args) -> Result<Value> { return args[0].value; }}};
}

} // namespace lanescope::repl
