#include "viz/gui/SceneCanvas.h"

#include "viz/gui/KeyNames.h"
#include "viz/scene/Page.h"
#include "viz/scene/Palette.h"

#include <algorithm>
#include <cmath>

namespace lanescope::viz {

namespace {

constexpr float kZoomPerNotch = 1.2f;

struct Margins {
  float left = 0, top = 0;
  float groups = 0; // of the left one, for the wider classes
};

ImVec2 textSize(ImFont *font, float size, const std::string &text) {
  return font->CalcTextSizeA(size, FLT_MAX, 0, text.c_str(), text.c_str() + text.size());
}

void drawText(ImDrawList &list, ImFont *font, float size, ImVec2 at, ImU32 colour, const std::string &text) {
  list.AddText(font, size, {std::floor(at.x), std::floor(at.y)}, colour, text.c_str(), text.c_str() + text.size());
}

Margins marginsOf(const Scene &scene, const Theme &theme) {
  Margins margins;
  float line = theme.small->FontSize;
  size_t step = std::max<size_t>(1, scene.left.ticks.size() / 64);
  float widest = 0;
  for (size_t i = 0; i < scene.left.ticks.size(); i += step)
    widest = std::max(widest, textSize(theme.small, line, scene.left.ticks[i].text).x);
  if (!scene.left.ticks.empty())
    widest = std::max(widest, textSize(theme.small, line, scene.left.ticks.back().text).x);
  margins.groups = scene.left.groups.empty() ? 0 : line * 1.6f;
  margins.left = widest + margins.groups + theme.px(14) + (scene.left.title.empty() ? 0 : line * 1.3f);
  margins.top =
      line * 1.5f + (scene.top.title.empty() ? 0 : line * 1.4f) + (scene.top.groups.empty() ? 0 : line * 1.6f);
  return margins;
}

/// Text that reads upwards, as on a vertical axis. Dear ImGui has none, so the glyphs are turned after they are laid.
void drawUpwards(ImDrawList &list, ImFont *font, float size, ImVec2 bottomLeft, ImU32 colour, const std::string &text) {
  int begin = list.VtxBuffer.Size;
  drawText(list, font, size, bottomLeft, colour, text);
  ImVec2 origin{std::floor(bottomLeft.x), std::floor(bottomLeft.y)};
  for (int i = begin; i < list.VtxBuffer.Size; ++i) {
    ImVec2 &p = list.VtxBuffer[i].pos;
    p = {origin.x + (p.y - origin.y), origin.y - (p.x - origin.x)};
  }
}

/// Every how many ticks a label fits: a power of two, so that the numbers left are round ones.
int32_t strideFor(const std::vector<TickRecord> &ticks, float room) {
  int32_t stride = 1;
  for (size_t i = 1; i < ticks.size(); ++i)
    while (ticks[i].index > ticks[i - 1].index && (ticks[i].at - ticks[i - 1].at) * float(stride) < room &&
           stride < 1 << 20)
      stride *= 2;
  return stride;
}

struct AxisPainter {
  ImDrawList &list;
  const Theme &theme;
  const SceneFrame &frame;
  ImVec2 at, size; // of the canvas
  Margins margins;
  ImVec2 picture; // top left corner of the picture, not further out than the canvas: axes stay beside it

