// Methods of list, tuple and dict.
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/values/Equality.h"

#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Interpreter.h"
#include "repl/lang/evaluate/Sorting.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

std::vector<Value> &listItems(const A &args) { return args.self->asList()->items; }
const std::vector<Value> &items(const A &args) {
  return args.self->asList() ? args.self->asList()->items : *args.self->asTuple();
}
Result<void> change(C &context, const A &args) { return context.evaluator.willChange(*args.self, args.call); }

Result<void> adopt(const A &args, size_t index, const Value &part) {
  if (auto fine = checkNoCycle(*args.self, part); !fine)
    return at(args[index].span, std::move(fine.error()));
  return {};
}

/// True if an item equals the method's argument.
Result<bool> sameValue(const A &args, const Value &item) {
  Result<bool> same = compared(item, args[0].value);
  return same ? same : at(args.call, std::move(same.error()));
}

R indexOf(C &context, const A &args) {
  for (size_t i = 0; i < items(args).size(); ++i) {
    LANESCOPE_CHECK(context.evaluator.poll(args.call));
    if (LANESCOPE_TRY(sameValue(args, items(args)[i])))
      return Value(i);
  }
  return args.wrongValue(0, Message("the {type} does not contain it", args.self->typeName()));
}

R count(C &context, const A &args) {
  int64_t hits = 0;
  for (const Value &item : items(args)) {
    LANESCOPE_CHECK(context.evaluator.poll(args.call));
    hits += LANESCOPE_TRY(sameValue(args, item));
  }
  return Value(hits);
}

R pop(C &context, const A &args) {
  LANESCOPE_CHECK(change(context, args));
  std::vector<Value> &list = listItems(args);
  int64_t at = LANESCOPE_TRY(args.integerOr(0, -1)), size = static_cast<int64_t>(list.size());
  int64_t place = at < 0 ? at + size : at;
  if (place < 0 || place >= size)
    return error("index-range", size == 0 ? "the list is empty"
                                          : Message("index {index} is outside a list of length {size}", at, size));
  Value out = std::move(list[static_cast<size_t>(place)]);
  list.erase(list.begin() + place);
  return out;
}

const DictData &dict(const A &args) { return *args.self->asDict(); }

R keyError(const A &args) { return args.wrongValue(0, "the dict has no such key"); }

R update(C &context, const A &args) {
  std::vector<DictData::Item> pairs;
  if (const DictData *other = args.has(0) ? args[0].value.asDict() : nullptr) {
    pairs = other->items();
  } else if (args.has(0)) {
    for (const Value &item : LANESCOPE_TRY(context.evaluator.iterate(args[0].value, args[0].span))) {
      std::vector<Value> parts = LANESCOPE_TRY(context.evaluator.iterate(item, args[0].span));
      if (parts.size() != 2)
        return args.wrongValue(0,
                               Message("every part must be a (key, value) pair, not of length {count}", parts.size()));
      pairs.push_back({parts[0], parts[1]});
    }
  }
  for (const KeywordArg &keyword : args.keywords())
    pairs.push_back({Value(keyword.name), keyword.value});
  LANESCOPE_CHECK(change(context, args));
  for (const DictData::Item &item : pairs) {
    if (auto fine = checkNoCycle(*args.self, item.value); !fine)
      return at(args.call, std::move(fine.error()));
    if (!args.self->asDict()->set(item.key, item.value))
      return error("type", args.call, Message("`{type}` cannot be a dict's key", item.key.typeName()));
  }
  return Value();
}

} // namespace

