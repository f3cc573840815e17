#include "repl/lang/evaluate/Methods.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Utf8.h"
#include "repl/lang/evaluate/Classes.h"
#include "repl/lang/evaluate/Interpreter.h"
#include "repl/lang/values/ArrayViews.h"
#include "repl/lang/values/Equality.h"

#include <algorithm>
#include <bit>

namespace lanescope::repl {
namespace {

const Builtins &numberMethods();

const Builtins &methodsOf(const Value &value) {
  static const Builtins kNone;
  if (value.asStr())
    return strMethods();
  if (value.asList())
    return listMethods();
  if (value.asTuple())
    return tupleMethods();
  if (value.asDict())
    return dictMethods();
  if (value.asInt() || value.asBool() || value.asFloat())
    return numberMethods();
  if (value.asArray())
    return arrayMethods();
  if (value.asLayout())
    return layoutMethods(value);
  return kNone;
}

Result<size_t> position(const Value &index, size_t size, std::string_view kind) {
  if (index.asBool() || !index.integer())
    return error("type",
                 Message("the index of a {container} must be an int or a slice, not {type}", kind, index.typeName()));
  int64_t n = *index.integer(), place = n < 0 ? n + static_cast<int64_t>(size) : n;
  if (place < 0 || place >= static_cast<int64_t>(size))
    return error("index-range", Message("index {index} is outside a {container} of length {size}", n, kind, size));
  return static_cast<size_t>(place);
}

/// The byte offsets of the characters of a str, and the offset of its end.
std::vector<size_t> characterStarts(const std::string &s) {
  std::vector<size_t> out;
  for (size_t i = 0; i < s.size(); ++i)
    if (!continuesCharacter(s[i]))
      out.push_back(i);
  out.push_back(s.size());
  return out;
}

Result<Value> itemOfStr(const std::string &s, const Value &index) {
  std::vector<size_t> starts = characterStarts(s);
  size_t length = starts.size() - 1;
  if (const SliceData *slice = index.asSlice()) {
    SliceSpan span = LANESCOPE_TRY(resolveSlice(*slice, static_cast<int64_t>(length)));
    std::string out;
    for (int64_t i = 0; i < span.count; ++i) {
      auto at = static_cast<size_t>(span.start + i * span.step);
      out.append(s, starts[at], starts[at + 1] - starts[at]);
    }
    return Value(std::move(out));
  }
  size_t at = LANESCOPE_TRY(position(index, length, "str"));
  return Value(s.substr(starts[at], starts[at + 1] - starts[at]));
}

std::string keyText(const Value &key) {
  std::string shown = repr(key);
  return shown.size() > 60 ? shown.substr(0, 57) + "..." : shown;
}

} // namespace

namespace {

using A = BoundArguments;

const Builtins &numberMethods() {
  auto magnitude = [](const A &args) {
    const int64_t n = args.self->integer().value_or(0);
    return n < 0 ? ~static_cast<uint64_t>(n) + 1 : static_cast<uint64_t>(n);
  };
  static const Builtins kMethods = {
      {"bit_length", "bit_length()", "How many bits the magnitude of an int takes.",
       [magnitude](Context &, const A &args) -> Result<Value> { return Value(std::bit_width(magnitude(args))); }},
  };
  return kMethods;
}

/// A method by its type and name: `str.upper`, `dict.fromkeys`.
std::optional<Value> methodOfType(const std::string &type, const std::string &name) {
  if (type == "dict" && name == "fromkeys")
    return BuiltinValue::make(
        {.name = name,
         .signature = "fromkeys(keys, value=None)",
         .doc = "A dict with those keys, each with the value.",
         .call = [](Context &context, const A &args) -> Result<Value> {
           DictData out;
           for (const Value &key : LANESCOPE_TRY(context.evaluator.iterate(args[0].value, args[0].span)))
             if (!out.set(key, args.has(1) ? args[1].value : Value()))
               return args.wrongValue(0, Message("`{type}` cannot be a dict's key", key.typeName()));
           return Value::dict(std::move(out));
         }});
  const Builtins *methods = type == "str"    ? &strMethods()
                            : type == "list" ? &listMethods()
                            : type == "dict" ? &dictMethods()
                                             : nullptr;
  if (!methods || std::ranges::find(*methods, name, &Builtin::name) == methods->end())
    return std::nullopt;
  return BuiltinValue::make({.name = name,
                             .signature = name + "(*arguments, **named)",
                             .doc = "The method of its first argument.",
                             .call = [name](Context &context, const A &args) -> Result<Value> {
                               if (args.rest().empty())
                                 return context.fail("arguments", Message("`{function}` takes the object first", name));
                               Arguments more{{args.rest().begin() + 1, args.rest().end()}, args.keywords()};
                               Value method = LANESCOPE_TRY(
                                   context.evaluator.attribute(args.rest()[0].value, name, args.rest()[0].span));
                               return context.evaluator.call(method, more, args.call);
                             }});
}

} // namespace

Result<Value> attributeOf(const Value &value, const std::string &name) {
  auto property = LANESCOPE_TRY(propertyOf(value, name));
  if (property)
    return std::move(*property);
  const Builtins &methods = methodsOf(value);
  for (const Builtin &method : methods)
    if (method.name == name)
      return BuiltinValue::make(method, value);
  const BuiltinValue *builtin = value.asBuiltin();
  const Function *function = value.asFunction();
  if ((builtin || function) && (name == "__name__" || name == "__qualname__"))
    return Value(builtin ? builtin->name : function->name.empty() ? function->syntax->name : function->name);
  if ((builtin || function) && name == "__doc__") {
    const std::string &doc = builtin ? builtin->doc : function->syntax->doc;
    return doc.empty() ? Value() : Value(doc);
  }
  if (const SliceData *slice = value.asSlice())
    for (const auto &[part, bound] : {std::pair("start", slice->start), {"stop", slice->stop}, {"step", slice->step}})
      if (name == part)
        return bound;
  if (builtin && !builtin->self)
    if (auto method = methodOfType(builtin->name, name))
      return *std::move(method);
  if (value.number() && (name == "real" || name == "imag"))
    return name == "real" ? value : Value(value.asFloat() ? Value(0.0) : Value(0));
  std::string near(layouts::nearest(name, members(value)));
  if (value.asArray() && name == "at")
    return error("no-attribute", "arrays of snippets have no `at`, because they can be changed: write `x[index] = "
                                 "value`; `x.copy()` is a new array");
  return error("no-attribute",
               Message("`{type}` has no attribute `{attribute}`{}", value.typeName(), name, layouts::didYouMean(near))
                   .with("nearest", near));
}

std::vector<std::string> members(const Value &value) {
  if (const Object *object = value.asObject())
    return object->members();
  std::vector<std::string> out = propertyNames(value);
  for (const Builtin &method : methodsOf(value))
    out.push_back(method.name);
  std::ranges::sort(out);
  return out;
}

Result<Value> itemOf(const Value &value, const Value &index) {
  if (const DictData *dict = value.asDict()) {
    if (const Value *found = dict->find(index))
      return *found;
    if (!hashKey(index))
      return error("type", Message("`{type}` cannot be a dict's key", index.typeName()));
    std::vector<std::string> known;
    for (const DictData::Item &item : dict->items())
      if (item.key.asStr())
        known.push_back(*item.key.asStr());
    std::string near(index.asStr() ? layouts::nearest(*index.asStr(), known) : std::string_view());
    return error("key", Message("the dict has no key {key}{}", keyText(index),
                                near.empty() ? std::string() : text("; did you mean '", near, "'?"))
                            .with("nearest", near));
  }
  if (const std::string *s = value.asStr())
    return itemOfStr(*s, index);
  if (const auto *items = value.asListOrTuple()) {
    if (const SliceData *slice = index.asSlice()) {
      SliceSpan span = LANESCOPE_TRY(resolveSlice(*slice, static_cast<int64_t>(items->size())));
      std::vector<Value> out;
      for (int64_t i = 0; i < span.count; ++i)
        out.push_back((*items)[static_cast<size_t>(span.start + i * span.step)]);
      return value.asList() ? Value::list(std::move(out)) : Value::tuple(std::move(out));
    }
    return (*items)[LANESCOPE_TRY(position(index, items->size(), value.asList() ? "list" : "tuple"))];
  }
  if (const RangeData *range = value.asRange())
    if (auto count = range->count()) {
      auto at = LANESCOPE_TRY(position(index, static_cast<size_t>(*count), "range"));
      return Value(*range->start.integer() + static_cast<int64_t>(at) * *range->step.integer());
    }
  return error("type", Message("`{type}` cannot be indexed", value.typeName()));
}

// --- changing --------------------------------------------------------------------------------------------------------

Result<void> checkNoCycle(const Value &container, const Value &part) {
  std::vector<const Value *> open = {&part};
  constexpr int64_t kMaxVisits = 1'000'000;
  for (int64_t visits = 0; !open.empty(); ++visits) {
    const Value *value = open.back();
    open.pop_back();
    if ((value->asList() && value->asList() == container.asList()) ||
        (value->asDict() && value->asDict() == container.asDict()))
      return error("value", Message("a {type} cannot contain itself", container.typeName()));
    const auto *instance = value->as<InstanceValue>();
    if (instance && instance->fields().asDict() == container.asDict() && container.asDict())
      return error("value", Message("an instance of `{class}` cannot contain itself", instance->type()->name));
    if (visits > kMaxVisits)
      return error("too-large", "this structure is too large to be put into another; keep large data in arrays");
    auto nested = [&](const Value &item) {
      if (item.asList() || item.asDict() || item.asTuple() || item.as<InstanceValue>())
        open.push_back(&item);
      else if (const auto *method = item.as<BoundMethod>())
        open.push_back(&method->self());
    };
    if (const auto *method = value->as<BoundMethod>())
      nested(method->self());
    if (instance)
      for (const DictData::Item &item : instance->fields().asDict()->items())
        nested(item.value);
    if (const auto *items = value->asListOrTuple())
      std::ranges::for_each(*items, nested);
    else if (const DictData *dict = value->asDict())
      for (const DictData::Item &item : dict->items())
        nested(item.value);
  }
  return {};
}

static Result<void> setSlice(Evaluator &evaluator, const Value &list, const SliceData &slice, const Arg &value,
                             const Span &span) {
  std::vector<Value> &items = list.asList()->items;
  auto where = resolveSlice(slice, static_cast<int64_t>(items.size()));
  if (!where)
    return at(span, std::move(where.error()));
  std::vector<Value> more = LANESCOPE_TRY(evaluator.iterate(value.value, value.span));
  if (where->step != 1) {
    if (static_cast<int64_t>(more.size()) != where->count)
      return error("value", span,
                   Message("a slice of {count} items cannot take {given} values", where->count, more.size()));
    for (int64_t i = 0; i < where->count; ++i)
      items[static_cast<size_t>(where->start + i * where->step)] = std::move(more[static_cast<size_t>(i)]);
    return {};
  }
  LANESCOPE_CHECK(evaluator.reserveItems(static_cast<int64_t>(items.size() + more.size()), span));
  auto first = items.begin() + where->start;
  first = items.erase(first, first + where->count);
  items.insert(first, more.begin(), more.end());
  return {};
}

Result<void> setItemOf(Evaluator &evaluator, const Arg &container, const Arg &index, const Arg &value,
                       const Span &span) {
  auto placed = [&](Result<void> done) -> Result<void> {
    if (!done)
      return at(index.span, std::move(done.error()));
    return {};
  };
  LANESCOPE_CHECK(evaluator.willChange(container.value, span));
  if (!container.value.asArrayData())
    if (auto fine = checkNoCycle(container.value, value.value); !fine)
      return at(value.span, std::move(fine.error()));
  if (ListData *list = container.value.asList()) {
    if (const SliceData *slice = index.value.asSlice())
      return setSlice(evaluator, container.value, *slice, value, index.span);
    auto place = position(index.value, list->items.size(), "list");
    if (!place)
      return at(index.span, std::move(place.error()));
    list->items[*place] = value.value;
    return {};
  }
  if (DictData *dict = container.value.asDict()) {
    LANESCOPE_CHECK(evaluator.reserveItems(static_cast<int64_t>(dict->size()) + 1, span));
    if (!dict->set(index.value, value.value))
      return error("type", index.span, Message("`{type}` cannot be a dict's key", index.value.typeName()));
    return {};
  }
  if (container.value.asArrayData())
    return placed(setItemOfArray(container.value, index.value, value.value));
  std::string mend = container.value.asTuple() ? "; tuples cannot be changed, lists can"
                     : container.value.asStr() ? "; strings cannot be changed"
                                               : "";
  return error("type", span, Message("items of `{type}` cannot be assigned to{}", container.value.typeName(), mend));
}

Result<void> deleteItemOf(Evaluator &evaluator, const Arg &container, const Arg &index, const Span &span) {
  LANESCOPE_CHECK(evaluator.willChange(container.value, span));
  if (ListData *list = container.value.asList()) {
    if (const SliceData *slice = index.value.asSlice()) {
      auto where = resolveSlice(*slice, static_cast<int64_t>(list->items.size()));
      if (!where)
        return at(index.span, std::move(where.error()));
      std::vector<bool> gone(list->items.size());
      for (int64_t i = 0; i < where->count; ++i)
        gone[static_cast<size_t>(where->start + i * where->step)] = true;
      size_t at = 0;
      std::erase_if(list->items, [&](const Value &) { return gone[at++]; });
      return {};
    }
    auto place = position(index.value, list->items.size(), "list");
    if (!place)
      return at(index.span, std::move(place.error()));
    list->items.erase(list->items.begin() + static_cast<ptrdiff_t>(*place));
    return {};
  }
  if (DictData *dict = container.value.asDict()) {
    if (!dict->erase(index.value))
      return error("key", index.span, Message("the dict has no key {key}", keyText(index.value)));
    return {};
  }
  return error("type", span, Message("items of `{type}` cannot be deleted", container.value.typeName()));
}

Result<bool> contains(Evaluator &evaluator, const Arg &container, const Arg &item, const Span &span) {
  if (const DictData *dict = container.value.asDict())
    return dict->find(item.value) != nullptr;
  if (const std::string *s = container.value.asStr()) {
    if (!item.value.asStr())
      return error("type", item.span,
                   Message("`in` on a str needs a str on its left, not `{type}`", item.value.typeName()));
    return s->find(*item.value.asStr()) != std::string::npos;
  }
  if (const RangeData *range = container.value.asRange(); range && range->count()) {
    auto n = item.value.integer();
    if (!n)
      return false;
    int64_t start = *range->start.integer(), step = *range->step.integer(), count = *range->count();
    __extension__ using Wide = __int128;
    Wide distance = static_cast<Wide>(*n) - start;
    return distance % step == 0 && distance / step >= 0 && distance / step < count;
  }
  std::vector<Value> items = LANESCOPE_TRY(evaluator.iterate(container.value, container.span));
  for (const Value &candidate : items) {
    LANESCOPE_CHECK(evaluator.poll(span));
    Result<bool> same = compared(candidate, item.value);
    if (!same)
      return at(span, std::move(same.error()));
    if (*same)
      return true;
  }
  return false;
}

} // namespace lanescope::repl
