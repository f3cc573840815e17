// The named arrays that a laid-out module declares in shared memory.
#include "core/gpu/inference/LayoutInference.h"
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/ir/ElementTypes.h"

#include <algorithm>
#include <cctype>

namespace lanescope::core {

using namespace mlir;

namespace {

/// The array's name in the snippet. Empty in modules that were not made from a snippet, because their names belong to
/// whole statements.
std::string nameOf(Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  std::string out = name ? name.getName().str() : std::string();
  bool identifier = !out.empty() && !std::isdigit(static_cast<unsigned char>(out[0])) &&
                    std::ranges::all_of(out, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  return identifier ? out : std::string();
}

/// The slice's layout in memory, as inferred or as stated by a `with_transforms`.
std::optional<SmemTransforms> transformsOf(mosaic_gpu::SliceSmemOp slice) {
  ArrayAttr list;
  if (auto given = slice->getAttrOfType<ArrayAttr>(kOutTransforms); given && given.size() == 1)
    list = dyn_cast<ArrayAttr>(given[0]);
  for (Operation *user : slice->getUsers())
    if (auto with = dyn_cast<mosaic_gpu::WithTransformsOp>(user))
      list = with.getTransforms();
  if (!list)
    return SmemTransforms();
  auto transforms = toTransforms(list);
  return transforms ? std::optional(*std::move(transforms)) : std::nullopt;
}

} // namespace

std::vector<SharedArray> sharedArrays(ModuleOp module) {
  std::vector<SharedArray> out;
  module.walk<WalkOrder::PreOrder>([&](mosaic_gpu::SliceSmemOp slice) {
    auto type = cast<MemRefType>(slice.getResult().getType());
    std::string name = nameOf(slice.getLoc());
    auto dtype = dtypeOf(type.getElementType());
    if (name.empty() || !dtype || !type.hasStaticShape())
      return;
    auto transforms = transformsOf(slice);
    if (!transforms)
      return;
    SharedArray array{
        .name = std::move(name), .dtype = *dtype, .shape = type.getShape().vec(), .offset = slice.getOffset()};
    array.tiling = transforms->tiling.value_or(layouts::Shape());
    array.swizzle = transforms->swizzle == 16 ? 0 : transforms->swizzle;
    if (std::ranges::find(out, array) ==
        out.end()) // a scope that is entered several times declares the same array again
      out.push_back(std::move(array));
  });
  return out;
}

} // namespace lanescope::core
