#include "viz/gui/Widgets.h"

#include "layouts/Dtype.h"

#include <imgui_stdlib.h>

#include <algorithm>

namespace lanescope::viz {

bool segmented(const char *id, std::initializer_list<const char *> names, int &chosen, const Theme &theme) {
  bool changed = false;
  int index = 0;
  ImGui::PushID(id);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(1), ImGui::GetStyle().ItemSpacing.y});
  for (const char *name : names) {
    if (index)
      ImGui::SameLine();
    bool active = index == chosen;
    if (active) {
      ImGui::PushStyleColor(ImGuiCol_Button, theme.accent);
      ImGui::PushStyleColor(ImGuiCol_ButtonHovered, theme.accent);
      ImGui::PushStyleColor(ImGuiCol_Text, theme.accentInk);
    }
    if (ImGui::Button(name) && !active) {
      chosen = index;
      changed = true;
    }
    if (active)
      ImGui::PopStyleColor(3);
    ++index;
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  return changed;
}

float buttonWidth(const char *text) { return ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x; }

float segmentedWidth(std::initializer_list<const char *> names, const Theme &theme) {
  float width = 0;
  for (const char *name : names)
    width += buttonWidth(name) + theme.px(1);
  return width;
}

void flow(float width, const Theme &theme) {
  float gap = theme.px(20);
  float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + gap + width <= right)
    ImGui::SameLine(0, gap);
}

void captionInFlow(const char *text, float width, const Theme &theme) {
  flow(ImGui::CalcTextSize(text).x + theme.px(6) + width, theme);
  caption(text, theme);
}

void caption(const char *text, const Theme &theme) {
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
  ImGui::TextUnformatted(text);
  ImGui::PopStyleColor();
  ImGui::SameLine(0, theme.px(6));
}

void heading(const char *text, const Theme &theme) {
  ImGui::PushFont(theme.bold);
  ImGui::TextUnformatted(text);
  ImGui::PopFont();
}

void wrapped(const std::string &text, ImU32 colour) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.c_str(), text.c_str() + text.size());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

bool codeField(const char *id, std::string &text, float width, bool bad, const Theme &theme) {
  ImGui::PushFont(theme.mono);
  if (bad)
    ImGui::PushStyleColor(ImGuiCol_Border, theme.error);
  ImGui::SetNextItemWidth(width);
  bool edited = ImGui::InputText(id, &text);
  if (bad)
    ImGui::PopStyleColor();
  ImGui::PopFont();
  return edited;
}

bool dtypeCombo(const char *id, std::string &dtype, const Theme &theme) {
  bool changed = false;
  ImGui::SetNextItemWidth(theme.px(118));
  if (ImGui::BeginCombo(id, dtype.c_str(), ImGuiComboFlags_HeightLarge)) {
    for (layouts::Dtype each : layouts::allDtypes()) {
      std::string name(layouts::name(each));
      if (ImGui::Selectable(name.c_str(), name == dtype) && name != dtype) {
        dtype = name;
        changed = true;
      }
    }
    ImGui::EndCombo();
  }
  return changed;
}

void copyableCode(const char *id, const char *title, const std::string &text, const Theme &theme) {
  if (text.empty())
    return;
  ImGui::PushID(id);
  heading(title, theme);
  ImGui::SameLine(ImGui::GetContentRegionAvail().x - theme.px(52));
  if (ImGui::SmallButton("copy"))
    ImGui::SetClipboardText(text.c_str());
  ImGui::PushFont(theme.mono);
  wrapped(text, theme.ink);
  ImGui::PopFont();
  ImGui::PopID();
}

void markPlace(const Diagnostics &diagnostics, std::string_view field, const std::string &text, const Theme &theme) {
  for (const Diagnostic &diagnostic : diagnostics) {
    if (!diagnostic.span.source || diagnostic.span.source->name() != field)
      continue;
    ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    size_t begin = std::min<size_t>(diagnostic.span.begin, text.size());
    size_t end = std::clamp<size_t>(diagnostic.span.end, begin, text.size());
    auto extent = [&](size_t length) {
      return theme.mono->CalcTextSizeA(theme.mono->FontSize, FLT_MAX, 0, text.c_str(), text.c_str() + length).x;
    };
    float x0 = from.x + ImGui::GetStyle().FramePadding.x + extent(begin);
    float x1 = std::max(x0 + theme.px(9), from.x + ImGui::GetStyle().FramePadding.x + extent(end));
    // A text that is longer than its field scrolls in it, and then the place on the screen is not known.
    if (from.x + ImGui::GetStyle().FramePadding.x + extent(text.size()) < to.x)
      ImGui::GetWindowDrawList()->AddRectFilled({x0, to.y - theme.px(6)}, {x1, to.y - theme.px(3)}, theme.error);
    return;
  }
}

bool concerns(const Diagnostics &diagnostics, std::string_view field) {
  for (const Diagnostic &diagnostic : diagnostics)
    if (diagnostic.span.source && diagnostic.span.source->name() == field)
      return true;
  return false;
}

} // namespace lanescope::viz