  void top(const Axis &axis) const {
    ImFont *font = theme.small;
    float line = font->FontSize, y = picture.y - line * 1.35f;
    list.PushClipRect({at.x - theme.px(20), at.y - margins.top}, {at.x + size.x, at.y + size.y}, true);
    float widest = 0;
    for (const TickRecord &tick : frame.top)
      widest = std::max(widest, textSize(font, line, *tick.text).x);
    int32_t stride = strideFor(frame.top, widest + theme.px(8));
    for (const TickRecord &tick : frame.top)
      if (tick.index % stride == 0)
        drawText(list, font, line, {at.x + tick.at - textSize(font, line, *tick.text).x / 2, y}, theme.faint,
                 *tick.text);
    if (!axis.groups.empty()) {
      y -= line * 1.6f;
      for (const GroupRecord &group : frame.topGroups) {
        list.AddRectFilled({at.x + group.from, y}, {at.x + group.to - 1, y + line * 1.4f}, group.fill, theme.px(2));
        ImVec2 extent = textSize(font, line, *group.text);
        if (extent.x + 6 < group.to - group.from)
          drawText(list, font, line, {at.x + (group.from + group.to - extent.x) / 2, y + line * 0.18f},
                   Theme::inkOn(group.fill), *group.text);
      }
    }
    if (!axis.title.empty())
      drawText(list, font, line, {picture.x + theme.px(2), y - line * 1.4f}, theme.ink, axis.title);
    list.PopClipRect();
  }

  void left(const Axis &axis) const {
    ImFont *font = theme.small;
    float line = font->FontSize, right = picture.x - theme.px(7);
    list.PushClipRect({at.x - margins.left, at.y - line / 2}, {at.x + size.x, at.y + size.y + line / 2}, true);
    int32_t stride = strideFor(frame.left, line + theme.px(2));
    for (const TickRecord &tick : frame.left)
      if (tick.index % stride == 0)
        drawText(list, font, line, {right - textSize(font, line, *tick.text).x, at.y + tick.at - line / 2}, theme.faint,
                 *tick.text);
    float x = picture.x - margins.left;
    if (!axis.title.empty()) {
      ImVec2 extent = textSize(font, line, axis.title);
      if (extent.x < size.y)
        drawUpwards(list, font, line, {x, picture.y + std::min(size.y, extent.x + theme.px(4))}, theme.ink, axis.title);
      x += line * 1.35f;
    }
    for (const GroupRecord &group : frame.leftGroups) {
      list.AddRectFilled({x, at.y + group.from}, {x + line * 1.4f, at.y + group.to - 1}, group.fill, theme.px(2));
      ImVec2 extent = textSize(font, line, *group.text);
      if (extent.x + 6 < group.to - group.from)
        drawUpwards(list, font, line, {x + line * 0.18f, at.y + (group.from + group.to + extent.x) / 2},
                    Theme::inkOn(group.fill), *group.text);
    }
    list.PopClipRect();
  }
};

void drawHatch(ImDrawList &list, ImVec2 from, ImVec2 to, ImU32 colour) {
  float step = 6;
  list.PushClipRect(from, to, true);
  for (float x = from.x - (to.y - from.y); x < to.x; x += step)
    list.AddLine({x, to.y}, {x + (to.y - from.y), from.y}, colour, 1);
  list.PopClipRect();
}

struct CellPainter {
  ImDrawList &list;
  const Theme &theme;
  const Scene &scene;
  ImVec2 at;

