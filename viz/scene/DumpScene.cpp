#include "viz/scene/DumpScene.h"

#include "layouts/support/Text.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

const core::DumpValue *drawnValue(const core::DumpOp &op) {
  for (const std::vector<core::DumpValue> *values : {&op.results, &op.operands})
    for (const core::DumpValue &value : *values)
      if (value.layout)
        return &value;
  return nullptr;
}

Result<Scene> dumpOpScene(const core::DumpOp &op) {
  const core::DumpValue *value = drawnValue(op);
  if (!value)
    return error(
        "no-layout", op.nameSpan,
        "this op has no register layout to draw; ops on arrays have one in the dump from after layout inference");
  if (!value->dtype)
    return error("no-layout", op.nameSpan, text("arrays of type `", value->type, "` can't be drawn"));
  auto scene = layoutScene(*value->layout, value->shape, *value->dtype);
  if (!scene)
    return at(op.nameSpan, std::move(scene.error()));
  return scene;
}

} // namespace lanescope::viz
