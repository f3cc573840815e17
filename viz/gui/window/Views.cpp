#include "viz/gui/window/Views.h"

#include "viz/gui/dump/DumpView.h"
#include "viz/gui/files/CodeView.h"
#include "viz/gui/style/KeyNames.h"
#include "viz/gui/style/Widgets.h"
#include "viz/gui/timeline/TimelineView.h"

#include "layouts/support/Text.h"

#include <span>

namespace lanescope::viz {

namespace {
struct Row {
  const char *keys, *about;
};
constexpr Row kLayouts[] = {
    {"arrows", "select the next cell; with Shift eight further"},
    {"+  -  or the wheel", "zoom, at the selected cell or the pointer"},
    {"drag, or the minimap", "move the picture"},
    {"Home  F  double click", "all of the picture"},
    {"L", "as large as labels need"},
    {"click", "keep what lights up"},
    {"Esc", "let go of it"},
    {"Tab  Shift+Tab", "the next, the previous picture"},
    {"1 … 8", "open or close a picture, in the order of the buttons"},
    {"Page Up  Page Down", "the slice before, the next one (arrays of rank 3 and more)"},
    {"Ctrl+C  Ctrl+V", "copy the view as text; show a pasted view or layout"},
    {"?  F1", "this list; F1 also while writing"},
};
constexpr Row kTrace[] = {
    {"W  S  or the wheel", "zoom in, out"},    {"A  D  or drag", "move"},
    {"Shift+drag", "measure a stretch"},       {".  ,", "the next, the previous slice of the track"},
    {"F", "all of it, or the selected slice"}, {"M", "mark the pointer's time"},
    {"/", "search a region's name"},           {"Esc", "clear selection, search and marks"},
};
} // namespace

const std::vector<ViewEntry> &views() {
  static const std::vector<ViewEntry> all = {
      {ViewId::Layout, "layout", "Layouts",
       "wheel or + -: zoom    drag: move    arrows: select    click: keep, Esc: let go    Home: all of it    L: labels "
       "   "
       "Tab: next picture    ? or F1: all keys",
       [](Models &models, PanePlaces &places, ViewContext &context) {
         drawExplorerView(models.explorer, places, context);
       }},
      {ViewId::Trace, "trace", "Trace",
       "wheel, W/S: zoom    drag, A/D: move    Shift+drag: measure a stretch    click: select    F: fit    . and ,: "
       "next, previous    "
       "M: mark    /: search    Esc: clear",
       [](Models &models, PanePlaces &, ViewContext &context) { drawTimelineView(models.timeline, context); }},
      {ViewId::Code, "code", "Code", "click a tab to read another stage",
       [](Models &models, PanePlaces &, ViewContext &context) { drawCodeView(models.code, context); }},
      {ViewId::Dump, "dump", "Dump",
       "click: an operation's layout    point at one: what it takes and who uses it lights up    wheel, drag: the "
       "picture",
       [](Models &models, PanePlaces &, ViewContext &context) {
         if (std::string entry = drawDumpView(models.dump, context); !entry.empty())
           models.console.run(context.host, std::move(entry));
       }},
  };
  return all;
}

std::string keysText() {
  std::string out;
  for (std::span<const Row> rows : {std::span<const Row>(kLayouts), std::span<const Row>(kTrace)})
    for (const Row &row : rows)
      out += text(row.keys, "  ", row.about, "\n");
  return out;
}

void drawKeys(bool &open, const Theme &theme) {
  if (!open)
    return;
  ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(24), theme.px(18)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, theme.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::Begin("Keys", &open,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings);
  auto list = [&](const char *title, std::span<const Row> rows) {
    heading(title, theme);
    for (const Row &row : rows) {
      ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::PushStyleColor(ImGuiCol_Text, theme.ink);
      ImGui::TextUnformatted(row.keys);
      ImGui::PopStyleColor();
      ImGui::SetCursorScreenPos({at.x + theme.px(200), at.y});
      ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
      ImGui::TextUnformatted(row.about);
      ImGui::PopStyleColor();
    }
    ImGui::Dummy({1, theme.px(8)});
  };
  list("Layouts", kLayouts);
  list("Trace", kTrace);
  if (ImGui::Button("Close"))
    open = false;
  if (ImGui::IsKeyPressed(kKeyEscape, false))
    open = false;
  ImGui::End();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
}

} // namespace lanescope::viz
