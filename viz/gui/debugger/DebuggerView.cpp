#include "viz/gui/debugger/DebuggerView.h"

#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerWords.h"
#include "viz/gui/style/Splitter.h"
#include "viz/gui/style/Widgets.h"
#include "viz/scene/Palette.h"

namespace lanescope::viz {

namespace {

constexpr float kCodeShare = 0.54f; // relative to the view's width

bool pressed(const KeyPress &key, bool repeated) {
  const ImGuiIO &io = ImGui::GetIO();
  return key.key != 0 && io.KeyCtrl == key.control && io.KeyShift == key.shift && io.KeyAlt == key.alt &&
         ImGui::IsKeyPressed(key.key, repeated);
}

void drawActions(DebuggerModel &model, ViewContext &context) {
  const float gap = context.theme.px(6), room = ImGui::GetContentRegionAvail().x;
  float width = 0;
  for (const DebugActionEntry &entry : debugActions())
    width += buttonWidth(entry.title) + gap;
  const bool brief = width > room;
  bool first = true;
  for (const DebugActionEntry &entry : debugActions()) {
    const char *title = brief ? entry.brief : entry.title;
    if (!first)
      flow(buttonWidth(title), gap);
    first = false;
    // While a job runs, a held key adds no job, but a newly pressed key does.
    if (ImGui::Button(text(title, "##", entry.name).c_str()) || pressed(entry.key, !model.busy()))
      model.perform(entry.action);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s%s%s", entry.about, *entry.keys ? "   " : "", entry.keys);
  }
  if (model.busy()) {
    flow(buttonWidth("Stop"), gap);
    if (ImGui::Button("Stop##debugger"))
      model.interrupt();
    hint("ends what is running, and shows where the run stands");
  }
}

/// Draws the time slider. Dragging it goes to any moment that the run has reached so far.
void drawScrubber(DebuggerModel &model, const DebugPage &page, const Theme &theme) {
  ImGui::PushItemWidth(-1);
  constexpr uint64_t kFewest = 100; // in moments; if the scale had only two moments, the grip would be half of it
  uint64_t moment = page.stop.moment, zero = 0, last = std::max(page.last, page.lastIsEnd ? 1 : kFewest);
  std::string format =
      page.lastIsEnd ? text("moment %llu of ", page.last) : text("moment %llu, seen up to ", page.last);
  if (ImGui::SliderScalar("##moment", ImGuiDataType_U64, &moment, &zero, &last, format.c_str()))
    model.goTo(moment);
  hint("a moment is one event: an instruction of a warp, or a landing of copies. Drag to go there, forward or back.");
  ImGui::PopItemWidth();
  bool fault = page.stop.reason == core::StopReason::Fault;
  wrapped(text(stopWords(page)), fault ? theme.error : theme.ink);
  ImGui::PushFont(theme.small);
  if (std::string place = faultPlaceWords(page); !place.empty()) // the text names the instruction
    wrapped(place, theme.faint);
  else
    wrapped(momentWords(page), theme.faint);
  ImGui::PopFont();
}

} // namespace

ImU32 warpInk(uint32_t warp, const Theme &theme) {
  return packed(inTheme(warpColour(static_cast<int>(warp)), theme.dark ? ColourTheme::Dark : ColourTheme::Light));
}

ImU32 hueInk(size_t number, const Theme &theme) {
  return packed(inTheme(hue(static_cast<int64_t>(number)), theme.dark ? ColourTheme::Dark : ColourTheme::Light));
}

void drawSwatch(const std::string &name, size_t number, const Theme &theme) {
  float side = ImGui::GetTextLineHeight();
  if (number > 0)
    flow(ImGui::CalcTextSize(name.c_str()).x + side, theme);
  ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + side * 0.2f}, {at.x + side * 0.6f, at.y + side * 0.8f},
                                            hueInk(number, theme));
  ImGui::Dummy({side * 0.8f, side});
  ImGui::SameLine(0, 0);
  ImGui::TextUnformatted(name.c_str());
}

void drawDebuggerView(DebuggerModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  context.place = {ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail()};
  if (!model.target()) {
    wrapped(
        "Run a snippet: its last kernel can be stepped through here, forward and back. One that goes wrong opens at "
        "the moment before.",
        theme.faint);
    return;
  }
  takeDebuggerKeys(model);
  ImGui::AlignTextToFramePadding();
  heading(model.target()->title.c_str(), theme);
  ImGui::SameLine(0, theme.px(18));
  drawActions(model, context);
  for (const Diagnostic &problem : model.problems())
    wrapped(problem.message, theme.error);
  const DebugPage *page = model.page();
  if (!page) {
    if (model.problems().empty())
      wrapped(model.busy() ? "opening …"
                           : "Any of these opens the run; F5 goes to the first breakpoint, fault or the end.",
              theme.faint);
    if (model.target()->snippet || model.target()->ptx)
      drawDebuggerCode(model, context);
    return;
  }
  drawScrubber(model, *page, theme);
  context.arranged.side.folding.decide(false);
  withSideBar(
      context.arranged.side, ImGui::GetContentRegionAvail().x * (1 - kCodeShare) - theme.px(12), theme.px(12), theme,
      [&](ImVec2 size) {
        ImGui::BeginChild("debugger code", size);
        drawDebuggerCode(model, context);
        ImGui::EndChild();
      },
      [&](ImVec2 size) {
        ImGui::BeginChild("debugger panel", size);
        drawDebuggerPanel(model, context);
        ImGui::EndChild();
      });
}

} // namespace lanescope::viz
