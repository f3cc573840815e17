#include "repl/lang/modules/Trees.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Classes.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

constexpr int kDeepest = 100; // what stands deeper is a leaf

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
  const auto *instance = tree.as<InstanceValue>();
  if (instance && instance->type()->kind == ClassValue::Kind::NamedTuple)
    return instance->items();
  return std::nullopt;
}

Value nodeOf(const Value &model, std::vector<Value> parts) {
  if (model.asList())
    return Value::list(std::move(parts));
  if (const DictData *dict = model.asDict()) {
    std::vector<DictData::Item> items = dict->items();
    sortByKey(items);
    DictData out; // in the order of its keys, as JAX has it
    for (size_t i = 0; i < items.size(); ++i)
      out.set(items[i].key, std::move(parts[i]));
    out.kind = dict->kind;
    out.missing = dict->missing;
    return Value::dict(std::move(out));
  }
  if (const auto *instance = model.as<InstanceValue>()) {
    DictData fields;
    size_t next = 0;
    for (const DictData::Item &item : instance->fields().asDict()->items())
      fields.set(item.key, std::move(parts[next++]));
    return Value(std::make_shared<InstanceValue>(instance->type(), Value::dict(std::move(fields))));
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

/// `tuples`, which asTuples made of a tree like `model`, as such a tree again.
Result<Value> restored(const Value &tuples, const Value &model, int depth = 0) {
  auto parts = partsOf(model, depth);
  if (!parts || model.isNone())
    return tuples;
  const auto *mine = tuples.asTuple();
  if (!mine || mine->size() != parts->size())
    return error("type", text("a tree of ", parts->size(), " parts became one of another structure"));
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

namespace {

/// `jax.tree.structure(tree)`: the tree without its leaves.
class TreeStructure final : public Object {
public:
  explicit TreeStructure(Value model) : model_(std::move(model)) {
    std::vector<Value> leaves;
    treeLeaves(model_, leaves);
    count_ = leaves.size();
    for (Value &leaf : leaves)
      leaf = Value(true);
    size_t next = 0;
    model_ = treeOf(model_, leaves, next);
  }
  size_t count() const { return count_; }
  const Value &model() const { return model_; }
  std::string typeName() const override { return "PyTreeDef"; }
  std::string repr() const override { return "PyTreeDef(" + shape() + ")"; }
  std::string key() const override { return "tree " + shape(); }
  Result<Value> attribute(Context &context, const std::string &name) override {
    if (name == "num_leaves")
      return Value(static_cast<int64_t>(count_));
    return Object::attribute(context, name);
  }
  std::vector<std::string> members() const override { return {"num_leaves"}; }

private:
  std::string shape() const {
    std::string out = lanescope::repl::repr(model_);
    for (size_t at = 0; (at = out.find("True", at)) != out.npos; ++at)
      out.replace(at, 4, "*");
    return out;
  }
  Value model_;
  size_t count_ = 0;
};

R structure(C &, const A &args) { return Value(std::make_shared<TreeStructure>(args[0].value)); }

R flatten(C &context, const A &args) {
  std::vector<Value> leaves;
  treeLeaves(args[0].value, leaves);
  return Value::tuple({Value::list(std::move(leaves)), LANESCOPE_TRY(structure(context, args))});
}

R unflatten(C &context, const A &args) {
  auto *tree = args[0].value.as<TreeStructure>();
  if (!tree)
    return args.wrongType(0, "what `jax.tree.structure` gives");
  std::vector<Value> leaves = LANESCOPE_TRY(context.evaluator.iterate(args[1].value, args[1].span));
  if (leaves.size() != tree->count())
    return args.wrongValue(1, text("the tree has ", tree->count(), " leaves, and ", leaves.size(), " are given"));
  size_t next = 0;
  return treeOf(tree->model(), leaves, next);
}

R reduceTree(C &context, const A &args) {
  std::vector<Value> leaves;
  treeLeaves(args[1].value, leaves);
  size_t first = 0;
  if (!args.has(2) && leaves.empty())
    return args.wrongValue(1, "a tree without leaves needs an `initializer`");
  Value total = args.has(2) ? args[2].value : leaves[first++];
  for (; first < leaves.size(); ++first) {
    Arguments pair;
    pair.positional = {{total, args[1].span}, {leaves[first], args[1].span}};
    total = LANESCOPE_TRY(context.evaluator.call(args[0].value, pair, args.call));
  }
  return total;
}

} // namespace

Builtins treeModuleNatives() {
  Builtins out = treeNatives();
  for (std::string prefix : {"", "tree_"}) {
    auto add = [&](std::string name, std::string parameters, std::string doc, BuiltinCall call) {
      out.push_back({prefix + name, prefix + name + parameters, doc, std::move(call)});
    };
    add("flatten", "(tree, is_leaf=None)", "The leaves of a tree, and its structure.", flatten);
    add("unflatten", "(treedef, leaves)", "A tree of that structure with those leaves.", unflatten);
    add("structure", "(tree, is_leaf=None)", "The structure of a tree, without its leaves.", structure);
    add("all", "(tree, is_leaf=None)", "Whether all leaves are true.", [](C &context, const A &args) -> R {
      std::vector<Value> leaves;
      treeLeaves(args[0].value, leaves);
      for (const Value &leaf : leaves)
        if (!LANESCOPE_TRY(context.evaluator.truth(leaf, args[0].span)))
          return Value(false);
      return Value(true);
    });
    add("reduce", "(function, tree, initializer=None, is_leaf=None)", "The leaves put together, two at a time.",
        reduceTree);
  }
  return out;
}

Builtins treeNatives() {
  return {
      {"leaves", "leaves(tree, is_leaf=None)", "The leaves of a tree, in order.",
       [](C &, const A &args) -> R {
         std::vector<Value> out;
         treeLeaves(args[0].value, out);
         return Value::list(std::move(out));
       }},
      {"tree_leaves", "tree_leaves(tree, is_leaf=None)", "The leaves of a tree, in order.",
       [](C &, const A &args) -> R {
         std::vector<Value> out;
         treeLeaves(args[0].value, out);
         return Value::list(std::move(out));
       }},
      {"map", "map(*function_and_trees, is_leaf=None)", "A function of the leaves of trees of one structure.", mapTree},
      {"tree_map", "tree_map(*function_and_trees, is_leaf=None)", "A function of the leaves of trees.", mapTree},
      {"_tuples", "_tuples(tree)", "", [](C &, const A &args) -> R { return asTuples(args[0].value); }},
      {"_restored", "_restored(tuples, model)", "",
       [](C &, const A &args) -> R { return restored(args[0].value, args[1].value); }},
  };
}

} // namespace lanescope::repl
