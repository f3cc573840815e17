#include "viz/scene/DumpScene.h"

#include "layouts/Catalogue.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

const core::DumpValue *drawnValue(const core::DumpOp &op) {
  for (const std::vector<core::DumpValue> *values : {&op.results, &op.operands})
    for (const core::DumpValue &value : *values)
      if (value.layout)
        return &value;
  return nullptr;
}

std::optional<ViewSpec> dumpValueView(const core::DumpValue &value) {
  ViewSpec spec;
  spec.shape = value.shape;
  spec.dtype = value.dtype;
  if (!value.dtype || value.shape.empty())
    return std::nullopt;
  if (value.layout) {
    spec.layout = layouts::catalogueName(*value.layout).value_or(layouts::jaxText(*value.layout));
    spec.view = View::Grid;
    return spec;
  }
  if (value.tensorLayout) {
    spec.layout = layouts::catalogueName(*value.tensorLayout).value_or(layouts::jaxText(*value.tensorLayout));
    spec.view = View::Tmem;
    return spec;
  }
  if (!value.transforms || !value.transforms->tiling)
    return std::nullopt;
  spec.view = View::Smem;
  spec.tiling = *value.transforms->tiling;
  spec.swizzle = value.transforms->swizzle;
  return spec;
}

Result<Scene> dumpOpScene(const core::DumpOp &op) {
  const core::DumpValue *value = drawnValue(op);
  if (!value)
    return error(
        "no-layout", op.nameSpan,
        "this op has no register layout to draw; ops on arrays have one in the dump from after layout inference");
  if (!value->dtype)
    return error("no-layout", op.nameSpan, Message("arrays of type `{}` can't be drawn", value->type));
  auto scene = layoutScene(*value->layout, value->shape, *value->dtype);
  if (!scene)
    return at(op.nameSpan, std::move(scene.error()));
  return scene;
}

} // namespace lanescope::viz
