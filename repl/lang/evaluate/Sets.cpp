#include "repl/lang/evaluate/Sets.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

Result<void> insert(DictData &into, const Value &item, const Span &span) {
  if (!into.set(item, Value()))
    return error("type", span,
                 text("`", item.typeName(), "` cannot be in a set", item.asList() ? "; a tuple can" : ""));
  return {};
}

bool isOperator(BinaryOp op) {
  return op == BinaryOp::BitOr || op == BinaryOp::BitAnd || op == BinaryOp::Subtract || op == BinaryOp::BitXor;
}

/// The items of `a op b`, those of `a` first.
DictData combined(BinaryOp op, const DictData &a, const DictData &b) {
  DictData out;
  for (const DictData::Item &item : a.items())
    if (op == BinaryOp::BitOr || (b.find(item.key) != nullptr) == (op == BinaryOp::BitAnd))
      out.set(item.key, Value());
  if (op == BinaryOp::BitOr || op == BinaryOp::BitXor)
    for (const DictData::Item &item : b.items())
      if (op == BinaryOp::BitOr || !a.find(item.key))
        out.set(item.key, Value());
  return out;
}

bool isSubset(const DictData &a, const DictData &b) {
  return std::ranges::all_of(a.items(), [&](const DictData::Item &item) { return b.find(item.key); });
}

std::vector<Value> keysOf(const DictData &items) {
  std::vector<Value> out;
  for (const DictData::Item &item : items.items())
    out.push_back(item.key);
  return out;
}

SetObject &selfSet(const A &args) { return *args.self->as<SetObject>(); }

/// What may be given to a method in place of a set.
Result<DictData> itemsOf(C &context, const Arg &given) {
  DictData out;
  for (const Value &item : LANESCOPE_TRY(context.evaluator.iterate(given.value, given.span)))
    LANESCOPE_CHECK(insert(out, item, given.span));
  return out;
}

/// `union(*others)` and the like: a new set.
template <BinaryOp Op> R joined(C &context, const A &args) {
  DictData out = selfSet(args).items();
  for (const Arg &other : args.rest())
    out = combined(Op, out, LANESCOPE_TRY(itemsOf(context, other)));
  return SetObject::of(context.evaluator, keysOf(out), args.call, selfSet(args).typeName() == "frozenset");
}

/// `update(*others)` and the like: in place.
template <BinaryOp Op> R changed(C &context, const A &args) {
  DictData out = selfSet(args).items();
  for (const Arg &other : args.rest())
    out = combined(Op, out, LANESCOPE_TRY(itemsOf(context, other)));
  DictData *items = LANESCOPE_TRY(selfSet(args).changing(context));
  out.born = items->born;
  *items = std::move(out);
  return Value();
}

template <bool Strict> R removed(C &context, const A &args) {
  DictData *items = LANESCOPE_TRY(selfSet(args).changing(context));
  if (!items->erase(args[0].value) && Strict)
    return args.wrongValue(0, "the set does not contain it");
  return Value();
}

const Builtins &setMethods() {
  static const Builtins kMethods = {
      {"union", "union(*others)", "The items of this set and of the others.", joined<BinaryOp::BitOr>},
      {"intersection", "intersection(*others)", "The items that all have.", joined<BinaryOp::BitAnd>},
      {"difference", "difference(*others)", "The items that the others do not have.", joined<BinaryOp::Subtract>},
      {"symmetric_difference", "symmetric_difference(*others)", "The items that one of both has.",
       joined<BinaryOp::BitXor>},
      {"copy", "copy()", "A set of the same items.", joined<BinaryOp::BitOr>},
      {"issubset", "issubset(other)", "Whether the other has all items.",
       [](C &context, const A &args) -> R {
         return Value(isSubset(selfSet(args).items(), LANESCOPE_TRY(itemsOf(context, args[0]))));
       }},
      {"issuperset", "issuperset(other)", "Whether it has all items of the other.",
       [](C &context, const A &args) -> R {
         return Value(isSubset(LANESCOPE_TRY(itemsOf(context, args[0])), selfSet(args).items()));
       }},
      {"isdisjoint", "isdisjoint(other)", "Whether both have no item in common.",
       [](C &context, const A &args) -> R {
         return Value(
             combined(BinaryOp::BitAnd, selfSet(args).items(), LANESCOPE_TRY(itemsOf(context, args[0]))).size() == 0);
       }},
      {"add", "add(item)", "Adds an item.",
       [](C &context, const A &args) -> R {
         DictData *items = LANESCOPE_TRY(selfSet(args).changing(context));
         LANESCOPE_CHECK(context.evaluator.reserveItems(static_cast<int64_t>(items->size()) + 1, args.call));
         LANESCOPE_CHECK(insert(*items, args[0].value, args[0].span));
         return Value();
       }},
      {"discard", "discard(item)", "Takes an item out, if it is there.", removed<false>},
      {"remove", "remove(item)", "Takes an item out.", removed<true>},
      {"pop", "pop()", "Takes the first item out and returns it.",
       [](C &context, const A &args) -> R {
         DictData *items = LANESCOPE_TRY(selfSet(args).changing(context));
         if (items->size() == 0)
           return error("key", args.call, "the set is empty");
         Value first = items->items().front().key;
         items->erase(first);
         return first;
       }},
      {"clear", "clear()", "Takes all items out.",
       [](C &context, const A &args) -> R {
         DictData *items = LANESCOPE_TRY(selfSet(args).changing(context));
         for (const Value &item : keysOf(*items))
           items->erase(item);
         return Value();
       }},
      {"update", "update(*others)", "Adds the items of the others.", changed<BinaryOp::BitOr>},
      {"intersection_update", "intersection_update(*others)", "Keeps the items that all have.",
       changed<BinaryOp::BitAnd>},
      {"difference_update", "difference_update(*others)", "Takes the others' items out.", changed<BinaryOp::Subtract>},
  };
  return kMethods;
}

} // namespace