  void fill(const RectRecord &r, bool gap) const {
    // Cells large enough to stand apart leave a hairline of the ground between them.
    float inset = gap && r.box >= 0 && r.x1 - r.x0 > 7 && r.y1 - r.y0 > 7 ? 1.0f : 0.0f;
    ImVec2 from{at.x + r.x0, at.y + r.y0}, to{at.x + r.x1 - inset, at.y + r.y1 - inset};
    const Box *box = r.box >= 0 ? &scene.body.boxes[r.box] : nullptr;
    if (box && box->bandCount > 1) {
      float width = (to.x - from.x) / float(box->bandCount);
      for (int i = 0; i < box->bandCount; ++i)
        list.AddRectFilled({from.x + width * float(i), from.y}, {from.x + width * float(i + 1), to.y},
                           packed(box->bands[size_t(i)]));
    } else {
      list.AddRectFilled(from, to, r.fill);
    }
    if (box && box->hatched && to.x - from.x > 9 && to.y - from.y > 9)
      drawHatch(list, from, to, IM_COL32(0, 0, 0, 38));
  }
  void label(const LabelRecord &label, ImFont *font) const {
    ImVec2 extent = textSize(font, label.size, *label.text);
    list.AddText(font, label.size, {at.x + label.x - extent.x / 2, at.y + label.y - extent.y / 2}, label.colour,
                 label.text->c_str(), label.text->c_str() + label.text->size());
  }
};

void drawTooltip(const std::string &words, const Theme &theme) {
  if (words.empty())
    return;
  // Well below the pointer: the lit neighbours on its row stay in sight.
  ImVec2 pointer = ImGui::GetIO().MousePos, screen = ImGui::GetIO().DisplaySize;
  bool below = pointer.y + theme.px(110) < screen.y;
  ImGui::SetNextWindowPos({pointer.x + theme.px(14), pointer.y + theme.px(below ? 30 : -22)}, ImGuiCond_Always,
                          {0, below ? 0.0f : 1.0f});
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(theme.px(460));
  ImGui::TextUnformatted(words.c_str(), words.c_str() + words.size());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

} // namespace

bool drawSceneCanvas(const char *id, SceneModel &model, const Theme &theme, ImVec2 size, CanvasPlace &place) {
  ImVec2 corner = ImGui::GetCursorScreenPos();
  size = {std::max(size.x, 40.0f), std::max(size.y, 40.0f)};
  const Scene *scene = model.scene();
  if (!scene) {
    ImGui::Dummy(size);
    place = {corner, size};
    return false;
  }
  Margins margins = marginsOf(*scene, theme);
  ImVec2 at{corner.x + margins.left, corner.y + margins.top};
  ImVec2 inner{std::max(size.x - margins.left - theme.px(4), 20.0f),
               std::max(size.y - margins.top - theme.px(4), 20.0f)};
  place = {at, inner};
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton(id, inner, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  bool hovered = ImGui::IsItemHovered();
  const ImGuiIO &io = ImGui::GetIO();
  Point pointer{io.MousePos.x - at.x, io.MousePos.y - at.y};
  if (hovered && io.MouseWheel != 0)
    model.viewport.zoomAt(pointer, std::pow(kZoomPerNotch, io.MouseWheel));
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4))
    model.viewport.pan(io.MouseDelta.x, io.MouseDelta.y);
  if (hovered)
    model.point(pointer);
  else
    model.leave();
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    model.requestFit();
  else if (hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
           ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 4).x == 0)
    model.togglePin();
  if (hovered && !io.WantTextInput) {
    if (ImGui::IsKeyPressed('F', false))
      model.requestFit();
    if (ImGui::IsKeyPressed(kKeyEscape, false))
      model.unpin();
    double step = 12 * theme.scale;
    model.viewport.pan(ImGui::IsKeyDown('A') ? step : ImGui::IsKeyDown('D') ? -step : 0, 0);
    if (ImGui::IsKeyDown('W') || ImGui::IsKeyDown('S'))
      model.viewport.zoomAt(pointer, ImGui::IsKeyDown('W') ? 1.03 : 1 / 1.03);
  }

