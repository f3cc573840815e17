#include "repl/lang/evaluate/Classes.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/values/Equality.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lanescope::repl {

//===------------------------------------ classes -----------------------------------------------------------------===//

std::string ClassValue::key() const { return text("class ", name, " ", reinterpret_cast<uintptr_t>(this)); }

std::vector<std::string> ClassValue::members() const {
  std::vector<std::string> out;
  for (const Field &field : fields)
    out.push_back(field.name);
  for (const auto &[name, value] : attributes)
    out.push_back(name);
  std::ranges::sort(out);
  return out;
}

/// The arguments of a constructor, one for each parameter; nothing for a parameter without an argument.
static Result<std::vector<std::optional<Value>>> argumentsOf(const ClassValue &type, const Arguments &arguments) {
  std::vector<std::string> names;
  for (const ClassValue::Field &field : type.fields)
    if (field.init)
      names.push_back(field.name);
  if (arguments.positional.size() > names.size())
    return error("arguments", arguments.positional[names.size()].span,
                 Message("`{function}` takes {}, but {given} are given", type.name, counted(names.size(), "argument"),
                         arguments.positional.size())
                     .with("limit", names.size()));
  std::vector<std::optional<Value>> given(names.size());
  for (size_t i = 0; i < arguments.positional.size(); ++i)
    given[i] = arguments.positional[i].value;
  for (const KeywordArg &keyword : arguments.keyword) {
    auto found = std::ranges::find(names, keyword.name);
    if (found == names.end()) {
      std::string near(layouts::nearest(keyword.name, names));
      return error(
          "arguments", keyword.nameSpan,
          Message("`{function}` has no field `{argument}`{}", type.name, keyword.name, layouts::didYouMean(near))
              .with("nearest", near));
    }
    auto &slot = given[static_cast<size_t>(found - names.begin())];
    if (slot)
      return error("arguments", keyword.nameSpan,
                   Message("`{function}` gets a second value for `{argument}`", type.name, keyword.name));
    slot = keyword.value;
  }
  return given;
}

Result<Value> ClassValue::call(Context &context, const Arguments &arguments) {
  auto self = std::static_pointer_cast<ClassValue>(shared_from_this());
  std::vector<std::optional<Value>> given = LANESCOPE_TRY(argumentsOf(*this, arguments));
  Value made = context.evaluator.fresh(Value::dict(DictData()));
  size_t next = 0;
  for (const Field &field : fields) {
    std::optional<Value> value = field.init ? given[next++] : std::nullopt;
    if (!value && field.factory)
      value = LANESCOPE_TRY(context.evaluator.call(*field.value, {}, context.span));
    else if (!value)
      value = field.value;
    if (!value && field.init)
      return context.fail("arguments", Message("`{function}` needs a value for `{argument}`", name, field.name),
                          {{field.span, text("`", field.name, "` is declared here")}});
    if (value)
      made.asDict()->set(Value(field.name), std::move(*value));
  }
  Value instance(std::make_shared<InstanceValue>(self, std::move(made)));
  if (auto after = attributes.find("__post_init__"); after != attributes.end()) {
    Arguments one;
    one.positional.push_back({instance, context.span});
    const bool wasFrozen = std::exchange(frozen, false); // the constructor may still set fields
    auto done = context.evaluator.call(after->second, one, context.span);
    frozen = wasFrozen;
    LANESCOPE_CHECK(std::move(done));
  }
  return instance;
}

Result<Value> ClassValue::attribute(Context &context, const std::string &attribute) {
  if (attribute == "__name__" || attribute == "__qualname__")
    return Value(name);
  if (attribute == "__doc__")
    return doc.empty() ? Value() : Value(doc);
  if (auto found = attributes.find(attribute); found != attributes.end()) {
    const auto *marked = found->second.as<Marked>();
    return marked ? marked->value : found->second;
  }
  for (const Field &field : fields)
    if (field.name == attribute && field.value && !field.factory)
      return *field.value;
  std::string near(layouts::nearest(attribute, members()));
  return context.fail("no-attribute", Message("class `{class}` has no attribute `{attribute}`{}", name, attribute,
                                              layouts::didYouMean(near))
                                          .with("nearest", near));
}

