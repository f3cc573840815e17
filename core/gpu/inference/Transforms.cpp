#include "core/gpu/inference/Transforms.h"

#include "core/gpu/inference/LayoutsInModule.h"

namespace lanescope::core {

using namespace mlir;

/// The tile applies to the last dimensions; a permutation that mixes them with others drops the tile.
static RefTransforms transposedBy(const RefTransforms &from, ArrayRef<unsigned> permutation) {
  RefTransforms to = from;
  size_t rank = permutation.size();
  if (from.transforms.tiling) {
    size_t tiled = from.transforms.tiling->size(), leading = rank - tiled;
    for (size_t i = 0; i < tiled; ++i) {
      unsigned source = permutation[leading + i];
      if (source < leading) {
        to.transforms.tiling.reset();
        break;
      }
      (*to.transforms.tiling)[i] = (*from.transforms.tiling)[source - leading];
    }
  }
  if (!permutation.empty() && permutation.back() != rank - 1)
    to.transposed = !from.transposed;
  return to;
}

/// A reshape keeps the tile if it does not change the tiled dimensions.
static RefTransforms reshapedBy(const RefTransforms &from, const rule::Reshaped &rule) {
  RefTransforms to = from;
  if (!from.transforms.tiling)
    return to;
  auto source = cast<MemRefType>(rule.from.value.getType()).getShape();
  auto result = cast<MemRefType>(rule.to.value.getType()).getShape();
  size_t tiled = from.transforms.tiling->size();
  if (result.size() < tiled || source.take_back(tiled) != result.take_back(tiled))
    to.transforms.tiling.reset();
  return to;
}

TransformMap propagateTransforms(const LayoutRules &rules, const ChosenTransforms &chosen) {
  TransformMap map;
  for (const LayoutRules::Entry &entry : rules.entries()) {
    if (auto *fixed = std::get_if<rule::FixedTransforms>(&entry.rule)) {
      auto choice = chosen.find(fixed->site.value);
      map[fixed->site.value] = {choice == chosen.end() ? fixed->transforms : choice->second};
    } else if (auto *turned = std::get_if<rule::Transposed>(&entry.rule)) {
      map[turned->to.value] = transposedBy(map.lookup(turned->from.value), turned->permutation);
    } else if (auto *reshaped = std::get_if<rule::Reshaped>(&entry.rule)) {
      if (hasTransforms(reshaped->to.value.getType()))
        map[reshaped->to.value] = reshapedBy(map.lookup(reshaped->from.value), *reshaped);
    } else if (auto *equal = std::get_if<rule::Equal>(&entry.rule)) {
      const LayoutSite *source =
          llvm::find_if(equal->sites, [&](const LayoutSite &site) { return map.contains(site.value); });
      for (const LayoutSite &site : equal->sites)
        if (!site.use && hasTransforms(site.value.getType()))
          map[site.value] = source == equal->sites.end() ? RefTransforms() : RefTransforms(map.lookup(source->value));
    }
  }
  return map;
}

void annotateTransforms(Operation *root, const TransformMap &map) {
  root->walk([&](Operation *op) {
    auto annotate = [&](ValueRange values, llvm::StringRef name) {
      SmallVector<Attribute> entries;
      for (Value value : values)
        if (auto found = map.find(value); found != map.end())
          entries.push_back(toAttribute(op->getContext(), found->second.transforms));
      if (!entries.empty())
        op->setAttr(name, ArrayAttr::get(op->getContext(), entries));
    };
    annotate(op->getOperands(), kInTransforms);
    annotate(op->getResults(), kOutTransforms);
  });
}

} // namespace lanescope::core