Result<Value> SetObject::of(Evaluator &evaluator, const std::vector<Value> &items, const Span &span, bool frozen) {
  DictData data;
  for (const Value &item : items)
    LANESCOPE_CHECK(insert(data, item, span));
  Value kept = evaluator.fresh(Value::dict(std::move(data)));
  return Value(std::shared_ptr<SetObject>(new SetObject(std::move(kept), frozen)));
}

std::string SetObject::repr() const {
  std::string out;
  for (const DictData::Item &item : items().items())
    out += text(out.empty() ? "" : ", ", lanescope::repl::repr(item.key));
  if (!frozen_)
    return out.empty() ? "set()" : text("{", out, "}");
  return out.empty() ? "frozenset()" : text("frozenset({", out, "})");
}

std::string SetObject::key() const {
  if (!frozen_)
    return {};
  std::vector<std::string> keys;
  for (const DictData::Item &item : items().items())
    keys.push_back(*hashKey(item.key));
  std::ranges::sort(keys);
  std::string out = "frozenset";
  for (const std::string &key : keys)
    out += text(" ", key.size(), ":", key);
  return out;
}

bool SetObject::equals(const Object &other) const {
  const auto *set = dynamic_cast<const SetObject *>(&other);
  return set && set->items().size() == items().size() && isSubset(items(), set->items());
}

std::vector<Value> SetObject::values() const { return keysOf(items()); }

std::vector<std::string> SetObject::members() const {
  std::vector<std::string> out;
  for (const Builtin &method : setMethods())
    out.push_back(method.name);
  std::ranges::sort(out);
  return out;
}

Result<Value> SetObject::attribute(Context &context, const std::string &name) {
  for (const Builtin &method : setMethods())
    if (method.name == name)
      return BuiltinValue::make(method, Value(shared_from_this()));
  std::string near(layouts::nearest(name, members()));
  return context.fail("no-attribute", text("`", typeName(), "` has no attribute `", name, "`",
                                           near.empty() ? std::string() : text("; did you mean `", near, "`?")));
}

Result<DictData *> SetObject::changing(Context &context) {
  if (frozen_)
    return context.fail("type", "a frozenset does not change; `set(…)` makes one that does");
  LANESCOPE_CHECK(context.evaluator.willChange(items_, context.span));
  return items_.asDict();
}

Result<bool> SetObject::combine(Context &context, BinaryOp op, const Arg &other) {
  const auto *set = other.value.as<SetObject>();
  if (frozen_ || !set || !isOperator(op))
    return false;
  DictData out = combined(op, items(), set->items());
  DictData *mine = LANESCOPE_TRY(changing(context));
  out.born = mine->born;
  *mine = std::move(out);
  return true;
}

Result<std::optional<Value>> SetObject::binary(Context &context, BinaryOp op, const Arg &other, bool reflected) {
  const auto *set = other.value.as<SetObject>();
  if (!set || !isOperator(op) || reflected)
    return std::nullopt;
  return std::optional(
      LANESCOPE_TRY(of(context.evaluator, keysOf(combined(op, items(), set->items())), context.span, frozen_)));
}

Result<std::optional<Value>> SetObject::compare(Context &, CompareOp op, const Arg &other) {
  const auto *set = other.value.as<SetObject>();
  if (!set)
    return std::nullopt;
  const bool within = isSubset(items(), set->items()), around = isSubset(set->items(), items());
  switch (op) {
  case CompareOp::Equal: return std::optional(Value(within && around));
  case CompareOp::NotEqual: return std::optional(Value(!within || !around));
  case CompareOp::LessEqual: return std::optional(Value(within));
  case CompareOp::Less: return std::optional(Value(within && !around));
  case CompareOp::GreaterEqual: return std::optional(Value(around));
  case CompareOp::Greater: return std::optional(Value(around && !within));
  default: return std::nullopt;
  }
}

} // namespace lanescope::repl
