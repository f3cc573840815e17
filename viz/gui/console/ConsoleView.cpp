// The console, which has the REPL's output and the field for the entry.
//
// Enter evaluates the entry, or starts a new line if the entry is not complete. Shift+Enter always starts a new line.
// Up in the first line and Down in the last line go through the history. Tab completes.
#include "viz/gui/console/ConsoleView.h"

#include "viz/gui/style/KeyNames.h"
#include "viz/gui/style/Widgets.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

namespace lanescope::viz {

namespace {

ImU32 inkOf(const AnsiStyle &style, const Theme &theme) {
  ImU32 ink = style.colour ? packed(*style.colour) : style.palette ? theme.ansiColour(*style.palette) : theme.ink;
  if (style.faint)
    ink = theme.faint;
  return ink;
}

void drawLine(const AnsiLine &line, const Theme &theme) {
  ImDrawList &list = *ImGui::GetWindowDrawList();
  ImVec2 at = ImGui::GetCursorScreenPos();
  float x = at.x, height = ImGui::GetTextLineHeightWithSpacing();
  for (const AnsiRun &run : line) {
    ImFont *font = run.style.bold ? theme.monoBold : theme.mono;
    const char *begin = run.text.c_str(), *end = begin + run.text.size();
    float width = font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, begin, end).x;
    ImU32 ink = inkOf(run.style, theme), ground = 0;
    if (run.style.background)
      ground = packed(*run.style.background);
    else if (run.style.backgroundPalette)
      ground = theme.ansiColour(*run.style.backgroundPalette);
    if (run.style.reverse) {
      ground = ink;
      ink = Theme::inkOn(ground);
    } else if (ground && !run.style.colour && !run.style.palette) {
      ink = Theme::inkOn(ground);
    }
    if (ground)
      list.AddRectFilled({x, at.y}, {x + width, at.y + height}, ground);
    list.AddText(font, font->FontSize, {x, at.y}, ink, begin, end);
    if (run.style.underline)
      list.AddLine({x, at.y + height - 2}, {x + width, at.y + height - 2}, ink);
    x += width;
  }
  ImGui::Dummy({x - at.x, ImGui::GetTextLineHeight()});
}

std::string plain(const AnsiLine &line) {
  std::string out;
  for (const AnsiRun &run : line)
    out += run.text;
  return out;
}

/// Keeps the text field and the model in agreement, and handles Enter, Tab, Up and Down.
struct FieldDriver {
  ConsoleModel &model;
  Host &host;
  bool submit = false;

  static int callback(ImGuiInputTextCallbackData *data) {
    return static_cast<FieldDriver *>(data->UserData)->handle(*data);
  }

  int handle(ImGuiInputTextCallbackData &data) {
    if (data.EventFlag == ImGuiInputTextFlags_CallbackCharFilter) {
      // Pasted line breaks stay in the text. Only the Enter key ends the entry.
      bool enter = ImGui::IsKeyPressed(kKeyEnter) || ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_KeyPadEnter));
      submit |= data.EventChar == '\n' && enter && !ImGui::GetIO().KeyShift;
      return submit ? 1 : 0;
    }
    if (data.EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
      pull(data);
      complete();
      return 0;
    }
    size_t cursorBefore = model.cursor;
    if (model.input != model.shown) {
      push(data); // a completion or a script changed it since the last frame
      return 0;
    }
    pull(data);
    size_t firstBreak = model.input.find('\n'), lastBreak = model.input.rfind('\n');
    if (submit)
      model.submit(host, ImGui::GetIO().KeyCtrl);
    else if (ImGui::IsKeyPressed(kKeyUp) && (firstBreak == std::string::npos || cursorBefore <= firstBreak))
      model.historyBack();
    else if (ImGui::IsKeyPressed(kKeyDown) && (lastBreak == std::string::npos || cursorBefore > lastBreak))
      model.historyForward();
    submit = false;
    push(data);
    return 0;
  }

  /// Handles Tab: indents at the start of a line, and completes everywhere else.
  void complete() const {
    std::string_view before = std::string_view(model.input).substr(0, model.cursor);
    size_t line = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    if (before.find_first_not_of(' ', line) == std::string_view::npos) {
      model.input.insert(model.cursor, "  ");
      model.cursor += 2;
    } else {
      model.requestCompletions(host);
    }
  }

  void pull(const ImGuiInputTextCallbackData &data) const {
    std::string_view text(data.Buf, size_t(data.BufTextLen));
    if (model.input != text)
      model.dismissOffers();
    model.input = model.shown = text;
    model.cursor = size_t(std::clamp(data.CursorPos, 0, data.BufTextLen));
  }

  void push(ImGuiInputTextCallbackData &data) const {
    if (model.input == model.shown)
      return;
    data.DeleteChars(0, data.BufTextLen);
    data.InsertChars(0, model.input.c_str(), model.input.c_str() + model.input.size());
    data.CursorPos = data.SelectionStart = data.SelectionEnd = int(std::min(model.cursor, model.input.size()));
    model.shown = model.input;
  }
};

