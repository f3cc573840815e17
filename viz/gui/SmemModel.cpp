#include "viz/gui/SmemModel.h"

#include "layouts/support/Text.h"
#include "viz/gui/Fields.h"
#include "viz/gui/LayoutModel.h"

namespace lanescope::viz {

SmemOutcome drawSmem(const SmemInput &input) {
  SmemOutcome out;
  auto failed = [&](Diagnostics diagnostics) {
    for (Diagnostic &diagnostic : diagnostics)
      out.diagnostics.push_back(std::move(diagnostic));
  };
  SmemSpec spec;
  if (auto shape = parseShapeField("shape", input.shape); shape)
    spec.shape = *shape;
  else
    failed(shape.error());
  if (auto dtype = parseDtypeField(input.dtype); dtype)
    spec.dtype = *dtype;
  else
    failed(dtype.error());
  if (auto tiling = parseTilingField("tiling", input.tiling); tiling)
    spec.tiling = *tiling;
  else
    failed(tiling.error());
  if (!out.diagnostics.empty())
    return out;
  int64_t elements = 1;
  for (int64_t size : spec.shape)
    if (size > kMaxDrawnElements / elements) {
      out.diagnostics.push_back({Severity::Error,
                                 "too-large",
                                 {},
                                 text("an array of shape ", input.shape, " is larger than any shared memory"),
                                 {}});
      return out;
    } else {
      elements *= size;
    }
  spec.swizzle = input.swizzle;
  spec.transpose = input.transpose;
  SmemSceneOptions options;
  options.colourBy = input.colourBy;
  options.stage = input.stage;
  auto scene = smemScene(spec, options);
  if (scene)
    out.scene = std::make_shared<const PreparedScene>(std::move(*scene));
  else
    failed(scene.error());
  return out;
}

void SmemModel::changed(Requests &requests) {
  requests.post("shared memory", [this, input = input] {
    auto outcome = std::make_shared<SmemOutcome>(drawSmem(input));
    return [this, outcome] { take(std::move(*outcome)); };
  });
}

void SmemModel::apply(const SmemRequest &request, Requests &requests) {
  if (!request.shape.empty())
    input.shape = request.shape;
  if (!request.dtype.empty())
    input.dtype = request.dtype;
  if (!request.tiling.empty())
    input.tiling = request.tiling;
  if (!request.swizzle.empty())
    input.swizzle = parseSwizzleField(request.swizzle).value_or(input.swizzle);
  input.colourBy = smemColourNamed(request.colourBy).value_or(input.colourBy);
  if (input.colourBy == SmemColour::Warp)
    input.colourBy = SmemColour::Chunk; // there is no register layout here whose warps could be shown
  input.transpose = request.transpose;
  changed(requests);
}

void SmemModel::take(SmemOutcome outcome) {
  diagnostics_ = std::move(outcome.diagnostics);
  if (outcome.scene)
    picture.show(std::move(outcome.scene));
}

std::vector<std::string> SmemModel::words() const {
  if (!picture.scene() || picture.focus() < 0)
    return {};
  return linesOf(picture.scene()->body.boxes[picture.focus()].tooltip);
}

} // namespace lanescope::viz
