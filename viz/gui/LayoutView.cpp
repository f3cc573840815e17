// The register layout view and the tensor memory view: fields, picture, inspector.
#include "viz/gui/Views.h"
#include "viz/gui/Widgets.h"

namespace lanescope::viz {

namespace {

void drawFields(LayoutModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  bool edited = false, registers = model.kind == LayoutKind::Registers;
  caption("Layout", theme);
  float listWidth = theme.px(130);
  float width = ImGui::GetContentRegionAvail().x - listWidth - ImGui::GetStyle().ItemSpacing.x;
  edited |= codeField("##layout", model.input.layout, width, concerns(model.diagnostics(), "layout"), theme);
  markPlace(model.diagnostics(), "layout", model.input.layout, theme);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(listWidth);
  if (ImGui::BeginCombo("##catalogue", "Catalogue", ImGuiComboFlags_HeightLargest | ImGuiComboFlags_PopupAlignLeft)) {
    for (const std::string &name : catalogueNames(model.kind))
      if (ImGui::Selectable(name.c_str(), name == model.input.layout)) {
        model.input.layout = name;
        edited = true;
      }
    ImGui::EndCombo();
  }
  drawDiagnostics(model.diagnostics(), theme, "layout");

  caption("Shape", theme);
  edited |= codeField("##shape", model.input.shape, theme.px(150), concerns(model.diagnostics(), "shape"), theme);
  captionInFlow("Type", theme.px(118), theme);
  edited |= dtypeCombo("##dtype", model.input.dtype, theme);
  int colour = int(model.input.colourBy);
  auto colourControl = [&](std::initializer_list<const char *> names) {
    captionInFlow("Colour by", segmentedWidth(names, theme), theme);
    edited |= segmented("colour", names, colour, theme);
  };
  if (registers)
    colourControl({"Warp", "Lane", "Register", "Vector"});
  else
    colourControl({"Quarter", "Lane", "Column", "Sub-word"});
  model.input.colourBy = ColourBy(colour);
  if (registers) {
    std::initializer_list<const char *> names = {"Array", "Threads"};
    captionInFlow("Cells", segmentedWidth(names, theme), theme);
    int lanes = model.input.view == View::Lanes;
    edited |= segmented("cells", names, lanes, theme);
    model.input.view = lanes ? View::Lanes : View::Auto;
  }
  drawDiagnostics(model.diagnostics(), theme, "layout", false);
  if (edited)
    model.changed(context.requests);
}

void drawBoth(LayoutModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  drawFields(model, context);
  ImVec2 space = ImGui::GetContentRegionAvail();
  float side = std::min(theme.px(kInspectorWidth), space.x * 0.4f);
  ImGui::BeginChild("picture", {space.x - side - theme.px(14), 0}, false,
                    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar);
  if (const Scene *scene = model.picture.scene()) {
    heading(scene->title.c_str(), theme);
    pictureButtons(model.picture, theme);
  } else if (model.diagnostics().empty()) {
    wrapped("Drawing …", theme.faint);
  }
  drawSceneCanvas("canvas", model.picture, theme, ImGui::GetContentRegionAvail(), context.place);
  ImGui::EndChild();
  ImGui::SameLine(0, theme.px(14));
  ImGui::BeginChild("inspector", {0, 0});
  drawInspector(model.picture, model.words(), theme);
  if (model.picture.scene()) {
    ImGui::Dummy({1, theme.px(6)});
    copyableCode("jax", "As JAX prints it", model.jax(), theme);
    copyableCode("mlir", "As an MLIR attribute", model.mlir(), theme);
  }
  ImGui::EndChild();
}

} // namespace

void drawLayoutView(ViewContext &context) { drawBoth(context.models.layout, context); }
void drawTmemView(ViewContext &context) { drawBoth(context.models.tmem, context); }

} // namespace lanescope::viz
