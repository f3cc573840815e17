// The panel of stops: an entry for conditions and watchpoints, and the list of all stops.
#include "viz/gui/debugger/DebuggerView.h"

#include "layouts/support/Text.h"
#include "viz/gui/style/Widgets.h"

#include <imgui_stdlib.h>

#include <utility>

namespace lanescope::viz {

namespace {

/// Puts the cursor at the end of the text. A field that takes the keyboard selects its whole text. Typing would then
/// erase the text that was prepared for the user.
int cursorToEnd(ImGuiInputTextCallbackData *data) {
  if (std::exchange(static_cast<DebuggerModel *>(data->UserData)->stopsToEnd, false))
    data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
  return 0;
}

/// Draws the entry. Returns true if the user has entered a command.
bool drawEntry(DebuggerModel &model, bool bad, const Theme &theme) {
  if (std::exchange(model.stopsTakeFocus, false)) {
    ImGui::SetKeyboardFocusHere();
    model.stopsToEnd = true;
  }
  if (bad)
    ImGui::PushStyleColor(ImGuiCol_Border, theme.error);
  ImGui::SetNextItemWidth(-1);
  bool entered = ImGui::InputTextWithHint("##stop", "46 if block == 1", &model.stopWords,
                                          ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways,
                                          cursorToEnd, &model);
  if (bad)
    ImGui::PopStyleColor();
  return entered && !model.stopWords.empty();
}

} // namespace

void drawStops(DebuggerModel &model, const DebugPage &page, ViewContext &context) {
  const Theme &theme = context.theme;
  if (drawEntry(model, page.refused, theme))
    model.obey(model.stopWords);
  if (!page.said.empty())
    wrapped(page.said, page.refused ? theme.error : theme.good);
  if (page.stops.empty())
    return wrapped(
        "Nothing stops the run. A line and a condition, `46 if warp == 4 and step >= 2`; or what is to stop it "
        "where it changes: `out[70, 3]`, `smem 1024 16`, `mbarrier 9216`.",
        theme.faint);
  ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY;
  if (!ImGui::BeginTable("stops", 3, flags))
    return;
  ImGui::TableSetupColumn("number");
  ImGui::TableSetupColumn("words", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("delete");
  for (const DebugStop &stop : page.stops) {
    ImGui::TableNextRow();
    ImGui::PushID(static_cast<int>(stop.number));
    ImGui::TableNextColumn();
    bool enabled = stop.enabled;
    if (ImGui::Checkbox(text(stop.number, "##enabled").c_str(), &enabled))
      model.enableStop(stop.number, enabled);
    hint(stop.enabled ? "stops the run; a click switches it off" : "switched off; a click switches it on");
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextWrapped("%s", stop.words.c_str());
    if (stop.line != 0 && ImGui::IsItemClicked()) {
      model.ptxInFront = !stop.inSnippet;
      model.cursorLine = stop.line;
    }
    ImGui::TableNextColumn();
    if (ImGui::Button("delete"))
      model.removeStop(stop.number);
    hint("removes this breakpoint or watchpoint");
    ImGui::PopID();
  }
  ImGui::EndTable();
}

} // namespace lanescope::viz