//===------------------------------------ instances ---------------------------------------------------------------===//

InstanceValue::~InstanceValue() {
  DictData *fields = fields_.asDict();
  if (!fields || !fields_.uniquelyHeld())
    return;
  // The outermost destructor takes over the contents of the inner ones and destroys them one after another.
  static thread_local std::vector<Value> *pending = nullptr;
  std::vector<Value> mine;
  for (DictData::Item &item : fields->takeItems())
    mine.push_back(std::move(item.value));
  if (pending) {
    pending->insert(pending->end(), std::make_move_iterator(mine.begin()), std::make_move_iterator(mine.end()));
    return;
  }
  pending = &mine;
  while (!mine.empty()) {
    Value last = std::move(mine.back());
    mine.pop_back();
  }
  pending = nullptr;
}

namespace {

/// Counts how deep instances nest while their text is written.
class Depth {
public:
  Depth() { ++depth(); }
  ~Depth() { --depth(); }
  static bool tooDeep() { return depth() > 40; }

private:
  static int &depth() {
    static thread_local int value = 0;
    return value;
  }
};

} // namespace

std::vector<Value> InstanceValue::comparedItems() const {
  std::vector<Value> out;
  for (const ClassValue::Field &field : type_->fields)
    if (const Value *value = field.compared ? fields_.asDict()->find(std::string_view(field.name)) : nullptr)
      out.push_back(*value);
  return out;
}

std::string InstanceValue::repr() const {
  Depth depth;
  if (Depth::tooDeep())
    return text(type_->name, "(...)");
  std::vector<std::string> parts;
  for (const ClassValue::Field &field : type_->fields)
    if (const Value *value = field.shown ? fields_.asDict()->find(std::string_view(field.name)) : nullptr)
      parts.push_back(text(field.name, "=", lanescope::repl::repr(*value)));
  return text(type_->name, "(", joined(parts, ", "), ")");
}

std::string InstanceValue::key() const {
  Depth depth;
  if (Depth::tooDeep() || !type_->frozen)
    return {};
  std::string out = type_->key();
  for (const Value &item : comparedItems()) {
    auto part = hashKey(item);
    if (!part)
      return {};
    out += text(" ", *part);
  }
  return out;
}

std::vector<std::string> InstanceValue::members() const {
  std::vector<std::string> out = type_->members();
  for (const DictData::Item &item : fields_.asDict()->items())
    if (std::ranges::find(out, *item.key.asStr()) == out.end())
      out.push_back(*item.key.asStr());
  std::ranges::sort(out);
  return out;
}

Result<Value> InstanceValue::attribute(Context &context, const std::string &name) {
  if (const Value *field = fields_.asDict()->find(std::string_view(name)))
    return *field;
  Value self(shared_from_this());
  if (auto found = type_->attributes.find(name); found != type_->attributes.end()) {
    const auto *marked = found->second.as<Marked>();
    if (marked && marked->kind == Marked::Kind::Property) {
      Arguments arguments;
      arguments.positional.push_back({self, context.span});
      return context.evaluator.call(marked->value, arguments, context.span);
    }
    return found->second.asFunction() ? Value(std::make_shared<BoundMethod>(found->second, self)) : found->second;
  }
  std::string near(layouts::nearest(name, members()));
  return context.fail("no-attribute", Message("`{class}` has no attribute `{attribute}`{}", type_->name, name,
                                              layouts::didYouMean(near))
                                          .with("nearest", near));
}

