// The editor: a header with buttons, the lines with the problems under them, and a list of completions.
//
// Dear ImGui has text fields but no editor. This editor gets the keyboard like a text field: as an active item that
// requests text.
#include "viz/gui/editor/EditorView.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "viz/gui/editor/EditorKeys.h"
#include "viz/gui/style/SyntaxColours.h"
#include "viz/gui/style/Widgets.h"

#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace lanescope::viz {

namespace {

void drawEditorHeader(const EditorModel &model, bool live, EditorWishes &wishes, const Theme &theme) {
  ImGui::AlignTextToFramePadding();
  float buttons = 0;
  for (const char *name : {"Save", "Run", "Live", "x"})
    buttons += buttonWidth(name) + theme.px(4);
  std::string title = std::filesystem::path(model.path()).filename().string();
  ImGui::PushFont(theme.bold);
  float room = ImGui::GetContentRegionAvail().x - buttons - theme.px(24);
  ImGui::TextUnformatted(elided(title, std::max(room, theme.px(40))).c_str());
  ImGui::PopFont();
  if (ImGui::IsItemHovered())
    tip(model.path(), theme);
  if (model.modified()) {
    ImGui::SameLine(0, theme.px(8));
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddCircleFilled({at.x + theme.px(4), at.y + ImGui::GetFrameHeight() / 2}, theme.px(4),
                                                theme.warning);
    ImGui::Dummy({theme.px(8), 1});
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("not saved");
  }
  ImGui::SameLine(std::max(ImGui::GetWindowContentRegionMax().x - buttons + theme.px(4), 0.0f));
  wishes.save |= ImGui::Button("Save");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Ctrl+S");
  ImGui::SameLine(0, theme.px(4));
  wishes.run |= ImGui::Button("Run");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Ctrl+R, Ctrl+Enter: runs the text as it stands");
  ImGui::SameLine(0, theme.px(4));
  bool on = live;
  wishes.switchLive |= toggle("Live", on, theme);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("runs the text while it is typed, as soon as its syntax is right");
  ImGui::SameLine(0, theme.px(4));
  wishes.close |= ImGui::Button("x##editor");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Ctrl+E: without the editor; its text stays");
}

void drawConflict(EditorWishes &wishes, const Theme &theme) {
  wrapped("The file has changed on the disk, and here. Which one is to stay?", theme.warning);
  wishes.takeTheirs |= ImGui::Button("The disk's");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("undo brings yours back");
  ImGui::SameLine(0, theme.px(6));
  wishes.keepMine |= ImGui::Button("Mine");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("saving replaces the disk's");
}

/// The rows of lines. A line with a problem has an extra row for it.
struct LineRows {
  std::vector<const TextProblem *> problems; // the first problem of each line, sorted by line
  float height = 0;                          // height of a row
  explicit LineRows(const EditorModel &model, float height) : height(height) {
    for (const TextProblem &problem : model.problems)
      if (problem.line > 0 && problem.line <= model.buffer().lines())
        problems.push_back(&problem);
    std::ranges::stable_sort(problems, {}, &TextProblem::line);
    auto [first, last] = std::ranges::unique(problems, {}, &TextProblem::line);
    problems.erase(first, last);
  }
  size_t rowOf(size_t line) const {
    auto before = std::ranges::lower_bound(problems, line + 1, {}, &TextProblem::line);
    return line + static_cast<size_t>(before - problems.begin());
  }
  float yOf(size_t line) const { return static_cast<float>(rowOf(line)) * height; }
  size_t lineAt(float y, size_t lines) const {
    size_t begin = 0, end = lines; // the last line that begins at or above y
    while (end - begin > 1) {
      size_t middle = (begin + end) / 2;
      (yOf(middle) <= y ? begin : end) = middle;
    }
    return begin;
  }
  const TextProblem *of(size_t line) const {
    auto at = std::ranges::lower_bound(problems, line + 1, {}, &TextProblem::line);
    return at != problems.end() && (*at)->line == line + 1 ? *at : nullptr;
  }
};

/// The width in pixels of a part of a line, in the code font.
float extent(std::string_view part, const Theme &theme) {
  return theme.mono->CalcTextSizeA(theme.mono->FontSize, FLT_MAX, 0, part.data(), part.data() + part.size()).x;
}

/// The byte offset in a line that is nearest to the place `x` pixels from the beginning of the line.
size_t byteAt(std::string_view line, float x, const Theme &theme) {
  size_t at = 0;
  float before = 0;
  while (at < line.size()) {
    size_t next = characterEnd(line, at);
    float after = extent(line.substr(0, next), theme);
    if (x < (before + after) / 2)
      break;
    before = after;
    at = next;
  }
  return at;
}

/// Draws one frame of the lines.
struct EditorCanvas {
  EditorModel &model;
  const Theme &theme;
  LineRows rows;
  ImVec2 origin{}; // the place of the first line's text on the screen
  float gutter = 0;

