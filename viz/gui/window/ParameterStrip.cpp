#include "viz/gui/window/ParameterStrip.h"

#include "layouts/support/Text.h"
#include "viz/gui/style/Widgets.h"

#include <imgui_stdlib.h>

#include <algorithm>

namespace lanescope::viz {

namespace {

/// A Dear ImGui format string that prints the text.
std::string asFormat(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '%' ? std::string("%%") : std::string(1, c);
  return out;
}

/// The text of the button that opens the choice of an array's file.
constexpr const char *kFile = "file…";

float controlWidth(const ParameterControl &control, const Theme &theme) {
  switch (control.kind) {
  case ParameterControl::Kind::Switch: return ImGui::GetFrameHeight();
  case ParameterControl::Kind::Text: // short numbers, and arrays such as f32[1024, 1024]
    return std::clamp(ImGui::CalcTextSize(control.value.c_str()).x + theme.px(24), theme.px(90), theme.px(320));
  default: return theme.px(130);
  }
}

/// Draws a control. Returns the new value if the user chose another one.
std::optional<std::string> drawControl(const ParameterControl &control, const Theme &theme) {
  std::string id = "##" + control.name;
  auto at = std::ranges::find(control.choices, control.value) - control.choices.begin();
  switch (control.kind) {
  case ParameterControl::Kind::Slider: {
    int index = static_cast<int>(at), last = static_cast<int>(control.choices.size()) - 1;
    ImGui::SetNextItemWidth(theme.px(130));
    if (ImGui::SliderInt(id.c_str(), &index, 0, last, asFormat(control.value).c_str(), ImGuiSliderFlags_NoInput))
      return control.choices[static_cast<size_t>(std::clamp(index, 0, last))];
    return std::nullopt;
  }
  case ParameterControl::Kind::List: {
    std::optional<std::string> chosen;
    ImGui::SetNextItemWidth(theme.px(130));
    if (ImGui::BeginCombo(id.c_str(), control.value.c_str())) {
      for (size_t i = 0; i < control.choices.size(); ++i)
        if (ImGui::Selectable(control.choices[i].c_str(), static_cast<ptrdiff_t>(i) == at))
          chosen = control.choices[i];
      ImGui::EndCombo();
    }
    return chosen;
  }
  case ParameterControl::Kind::Switch: {
    bool on = control.value == "True";
    return ImGui::Checkbox(id.c_str(), &on) ? std::optional<std::string>(on ? "True" : "False") : std::nullopt;
  }
  case ParameterControl::Kind::Text: break;
  }
  std::string value = control.value;
  if (!control.problem.empty())
    ImGui::PushStyleColor(ImGuiCol_Border, theme.error);
  bool entered = valueField(id.c_str(), value, controlWidth(control, theme));
  if (!control.problem.empty())
    ImGui::PopStyleColor();
  return entered ? std::optional(value) : std::nullopt;
}

DockRect rectOfItem() {
  ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  return {from.x, from.y, to.x - from.x, to.y - from.y};
}

} // namespace

ParameterEvents drawParameters(LiveFiles &live, const Theme &theme) {
  ParameterEvents events;
  if (live.parameters().empty())
    return events;
  ImGui::PushID("parameters");
  // A caption is put on the line of the item before it, and the first caption has no item before it.
  ImGui::Dummy({0, 0});
  ImGui::SameLine(0, 0);
  bool set = false;
  for (size_t i = 0; i < live.parameters().size(); ++i) {
    const ParameterControl control = live.parameters()[i];
    if (i == 0)
      caption(control.name.c_str(), theme);
    else
      captionInFlow(control.name.c_str(),
                    controlWidth(control, theme) + (control.takesFile ? buttonWidth(kFile) + theme.px(4) : 0), theme);
    if (!control.about.empty() && ImGui::IsItemHovered())
      tip(control.about, theme);
    if (auto value = drawControl(control, theme))
      live.setParameter(i, *std::move(value));
    if (!control.about.empty() && ImGui::IsItemHovered())
      tip(control.about, theme);
    if (control.takesFile) {
      events.arrays.push_back({i, rectOfItem()});
      ImGui::SameLine(0, theme.px(4));
      if (ImGui::Button(text(kFile, "##", control.name).c_str()))
        events.wantsFile = i;
      events.arrays.back().button = rectOfItem();
      if (ImGui::IsItemHovered())
        tip("a `.npy` file; one may also be dropped on the field, or its path typed there", theme);
    }
    set |= control.value != control.initial;
  }
  if (live.isLaunch()) {
    flow(buttonWidth("run"), theme);
    if (ImGui::Button("run"))
      live.run();
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("launches the kernel on the emulator, with the checks on (Ctrl+R)");
  }
  if (set) {
    flow(buttonWidth("reset"), theme);
    if (ImGui::Button("reset"))
      live.resetParameters();
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("the values that the text gives");
  }
  for (const ParameterControl &control : live.parameters())
    if (!control.problem.empty())
      wrapped(control.problem, theme.error);
  ImGui::PopID();
  return events;
}

} // namespace lanescope::viz
