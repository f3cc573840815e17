// The shared-memory view: fields, lines of 128 bytes by 32 banks, inspector.
#include "viz/gui/Views.h"
#include "viz/gui/Widgets.h"

namespace lanescope::viz {

namespace {

void drawFields(SmemModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  SmemInput &input = model.input;
  bool edited = false;
  caption("Shape", theme);
  edited |= codeField("##shape", input.shape, theme.px(130), concerns(model.diagnostics(), "shape"), theme);
  captionInFlow("Type", theme.px(118), theme);
  edited |= dtypeCombo("##dtype", input.dtype, theme);
  captionInFlow("Tiling", theme.px(110), theme);
  edited |= codeField("##tiling", input.tiling, theme.px(110), concerns(model.diagnostics(), "tiling"), theme);
  constexpr int kSwizzles[] = {0, 32, 64, 128};
  int swizzle = 0;
  for (int i = 0; i < 4; ++i)
    if (kSwizzles[i] == input.swizzle)
      swizzle = i;
  const std::initializer_list<const char *> swizzles = {"none", "32", "64", "128"};
  captionInFlow("Swizzle, bytes", segmentedWidth(swizzles, theme), theme);
  if (segmented("swizzle", swizzles, swizzle, theme)) {
    input.swizzle = kSwizzles[swizzle];
    edited = true;
  }
  flow(buttonWidth("Transposed") + ImGui::GetFrameHeight(), theme);
  edited |= ImGui::Checkbox("Transposed", &input.transpose);

  const std::initializer_list<const char *> colours = {"16-byte chunk", "Row", "Column"};
  captionInFlow("Colour by", segmentedWidth(colours, theme), theme);
  int colour = int(input.colourBy);
  edited |= segmented("colour", colours, colour, theme);
  input.colourBy = SmemColour(colour);
  const std::initializer_list<const char *> stages = {"before the swizzle", "after it", "both"};
  captionInFlow("Picture", segmentedWidth(stages, theme), theme);
  constexpr SmemStage kStages[] = {SmemStage::Unswizzled, SmemStage::Swizzled, SmemStage::Both};
  int stage = input.stage == SmemStage::Unswizzled ? 0 : input.stage == SmemStage::Both ? 2 : 1;
  edited |= segmented("stage", stages, stage, theme);
  input.stage = kStages[stage];
  drawDiagnostics(model.diagnostics(), theme);
  if (edited)
    model.changed(context.requests);
}

} // namespace

void drawSmemView(ViewContext &context) {
  const Theme &theme = context.theme;
  SmemModel &model = context.models.smem;
  drawFields(model, context);
  ImVec2 space = ImGui::GetContentRegionAvail();
  float side = std::min(theme.px(kInspectorWidth), space.x * 0.4f);
  ImGui::BeginChild("picture", {space.x - side - theme.px(14), 0}, false,
                    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar);
  if (const Scene *scene = model.picture.scene()) {
    heading(scene->title.c_str(), theme);
    pictureButtons(model.picture, theme);
  }
  drawSceneCanvas("canvas", model.picture, theme, ImGui::GetContentRegionAvail(), context.place);
  ImGui::EndChild();
  ImGui::SameLine(0, theme.px(14));
  ImGui::BeginChild("inspector", {0, 0});
  drawInspector(model.picture, model.words(), theme);
  ImGui::EndChild();
}

} // namespace lanescope::viz