  EditorCanvas(EditorModel &model, const Theme &theme)
      : model(model), theme(theme), rows(model, theme.mono->FontSize + theme.px(3)) {
    gutter = extent(std::to_string(std::max<size_t>(model.buffer().lines(), 100)), theme) + theme.px(20);
  }

  float xOf(TextPlace place) const {
    return extent(std::string_view(model.buffer().line(place.line)).substr(0, place.byte), theme);
  }
  ImVec2 at(TextPlace place) const { return {origin.x + xOf(place), origin.y + rows.yOf(place.line)}; }
  TextPlace placeAt(ImVec2 point) const {
    size_t line = rows.lineAt(std::max(point.y - origin.y, 0.0f), model.buffer().lines());
    return {line, byteAt(model.buffer().line(line), point.x - origin.x, theme)};
  }

  void drawSelection(ImDrawList &list, size_t line) const {
    TextPlace from = model.selectionBegin(), to = model.selectionEnd();
    if (!model.selecting() || line < from.line || line > to.line)
      return;
    const std::string &text = model.buffer().line(line);
    float begin = line == from.line ? xOf(from) : 0;
    float end = line == to.line ? xOf(to) : extent(text, theme) + theme.px(6);
    float y = origin.y + rows.yOf(line);
    list.AddRectFilled({origin.x + begin, y}, {origin.x + end, y + rows.height},
                       (theme.accent & 0x00FFFFFF) | 0x60000000);
  }

  void drawProblem(ImDrawList &list, size_t line, const TextProblem &problem, float right) const {
    std::string_view text = model.buffer().line(line);
    size_t begin = std::min<size_t>(problem.column - 1, text.size());
    float y = origin.y + rows.yOf(line) + rows.height, x = origin.x + extent(text.substr(0, begin), theme);
    float width = std::max(extent(text.substr(begin, problem.length), theme), theme.px(8));
    list.AddLine({x, y - theme.px(1)}, {x + width, y - theme.px(1)}, theme.error, theme.px(2));
    ImVec4 clip{origin.x, y, right, y + rows.height};
    list.AddText(theme.small, theme.small->FontSize, {std::max(origin.x, x), y + theme.px(1)}, theme.error,
                 problem.message.c_str(), nullptr, 0, &clip);
  }

  /// Draws a line in the colours of its syntax.
  void drawLine(ImDrawList &list, size_t index, ImVec2 at) const {
    std::string_view line = model.buffer().line(index);
    std::vector<SyntaxToken> tokens;
    scanLine(Language::Python, line, model.shown.lineStates[index], tokens);
    tokens.push_back({static_cast<uint32_t>(line.size()), static_cast<uint32_t>(line.size())});
    size_t done = 0;
    auto put = [&](size_t end, ImU32 colour) {
      std::string_view part = line.substr(done, end - done);
      list.AddText(theme.mono, theme.mono->FontSize, at, colour, part.data(), part.data() + part.size());
      at.x += extent(part, theme);
      done = end;
    };
    for (const SyntaxToken &token : tokens) {
      if (token.begin > done)
        put(token.begin, theme.ink);
      if (token.end > done)
        put(token.end, syntaxColour(token.kind, theme));
    }
  }

