#include "repl/kernel/pallas/Trees.h"

#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

constexpr int kDeepest = 100; // deeper values are leaves

void sortByKey(std::vector<DictData::Item> &items) {
  std::ranges::stable_sort(items, [](const DictData::Item &a, const DictData::Item &b) {
    auto x = a.key.number(), y = b.key.number();
    return x && y ? *x < *y : repr(a.key) < repr(b.key);
  });
}

/// The parts of a node; nothing for a leaf.
std::optional<std::vector<Value>> partsOf(const Value &tree, int depth) {
  if (depth > kDeepest)
    return std::nullopt;
  if (tree.isNone())
    return std::vector<Value>{};
  if (const auto *items = tree.asTuple())
    return *items;
  if (const ListData *list = tree.asList())
    return list->items;
  if (const DictData *dict = tree.asDict()) {
    std::vector<DictData::Item> items = dict->items();
    sortByKey(items);
    std::vector<Value> out;
    for (DictData::Item &item : items)
      out.push_back(std::move(item.value));
    return out;
  }
  return std::nullopt;
}

Value nodeOf(const Value &model, std::vector<Value> parts) {
  if (model.asList())
    return Value::list(std::move(parts));
  if (const DictData *dict = model.asDict()) {
    std::vector<DictData::Item> items = dict->items();
    sortByKey(items);
    DictData out; // the items in the order of the keys, as in JAX
    for (size_t i = 0; i < items.size(); ++i)
      out.set(items[i].key, std::move(parts[i]));
    return Value::dict(std::move(out));
  }
  return model.isNone() ? Value() : Value::tuple(std::move(parts));
}

Value asTuples(const Value &tree, int depth = 0) {
  auto parts = partsOf(tree, depth);
  if (!parts || tree.isNone())
    return tree;
  for (Value &part : *parts)
    part = asTuples(part, depth + 1);
  return Value::tuple(std::move(*parts));
}

/// Converts `tuples`, which asTuples made from a tree like `model`, back to such a tree.
Result<Value> restored(const Value &tuples, const Value &model, int depth = 0) {
  auto parts = partsOf(model, depth);
  if (!parts || model.isNone())
    return tuples;
  const auto *mine = tuples.asTuple();
  if (!mine || mine->size() != parts->size())
    return error("type", Message("a tree of {count} parts became one of another structure", parts->size()));
  std::vector<Value> out;
  for (size_t i = 0; i < parts->size(); ++i)
    out.push_back(LANESCOPE_TRY(restored((*mine)[i], (*parts)[i], depth + 1)));
  return nodeOf(model, std::move(out));
}

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

R mapTree(C &context, const A &args) {
  std::vector<std::vector<Value>> columns;
  for (size_t i = 1; i < args.rest().size(); ++i)
    treeLeaves(args.rest()[i].value, columns.emplace_back());
  if (columns.empty())
    return error("arguments", args.call, "`map` takes a function and a tree at least");
  std::vector<Value> out;
  for (size_t k = 0; k < columns[0].size(); ++k) {
    Arguments each;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].size() != columns[0].size())
        return error("value", args.rest()[i + 1].span, "the trees have different structures");
      each.positional.push_back({columns[i][k], args.rest()[i + 1].span});
    }
    out.push_back(LANESCOPE_TRY(context.evaluator.call(args.rest()[0].value, each, args.call)));
  }
  size_t next = 0;
  return treeOf(args.rest()[1].value, out, next);
}

} // namespace

static void leavesOf(const Value &tree, std::vector<Value> &leaves, int depth) {
  auto parts = partsOf(tree, depth);
  if (!parts) {
    leaves.push_back(tree);
    return;
  }
  for (const Value &part : *parts)
    leavesOf(part, leaves, depth + 1);
}

void treeLeaves(const Value &tree, std::vector<Value> &leaves) { leavesOf(tree, leaves, 0); }

static Value withLeaves(const Value &model, const std::vector<Value> &leaves, size_t &next, int depth) {
  auto parts = partsOf(model, depth);
  if (!parts)
    return leaves[next++];
  for (Value &part : *parts)
    part = withLeaves(part, leaves, next, depth + 1);
  return nodeOf(model, std::move(*parts));
}

Value treeOf(const Value &model, const std::vector<Value> &leaves, size_t &next) {
  return withLeaves(model, leaves, next, 0);
}

Builtins treeNatives() {
  return {
      {"leaves", "leaves(tree, is_leaf=None)", "The leaves of a tree, in order.",
       [](C &, const A &args) -> R {
         std::vector<Value> out;
         treeLeaves(args[0].value, out);
         return Value::list(std::move(out));
       }},
      {"map", "map(*function_and_trees, is_leaf=None)", "A function of the leaves of trees of one structure.", mapTree},
      {"_tuples", "_tuples(tree)", "", [](C &, const A &args) -> R { return asTuples(args[0].value); }},
      {"_restored", "_restored(tuples, model)", "",
       [](C &, const A &args) -> R { return restored(args[0].value, args[1].value); }},
  };
}

} // namespace lanescope::repl
