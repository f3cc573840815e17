#include "viz/gui/code/CodePanes.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "viz/gui/style/SyntaxColours.h"
#include "viz/gui/style/Widgets.h"

#include <algorithm>
#include <cmath>

namespace lanescope::viz {

namespace {

constexpr int kTab = 4;                      // columns
constexpr float kBar = 52;                   // width in pixels of a cost's bar with its number
constexpr float kSign = 16;                  // width in pixels of the signs in the margin
constexpr float kOverview = 7;               // width in pixels of the strip that shows the places of lit lines
constexpr uint32_t kHeat = 0x5A;             // alpha of the bars
constexpr const char *kDraggedText = "text"; // the user drags a text by its title to the place of another one

/// Draws the pieces of a line one after another, in the columns of a monospaced font.
class LineWriter {
public:
  LineWriter(ImDrawList &list, ImVec2 at, float glyph, float right)
      : list_(list), at_(at), glyph_(glyph), right_(right) {}

  void write(std::string_view piece, ImU32 colour) {
    while (!piece.empty() && at_.x < right_) {
      size_t tab = std::min(piece.find('\t'), piece.size());
      std::string_view run = piece.substr(0, tab);
      if (!run.empty()) {
        list_.AddText(at_, colour, run.data(), run.data() + run.size());
        auto columns = static_cast<int>(characterCount(run));
        column_ += columns;
        at_.x += glyph_ * static_cast<float>(columns);
      }
      if (tab < piece.size()) {
        int next = (column_ / kTab + 1) * kTab;
        at_.x += glyph_ * static_cast<float>(next - column_);
        column_ = next;
        ++tab;
      }
      piece.remove_prefix(tab);
    }
  }

private:
  ImDrawList &list_;
  ImVec2 at_;
  float glyph_, right_;
  int column_ = 0;
};

void writeLine(LineWriter writer, const CodeModel::Page &page, size_t index, const Theme &theme) {
  std::string_view line = page.line(index);
  // Only the window's thread uses this. It is static so that its memory is reused.
  static std::vector<SyntaxToken> tokens;
  tokens.clear();
  scanLine(page.language, line, page.states[index], tokens);
  size_t at = 0;
  for (const SyntaxToken &token : tokens) {
    writer.write(line.substr(at, token.begin - at), theme.ink);
    writer.write(line.substr(token.begin, token.end - token.begin), syntaxColour(token.kind, theme));
    at = token.end;
  }
  writer.write(line.substr(at), theme.ink);
}

void drawSign(ImDrawList &list, ImVec2 middle, const CodeMarker &marker, const Theme &theme) {
  float r = theme.px(4.5f);
  switch (marker.kind) {
  case CodeMarker::Kind::Breakpoint: list.AddCircleFilled(middle, r, theme.error); break;
  case CodeMarker::Kind::Problem:
    list.AddTriangleFilled({middle.x, middle.y - r}, {middle.x - r, middle.y + r}, {middle.x + r, middle.y + r},
                           theme.warning);
    break;
  case CodeMarker::Kind::Current:
    list.AddTriangleFilled({middle.x - r, middle.y - r}, {middle.x - r, middle.y + r}, {middle.x + r, middle.y},
                           theme.good);
    break;
  }
}

/// The values that one frame of a pane draws with.
struct PaneFrame {
  ImVec2 at, size; // the text with its margin
  float lineHeight, glyph, number, margin, scroll, sideways;
  bool costs;
  double most; // the largest value in the column that the bars show
};

void drawMargin(const CodeModel &model, size_t page, uint32_t line, float y, const PaneFrame &frame,
                const Theme &theme) {
  ImDrawList &list = *ImGui::GetWindowDrawList();
  if (const CodeMarker *marker = model.markerAt(page, line))
    drawSign(list, {frame.at.x + theme.px(kSign) / 2, y + frame.lineHeight / 2}, *marker, theme);
  float x = frame.at.x + theme.px(kSign);
  if (frame.costs) {
    const std::vector<double> &costs = model.pages()[page].costs->of(line);
    double value = model.costColumn < costs.size() ? costs[model.costColumn] : 0;
    float width = theme.px(kBar) - theme.px(4);
    if (value > 0) {
      float share = static_cast<float>(value / frame.most);
      list.AddRectFilled({x, y + 1}, {x + std::max(width * share, theme.px(2)), y + frame.lineHeight - 1},
                         (theme.chosen & 0x00FFFFFF) | kHeat << 24, theme.px(2));
      std::string number = core::costNumber(value);
      ImVec2 size = theme.small->CalcTextSizeA(theme.small->FontSize, FLT_MAX, 0, number.c_str());
      list.AddText(theme.small, theme.small->FontSize,
                   {x + width - size.x - theme.px(2), y + (frame.lineHeight - size.y) / 2}, theme.ink, number.c_str());
    }
    x += theme.px(kBar);
  }
  std::string number = std::to_string(line);
  bool pinned =
      model.pinned().page == page && line >= model.pinned().line && line <= model.pinnedLast() && model.pinned().some();
  list.AddText({x + frame.number - ImGui::CalcTextSize(number.c_str()).x, y}, pinned ? theme.ink : theme.faint,
               number.c_str());
}

void drawRows(const CodeModel &model, size_t index, const PaneFrame &frame, const Theme &theme) {
  const CodeModel::Page &page = model.pages()[index];
  ImDrawList &list = *ImGui::GetWindowDrawList();
  auto first = static_cast<size_t>(frame.scroll / frame.lineHeight);
  auto rows = static_cast<size_t>(frame.size.y / frame.lineHeight) + 2;
  float right = frame.at.x + frame.size.x;
  for (size_t i = first; i < std::min(first + rows, page.lines()); ++i) {
    auto line = static_cast<uint32_t>(i + 1);
    float y = frame.at.y + static_cast<float>(i) * frame.lineHeight - frame.scroll;
    auto ground = [&](ImU32 colour) { list.AddRectFilled({frame.at.x, y}, {right, y + frame.lineHeight}, colour); };
    if (page.marked(i))
      ground((theme.error & 0x00FFFFFF) | 0x40000000);
    const CodeMarker *marker = model.markerAt(index, line);
    if (marker && marker->kind == CodeMarker::Kind::Current)
      ground((theme.good & 0x00FFFFFF) | 0x30000000);
    if (model.isLit(index, line))
      ground(litGround(model.pointed() == CodePlace{index, line}, theme));
    drawMargin(model, index, line, y, frame, theme);
    list.PushClipRect({frame.at.x + frame.margin - theme.px(2), frame.at.y}, {right, frame.at.y + frame.size.y}, true);
    writeLine({list, {frame.at.x + frame.margin - frame.sideways, y}, frame.glyph, right}, page, i, theme);
    list.PopClipRect();
  }
}

/// Draws where the lit lines are within the whole text.
void drawOverview(const CodeModel &model, size_t page, const PaneFrame &frame, const Theme &theme) {
  ImDrawList &list = *ImGui::GetWindowDrawList();
  float x = frame.at.x + frame.size.x - theme.px(kOverview);
  auto lines = static_cast<float>(model.pages()[page].lines());
  float last = -FLT_MAX;
  for (uint32_t line : model.lit(page)) {
    float y = std::floor(frame.at.y + static_cast<float>(line - 1) / lines * (frame.size.y - theme.px(3)));
    if (y == last)
      continue; // it would fill the same pixels
    last = y;
    list.AddRectFilled({x, y}, {x + theme.px(kOverview) - 1, y + theme.px(3)}, theme.accent);
  }
}

void drawText(CodeModel &model, size_t index, bool &pointed, ViewContext &context) {
  const Theme &theme = context.theme;
  const CodeModel::Page &page = model.pages()[index];
  ImGui::PushFont(theme.mono);
  PaneFrame frame{};
  frame.lineHeight = std::floor(ImGui::GetTextLineHeight() + theme.px(3));
  frame.glyph = theme.mono->GetCharAdvance('M'); // not from CalcTextSize(), which would round it up
  frame.number = ImGui::CalcTextSize(std::to_string(page.lines()).c_str()).x;
  frame.most = page.costs ? page.costs->largest(model.costColumn) : 0;
  frame.costs = model.showCosts && frame.most > 0;
  frame.margin = theme.px(kSign) + (frame.costs ? theme.px(kBar) : 0) + frame.number + theme.px(12);
  float height = frame.lineHeight * static_cast<float>(page.lines());
  if (std::optional<uint32_t> line = model.takeReveal(index)) {
    float room = ImGui::GetWindowHeight();
    ImGui::SetScrollY(std::max(0.0f, (static_cast<float>(*line) - 0.5f) * frame.lineHeight - room / 3));
  }
  ImGui::Dummy({frame.margin + frame.glyph * static_cast<float>(page.columns + 2), height});
  frame.at = ImGui::GetWindowPos();
  ImVec2 inner = ImGui::GetWindowContentRegionMax();
  ImVec2 whole = ImGui::GetWindowSize();
  // The size without the scroll bars.
  frame.size = {std::min(whole.x, inner.x - ImGui::GetWindowContentRegionMin().x),
                std::min(whole.y, inner.y - ImGui::GetWindowContentRegionMin().y)};
  frame.scroll = ImGui::GetScrollY(), frame.sideways = ImGui::GetScrollX();
  model.drawn(index) = {frame.at.x, frame.at.y, frame.size.x, frame.size.y, frame.lineHeight, frame.scroll};
  drawRows(model, index, frame, theme);
  drawOverview(model, index, frame, theme);
  ImVec2 mouse = ImGui::GetIO().MousePos;
  bool inside = ImGui::IsWindowHovered() && mouse.x < frame.at.x + frame.size.x && mouse.y < frame.at.y + frame.size.y;
  // Outside of the text, the position may be as large as a float allows.
  int64_t row = inside ? static_cast<int64_t>((mouse.y - frame.at.y + frame.scroll) / frame.lineHeight) : -1;
  ImGui::PopFont();
  if (!inside || row < 0 || row >= static_cast<int64_t>(page.lines()))
    return;
  if (model.restingPointer != std::pair(mouse.x, mouse.y) || ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    model.restingPointer.reset();
  if (model.restingPointer)
    return;
  pointed = true;
  CodePlace place{index, static_cast<uint32_t>(row + 1)};
  model.hover(place);
  bool inSigns = mouse.x < frame.at.x + theme.px(kSign);
  bool inBars = frame.costs && !inSigns && mouse.x < frame.at.x + theme.px(kSign + kBar);
  const CodeMarker *marker = model.markerAt(index, place.line);
  if (inSigns && marker && !marker->words.empty())
    drawTooltip(marker->words, theme);
  else if (inBars)
    drawTooltip(core::costWords(*page.costs, place.line), theme);
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    return;
  model.bringToFront(index);
  if (inSigns && model.gutterClicked)
    model.gutterClicked(page.title, place.line);
  else if (ImGui::GetIO().KeyShift && model.pinned().page == index)
    model.extendPin(place.line);
  else
    model.pin(place == model.pinned() && model.pinnedLast() == place.line ? CodePlace{} : place);
  model.takeReveal(index); // the clicked line is already in sight
}

} // namespace

CodeGrid codeGrid(int count, float width, float height, float gap, float leastWidth, float leastHeight) {
  // Multiples of the smallest size; more room than this is of little use.
  constexpr float kEnoughWidth = 1.8f, kEnoughHeight = 4;
  CodeGrid best{1, 1, count > 1};
  float most = 0;
  for (int columns = 1; columns <= count; ++columns) {
    int rows = (count + columns - 1) / columns;
    float w = (width - gap * float(columns - 1)) / float(columns), h = (height - gap * float(rows - 1)) / float(rows);
    float enough = std::min(w / leastWidth, kEnoughWidth) * std::min(h / leastHeight, kEnoughHeight);
    if (w < leastWidth || h < leastHeight || enough < most)
      continue;
    most = enough;
    best = {columns, rows, false};
  }
  return best;
}

bool drawCodePane(CodeModel &model, size_t index, ImVec2 size, ViewContext &context) {
  const Theme &theme = context.theme;
  const CodeModel::Page &page = model.pages()[index];
  bool several = model.openPages().size() > 1, pointed = false;
  ImGui::PushID(static_cast<int>(index));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(8), theme.px(4)});
  ImGui::BeginChild("pane", size, false,
                    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoNavInputs);
  ImVec2 corner = ImGui::GetCursorScreenPos();
  float closing = several ? buttonWidth("x") + theme.px(4) : 0, indent = several ? theme.px(10) : 0;
  if (several && model.front() == index)
    ImGui::GetWindowDrawList()->AddRectFilled({corner.x, corner.y + theme.px(2)},
                                              {corner.x + theme.px(4), corner.y + theme.small->FontSize + theme.px(6)},
                                              theme.accent);
  ImGui::SetCursorScreenPos({corner.x + indent, corner.y});
  heading(elided(page.title, size.x - closing - indent - theme.px(12)).c_str(), theme);
  if (several && ImGui::BeginDragDropSource(ImGuiDragDropFlags_SourceAllowNullID)) {
    ImGui::SetDragDropPayload(kDraggedText, &index, sizeof index);
    ImGui::TextUnformatted(page.title.c_str());
    ImGui::EndDragDropSource();
  }
  if (!model.lit(index).empty()) {
    ImGui::SameLine();
    float room = corner.x + size.x - closing - theme.px(8) - ImGui::GetCursorScreenPos().x;
    if (room > theme.px(40)) {
      ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
      ImGui::TextUnformatted(elided(lineRanges(model.lit(index)), room).c_str());
      ImGui::PopStyleColor();
    } else {
      ImGui::NewLine();
    }
  }
  bool close = false;
  if (several) {
    ImGui::SetCursorScreenPos({corner.x + size.x - closing, corner.y});
    close = ImGui::SmallButton("x");
    hint("closes this text");
  }
  ImGui::SetCursorScreenPos({corner.x, corner.y + ImGui::GetTextLineHeightWithSpacing() + theme.px(2)});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.field);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("text", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNavInputs);
  if (model.front() == index)
    context.place = {ImGui::GetWindowPos(), ImGui::GetWindowSize()};
  drawText(model, index, pointed, context);
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  ImGui::EndChild();
  if (ImGui::BeginDragDropTarget()) {
    if (const ImGuiPayload *dropped = ImGui::AcceptDragDropPayload(kDraggedText)) {
      std::vector<size_t> open = model.openPages();
      size_t from = *static_cast<const size_t *>(dropped->Data);
      model.movePage(from, int(std::ranges::find(open, index) - std::ranges::find(open, from)));
    }
    ImGui::EndDragDropTarget();
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  if (close)
    model.open(index, false);
  return pointed;
}

} // namespace lanescope::viz