void drawOffers(ConsoleModel &model, const Theme &theme) {
  constexpr size_t kShown = 60;
  float right = ImGui::GetWindowContentRegionMax().x;
  for (size_t i = 0; i < std::min(model.offered().size(), kShown); ++i) {
    const std::string &name = model.offered()[i];
    float width = ImGui::CalcTextSize(name.c_str()).x + theme.px(16);
    if (i) {
      ImGui::SameLine(0, theme.px(4));
      if (ImGui::GetCursorPosX() + width > right)
        ImGui::NewLine();
    }
    if (ImGui::SmallButton(name.c_str())) {
      model.accept(i);
      model.takeFocus = true;
      return;
    }
  }
  if (model.offered().size() > kShown) {
    ImGui::SameLine(0, theme.px(6));
    ImGui::TextDisabled("and %d more", int(model.offered().size() - kShown));
  }
}

void drawTranscript(ConsoleModel &model, const Theme &theme, float height) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(8), theme.px(5)});
  ImGui::BeginChild("transcript", {0, height}, false,
                    ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  ImGui::PushFont(theme.mono);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, theme.px(2)});
  // Only the visible lines are drawn. If the user has scrolled up, the position stays. While an entry runs, the end of
  // its output is visible. Afterwards, its report is shown from the first line on.
  bool atEnd = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 2;
  ImGuiListClipper clipper;
  clipper.Begin(int(model.lines().size()), ImGui::GetTextLineHeightWithSpacing());
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      drawLine(model.lines()[size_t(i)], theme);
  uint64_t printed = model.droppedLines() + model.lines().size();
  bool news = model.linesSeen != printed;
  if (std::exchange(model.settled, false)) {
    float top = static_cast<float>(std::max(model.reportBegin(), model.droppedLines()) - model.droppedLines()) *
                ImGui::GetTextLineHeightWithSpacing();
    bool fits = ImGui::GetCursorPosY() - top <= ImGui::GetWindowHeight() - 2 * theme.px(5);
    fits ? ImGui::SetScrollHereY(1) : ImGui::SetScrollY(top + theme.px(5)); // scrolls past the padding
  } else if (news || (atEnd && model.running())) {
    ImGui::SetScrollHereY(1);
  }
  model.linesSeen = printed;
  ImGui::PopStyleVar();
  ImGui::PopFont();
  if (ImGui::BeginPopupContextWindow("transcript menu")) {
    if (ImGui::MenuItem("Copy all")) {
      std::string all;
      for (const AnsiLine &line : model.lines())
        all += plain(line) + "\n";
      ImGui::SetClipboardText(all.c_str());
    }
    if (ImGui::MenuItem("Clear"))
      model.clear();
    ImGui::EndPopup();
  }
  ImGui::EndChild();
}