Result<void> InstanceValue::setAttribute(Context &context, const std::string &name, const Arg &value) {
  if (type_->frozen)
    return context.fail("frozen",
                        Message("`{class}` is frozen; `replace(x, {field}=…)` gives a changed one", type_->name, name));
  if (auto fine = checkNoCycle(fields_, value.value); !fine)
    return at(value.span, std::move(fine.error()));
  LANESCOPE_CHECK(context.evaluator.willChange(fields_, context.span));
  fields_.asDict()->set(Value(name), value.value);
  return {};
}

Result<std::optional<Value>> InstanceValue::compare(Context &context, CompareOp op, const Arg &other) {
  const auto *second = other.value.as<InstanceValue>();
  if (!second || second->type_ != type_)
    return std::nullopt;
  const Value mine = Value::tuple(comparedItems()), theirs = Value::tuple(second->comparedItems());
  if (op == CompareOp::Equal || op == CompareOp::NotEqual) {
    if (!type_->equality)
      return std::nullopt;
    return Value(LANESCOPE_TRY(compared(mine, theirs)) == (op == CompareOp::Equal));
  }
  if (!type_->ordered)
    return std::nullopt;
  return context.evaluator.compare(op, {mine, context.span}, {theirs, other.span}, context.span);
}

Result<Value> BoundMethod::call(Context &context, const Arguments &arguments) {
  Arguments all = arguments;
  all.positional.insert(all.positional.begin(), {self_, context.span});
  return context.evaluator.call(function_, all, context.span);
}

Result<Value> BoundMethod::attribute(Context &context, const std::string &name) {
  return context.evaluator.attribute(function_, name, context.span);
}

//===------------------------------------ builtins ----------------------------------------------------------------===//

namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

struct DataclassOptions {
  bool frozen, order, eq;
};

R markedDataclass(const DataclassOptions &options, const Arg &given) {
  auto type = given.value.ref<ClassValue>();
  if (!type)
    return error("type", given.span,
                 Message("`dataclass` stands above a class, not a `{type}`", given.value.typeName()));
  type->dataclass = true;
  type->frozen = options.frozen;
  type->ordered = options.order;
  type->equality = options.eq;
  bool defaults = false;
  for (const ClassValue::Field &field : type->fields) {
    if (defaults && !field.value && field.init)
      return error("value", field.span, Message("field `{field}` has no default but follows one that has", field.name));
    if (field.value && !field.factory && (field.value->asList() || field.value->asDict()))
      return error("value", field.span,
                   Message("a list or dict would be shared by all of `{class}`; write `field(default_factory=list)`",
                           type->name));
    defaults |= field.value.has_value();
  }
  return Value(std::static_pointer_cast<Object>(type));
}

R dataclass(C &, const A &args) {
  const DataclassOptions options{LANESCOPE_TRY(args.booleanOr(1, false)), LANESCOPE_TRY(args.booleanOr(2, false)),
                                 LANESCOPE_TRY(args.booleanOr(3, true))};
  if (args.has(0) && !args[0].value.isNone())
    return markedDataclass(options, args[0]);
  return BuiltinValue::make({.name = "dataclass",
                             .signature = "dataclass(type)",
                             .doc = "The class with its fields.",
                             .call = [options](C &, const A &type) -> R { return markedDataclass(options, type[0]); }});
}

R field(C &, const A &args) {
  auto made = std::make_shared<Marked>(Marked::Kind::Field, Value());
  made->hasDefault = args.has(0) || args.has(1);
  made->factory = args.has(1);
  if (made->hasDefault)
    made->value = args[args.has(1) ? 1 : 0].value;
  made->init = LANESCOPE_TRY(args.booleanOr(2, true));
  made->shown = LANESCOPE_TRY(args.booleanOr(3, true));
  made->compared = LANESCOPE_TRY(args.booleanOr(4, true));
  return Value(std::move(made));
}