  void draw(ImDrawList &list, ImVec2 windowAt, ImVec2 windowSize) const {
    size_t lines = model.buffer().lines();
    size_t first = rows.lineAt(std::max(windowAt.y - origin.y, 0.0f), lines);
    float right = windowAt.x + windowSize.x;
    for (size_t i = first; i < lines; ++i) {
      float y = origin.y + rows.yOf(i);
      if (y > windowAt.y + windowSize.y)
        break;
      if (i == model.cursor().line && !model.selecting())
        list.AddRectFilled({windowAt.x, y}, {right, y + rows.height}, (theme.faint & 0x00FFFFFF) | 0x18000000);
      list.PushClipRect({windowAt.x + gutter - theme.px(6), windowAt.y}, {right, windowAt.y + windowSize.y}, true);
      drawSelection(list, i);
      drawLine(list, i, {origin.x, y + theme.px(1)});
      const TextProblem *problem = rows.of(i);
      if (problem)
        drawProblem(list, i, *problem, right);
      list.PopClipRect();
      std::string number = std::to_string(i + 1);
      list.AddText(theme.mono, theme.mono->FontSize,
                   {windowAt.x + gutter - theme.px(12) - extent(number, theme), y + theme.px(1)},
                   problem ? theme.error : theme.faint, number.c_str());
    }
  }

  void drawCursor(ImDrawList &list) const {
    ImVec2 place = at(model.cursor());
    list.AddRectFilled({place.x, place.y}, {place.x + theme.px(2), place.y + rows.height}, theme.accent);
  }

  void drawOffers() const {
    constexpr size_t kShown = 10;
    const auto &offers = model.offered();
    if (offers.empty())
      return;
    size_t first = model.chosenOffer < kShown ? 0 : model.chosenOffer - kShown + 1;
    size_t count = std::min(kShown, offers.size() - first);
    float width = theme.px(120);
    for (size_t i = first; i < first + count; ++i)
      width = std::max(width, extent(offers[i], theme) + theme.px(20));
    ImVec2 place = at(model.cursor()), screen = ImGui::GetIO().DisplaySize;
    float height = static_cast<float>(count) * rows.height + theme.px(8);
    place.y += rows.height + height <= screen.y ? rows.height : -height;
    place.x = std::clamp(place.x, 0.0f, std::max(screen.x - width, 0.0f));
    ImDrawList &list = *ImGui::GetForegroundDrawList();
    list.AddRectFilled(place, {place.x + width, place.y + height}, theme.raised, theme.px(4));
    list.AddRect(place, {place.x + width, place.y + height}, theme.rule, theme.px(4));
    for (size_t i = 0; i < count; ++i) {
      float y = place.y + theme.px(4) + static_cast<float>(i) * rows.height;
      bool chosen = first + i == model.chosenOffer;
      if (chosen)
        list.AddRectFilled({place.x + theme.px(3), y}, {place.x + width - theme.px(3), y + rows.height}, theme.accent,
                           theme.px(3));
      list.AddText(theme.mono, theme.mono->FontSize, {place.x + theme.px(10), y + theme.px(1)},
                   chosen ? theme.accentInk : theme.ink, offers[first + i].c_str());
    }
  }
};

/// Keeps the keyboard while the editor has it. Returns true if the editor has it.
bool holdKeyboard(EditorModel &model, bool hovered) {
  ImGuiContext &g = *ImGui::GetCurrentContext();
  ImGuiWindow *window = ImGui::GetCurrentWindow();
  ImGuiID id = window->GetID("##lines");
  bool clicked = hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  if (clicked || std::exchange(model.takeFocus, false)) {
    ImGui::SetActiveID(id, window);
    ImGui::SetFocusID(id, window);
    ImGui::FocusWindow(window);
  }
  if (g.ActiveId != id)
    return false;
  if ((ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !hovered) || model.leave) {
    ImGui::ClearActiveID();
    model.leave = false;
    return false;
  }
  ImGui::KeepAliveID(id);
  g.ActiveIdAllowOverlap = !g.IO.MouseDown[0];
  g.ActiveIdUsingNavDirMask = ~ImU32{0};
  g.ActiveIdUsingNavInputMask |= ImU32{1} << ImGuiNavInput_Cancel;
  g.ActiveIdUsingKeyInputMask |= ImU64{1} << ImGuiKey_Tab;
  g.WantTextInputNextFrame = 1;
  return true;
}

struct FieldState {
  bool hovered = false, active = false;
};

void pointAt(EditorModel &model, const EditorCanvas &canvas, FieldState field) {
  const auto [hovered, active] = field;
  if (!hovered && !active)
    return; // the pointer may be anywhere
  if (hovered)
    ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  TextPlace place = canvas.placeAt(ImGui::GetIO().MousePos);
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    model.selectWord(place);
  else if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    model.moveTo(place, ImGui::GetIO().KeyShift);
  else if (active && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 3))
    model.moveTo(place, true);
}

