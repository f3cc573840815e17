// The bar beside the explorer's pictures. It has the facts about the selected element. Below these, it always shows
// what the colours mean in each open picture.
#include "viz/gui/explorer/ExplorerView.h"

#include "viz/gui/style/Widgets.h"

#include "layouts/support/Text.h"

namespace lanescope::viz {

namespace {

void drawInspector(ExplorerModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  if (!model.input.compare.empty() && !model.facts().comparison.empty()) {
    heading("Compared", theme);
    for (size_t i = 0; i < model.facts().comparison.size(); ++i)
      wrapped(model.facts().comparison[i], i > 0 ? theme.ink : model.facts().equal ? theme.good : theme.warning);
    ImGui::Dummy({1, theme.px(6)});
  }
  heading(model.hovering() || !model.pinned() ? "Under the pointer" : "Pinned", theme);
  if (model.words().empty()) {
    wrapped("Point at a cell, or move with the arrow keys: the element lights up in every open picture, with all that "
            "is held beside it. A click pins it.",
            theme.faint);
  } else {
    for (const std::string &line : model.words())
      wrapped(line, theme.ink);
    size_t linked = model.selection().linked.size();
    if (linked > 1)
      wrapped(text(linked, " elements lit: what is held at the same place"), theme.faint);
  }
  if (const auto &access = model.facts().access) {
    ImGui::Dummy({1, theme.px(6)});
    heading("Bank conflicts", theme);
    for (const std::string &line : access->sentences)
      wrapped(line, access->bad ? theme.warning : theme.good);
    for (const std::string &line : model.accessWords())
      wrapped(line, theme.ink);
    if (model.accessWords().empty() && !access->bad)
      wrapped("Point at an element to see who shares its bank.", theme.faint);
  }
  model.explain(context.requests);
  if (!model.steps().empty()) {
    ImGui::Dummy({1, theme.px(6)});
    if (ImGui::CollapsingHeader("How it gets there")) {
      ImGui::PushFont(theme.mono);
      for (const std::string &line : model.steps())
        wrapped(line, theme.ink);
      ImGui::PopFont();
    }
  }
  ImGui::Dummy({1, theme.px(6)});
  const Scene *scene = model.pane(model.front).picture.scene();
  if (scene) {
    bool said = false; // the text of the layout is drawn below
    for (const LayoutText &written : model.facts().texts)
      said |= written.text == scene->subtitle;
    if (!said && !scene->subtitle.empty())
      wrapped(scene->subtitle, theme.faint);
  }
  for (const std::string &remark : model.facts().remarks)
    wrapped(remark, theme.faint);
  ImGui::Dummy({1, theme.px(6)});
  for (size_t i = 0; i < model.facts().texts.size(); ++i) {
    const LayoutText &written = model.facts().texts[i];
    ImGui::PushID(int(i));
    copyableCode("text", written.title.c_str(), written.text, theme);
    ImGui::PopID();
  }
}

/// Draws what the colours mean in each open picture, beginning with the front one. An entry that several pictures have
/// is drawn once.
void drawLegends(const ExplorerModel &model, const Theme &theme) {
  bool several = model.openPanes().size() > 1;
  for (const LegendSection &section : model.legends()) {
    ImGui::PushFont(theme.bold);
    wrapped(several ? text("Colours: ", section.title) : "Colours", theme.ink);
    ImGui::PopFont();
    ImGui::PushFont(theme.small);
    drawLegend(section.entries, theme);
    for (const std::string &note : section.notes)
      wrapped(note, theme.faint);
    ImGui::PopFont();
  }
}

} // namespace

void drawExplorerSide(ExplorerModel &model, ViewContext &context) {
  constexpr float kMostOfLegends = 0.55f; // share of the height
  const Theme &theme = context.theme;
  ImVec2 space = ImGui::GetContentRegionAvail();
  // The legends are assumed to be as high as in the last frame.
  float &wanted = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("legends' height"), 0);
  float legends = std::min(wanted, space.y * kMostOfLegends);
  float gap = theme.px(10);
  ImGui::BeginChild("words", {0, space.y - legends - gap});
  drawInspector(model, context);
  ImGui::EndChild();
  ImVec2 line = ImGui::GetCursorScreenPos();
  line.y -= ImGui::GetStyle().ItemSpacing.y;
  ImGui::SetCursorScreenPos({line.x, line.y + gap});
  ImGui::GetWindowDrawList()->AddLine({line.x, line.y + gap / 2}, {line.x + space.x, line.y + gap / 2}, theme.rule);
  ImGui::BeginChild("legends", {0, legends});
  drawLegends(model, theme);
  float height = ImGui::GetCursorPosY();
  ImGui::EndChild();
  wanted = height;
}

} // namespace lanescope::viz