R replace(C &context, const A &args) {
  auto *instance = args[0].value.as<InstanceValue>();
  if (!instance)
    return args.wrongType(0, "an instance of a dataclass");
  Arguments all;
  for (const ClassValue::Field &known : instance->type()->fields)
    if (const Value *value = instance->fields().asDict()->find(std::string_view(known.name)); value && known.init)
      all.keyword.push_back({known.name, args.call, *value, args.call});
  for (const KeywordArg &change : args.keywords()) {
    auto same = std::ranges::find(all.keyword, change.name, &KeywordArg::name);
    if (same == all.keyword.end())
      all.keyword.push_back(change);
    else
      *same = change;
  }
  return instance->type()->call(context, all);
}

Result<bool> isInstance(const Value &value, const Arg &type) {
  if (const auto *several = type.value.asTuple()) {
    for (const Value &one : *several)
      if (!one.asTuple() && LANESCOPE_TRY(isInstance(value, {one, type.span})))
        return true;
    return false;
  }
  if (const auto *wanted = type.value.as<ClassValue>()) {
    const auto *instance = value.as<InstanceValue>();
    return instance && instance->type().get() == wanted;
  }
  const BuiltinValue *builtin = type.value.asBuiltin();
  if (!builtin)
    return error("type", type.span,
                 Message("`isinstance` takes a class, a type such as `int`, or a tuple of them, not `{type}`",
                         type.value.typeName()));
  return builtin->name == "int" ? value.integer().has_value() : value.typeName() == builtin->name;
}

R typeOf(C &context, const A &args) {
  const Value &value = args[0].value;
  if (const auto *instance = value.as<InstanceValue>())
    return Value(std::static_pointer_cast<Object>(instance->type()));
  if (const Value *type = context.evaluator.builtin(value.typeName()))
    return *type;
  auto made = std::make_shared<ClassValue>();
  made->name = value.asBuiltin() && isTypeName(value.asBuiltin()->name) ? "type" : value.typeName();
  return Value(std::move(made));
}

R isCallable(C &, const A &args) {
  const Value &x = args[0].value;
  return Value(x.asFunction() || x.asBuiltin() || (x.asObject() && x.asObject()->callable()));
}

R getAttribute(C &context, const A &args) {
  auto value = context.evaluator.attribute(args[0].value, LANESCOPE_TRY(args.text(1)), args.call);
  if (!value && args.has(2) && value.error().front().kind == "no-attribute")
    return args[2].value;
  return value;
}

R hasAttribute(C &context, const A &args) {
  auto value = context.evaluator.attribute(args[0].value, LANESCOPE_TRY(args.text(1)), args.call);
  if (!value && value.error().front().kind != "no-attribute")
    return std::unexpected(std::move(value.error()));
  return Value(value.has_value());
}

} // namespace

Builtins classBuiltins() {
  Builtins out = {
      {"dataclass", "dataclass(type=None, *, frozen=False, order=False, eq=True)",
       "Above a class: its annotated names are fields, which its constructor takes and `==` compares.", dataclass},
      {"field", "field(*, default=None, default_factory=None, init=True, repr=True, compare=True)",
       "A field of a dataclass: its default, or what makes one for each instance.", field},
      {"replace", "replace(x, **changes)", "An instance of a dataclass with some fields changed.", replace},
      {"property", "property(function)", "`@property` above a method: read as a field, without brackets.",
       [](C &, const A &args) -> R { return Value(std::make_shared<Marked>(Marked::Kind::Property, args[0].value)); }},
      {"isinstance", "isinstance(x, type)",
       "True if x is of a dataclass, of a type such as `int`, or of one of a tuple of them.",
       [](C &, const A &args) -> R { return Value(LANESCOPE_TRY(isInstance(args[0].value, args[1]))); }},
      {"type", "type(x)", "The class or type of a value; `type(x).__name__` is its name.", typeOf},
      {"callable", "callable(x)", "True if x can be called.", isCallable},
      {"getattr", "getattr(x, name, default=None)", "`x.name` by a text; `default` where there is none.", getAttribute},
      {"hasattr", "hasattr(x, name)", "True if x has an attribute of that name.", hasAttribute},
  };
  for (Builtin &builtin : out)
    builtin.group = "classes";
  return out;
}

} // namespace lanescope::repl