/// If the cursor has moved since the last frame, scrolls until it is visible.
void followCursor(EditorModel &model, const EditorCanvas &canvas) {
  if (model.shown.cursor == model.cursor() && model.shown.version == model.version())
    return;
  model.shown.cursor = model.cursor(), model.shown.version = model.version();
  ImVec2 size = ImGui::GetWindowSize();
  float y = canvas.rows.yOf(model.cursor().line), height = canvas.rows.height, top = ImGui::GetScrollY();
  float below = size.y - 3.5f * height; // leaves room for the line's problem and the scroll bar
  if (y < top)
    ImGui::SetScrollY(y);
  else if (y > top + below)
    ImGui::SetScrollY(y - below);
  float x = canvas.xOf(model.cursor()), left = ImGui::GetScrollX();
  float room = size.x - canvas.gutter - canvas.theme.px(40);
  if (x < left)
    ImGui::SetScrollX(std::max(x - room / 4, 0.0f));
  else if (x > left + room)
    ImGui::SetScrollX(x - room);
}

} // namespace

EditorWishes drawEditorView(EditorModel &model, bool live, ViewContext &context) {
  const Theme &theme = context.theme;
  EditorWishes wishes;
  if (model.empty()) {
    heading("Editor", theme);
    wrapped("Open a snippet (.py): its text can be edited here, and what it shows follows while you type.",
            theme.faint);
    wishes.close = ImGui::Button("Close");
    hint("without the editor (Ctrl+E)");
    model.fieldActive = false;
    return wishes;
  }
  drawEditorHeader(model, live, wishes, theme);
  if (model.theirs())
    drawConflict(wishes, theme);
  if (!model.said.empty())
    wrapped(model.said, theme.error);
  float below = theme.small->FontSize + theme.px(4);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.field);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("lines", {0, -below}, false, ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();
  EditorCanvas canvas(model, theme);
  ImVec2 windowAt = ImGui::GetWindowPos(), windowSize = ImGui::GetWindowSize();
  ImVec2 inside = ImGui::GetContentRegionAvail();
  bool hovered =
      ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(windowAt, {windowAt.x + inside.x, windowAt.y + inside.y});
  auto origin = [&] {
    return ImVec2{windowAt.x + canvas.gutter - ImGui::GetScrollX(), windowAt.y + theme.px(4) - ImGui::GetScrollY()};
  };
  canvas.origin = origin();
  bool active = holdKeyboard(model, hovered);
  model.fieldActive = active;
  pointAt(model, canvas, {hovered, active});
  if (active) {
    auto page = static_cast<int64_t>(std::max(windowSize.y / canvas.rows.height - 2, 1.0f));
    EditorKeys pressed = editorKeys(model, context.host, page);
    wishes.save |= pressed.save;
    wishes.run |= pressed.run;
    model.leave = pressed.leave;
  }
  canvas.rows = LineRows(model, canvas.rows.height);
  if (std::exchange(model.shown.colouredVersion, model.version()) != model.version())
    model.shown.lineStates = syntaxStates(Language::Python, model.buffer().plainText());
  model.shown.lineStates.resize(model.buffer().lines());
  float widest = 0;
  for (size_t i = 0; i < model.buffer().lines(); ++i)
    widest = std::max(widest, static_cast<float>(model.buffer().line(i).size()));
  canvas.origin = origin();
  followCursor(model, canvas);
  canvas.draw(*ImGui::GetWindowDrawList(), windowAt, windowSize);
  if (active) {
    canvas.drawCursor(*ImGui::GetWindowDrawList());
    canvas.drawOffers();
  }
  ImGui::Dummy({canvas.gutter + widest * extent(" ", theme) + theme.px(40),
                static_cast<float>(canvas.rows.rowOf(model.buffer().lines())) * canvas.rows.height + theme.px(12)});
  ImGui::EndChild();
  ImGui::PopStyleColor();
  TextPlace cursor = model.cursor();
  std::string place = text("line ", cursor.line + 1, ", column ",
                           characterCount(validUtf8(model.buffer().line(cursor.line).substr(0, cursor.byte))) + 1);
  for (const TextProblem &problem : model.problems)
    if (problem.line == 0)
      place = problem.message; // the problem is not about a line of this text
  hints(text(place, "    Tab: complete, indent    Ctrl+Z, Ctrl+Y: undo, redo    Ctrl+/: comment    Esc: leave"), theme);
  return wishes;
}

} // namespace lanescope::viz
