#include "repl/kernel/launch/ShardedLayout.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/launch/DeviceMesh.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>

namespace lanescope::repl {

using layouts::Shape;

std::string ShardedLayout::repr() const {
  std::vector<std::string> said, whole;
  std::vector<std::string> split;
  for (size_t d = 0; d < sharding_.size(); ++d)
    if (!sharding_[d].empty()) {
      said.push_back(
          text("dimension ", d, " in ", mesh_.places(sharding_[d]), " parts along ", joined(sharding_[d], ", ")));
      split.insert(split.end(), sharding_[d].begin(), sharding_[d].end());
    }
  for (const std::string &name : mesh_.names)
    if (std::ranges::find(split, name) == split.end())
      whole.push_back(name);
  std::string copies = whole.empty() || mesh_.places(whole) == 1
                           ? std::string()
                           : text("; devices that differ only along ", joined(whole, ", "), " hold the same, ",
                                  mesh_.places(whole), " copies");
  return text("<", mesh_.devices(), " devices (", mesh_.describe(),
              "): ", said.empty() ? "each has all of the array" : joined(said, ", "), copies, "; each part in ",
              layoutText(), ">");
}
Result<std::optional<Value>> ShardedLayout::applyBuiltin(Context &context, const std::string &name,
                                                         const Arguments &arguments) {
  if (name != "owners")
    return std::nullopt;
  auto signature = Signature::parse("owners(layout, shape, index, dtype=None, memory=None)");
  return owners(context, LANESCOPE_TRY(BoundArguments::bind(*signature, arguments, context.span)));
}

/// The layout's name in the catalogue, else its repr.
std::string ShardedLayout::layoutText() const {
  auto name = layout_.asLayout() ? layouts::catalogueName(*layout_.asLayout()) : std::nullopt;
  return name ? *name : lanescope::repl::repr(layout_);
}

/// The owners of the element in the layout of one part, repeated for each device whose part holds the element.
Result<Value> ShardedLayout::owners(Context &context, const BoundArguments &args) const {
  Shape whole = LANESCOPE_TRY(args.shape(1)), part = LANESCOPE_TRY(partShape(whole, mesh_, sharding_, args[1].span));
  std::vector<int64_t> at = LANESCOPE_TRY(args.integers(2));
  if (at.size() != whole.size())
    return args.wrongValue(
        2, Message("the array has {dimensions} dimensions, and there are {indices} indices", whole.size(), at.size()));
  std::vector<Value> inside;
  for (size_t d = 0; d < at.size(); ++d) {
    if (at[d] < 0 || at[d] >= whole[d])
      return args.wrongValue(
          2, Message("index {index} is not in dimension {dimension} of size {size}", at[d], d, whole[d]));
    inside.emplace_back(at[d] % part[d]);
  }
  Arguments own;
  own.positional = {{layout_, args[0].span}, {Value::shape(part), args[1].span}, {Value::tuple(inside), args[2].span}};
  for (size_t i : {3, 4})
    if (args.has(i))
      own.keyword.push_back({i == 3 ? "dtype" : "memory", args[i].span, args[i].value, args[i].span});
  Value one = LANESCOPE_TRY(context.evaluator.call(*context.evaluator.builtin("owners"), own, context.span));
  const DictData &columns = *one.asDict();
  size_t rows = columns.items().empty() ? 0 : columns.items().front().value.asList()->items.size();
  std::vector<std::vector<Value>> out(1 + mesh_.names.size() + columns.items().size());
  for (int64_t device = 0; device < mesh_.devices(); ++device) {
    bool holds = true;
    for (size_t d = 0; d < sharding_.size(); ++d)
      holds &= mesh_.place(device, sharding_[d]) == at[d] / part[d];
    for (size_t row = 0; holds && row < rows; ++row) {
      size_t column = 0;
      out[column++].emplace_back(device);
      for (const std::string &axis : mesh_.names)
        out[column++].emplace_back(mesh_.place(device, {axis}));
      for (const auto &[name, values] : columns.items())
        out[column++].push_back(values.asList()->items[row]);
    }
  }
  std::vector<std::pair<std::string, Value>> table{{"device", Value::list(std::move(out[0]))}};
  for (size_t i = 0; i < mesh_.names.size(); ++i)
    table.emplace_back(mesh_.names[i], Value::list(std::move(out[1 + i])));
  for (size_t i = 0; i < columns.items().size(); ++i)
    table.emplace_back(*columns.items()[i].key.asStr(), Value::list(std::move(out[1 + mesh_.names.size() + i])));
  return Value::dict(std::move(table));
}

Builtin shardedBuiltin() {
  return {
      .name = "sharded",
      .signature = "sharded(layout, mesh, sharding)",
      .doc =
          "An array that is split over devices, as `sharding` of a kernel's annotations says; the part that a device "
          "computes with is in `layout`.\n\nIt prints in words. `show(sharded(WGMMA, {\"x\": 2}, (\"x\", None)), (128, "
          "64))` draws it; `owners(sharded(WGMMA, {\"x\": 2}, (\"x\", None)), "
          "(128, 64), "
          "(70, 3))` is a table of the devices that hold an element of the whole array, and where in each.",
      .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
        DeviceMesh mesh = LANESCOPE_TRY(meshArgument(context, args, 1));
        if (mesh.none())
          return args.wrongType(1, "a mesh of devices, `{\"x\": 2}`");
        Sharding sharding = LANESCOPE_TRY(shardingOf(args[2].value, args[2].span));
        LANESCOPE_TRY(partShape(Shape(sharding.size(), 0), mesh, sharding, args[2].span));
        return Value(std::make_shared<ShardedLayout>(args[0].value, std::move(mesh), std::move(sharding)));
      },
      .group = "layouts"};
}

} // namespace lanescope::repl
