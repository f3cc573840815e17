// The arrays in shared memory that a laid-out module declares under a name.
#include "core/gpu/inference/LayoutInference.h"
#include "core/gpu/inference/Layouts.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/ir/ElementTypes.h"

#include <algorithm>
#include <cctype>

namespace lanescope::core {

using namespace mlir;

namespace {

/// As the snippet calls it; empty: it comes from elsewhere, where names are those of whole statements.
std::string nameOf(Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  std::string out = name ? name.getName().str() : std::string();
  bool identifier = !out.empty() && !std::isdigit(static_cast<unsigned char>(out[0])) &&
                    std::ranges::all_of(out, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  return identifier ? out : std::string();
}

/// How the slice lies in memory: what inference chose, or what a `with_transforms` says.
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
    if (std::ranges::find(out, array) == out.end()) // a scope that is entered several times declares the same again
      out.push_back(std::move(array));
  });
  return out;
}

} // namespace lanescope::core