const Builtins &listMethods() {
  static const Builtins kMethods = {
      {"append", "append(item)", "Adds an item at the end.",
       [](C &context, const A &args) -> R {
         LANESCOPE_CHECK(change(context, args));
         LANESCOPE_CHECK(adopt(args, 0, args[0].value));
         LANESCOPE_CHECK(context.evaluator.reserveItems(
             static_cast<int64_t>(listItems(args).size()) < context.evaluator.limits().containerItems ? 1 : INT64_MAX,
             args.call));
         listItems(args).push_back(args[0].value);
         return Value();
       }},
      {"extend", "extend(items)", "Adds all items at the end.",
       [](C &context, const A &args) -> R {
         std::vector<Value> more = LANESCOPE_TRY(context.evaluator.iterate(args[0].value, args[0].span));
         LANESCOPE_CHECK(change(context, args));
         for (const Value &item : more)
           LANESCOPE_CHECK(adopt(args, 0, item));
         LANESCOPE_CHECK(
             context.evaluator.reserveItems(static_cast<int64_t>(listItems(args).size() + more.size()), args.call));
         listItems(args).insert(listItems(args).end(), more.begin(), more.end());
         return Value();
       }},
      {"insert", "insert(index, item)", "Puts an item before position `index`.",
       [](C &context, const A &args) -> R {
         int64_t at = LANESCOPE_TRY(args.integer(0)), size = static_cast<int64_t>(listItems(args).size());
         LANESCOPE_CHECK(change(context, args));
         LANESCOPE_CHECK(adopt(args, 1, args[1].value));
         LANESCOPE_CHECK(context.evaluator.reserveItems(size + 1, args.call));
         at = std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
         listItems(args).insert(listItems(args).begin() + at, args[1].value);
         return Value();
       }},
      {"pop", "pop(index=-1)", "Takes an item out and returns it.", pop},
      {"remove", "remove(item)", "Takes the first equal item out.",
       [](C &context, const A &args) -> R {
         Value at = LANESCOPE_TRY(indexOf(context, args));
         LANESCOPE_CHECK(change(context, args));
         listItems(args).erase(listItems(args).begin() + *at.asInt());
         return Value();
       }},
      {"clear", "clear()", "Takes all items out.",
       [](C &context, const A &args) -> R {
         LANESCOPE_CHECK(change(context, args));
         dismantle(std::exchange(listItems(args), {}));
         return Value();
       }},
      {"index", "index(item)", "Position of the first equal item; an error without one.", indexOf},
      {"count", "count(item)", "How many items are equal to this one.", count},
      {"reverse", "reverse()", "Turns the order around, in place.",
       [](C &context, const A &args) -> R {
         LANESCOPE_CHECK(change(context, args));
         std::ranges::reverse(listItems(args));
         return Value();
       }},
      {"sort", "sort(*, key=None, reverse=False)", "Sorts in place; equal items keep their order.",
       [](C &context, const A &args) -> R {
         bool reverse = LANESCOPE_TRY(args.booleanOr(1, false));
         std::vector<Value> sorted = LANESCOPE_TRY(sortedItems(context, listItems(args), args.get(0), reverse));
         LANESCOPE_CHECK(change(context, args));
         listItems(args) = std::move(sorted);
         return Value();
       }},
      {"copy", "copy()", "A new list with the same items.",
       [](C &, const A &args) -> R { return Value::list(listItems(args)); }},
  };
  return kMethods;
}

const Builtins &tupleMethods() {
  static const Builtins kMethods = {
      {"index", "index(item)", "Position of the first equal item; an error without one.", indexOf},
      {"count", "count(item)", "How many items are equal to this one.", count},
  };
  return kMethods;
}

const Builtins &dictMethods() {
  static const Builtins kMethods = {
      {"keys", "keys()", "The keys as a list.",
       [](C &, const A &args) -> R {
         std::vector<Value> out;
         for (const DictData::Item &item : dict(args).items())
           out.push_back(item.key);
         return Value::list(std::move(out));
       }},
      {"values", "values()", "The values as a list.",
       [](C &, const A &args) -> R {
         std::vector<Value> out;
         for (const DictData::Item &item : dict(args).items())
           out.push_back(item.value);
         return Value::list(std::move(out));
       }},
      {"items", "items()", "The (key, value) pairs as a list.",
       [](C &, const A &args) -> R {
         std::vector<Value> out;
         for (const DictData::Item &item : dict(args).items())
           out.push_back(Value::tuple({item.key, item.value}));
         return Value::list(std::move(out));
       }},
      {"get", "get(key, default=None)", "The key's value, or `default`.",
       [](C &, const A &args) -> R {
         const Value *found = dict(args).find(args[0].value);
         return found ? *found : args.has(1) ? args[1].value : Value();
       }},
      {"pop", "pop(key, default=None)", "Takes the key out and returns its value, or `default`.",
       [](C &context, const A &args) -> R {
         const Value *found = dict(args).find(args[0].value);
         if (!found)
           return args.has(1) ? args[1].value : keyError(args);
         Value out = *found;
         LANESCOPE_CHECK(change(context, args));
         args.self->asDict()->erase(args[0].value);
         return out;
       }},
      {"setdefault", "setdefault(key, default=None)", "The key's value; without one, `default`, which is kept.",
       [](C &context, const A &args) -> R {
         if (const Value *found = dict(args).find(args[0].value))
           return *found;
         Value fallback = args.has(1) ? args[1].value : Value();
         LANESCOPE_CHECK(change(context, args));
         LANESCOPE_CHECK(adopt(args, 0, fallback));
         if (!args.self->asDict()->set(args[0].value, fallback))
           return args.wrongValue(0, Message("`{type}` cannot be a dict's key", args[0].value.typeName()));
         return fallback;
       }},
      {"update", "update(other=(), **items)",
       "Takes over the other dict's pairs, or (key, value) pairs, and keyword arguments.", update},
      {"clear", "clear()", "Takes all pairs out.",
       [](C &context, const A &args) -> R {
         LANESCOPE_CHECK(change(context, args));
         *args.self->asDict() = [&] {
           DictData empty;
           empty.born = args.self->asDict()->born;
           return empty;
         }();
         return Value();
       }},
      {"copy", "copy()", "A new dict with the same pairs.",
       [](C &, const A &args) -> R {
         DictData out = dict(args);
         out.born = 0;
         return Value::dict(std::move(out));
       }},
  };
  return kMethods;
}

} // namespace lanescope::repl