  const SceneFrame &frame = model.compose(inner.x, inner.y, theme.sceneStyle());
  ImDrawList &list = *ImGui::GetWindowDrawList();
  ImVec2 picture{at.x + float(std::clamp(model.viewport.x, 0.0, double(inner.x))),
                 at.y + float(std::clamp(model.viewport.y, 0.0, double(inner.y)))};
  AxisPainter axes{list, theme, frame, at, inner, margins, picture};
  list.PushClipRect(at, {at.x + inner.x, at.y + inner.y}, true);
  CellPainter cells{list, theme, *scene, at};
  for (const RectRecord &cell : frame.cells)
    cells.fill(cell, true);
  for (const LabelRecord &label : frame.labels)
    cells.label(label, theme.mono);
  for (const LineRecord &line : frame.lines)
    list.AddLine({at.x + line.x0, at.y + line.y0}, {at.x + line.x1, at.y + line.y1}, line.colour, line.width);
  bool some = !model.lit().empty() && model.lit().size() < scene->body.boxes.size();
  if (some) {
    Point end = model.viewport.toCanvas({scene->body.width, scene->body.height});
    list.AddRectFilled(picture, {at.x + float(end.x), at.y + float(end.y)}, theme.dim);
    for (const RectRecord &cell : frame.lit)
      cells.fill(cell, false);
    for (const LabelRecord &label : frame.litLabels)
      cells.label(label, theme.mono);
  }
  for (const RectRecord &cell : frame.lit) {
    bool focus = cell.box == model.focus();
    if ((some && cell.x1 - cell.x0 > 14) || focus)
      list.AddRect({at.x + cell.x0, at.y + cell.y0}, {at.x + cell.x1, at.y + cell.y1},
                   focus ? packed(kHighlight) : theme.lit, 0, 0, focus ? theme.px(3) : theme.px(1));
  }
  list.PopClipRect();
  axes.top(scene->top); // after the dimming, which is for the picture alone
  axes.left(scene->left);

  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy(size);
  if (hovered && model.hovered() >= 0)
    drawTooltip(scene->body.boxes[model.hovered()].tooltip, theme);
  return hovered;
}

void drawSwatch(ImDrawList &list, ImVec2 at, ImVec2 size, const LegendEntry &entry, const Theme &theme) {
  ImVec2 to{at.x + size.x, at.y + size.y};
  if (entry.bandCount > 1) {
    float width = size.x / float(entry.bandCount);
    for (int i = 0; i < entry.bandCount; ++i)
      list.AddRectFilled({at.x + width * float(i), at.y}, {at.x + width * float(i + 1), to.y},
                         packed(entry.bands[size_t(i)]));
  } else {
    list.AddRectFilled(at, to, entry.fill == kEmpty ? theme.panel : packed(entry.fill), theme.px(2));
  }
  if (entry.hatched)
    drawHatch(list, at, to, IM_COL32(0, 0, 0, 60));
  list.AddRect(at, to, theme.rule, theme.px(2));
  if (entry.sample.empty())
    return;
  float font = std::min(theme.small->FontSize,
                        size.y * 0.8f / float(1 + std::count(entry.sample.begin(), entry.sample.end(), '\n')));
  ImVec2 extent = textSize(theme.small, font, entry.sample);
  if (extent.x > size.x - 4)
    font *= (size.x - 4) / extent.x, extent = textSize(theme.small, font, entry.sample);
  float y = at.y + (size.y - extent.y) / 2;
  for (size_t begin = 0; begin <= entry.sample.size();) {
    size_t end = std::min(entry.sample.find('\n', begin), entry.sample.size());
    std::string line = entry.sample.substr(begin, end - begin);
    float width = textSize(theme.small, font, line).x;
    list.AddText(theme.small, font, {at.x + (size.x - width) / 2, y}, Theme::inkOn(packed(entry.fill)), line.c_str());
    y += font;
    begin = end + 1;
  }
}

void drawLegend(const Scene &scene, const Theme &theme) {
  for (const LegendEntry &entry : scene.legend) {
    ImVec2 at = ImGui::GetCursorScreenPos();
    bool twoLines = entry.sample.find('\n') != std::string::npos;
    ImVec2 swatch{theme.px(40), theme.px(twoLines ? 34 : 20)};
    drawSwatch(*ImGui::GetWindowDrawList(), at, swatch, entry, theme);
    float width = ImGui::GetContentRegionAvail().x - swatch.x - theme.px(10);
    ImGui::SetCursorScreenPos({at.x + swatch.x + theme.px(10), at.y + theme.px(1)});
    ImGui::BeginGroup();
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    ImGui::TextUnformatted(entry.text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndGroup();
    float bottom = std::max(ImGui::GetItemRectMax().y, at.y + swatch.y);
    ImGui::SetCursorScreenPos({at.x, bottom + theme.px(6)});
  }
  ImGui::Dummy({1, 1});
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

} // namespace lanescope::viz
