#include "viz/gui/window/Views.h"

#include "viz/gui/code/CodeView.h"
#include "viz/gui/data/DataView.h"
#include "viz/gui/debugger/DebuggerView.h"
#include "viz/gui/dump/DumpView.h"
#include "viz/gui/style/Widgets.h"
#include "viz/gui/timeline/TimelineView.h"

#include "layouts/support/Text.h"

#include <span>

namespace lanescope::viz {

namespace {
constexpr KeyRow kLayouts[] = {
    {"arrows", "select the next cell; with Shift eight further"},
    {"+  -  or the wheel", "zoom, at the selected cell or the pointer"},
    {"drag, or the minimap", "move the picture"},
    {"Home  F  double click", "all of the picture"},
    {"L", "as large as labels need"},
    {"click", "pin what lights up"},
    {"Esc", "unpin it"},
    {"Tab  Shift+Tab", "the next, the previous picture"},
    {"1 … 9", "open or close a picture, in the order of the buttons"},
    {"Page Up  Page Down", "the slice before, the next one (arrays of rank 3 and more)"},
    {"Ctrl+C  Ctrl+V", "copy the view as text; show a pasted view or layout"},
    {"C", "fold or unfold the controls, so that pictures have room"},
};
constexpr KeyRow kEverywhere[] = {
    {"Ctrl+K", "everything by name: views, actions, layouts, samples, documents"},
    {"Ctrl+O", "open a file: those opened last, samples, or a path"},
    {"Ctrl+R", "run the snippet again, read the file again"},
    {"Ctrl+E", "the editor, or without it"},
    {"Ctrl+S", "save the editor's text"},
    {"Ctrl+B  Ctrl+J", "without the list of files; the console's entry alone"},
    {"Ctrl+I", "without what stands beside the view's pictures"},
    {"Esc", "close a list, the palette, this list"},
    {"?  F1", "this list; F1 also while writing"},
};
constexpr KeyRow kEditor[] = {
    {"Tab  Ctrl+Space", "complete; at a line's begin Tab indents, Shift+Tab takes back"},
    {"Ctrl+Z  Ctrl+Y", "undo, redo"},
    {"Ctrl+X  Ctrl+C  Ctrl+V", "cut (without a selection the line), copy, paste"},
    {"Ctrl+/", "comment, uncomment"},
    {"Alt+Up  Alt+Down", "move the lines"},
    {"Ctrl+Left  Ctrl+Right", "by words; with Shift each move selects"},
    {"Ctrl+Enter", "run"},
    {"Esc", "the keyboard goes to the pictures"},
};
constexpr KeyRow kTrace[] = {
    {"W  S  or the wheel", "zoom in, out"},
    {"A  D  or drag", "move"},
    {"Shift+drag", "measure a stretch"},
    {".  ,", "the next, the previous slice of the track"},
    {"F", "all of it, or the selected slice"},
    {"M", "mark the pointer's time"},
    {"click", "pin a slice, with why it took so long"},
    {"L", "the line that the selected slice waited for"},
    {"P", "the critical path: of its block, or of all"},
    {"O", "what overlapped, under the time axis"},
    {"B", "blocks on processors, under the time axis and in their headings"},
    {"C", "compare with the trace before"},
    {"N", "write a note at the pointer's time"},
    {"/", "search a region's name"},
    {"Esc", "clear selection, search and marks"},
};
constexpr KeyRow kCode[] = {
    {"click, Shift+click", "pin a line, and all lines up to another"},
    {"arrows, Page Up, Home", "the next line; with Shift eight further"},
    {".  ,", "the next, the previous stretch of lit lines"},
    {"1 … 9", "open or close a text, in the order of the buttons"},
    {"Tab  Shift+Tab", "the next, the previous text"},
    {"I", "details of the lit line beside the texts"},
    {"Ctrl+C", "copy the lit lines of the text in front"},
    {"Esc", "unpin the line"},
};
constexpr KeyRow kData[] = {
    {"+  -  or the wheel", "zoom, at the middle or the pointer"},
    {"drag, or the minimap", "move the picture"},
    {"Home  F  double click", "all of the picture"},
    {"L", "as large as numbers need"},
};

/// Explains why most of a trace is dimmed: a line of the code view is pinned.
void drawLitNote(Models &models, const Theme &theme) {
  if (!models.timeline.filter.lights())
    return;
  CodePlace at = models.code.pinned();
  if (ImGui::SmallButton("all"))
    models.code.pin({});
  hint("all of the trace is bright again");
  ImGui::SameLine(0, theme.px(8));
  wrapped(text("bright: what line ", at.line, " of ", models.code.pages()[at.page].title, " does"), theme.faint);
}

} // namespace

const std::vector<ViewEntry> &views() {
  static const std::vector<ViewEntry> all = {
      {ViewId::Layout, "layout", "Layouts",
       "wheel or + -: zoom    drag: move    arrows: select    click: pin, Esc: unpin    Home: all of it    L: labels "
       "   "
       "Tab: next picture    ? or F1: all keys    Ctrl+K: everything by name",
       [](Models &models, PanePlaces &places, ViewContext &context) {
         drawExplorerView(models.explorer, places, context);
       }},
      {ViewId::Trace, "trace", "Trace",
       "wheel, W/S: zoom    drag, A/D: move    click: why it took so long    L: the line of its cause    P: critical "
       "path    Shift+drag: measure    "
       "F: fit    . and ,: next, previous    C: compare    N: note    M: mark    /: search    Esc: clear",
       [](Models &models, PanePlaces &, ViewContext &context) {
         drawLitNote(models, context.theme);
         drawTimelineView(models.timeline, context);
       }},
      {ViewId::Code, "code", "Code",
       "point: what belongs to the line lights up    click: pin, Esc: unpin    arrows: the next line    . and ,: "
       "what "
       "is lit further on    1 … 9: texts    I: details",
       [](Models &models, PanePlaces &, ViewContext &context) {
         if (std::optional<ViewSpec> wanted = drawCodeView(models.code, context)) {
           models.explorer.apply({*std::move(wanted)}, context.requests);
           models.front = ViewId::Layout;
         }
       }},
      {ViewId::Dump, "dump", "Dump",
       "click: an operation's layout    point at one: what it takes and who uses it lights up    wheel, drag: the "
       "picture",
       [](Models &models, PanePlaces &, ViewContext &context) {
         if (std::string entry = drawDumpView(models.dump, context); !entry.empty())
           models.console.run(context.host, std::move(entry));
       }},
      {ViewId::Debugger, "debugger", "Debugger",
       "F5: continue    F10: line    F11: instruction    with Shift: backwards    F9 or a click beside a line: "
       "breakpoint    Shift+F9: condition    drag the moment: anywhere    click a warp: its steps count",
       [](Models &models, PanePlaces &, ViewContext &context) { drawDebuggerView(models.debugger, context); }},
      {ViewId::Data, "data", "Data",
       "wheel or + -: zoom    drag: move    L: as large as numbers need    Home: all of it    point: the number",
       [](Models &models, PanePlaces &, ViewContext &context) { drawDataView(models.data, context); }},
  };
  return all;
}

/// The debugger's keys, from its table of actions.
static std::vector<KeyRow> debuggerRows() {
  std::vector<KeyRow> out;
  for (const DebugActionEntry &entry : debugActions())
    if (*entry.keys)
      out.push_back({entry.keys, entry.about});
  out.push_back({"F9", "a breakpoint at the chosen line, or where the warp in focus stands; or none"});
  out.push_back({"Shift+F9", "a condition for it, or what else is to stop the run, in words"});
  out.push_back({"1 … 9  0", "a panel, in the order of the buttons"});
  out.push_back({"arrows", "the chosen line; of shared or tensor memory, in front, the chosen word; with Shift eight"});
  out.push_back({"[  ]", "the warp before, the next warp"});
  out.push_back({"X", "the snippet, or the PTX"});
  out.push_back({"T", "shared memory: who wrote it, or which array it is"});
  out.push_back({"W", "shared memory: stops where the chosen word changes"});
  return out;
}

const std::vector<KeyList> &keyLists() {
  static const std::vector<KeyRow> debugger = debuggerRows();
  static const std::vector<KeyList> all = {{"Everywhere", kEverywhere}, {"Layouts", kLayouts}, {"Data", kData},
                                           {"Editor", kEditor},         {"Trace", kTrace},     {"Code", kCode},
                                           {"Debugger", debugger}};
  return all;
}

std::string keysText() {
  std::string out;
  for (const KeyList &list : keyLists())
    for (const KeyRow &row : list.rows)
      out += text(row.keys, "  ", row.about, "\n");
  return out;
}

static void drawKeyList(const KeyList &list, const Theme &theme) {
  heading(list.title, theme);
  for (const KeyRow &row : list.rows) {
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
}

void drawKeys(bool &open, const Theme &theme) {
  if (!open)
    return;
  ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  // A longer list scrolls. It takes the whole height, so that nothing below it is visible above or below its text.
  ImGui::SetNextWindowSizeConstraints({0, 0}, {screen.x * 0.97f, screen.y});
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(24), theme.px(18)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, theme.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::Begin("Keys", &open,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings);
  // A small spacing, because there are many rows.
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(10), theme.px(5)});
  constexpr float kTwoColumns = 1330;
  size_t rows = 0, placed = 0;
  for (const KeyList &list : keyLists())
    rows += list.rows.size() + 2;
  ImGui::BeginGroup(); // two columns of about the same length
  bool second = false;
  for (const KeyList &list : keyLists()) {
    if (screen.x > theme.px(kTwoColumns) && !second && (placed + list.rows.size() / 2) * 2 > rows) {
      second = true;
      ImGui::EndGroup();
      ImGui::SameLine(0, theme.px(36));
      ImGui::BeginGroup();
    }
    placed += list.rows.size() + 2;
    drawKeyList(list, theme);
  }
  ImGui::EndGroup();
  if (ImGui::Button("Close"))
    open = false;
  hint("Esc");
  ImGui::PopStyleVar();
  ImGui::End();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
}

} // namespace lanescope::viz