/// Draws hints for the keys, as many as fit beside the buttons.
void drawHeader(ConsoleModel &model, const Theme &theme) {
  heading("Console", theme);
  const char *size = model.enlarged ? "smaller" : "larger";
  float buttons = buttonWidth(size) + buttonWidth("clear") + theme.px(4);
  float left = std::max(ImGui::GetWindowContentRegionMax().x - buttons, 0.0f);
  ImGui::SameLine(0, theme.px(14));
  hints("Enter: evaluate    Shift+Enter: new line    Tab: complete    Up, Down: history    Ctrl+L: clear    "
        "help(name): what it does",
        theme, buttons + theme.px(14));
  ImGui::SameLine(left);
  if (ImGui::SmallButton(size))
    model.enlarged = !model.enlarged;
  hint(model.enlarged ? "its share of the window's height" : "most of the window's height");
  ImGui::SameLine(0, theme.px(4));
  if (ImGui::SmallButton("clear"))
    model.clear();
  hint("forgets what it printed (Ctrl+L)");
}

} // namespace

float usedConsoleHeight(const ConsoleModel &model, const Theme &theme) {
  constexpr size_t kMostLines = 1000; // taller than any window
  auto lines = static_cast<float>(std::min(std::max<size_t>(model.lines().size(), 1), kMostLines));
  float header = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().ItemSpacing.y;
  return foldedConsoleHeight(theme) + header + lines * (theme.mono->FontSize + theme.px(2)) + theme.px(12);
}

float foldedConsoleHeight(const Theme &theme) {
  return theme.mono->FontSize + ImGui::GetStyle().FramePadding.y * 2 + theme.px(22); // includes the panel's own padding
}

void drawConsoleView(ConsoleModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  if (!model.folded)
    drawHeader(model, theme);
  if (model.fieldActive && ImGui::GetIO().KeyCtrl && ImGui::IsKeyPressed('L', false))
    model.clear();
  int lines = 1 + int(std::count(model.input.begin(), model.input.end(), '\n'));
  ImGui::PushFont(theme.mono);
  float line = ImGui::GetTextLineHeight(), frame = ImGui::GetStyle().FramePadding.y * 2;
  ImGui::PopFont();
  float field = line * float(std::min(lines, 8)) + frame + theme.px(2);
  float offers = model.offered().empty() ? 0
                                         : (ImGui::GetTextLineHeight() + ImGui::GetStyle().ItemSpacing.y) *
                                               (model.offered().size() > 12 ? 3.0f : 1.0f);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.field);
  float spacing = ImGui::GetStyle().ItemSpacing.y;
  if (!model.folded)
    drawTranscript(
        model, theme,
        std::max(ImGui::GetContentRegionAvail().y - field - offers - spacing * (offers > 0 ? 2.0f : 1.0f), line));
  if (offers > 0) {
    ImGui::BeginChild("offers", {0, offers});
    drawOffers(model, theme);
    ImGui::EndChild();
  }
  ImGui::PopStyleColor();

  ImGui::PushFont(theme.mono);
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, theme.ansiColour(4));
  ImGui::TextUnformatted(">>>");
  ImGui::PopStyleColor();
  ImGui::SameLine(0, theme.px(8));
  FieldDriver driver{model, context.host};
  if (model.takeFocus) {
    ImGui::SetKeyboardFocusHere();
    model.takeFocus = false;
  }
  if (model.field != model.input && model.shown != model.input) {
    // Dear ImGui does not call the driver while the field is not being edited.
    model.field = model.input;
  }
  ImGui::InputTextMultiline("##entry", &model.field, {-1, field},
                            ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_CallbackCharFilter |
                                ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_NoHorizontalScroll,
                            FieldDriver::callback, &driver);
  model.fieldActive = ImGui::IsItemActive();
  ImGui::PopFont();
}

} // namespace lanescope::viz
