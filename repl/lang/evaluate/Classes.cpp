#include "repl/lang/evaluate/Classes.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Exceptions.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/values/Equality.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

namespace lanescope::repl {

//===------------------------------------ classes -----------------------------------------------------------------===//

std::string ClassValue::key() const { return text("class ", name, " ", static_cast<const void *>(this)); }

std::vector<std::string> ClassValue::members() const {
  std::vector<std::string> out;
  for (const ClassValue *type : lookedUp(nullptr)) {
    for (const Field &field : type->fields)
      out.push_back(field.name);
    for (const auto &[name, value] : type->attributes)
      out.push_back(name);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

void ClassValue::inherit(const std::shared_ptr<ClassValue> &base) {
  std::vector<std::shared_ptr<ClassValue>> more = {base};
  more.insert(more.end(), base->ancestors.begin(), base->ancestors.end());
  for (const auto &ancestor : more)
    std::erase(ancestors, ancestor);
  ancestors.insert(ancestors.end(), more.begin(), more.end());
}

bool ClassValue::derivesFrom(const ClassValue &other) const {
  return this == &other ||
         std::ranges::any_of(ancestors, [&](const auto &ancestor) { return ancestor.get() == &other; });
}

std::vector<const ClassValue *> ClassValue::lookedUp(const ClassValue *behind) const {
  std::vector<const ClassValue *> out = {this};
  for (const auto &ancestor : ancestors)
    out.push_back(ancestor.get());
  if (behind)
    out.erase(out.begin(), std::ranges::find(out, behind) + 1);
  return out;
}

const Value *ClassValue::find(std::string_view attribute, const ClassValue *behind) const {
  if (!behind)
    if (auto found = attributes.find(attribute); found != attributes.end())
      return &found->second;
  for (const ClassValue *type : lookedUp(behind))
    if (auto found = type->attributes.find(attribute); found != type->attributes.end())
      return &found->second;
  return nullptr;
}

const Value *ClassValue::defaultOf(std::string_view attribute) const {
  for (const ClassValue *type : lookedUp(nullptr))
    for (const Field &field : type->fields)
      if (field.name == attribute && field.value && !field.factory)
        return &*field.value;
  return nullptr;
}

void ClassValue::takeFields() {
  std::vector<Field> all;
  auto add = [&](const Field &field) {
    auto same = std::ranges::find(all, field.name, &Field::name);
    if (same == all.end())
      all.push_back(field);
    else
      *same = field;
  };
  for (const auto &ancestor : std::views::reverse(ancestors))
    if (ancestor->kind != Kind::Plain)
      std::ranges::for_each(ancestor->fields, add);
  std::ranges::for_each(fields, add);
  fields = std::move(all);
}

void ClassValue::settle() {
  if (kind != Kind::Plain)
    return;
  auto parent = std::ranges::find_if(ancestors, [](const auto &type) { return type->kind != Kind::Plain; });
  if (parent == ancestors.end())
    return;
  for (const Field &field : fields) // annotated names of a class without a decorator are the class's
    if (field.value && !field.factory)
      attributes.insert_or_assign(field.name, *field.value);
  kind = (*parent)->kind;
  frozen = (*parent)->frozen;
  equality = (*parent)->equality;
  ordered = (*parent)->ordered;
  fields = (*parent)->fields;
}

/// A method that is still to be written: marked by `abstractmethod`, under `property` too.
static bool isAbstract(const Value &attribute) {
  const auto *marked = attribute.as<Marked>();
  return marked && (marked->kind == Marked::Kind::Abstract || isAbstract(marked->value));
}

Result<Value> ClassValue::call(Context &context, const Arguments &arguments) {
  for (const auto &ancestor : lookedUp(nullptr))
    for (const auto &[attribute, value] : ancestor->attributes)
      if (isAbstract(value) && isAbstract(*find(attribute)))
        return context.fail("type",
                            text("`", name, "` is abstract: its method `", attribute, "` is still to be written"),
                            {{ancestor->span, text("`", ancestor->name, "` declares it")}});
  auto self = std::static_pointer_cast<ClassValue>(shared_from_this());
  Value instance(std::make_shared<InstanceValue>(self, context.evaluator.fresh(Value::dict(DictData()))));
  LANESCOPE_CHECK(construct(context, instance, arguments));
  return instance;
}

Result<void> ClassValue::construct(Context &context, const Value &instance, const Arguments &arguments,
                                   const ClassValue *behind) {
  auto makes = [](const ClassValue *type) {
    return type->attributes.contains("__init__") || type->kind != Kind::Plain;
  };
  std::vector<const ClassValue *> types = lookedUp(behind);
  auto maker = std::ranges::find_if(types, makes);
  if (maker == types.end())
    return behind ? Result<void>() : fill(context, instance, arguments);
  auto init = (*maker)->attributes.find("__init__");
  if (init == (*maker)->attributes.end())
    return (*maker)->fill(context, instance, arguments);
  Arguments all = arguments;
  all.positional.insert(all.positional.begin(), {instance, context.span});
  auto done = context.evaluator.call(init->second, all, context.span);
  if (!done) {
    std::string &message = done.error().front().message; // what it takes is told of the class
    if (done.error().front().kind == "arguments" && message.starts_with("`__init__`"))
      message.replace(0, std::string_view("`__init__`").size(), text("`", name, "`"));
    return std::unexpected(std::move(done.error()));
  }
  return {};
}

/// Fills the fields as the constructor of a dataclass or a NamedTuple says; a plain class's has no parameters.
Result<void> ClassValue::fill(Context &context, const Value &instance, const Arguments &arguments) const {
  auto *object = instance.as<InstanceValue>();
  DictData &values = *object->fields().asDict();
  std::vector<const Field *> parameters;
  for (const Field &field : fields)
    if (field.init)
      parameters.push_back(&field);
  if (kind == Kind::Plain)
    parameters.clear();
  if (arguments.positional.size() > parameters.size())
    return error("arguments", arguments.positional[parameters.size()].span,
                 text("`", name, "` takes ", parameters.size(), parameters.size() == 1 ? " argument" : " arguments",
                      ", but ", arguments.positional.size(), " are given"));
  std::vector<std::optional<Value>> given(parameters.size());
  for (size_t i = 0; i < arguments.positional.size(); ++i)
    given[i] = arguments.positional[i].value;
  for (const KeywordArg &keyword : arguments.keyword) {
    auto found = std::ranges::find(parameters, keyword.name, [](const Field *field) { return field->name; });
    if (found == parameters.end()) {
      std::vector<std::string> names;
      for (const Field *field : parameters)
        names.push_back(field->name);
      std::string near(layouts::nearest(keyword.name, names));
      return error("arguments", keyword.nameSpan,
                   text("`", name, "` has no field `", keyword.name, "`",
                        near.empty() ? std::string() : text("; did you mean `", near, "`?")));
    }
    auto &slot = given[static_cast<size_t>(found - parameters.begin())];
    if (slot)
      return error("arguments", keyword.nameSpan, text("`", name, "` gets a second value for `", keyword.name, "`"));
    slot = keyword.value;
  }
  size_t next = 0;
  for (const Field &field : fields) {
    std::optional<Value> value = field.init && kind != Kind::Plain ? given[next++] : std::nullopt;
    if (!value && field.factory)
      value = LANESCOPE_TRY(context.evaluator.call(*field.value, {}, context.span));
    else if (!value)
      value = field.value;
    if (!value && field.init)
      return context.fail("arguments", text("`", name, "` needs a value for `", field.name, "`"),
                          {{field.span, text("`", field.name, "` is declared here")}});
    if (value)
      values.set(Value(field.name), std::move(*value));
  }
  if (const Value *after = object->type()->find("__post_init__")) {
    Arguments self;
    self.positional.push_back({instance, context.span});
    bool &closed = object->type()->frozen;
    bool wasFrozen = std::exchange(closed, false); // object.__setattr__ is how Python's do it
    auto done = context.evaluator.call(*after, self, context.span);
    closed = wasFrozen;
    if (!done)
      return std::unexpected(std::move(done.error()));
  }
  return {};
}

Result<Value> ClassValue::attribute(Context &context, const std::string &attribute) {
  if (attribute == "__name__" || attribute == "__qualname__")
    return Value(name);
  if (attribute == "__doc__")
    return doc.empty() ? Value() : Value(doc);
  if (attribute == "_fields" && kind == Kind::NamedTuple) {
    std::vector<Value> names;
    for (const Field &field : fields)
      names.emplace_back(field.name);
    return Value::tuple(std::move(names));
  }
  if (const Value *found = find(attribute)) {
    const auto *marked = found->as<Marked>();
    if (marked && marked->kind == Marked::Kind::Class)
      return Value(std::make_shared<BoundMethod>(marked->value, Value(shared_from_this())));
    return marked ? marked->value : *found;
  }
  if (const Value *value = defaultOf(attribute))
    return *value;
  if (attribute == "__mro__" || attribute == "__bases__") {
    std::vector<Value> all;
    if (attribute == "__mro__")
      all.emplace_back(shared_from_this());
    for (const auto &ancestor : ancestors)
      all.emplace_back(ancestor);
    return Value::tuple(std::move(all));
  }
  std::string near(layouts::nearest(attribute, members()));
  return context.fail("no-attribute", text("class `", name, "` has no attribute `", attribute, "`",
                                           near.empty() ? std::string() : text("; did you mean `", near, "`?")));
}

Result<void> ClassValue::setAttribute(Context &context, const std::string &attribute, const Arg &) {
  return context.fail("unsupported",
                      text("`", attribute, "` of class `", name, "` is set in the class, not from outside"));
}

//===------------------------------------ instances ---------------------------------------------------------------===//

InstanceValue::~InstanceValue() {
  DictData *fields = fields_.asDict();
  if (!fields || !fields_.uniquelyHeld())
    return;
  // The outermost destructor takes what the inner ones hold, one after the other.
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

/// Counts how deep instances stand in each other while they are written.
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

std::vector<Value> InstanceValue::items() const {
  std::vector<Value> out;
  for (const DictData::Item &item : fields_.asDict()->items())
    out.push_back(item.value);
  return out;
}

std::vector<Value> InstanceValue::comparedItems() const {
  std::vector<Value> out;
  for (const ClassValue::Field &field : type_->fields)
    if (const Value *value = field.compared ? fields_.asDict()->find(std::string_view(field.name)) : nullptr)
      out.push_back(*value);
  return out;
}

/// What the class' own `__repr__` or `__str__` says; nothing without one, or between entries. Text of a value cannot
/// fail: what goes wrong is part of it.
std::optional<std::string> InstanceValue::ownText(const std::string &method) const {
  const Value *found = type_->find(method);
  Evaluator *evaluator = Evaluator::running();
  if (!found || !evaluator)
    return std::nullopt;
  Arguments self;
  self.positional.push_back({Value(std::const_pointer_cast<Object>(shared_from_this())), {}});
  Result<Value> said = evaluator->call(*found, self, {});
  if (!said)
    return text("<", type_->name, " object: ", method, " fails: ", said.error().front().message, ">");
  if (const std::string *written = said->asStr())
    return *written;
  return text("<", type_->name, " object: ", method, " gives `", said->typeName(), "`, not `str`>");
}

std::string InstanceValue::str() const {
  Depth depth;
  if (!Depth::tooDeep())
    if (auto own = ownText("__str__"))
      return *std::move(own);
  return repr();
}

std::string InstanceValue::repr() const {
  Depth depth;
  if (Depth::tooDeep())
    return text(type_->name, "(...)");
  if (auto own = ownText("__repr__"))
    return *std::move(own);
  if (type_->kind == ClassValue::Kind::Plain)
    return text("<", type_->name, " object>");
  std::vector<std::string> parts;
  for (const DictData::Item &item : fields_.asDict()->items()) {
    auto field = std::ranges::find(type_->fields, *item.key.asStr(), &ClassValue::Field::name);
    if (field != type_->fields.end() && field->shown)
      parts.push_back(text(*item.key.asStr(), "=", lanescope::repl::repr(item.value)));
  }
  return text(type_->name, "(", joined(parts, ", "), ")");
}

std::string InstanceValue::key() const {
  Depth depth;
  if (Depth::tooDeep())
    return {};
  if (type_->kind == ClassValue::Kind::Plain || (!type_->frozen && type_->kind != ClassValue::Kind::NamedTuple))
    return {};
  std::string out = type_->key();
  for (const DictData::Item &item : fields_.asDict()->items()) {
    auto field = std::ranges::find(type_->fields, *item.key.asStr(), &ClassValue::Field::name);
    if (field == type_->fields.end() || !field->compared)
      continue;
    auto part = hashKey(item.value);
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
  if (name == "__class__")
    return Value(std::static_pointer_cast<Object>(type_));
  if (name == "__dict__" || name == "_asdict")
    return name == "__dict__"
               ? fields_
               : BuiltinValue::make({.name = "_asdict",
                                     .signature = "_asdict()",
                                     .doc = "The fields as a dict.",
                                     .call = [](Context &, const BoundArguments &args) -> Result<Value> {
                                       return Value::dict(DictData(*args.self->as<InstanceValue>()->fields().asDict()));
                                     }},
                                    self);
  if (name == "_fields" && type_->kind == ClassValue::Kind::NamedTuple)
    return type_->attribute(context, name);
  if (name == "_replace" && type_->kind == ClassValue::Kind::NamedTuple)
    return BuiltinValue::make({.name = "_replace",
                               .signature = "_replace(**changes)",
                               .doc = "The same with some fields changed.",
                               .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
                                 auto *object = args.self->as<InstanceValue>();
                                 Arguments all;
                                 for (const DictData::Item &item : object->fields().asDict()->items())
                                   all.keyword.push_back({*item.key.asStr(), args.call, item.value, args.call});
                                 for (const KeywordArg &change : args.keywords()) {
                                   auto same = std::ranges::find(all.keyword, change.name, &KeywordArg::name);
                                   if (same == all.keyword.end())
                                     all.keyword.push_back(change);
                                   else
                                     *same = change;
                                 }
                                 return object->type()->call(context, all);
                               }},
                              self);
  if (const Value *found = type_->find(name))
    return bound(context, *found);
  if (const Value *value = type_->defaultOf(name))
    return *value;
  if (auto made = LANESCOPE_TRY(method(context, "__getattr__", {{Value(name), context.span}})))
    return *std::move(made);
  std::string near(layouts::nearest(name, members()));
  return context.fail("no-attribute", text("`", type_->name, "` has no attribute `", name, "`",
                                           near.empty() ? std::string() : text("; did you mean `", near, "`?")));
}

Result<Value> InstanceValue::bound(Context &context, const Value &found) {
  Value self(shared_from_this());
  const auto *marked = found.as<Marked>();
  if (marked && marked->kind == Marked::Kind::Property) {
    Arguments arguments;
    arguments.positional.push_back({self, context.span});
    return context.evaluator.call(marked->value, arguments, context.span);
  }
  if (marked && marked->kind == Marked::Kind::Static)
    return marked->value;
  if (marked && marked->kind == Marked::Kind::Class)
    return Value(std::make_shared<BoundMethod>(marked->value, Value(std::static_pointer_cast<Object>(type_))));
  if (marked && marked->kind == Marked::Kind::Abstract)
    return bound(context, marked->value);
  if (found.asFunction())
    return Value(std::make_shared<BoundMethod>(found, self));
  return found;
}

Result<void> InstanceValue::setAttribute(Context &context, const std::string &name, const Arg &value) {
  if (const Value *found = type_->find(name)) {
    const auto *marked = found->as<Marked>();
    if (marked && marked->kind == Marked::Kind::Property) {
      if (marked->setter.isNone())
        return context.fail("no-attribute", text("property `", name, "` of `", type_->name, "` has no setter"));
      Arguments both;
      both.positional = {{Value(shared_from_this()), context.span}, value};
      LANESCOPE_CHECK(context.evaluator.call(marked->setter, both, context.span));
      return {};
    }
  }
  if (type_->kind == ClassValue::Kind::NamedTuple)
    return context.fail("no-attribute",
                        text("`", type_->name, "` does not change; `x._replace(", name, "=…)` gives a changed one"));
  if (type_->frozen)
    return context.fail(
        "frozen", text("`", type_->name, "` is frozen; `dataclasses.replace(x, ", name, "=…)` gives a changed one"));
  if (auto fine = checkNoCycle(fields_, value.value); !fine)
    return at(value.span, std::move(fine.error()));
  LANESCOPE_CHECK(context.evaluator.willChange(fields_, context.span));
  fields_.asDict()->set(Value(name), value.value);
  return {};
}

Result<std::optional<Value>> InstanceValue::method(Context &context, std::string_view name,
                                                   std::vector<Arg> arguments) {
  const Value *found = type_->find(name);
  if (!found)
    return std::nullopt;
  Arguments all;
  all.positional = std::move(arguments);
  Value method = LANESCOPE_TRY(bound(context, *found));
  return LANESCOPE_TRY(context.evaluator.call(method, all, context.span));
}

Result<Value> InstanceValue::call(Context &context, const Arguments &arguments) {
  Arguments all = arguments;
  all.positional.insert(all.positional.begin(), {Value(shared_from_this()), context.span});
  return context.evaluator.call(*type_->find("__call__"), all, context.span);
}

Result<Value> InstanceValue::getItem(Context &context, const Arg &index) {
  if (type_->kind == ClassValue::Kind::NamedTuple)
    return context.evaluator.getItem({Value::tuple(items()), context.span}, index, context.span);
  if (auto item = LANESCOPE_TRY(method(context, "__getitem__", {index})))
    return std::move(*item);
  return Object::getItem(context, index);
}

Result<void> InstanceValue::setItem(Context &context, const Arg &index, const Arg &value) {
  if (LANESCOPE_TRY(method(context, "__setitem__", {index, value})))
    return {};
  return Object::setItem(context, index, value);
}

Result<Value> InstanceValue::unary(Context &context, UnaryOp op) {
  const char *name = op == UnaryOp::Negate ? "__neg__" : op == UnaryOp::Plus ? "__pos__" : "__invert__";
  if (auto value = LANESCOPE_TRY(method(context, name, {})))
    return *std::move(value);
  return Object::unary(context, op);
}

Result<bool> InstanceValue::truth(Context &context) {
  for (const char *name : {"__bool__", "__len__"})
    if (auto told = LANESCOPE_TRY(method(context, name, {})))
      return context.evaluator.truth(*told, context.span);
  return true;
}

Result<int64_t> InstanceValue::length(Context &context) {
  if (type_->kind == ClassValue::Kind::NamedTuple)
    return static_cast<int64_t>(fields_.asDict()->size());
  if (auto size = LANESCOPE_TRY(method(context, "__len__", {})); size && size->plain().asInt())
    return *size->plain().asInt();
  return Object::length(context);
}

Result<std::vector<Value>> InstanceValue::iterate(Context &context) {
  if (type_->kind == ClassValue::Kind::NamedTuple)
    return items();
  auto values = LANESCOPE_TRY(method(context, "__iter__", {}));
  auto *iterator = values ? values->as<InstanceValue>() : nullptr;
  if (values && !(iterator && iterator->type_->find("__next__")))
    return context.evaluator.iterate(*values, context.span);
  if (iterator) {
    std::vector<Value> items;
    for (;;) {
      LANESCOPE_CHECK(context.evaluator.reserveItems(static_cast<int64_t>(items.size()) + 1, context.span));
      LANESCOPE_CHECK(context.evaluator.poll(context.span));
      Result<std::optional<Value>> item = iterator->method(context, "__next__", {});
      if (!item && item.error().front().kind == "raised" && item.error().front().message.starts_with("StopIteration"))
        return items;
      items.push_back(*LANESCOPE_TRY(std::move(item)));
    }
  }
  return Object::iterate(context);
}

Result<std::optional<Value>> InstanceValue::binary(Context &context, BinaryOp op, const Arg &other, bool reflected) {
  static constexpr std::string_view kNames[] = {"add",    "sub", "mul", "truediv", "floordiv", "mod",   "pow",
                                                "matmul", "and", "or",  "xor",     "lshift",   "rshift"};
  return method(context, text("__", reflected ? "r" : "", kNames[static_cast<size_t>(op)], "__"), {other});
}

Result<std::optional<Value>> InstanceValue::compare(Context &context, CompareOp op, const Arg &other) {
  static constexpr std::string_view kNames[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  if (static_cast<size_t>(op) < std::size(kNames))
    if (auto answer = LANESCOPE_TRY(method(context, text("__", kNames[static_cast<size_t>(op)], "__"), {other})))
      return answer;
  const auto *second = other.value.as<InstanceValue>();
  bool equality = op == CompareOp::Equal || op == CompareOp::NotEqual;
  if (equality && type_->equality && second && second->type_ == type_)
    return Value(LANESCOPE_TRY(compared(Value::tuple(comparedItems()), Value::tuple(second->comparedItems()))) ==
                 (op == CompareOp::Equal));
  if (!equality && (type_->ordered || type_->kind == ClassValue::Kind::NamedTuple) && second && second->type_ == type_)
    return context.evaluator.compare(op, {Value::tuple(comparedItems()), context.span},
                                     {Value::tuple(second->comparedItems()), other.span}, context.span);
  return std::nullopt;
}

Result<Value> InstanceValue::enter(Context &context) {
  if (auto value = LANESCOPE_TRY(method(context, "__enter__", {})))
    return std::move(*value);
  return Object::enter(context);
}

Result<void> InstanceValue::exit(Context &context) {
  Arg none{Value(), context.span};
  LANESCOPE_CHECK(method(context, "__exit__", {none, none, none}));
  return {};
}

Result<bool> InstanceValue::exitAfter(Context &context, const Value &exception) {
  Value type;
  if (const auto *raised = exception.as<ExceptionValue>())
    type = Value(std::const_pointer_cast<ExceptionClass>(raised->typeRef()));
  auto answer = LANESCOPE_TRY(
      method(context, "__exit__", {{type, context.span}, {exception, context.span}, {Value(), context.span}}));
  return answer ? context.evaluator.truth(*answer, context.span) : Result<bool>(false);
}

Result<Value> Super::attribute(Context &context, const std::string &name) {
  const auto *behind = dynamic_cast<const ClassValue *>(behind_.get());
  auto *instance = self_.as<InstanceValue>();
  auto self = instance ? instance->type() : self_.ref<ClassValue>();
  if (!behind || !self) // of an exception
    return inheritedOf(context, self_, behind_, name);
  if (name == "__init__" && instance)
    return BuiltinValue::make({.name = "__init__",
                               .signature = "__init__(*arguments, **keywords)",
                               .doc = "The constructor of what the class inherits from.",
                               .call = [self, behind](Context &context, const BoundArguments &args) -> Result<Value> {
                                 Arguments given;
                                 given.positional.assign(args.rest().begin(), args.rest().end());
                                 given.keyword = args.keywords();
                                 LANESCOPE_CHECK(self->construct(context, *args.self, given, behind));
                                 return Value();
                               }},
                              self_);
  const Value *found = self->find(name, behind);
  if (!found) {
    if (name == "__init_subclass__" || name == "__post_init__")
      return BuiltinValue::make({.name = name,
                                 .signature = name + "(**keywords)",
                                 .doc = "Nothing to do.",
                                 .call = [](Context &, const BoundArguments &) -> Result<Value> { return Value(); }});
    return context.fail("no-attribute", text("what `", behind->name, "` inherits from has no `", name, "`"));
  }
  const auto *marked = found->as<Marked>();
  Context here = context;
  if (instance && !(marked && marked->kind == Marked::Kind::Class))
    return instance->bound(here, *found);
  if (marked && marked->kind == Marked::Kind::Class)
    return Value(std::make_shared<BoundMethod>(marked->value, Value(std::static_pointer_cast<Object>(self))));
  return marked ? marked->value : *found;
}

Result<Value> Marked::attribute(Context &context, const std::string &name) {
  if (kind == Kind::Property && name == "setter") {
    auto getter = std::static_pointer_cast<Marked>(shared_from_this());
    return BuiltinValue::make({.name = "setter",
                               .signature = "setter(function)",
                               .doc = "`@name.setter` above a method: what `x.name = value` calls.",
                               .call = [getter](Context &, const BoundArguments &args) -> Result<Value> {
                                 auto both = std::make_shared<Marked>(Kind::Property, getter->value);
                                 both->setter = args[0].value;
                                 return Value(std::move(both));
                               }});
  }
  return Object::attribute(context, name);
}

Result<Value> BoundMethod::call(Context &context, const Arguments &arguments) {
  Arguments all = arguments;
  all.positional.insert(all.positional.begin(), {self_, context.span});
  return context.evaluator.call(function_, all, context.span);
}

Result<Value> BoundMethod::attribute(Context &context, const std::string &name) {
  if (name == "__self__")
    return self_;
  return context.evaluator.attribute(function_, name, context.span);
}

std::string Marked::typeName() const {
  switch (kind) {
  case Kind::Property: return "property";
  case Kind::Static: return "staticmethod";
  case Kind::Class: return "classmethod";
  case Kind::Field: return "field";
  case Kind::Abstract: return "function";
  }
  return "field";
}

//===------------------------------------ types -------------------------------------------------------------------===//

Result<bool> isInstance(Context &context, const Value &value, const Arg &type) {
  if (const auto *several = type.value.asTuple()) {
    for (const Value &one : *several) {
      if (one.asTuple())
        return error("type", type.span, "`isinstance` takes a tuple of types, not tuples in it");
      if (LANESCOPE_TRY(isInstance(context, value, {one, type.span})))
        return true;
    }
    return false;
  }
  if (const auto *wanted = type.value.as<ClassValue>()) {
    // `np.ndarray`, `jax.Array`: classes of the modules' own that stand for arrays.
    if (value.asArray() && context.evaluator.isLibrary(wanted->span.source)) {
      bool ofJax = wanted->span.source->name().starts_with("jax");
      return (wanted->name == "Array" || wanted->name == "ndarray") &&
             (value.arrayRules() == ArrayRules::Numpy) != ofJax;
    }
    const auto *instance = value.as<InstanceValue>();
    return instance && instance->type()->derivesFrom(*wanted);
  }
  if (const auto *wanted = type.value.as<ExceptionClass>()) {
    const auto *exception = value.as<ExceptionValue>();
    return exception && exception->type().derivesFrom(*wanted);
  }
  if (auto kind = type.value.asStr(); kind && (*kind == "floating" || *kind == "integer" || *kind == "number" ||
                                               *kind == "signed" || *kind == "unsigned" || *kind == "generic")) {
    const core::Array *array = value.asArray(); // np.floating: any of NumPy's numbers
    if (!array || !array->shape.empty() || value.arrayRules() != ArrayRules::Numpy)
      return false;
    const bool floats = layouts::isFloat(array->dtype), truth = array->dtype == layouts::Dtype::I1;
    const bool unsignedInts = layouts::isUnsignedInteger(array->dtype);
    return *kind == "generic" || (*kind == "floating" && floats) || (*kind == "number" && !truth) ||
           (*kind == "integer" && !floats && !truth) || (*kind == "signed" && !floats && !truth && !unsignedInts) ||
           (*kind == "unsigned" && unsignedInts && !truth);
  }
  if (const layouts::Dtype *dtype = type.value.asDtype()) // np.float32: a scalar of NumPy
    return value.asArray() && value.asArray()->shape.empty() && value.asArray()->dtype == *dtype;
  const BuiltinValue *builtin = type.value.asBuiltin();
  if (!builtin)
    return error("type", type.span,
                 text("`isinstance` takes a class, a type such as `int`, or a tuple of them, not `",
                      type.value.typeName(), "`"));
  const std::string &name = builtin->name;
  if (name == "int")
    return value.integer().has_value();
  if (name == "object")
    return true;
  if (name == "float" && value.asArray()) // np.float64 derives from float
    return value.asArray()->shape.empty() && value.asArray()->dtype == layouts::Dtype::F64 &&
           value.arrayRules() == ArrayRules::Numpy;
  if (name == "type")
    return value.as<ClassValue>() || value.as<ExceptionClass>() || value.namesDtype() ||
           (value.asBuiltin() && isTypeName(value.asBuiltin()->name));
  if (name == "tuple" && value.as<InstanceValue>())
    return value.as<InstanceValue>()->type()->kind == ClassValue::Kind::NamedTuple;
  if (name == "range")
    return value.asRange() != nullptr;
  return value.typeName() == name;
}

namespace {

Builtin marker(std::string name, Marked::Kind kind, std::string doc) {
  return {.name = name,
          .signature = name + "(function)",
          .doc = std::move(doc),
          .call = [kind](Context &, const BoundArguments &args) -> Result<Value> {
            return Value(std::make_shared<Marked>(kind, args[0].value));
          },
          .group = "classes"};
}

Result<Value> typeOf(Context &context, const BoundArguments &args) {
  const Value &value = args[0].value;
  if (const auto *instance = value.as<InstanceValue>())
    return Value(std::static_pointer_cast<Object>(instance->type()));
  if (const auto *exception = value.as<ExceptionValue>())
    return Value(std::const_pointer_cast<ExceptionClass>(exception->typeRef()));
  auto made = std::make_shared<ClassValue>();
  if (const core::Array *array = value.asArray(); array && value.arrayRules() != ArrayRules::Snippet) {
    if (value.arrayRules() == ArrayRules::Numpy && array->shape.empty()) // one of NumPy's numbers
      return Value(array->dtype, ArrayRules::Numpy, true);
    const Value *module = context.evaluator.builtin(value.arrayRules() == ArrayRules::Numpy ? "numpy" : "jax");
    return context.evaluator.attribute(*module, value.arrayRules() == ArrayRules::Numpy ? "ndarray" : "Array",
                                       context.span);
  }
  if (const DictData *dict = value.asDict(); dict && dict->kind != DictData::Kind::Plain) {
    made->name = dict->kind == DictData::Kind::Counter ? "Counter" : "defaultdict";
    return Value(std::move(made));
  }
  if (const Value *type = context.evaluator.builtin(value.typeName()))
    return *type;
  made->name = value.asBuiltin() ? isTypeName(value.asBuiltin()->name) ? "type" : "builtin_function_or_method"
               : value.as<ClassValue>() || value.as<ExceptionClass>() ? "type"
                                                                      : value.typeName();
  return Value(std::move(made));
}

} // namespace

Builtins classBuiltins() {
  return {marker("property", Marked::Kind::Property, "`@property` above a method: read as a field, without brackets."),
          marker("staticmethod", Marked::Kind::Static, "`@staticmethod` above a method that takes no `self`."),
          marker("classmethod", Marked::Kind::Class, "`@classmethod` above a method that takes its class first."),
          {.name = "isinstance",
           .signature = "isinstance(x, type)",
           .doc = "Whether x is of a class, of a type such as `int`, or of one of a tuple of them.",
           .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
             return Value(LANESCOPE_TRY(isInstance(context, args[0].value, args[1])));
           },
           .group = "classes"},
          {.name = "issubclass",
           .signature = "issubclass(type, other)",
           .doc = "Whether a class is another one or inherits from it; `other` may be a tuple of classes.",
           .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
             auto derives = [&](const Value &other) {
               const auto *mine = args[0].value.as<ClassValue>();
               const auto *theirs = other.as<ClassValue>();
               const auto *error = args[0].value.as<ExceptionClass>();
               const auto *caught = other.as<ExceptionClass>();
               const BuiltinValue *type = args[0].value.asBuiltin(), *base = other.asBuiltin();
               return (mine && theirs && mine->derivesFrom(*theirs)) ||
                      (error && caught && error->derivesFrom(*caught)) || (base && base->name == "object") ||
                      (type && base && (type->name == base->name || (type->name == "bool" && base->name == "int")));
             };
             const auto *several = args[1].value.asTuple();
             return Value(several ? std::ranges::any_of(*several, derives) : derives(args[1].value));
           },
           .group = "classes"},
          {.name = "vars",
           .signature = "vars(x)",
           .doc = "The names of an instance as a dict.",
           .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
             return context.evaluator.attribute(args[0].value, "__dict__", args[0].span);
           },
           .group = "classes"},
          {.name = "type",
           .signature = "type(x)",
           .doc = "The class or type of a value; `type(x).__name__` is its name.",
           .call = typeOf,
           .group = "classes"},
          {.name = "object",
           .signature = "object()",
           .doc = "What every value is, for `isinstance` and as the base of a class.",
           .call = [](Context &context, const BoundArguments &) -> Result<Value> {
             return context.fail("unsupported", "a bare object holds nothing; use a tuple, a dict or a dataclass");
           },
           .group = "classes"},
          {.name = "callable",
           .signature = "callable(x)",
           .doc = "Whether x can be called.",
           .call = [](Context &, const BoundArguments &args) -> Result<Value> {
             const Value &x = args[0].value;
             return Value(x.asFunction() || x.asBuiltin() || (x.asObject() && x.asObject()->callable()));
           },
           .group = "classes"},
          {.name = "getattr",
           .signature = "getattr(x, name, default=None)",
           .doc = "`x.name` by a text; `default` where there is none.",
           .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
             auto value = context.evaluator.attribute(args[0].value, LANESCOPE_TRY(args.text(1)), args.call);
             if (!value && args.has(2) && value.error().front().kind == "no-attribute")
               return args[2].value;
             return value;
           },
           .group = "classes"},
          {.name = "hasattr",
           .signature = "hasattr(x, name)",
           .doc = "Whether x has an attribute of that name.",
           .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
             auto value = context.evaluator.attribute(args[0].value, LANESCOPE_TRY(args.text(1)), args.call);
             if (!value && value.error().front().kind != "no-attribute")
               return std::unexpected(std::move(value.error()));
             return Value(value.has_value());
           },
           .group = "classes"},
          {.name = "setattr",
           .signature = "setattr(x, name, value)",
           .doc = "`x.name = value` by a text.",
           .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
             Object *object = args[0].value.asObject();
             if (!object)
               return args.wrongType(0, "an instance of a class");
             LANESCOPE_CHECK(object->setAttribute(context, LANESCOPE_TRY(args.text(1)), args[2]));
             return Value();
           },
           .group = "classes"}};
}

} // namespace lanescope::repl
