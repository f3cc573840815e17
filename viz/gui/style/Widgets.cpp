#include "viz/gui/style/Widgets.h"

#include "layouts/Dtype.h"
#include "layouts/support/Utf8.h"

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

bool toggle(const char *name, bool &on, const Theme &theme) {
  bool wasOn = on;
  if (wasOn) {
    ImGui::PushStyleColor(ImGuiCol_Button, theme.accent);
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, theme.accent);
    ImGui::PushStyleColor(ImGuiCol_Text, theme.accentInk);
  }
  if (ImGui::Button(name))
    on = !on;
  if (wasOn)
    ImGui::PopStyleColor(3);
  return on != wasOn;
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

std::string elided(std::string text, float width) {
  if (ImGui::CalcTextSize(text.c_str()).x <= width)
    return text;
  while (!text.empty() && ImGui::CalcTextSize((text + "…").c_str()).x > width)
    dropLastCharacter(text);
  return text + "…";
}

std::string firstLines(const std::string &text, float share) {
  float room = ImGui::GetIO().DisplaySize.y * share / ImGui::GetTextLineHeightWithSpacing();
  auto most = static_cast<ptrdiff_t>(std::max(room, 3.0f)), lines = std::ranges::count(text, '\n') + 1;
  if (lines <= most)
    return text;
  size_t end = 0;
  for (ptrdiff_t i = 0; i < most; ++i)
    end = text.find('\n', end) + 1;
  return text.substr(0, end) + "… " + std::to_string(lines - most) + " more lines";
}

void hints(std::string_view all, const Theme &theme, float taken) {
  constexpr std::string_view kBetween = "    ";
  ImGui::PushFont(theme.small);
  float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x - taken;
  size_t shown = 0;
  for (size_t at = 0; at < all.size();) {
    size_t end = std::min(all.find(kBetween, at), all.size());
    if (ImGui::GetCursorScreenPos().x + ImGui::CalcTextSize(all.data(), all.data() + end).x > right)
      break;
    shown = end;
    at = end + kBetween.size();
  }
  ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
  ImGui::TextUnformatted(all.data(), all.data() + shown);
  ImGui::PopStyleColor();
  ImGui::PopFont();
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

bool codeField(const char *id, std::string &text, float width, bool bad, const Theme &theme, const char *hint) {
  ImGui::PushFont(theme.mono);
  if (bad)
    ImGui::PushStyleColor(ImGuiCol_Border, theme.error);
  ImGui::SetNextItemWidth(width);
  bool edited = ImGui::InputTextWithHint(id, hint, &text);
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

void placedErrors(const Diagnostics &diagnostics, std::string_view field, const std::string &text, const Theme &theme,
                  float left, float right) {
  float x = left + ImGui::GetStyle().FramePadding.x;
  right -= ImGui::GetStyle().FramePadding.x;
  auto extent = [&](std::string_view part) {
    return theme.mono->CalcTextSizeA(theme.mono->FontSize, FLT_MAX, 0, part.data(), part.data() + part.size()).x;
  };
  ImGui::PushStyleColor(ImGuiCol_Text, theme.error);
  for (const Diagnostic &diagnostic : diagnostics) {
    if (!diagnostic.span.source || diagnostic.span.source->name() != field)
      continue;
    size_t begin = std::min<size_t>(diagnostic.span.begin, text.size());
    size_t end = std::clamp<size_t>(diagnostic.span.end, begin, text.size());
    // A text that is longer than its field scrolls in it; then the part around the place is shown again.
    size_t from = 0;
    constexpr size_t kBefore = 40, kAfter = 40;
    ImGui::PushFont(theme.mono);
    if (x + extent(text) > right) {
      from = begin > kBefore ? begin - kBefore : 0;
      auto continues = [&](size_t at) { return at < text.size() && continuesCharacter(text[at]); };
      while (continues(from))
        ++from;
      size_t to = std::min(text.size(), std::max(end, begin + 1) + kAfter);
      while (continues(to))
        ++to;
      ImGui::SetCursorScreenPos({x, ImGui::GetCursorScreenPos().y});
      ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
      ImGui::TextUnformatted(text.data() + from, text.data() + to);
      ImGui::PopStyleColor();
      end = std::min(end, to);
    }
    float before = extent(std::string_view(text).substr(from, begin - from));
    float width = std::max(extent("^"), extent(std::string_view(text).substr(begin, end - begin)));
    // Close under the text: a caret, and a line to the end of what is wrong.
    ImVec2 at{x + before, ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y};
    ImGui::GetWindowDrawList()->AddText(theme.mono, theme.mono->FontSize, at, theme.error, "^");
    float glyph = extent("^");
    if (width > glyph * 1.5f)
      ImGui::GetWindowDrawList()->AddRectFilled({at.x + glyph, at.y + theme.px(5)},
                                                {std::min(at.x + width, right), at.y + theme.px(7)}, theme.error);
    ImGui::PopFont();
    ImGui::Dummy({1, theme.px(4)});
    ImGui::SetCursorScreenPos({x, ImGui::GetCursorScreenPos().y});
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(diagnostic.message.c_str());
    for (const Note &note : diagnostic.notes) {
      ImGui::SetCursorScreenPos({x, ImGui::GetCursorScreenPos().y});
      ImGui::TextUnformatted(("note: " + note.message).c_str());
    }
    ImGui::PopTextWrapPos();
  }
  ImGui::PopStyleColor();
}

void drawDiagnostics(const Diagnostics &diagnostics, const Theme &theme, std::string_view field, bool only) {
  for (const Diagnostic &diagnostic : diagnostics) {
    bool concerned = diagnostic.span.source && diagnostic.span.source->name() == field;
    if (!field.empty() && concerned != only)
      continue;
    ImU32 colour = diagnostic.severity == Severity::Error ? theme.error : theme.warning;
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(diagnostic.message.c_str());
    for (const Note &note : diagnostic.notes)
      ImGui::TextUnformatted(("note: " + note.message).c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
  }
}

bool concerns(const Diagnostics &diagnostics, std::string_view field) {
  for (const Diagnostic &diagnostic : diagnostics)
    if (diagnostic.span.source && diagnostic.span.source->name() == field)
      return true;
  return false;
}

} // namespace lanescope::viz
