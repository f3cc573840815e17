#include "viz/gui/canvas/SceneCanvas.h"

#include "layouts/support/Utf8.h"
#include "viz/gui/style/Widgets.h"
#include "viz/scene/Palette.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace lanescope::viz {

namespace {

constexpr float kZoomPerNotch = 1.2f;
constexpr float kCellWithGap = 12; // in pixels; narrower cells touch each other

struct Margins {
  float left = 0, top = 0;
  float groups = 0; // width of the left axis's groups, for the wider classes
};

ImVec2 textSize(ImFont *font, float size, const std::string &text) {
  return font->CalcTextSizeA(size, FLT_MAX, 0, text.c_str(), text.c_str() + text.size());
}

void drawText(ImDrawList &list, ImFont *font, float size, ImVec2 at, ImU32 colour, const std::string &text) {
  list.AddText(font, size, {std::floor(at.x), std::floor(at.y)}, colour, text.c_str(), text.c_str() + text.size());
}

/// The width of the widest text beside the picture. It is estimated from a sample.
float widestTick(const Scene &scene, const Theme &theme) {
  float line = theme.small->FontSize, widest = 0;
  auto add = [&](const std::string &tick) { widest = std::max(widest, textSize(theme.small, line, tick).x); };
  if (scene.left.ticks.empty())
    return 0;
  if (scene.raster) {
    for (int64_t i : {int64_t(0), scene.raster->rows() / 2, scene.raster->rows() - 1})
      add(scene.raster->model().rowTick(i));
    return widest;
  }
  size_t step = std::max<size_t>(1, scene.left.ticks.size() / 64);
  for (size_t i = 0; i < scene.left.ticks.size(); i += step)
    add(scene.left.ticks[i].text);
  add(scene.left.ticks.back().text);
  return widest;
}

Margins marginsOf(const Scene &scene, const Theme &theme) {
  Margins margins;
  float line = theme.small->FontSize;
  margins.groups = scene.left.groups.empty() ? 0 : line * 1.6f;
  margins.left =
      widestTick(scene, theme) + margins.groups + theme.px(14) + (scene.left.title.empty() ? 0 : line * 1.3f);
  margins.top =
      line * 1.5f + (scene.top.title.empty() ? 0 : line * 1.4f) + (scene.top.groups.empty() ? 0 : line * 1.6f);
  return margins;
}

/// Draws text that reads upwards, as on a vertical axis. Dear ImGui cannot do that, so the glyphs are rotated after
/// their layout.
void drawUpwards(ImDrawList &list, ImFont *font, float size, ImVec2 bottomLeft, ImU32 colour, const std::string &text) {
  int begin = list.VtxBuffer.Size;
  drawText(list, font, size, bottomLeft, colour, text);
  ImVec2 origin{std::floor(bottomLeft.x), std::floor(bottomLeft.y)};
  for (int i = begin; i < list.VtxBuffer.Size; ++i) {
    ImVec2 &p = list.VtxBuffer[i].pos;
    p = {origin.x + (p.y - origin.y), origin.y - (p.x - origin.x)};
  }
}

struct AxisPainter {
  /// The text, shortened with an ellipsis if needed. Empty if there is no room even for a few characters.
  std::string shortened(std::string text, float room) const {
    constexpr size_t kFewest = 4;
    float size = theme.small->FontSize;
    if (textSize(theme.small, size, text).x <= room)
      return text;
    while (text.size() > kFewest && textSize(theme.small, size, text + "…").x > room)
      dropLastCharacter(text);
    return text.size() > kFewest ? text + "…" : "";
  }

  ImDrawList &list;
  const Theme &theme;
  const SceneFrame &frame;
  ImVec2 at, size; // the place and the size of the canvas
  Margins margins;
  // The top left corner of the picture. It is never outside of the canvas, so that the axes stay beside the picture.
  ImVec2 picture;

  void top(const Axis &axis) const {
    ImFont *font = theme.small;
    float line = font->FontSize, y = picture.y - line * 1.35f;
    list.PushClipRect({at.x - theme.px(20), at.y - margins.top}, {at.x + size.x, at.y + size.y}, true);
    float free = -FLT_MAX; // the end of the last number; numbers never overlap
    for (const TickRecord &tick : frame.top) {
      float width = textSize(font, line, tick.text).x, from = at.x + tick.at - width / 2;
      if (from < free || from + width > at.x + size.x) // the pane's edge would cut the number
        continue;
      drawText(list, font, line, {from, y}, theme.faint, tick.text);
      free = from + width + theme.px(6);
    }
    if (!axis.groups.empty()) {
      y -= line * 1.6f;
      for (const GroupRecord &group : frame.topGroups) {
        list.AddRectFilled({at.x + group.from, y}, {at.x + group.to - 1, y + line * 1.4f}, group.fill, theme.px(2));
        std::string shown = shortened(group.text, group.to - group.from - 6);
        ImVec2 extent = textSize(font, line, shown);
        drawText(list, font, line, {at.x + (group.from + group.to - extent.x) / 2, y + line * 0.18f},
                 Theme::inkOn(group.fill), shown);
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
    float free = -FLT_MAX;
    for (const TickRecord &tick : frame.left) {
      float from = at.y + tick.at - line / 2;
      if (from < free)
        continue;
      drawText(list, font, line, {right - textSize(font, line, tick.text).x, from}, theme.faint, tick.text);
      free = from + line * 0.95f;
    }
    float x = picture.x - margins.left;
    if (!axis.title.empty()) {
      ImVec2 extent = textSize(font, line, axis.title);
      if (extent.x < size.y)
        drawUpwards(list, font, line, {x, picture.y + std::min(size.y, extent.x + theme.px(4))}, theme.ink, axis.title);
      x += line * 1.35f;
    }
    for (const GroupRecord &group : frame.leftGroups) {
      list.AddRectFilled({x, at.y + group.from}, {x + line * 1.4f, at.y + group.to - 1}, group.fill, theme.px(2));
      std::string shown = group.text;
      if (textSize(font, line, shown).x + 6 >= group.to - group.from) // "warp 3" -> "3"
        shown.erase(0, shown.rfind(' ') + 1);
      ImVec2 extent = textSize(font, line, shown);
      if (shown.size() <= 2 && line < group.to - group.from) // a short number is not rotated
        drawText(list, font, line, {x + (line * 1.4f - extent.x) / 2, at.y + (group.from + group.to - line) / 2},
                 Theme::inkOn(group.fill), shown);
      else if (extent.x + 2 < group.to - group.from)
        drawUpwards(list, font, line, {x + line * 0.18f, at.y + (group.from + group.to + extent.x) / 2},
                    Theme::inkOn(group.fill), shown);
    }
    list.PopClipRect();
  }
};

/// Draws the diagonals at the places where x + y, relative to `origin`, is a multiple of the pitch. So the diagonals of
/// neighbouring cells meet.
void drawHatch(ImDrawList &list, ImVec2 origin, ImVec2 from, ImVec2 to, ImU32 colour) {
  float x0 = from.x - origin.x, x1 = to.x - origin.x, y0 = from.y - origin.y, y1 = to.y - origin.y;
  for (float sum = std::ceil((x0 + y0) / kHatchPitch) * kHatchPitch; sum < x1 + y1; sum += kHatchPitch) {
    float left = std::max(x0, sum - y1), right = std::min(x1, sum - y0);
    if (right - left > 0.5f)
      list.AddLine({origin.x + left, origin.y + sum - left}, {origin.x + right, origin.y + sum - right}, colour, 1);
  }
}

struct CellPainter {
  ImDrawList &list;
  const Theme &theme;
  const SceneFrame &frame;
  ImVec2 at;
  float glyph = 0; // advance of a character of the mono font at size 1

  const CellExtra *extraOf(const RectRecord &cell) const {
    return cell.extra >= 0 ? &frame.extras[size_t(cell.extra)] : nullptr;
  }
  /// Reserves room for many rectangles at once, because a reservation takes longer than a rectangle.
  void fill(std::span<const RectRecord> cells, bool gap) const {
    constexpr int kAtOnce = 4096; // rectangles; one draw call has room for four times as many
    while (!cells.empty()) {
      size_t count = 0;
      int rects = 0;
      const CellExtra *last = nullptr;
      do {
        last = extraOf(cells[count++]);
        rects += last ? std::max(1, last->bandCount) : 1;
      } while (count < cells.size() && rects < kAtOnce && !(last && last->hatched));
      list.PrimReserve(6 * rects, 4 * rects);
      for (const RectRecord &cell : cells.first(count))
        rectangles(cell, gap);
      if (last && last->hatched)
        drawHatch(list, at, {at.x + cells[count - 1].x0, at.y + cells[count - 1].y0}, lowerRight(cells[count - 1], gap),
                  theme.hatch());
      cells = cells.subspan(count);
    }
  }
  /// The lower right corner of a cell's rectangle. Large cells leave a thin gap between them, in which the background
  /// shows.
  ImVec2 lowerRight(const RectRecord &r, bool gap) const {
    float inset = gap && r.x1 - r.x0 > kCellWithGap && r.y1 - r.y0 > kCellWithGap ? 1.0f : 0.0f;
    return {at.x + r.x1 - inset, at.y + r.y1 - inset};
  }
  /// Draws one rectangle for each band of the record, and at least one.
  void rectangles(const RectRecord &r, bool gap) const {
    ImVec2 from{at.x + r.x0, at.y + r.y0}, to = lowerRight(r, gap);
    const CellExtra *extra = extraOf(r);
    if (!extra || extra->bandCount <= 1)
      return list.PrimRect(from, to, r.fill);
    float width = (to.x - from.x) / float(extra->bandCount);
    for (int i = 0; i < extra->bandCount; ++i)
      list.PrimRect({from.x + width * float(i), from.y}, {from.x + width * float(i + 1), to.y},
                    extra->bands[size_t(i)]);
  }
  void label(const LabelRecord &label) const {
    ImVec2 middle{at.x + label.x - glyph * label.size * float(label.characters) / 2, at.y + label.y - label.size / 2};
    list.AddText(theme.mono, label.size, middle, frame.ink, label.text.c_str(), label.text.c_str() + label.text.size());
  }
  void line(const LineRecord &line) const { arrow(line, line.colour, line.width); }
  void arrow(const LineRecord &line, ImU32 colour, float width) const {
    ImVec2 from{at.x + line.x0, at.y + line.y0}, to{at.x + line.x1, at.y + line.y1};
    list.AddLine(from, to, colour, width);
    if (line.head <= 0)
      return;
    constexpr float kSpread = 0.42f; // radians to each side
    float angle = std::atan2(to.y - from.y, to.x - from.x);
    for (float side : {kSpread, -kSpread})
      list.AddLine(to, {to.x - line.head * std::cos(angle + side), to.y - line.head * std::sin(angle + side)}, colour,
                   width);
  }
  void text(const TextRecord &record) const {
    ImFont *font = record.bold ? theme.bold : theme.ui;
    float width = textSize(font, record.size, record.text).x;
    float back = record.align == Align::Left ? 0 : record.align == Align::Centre ? width / 2 : width;
    list.AddText(font, record.size, {at.x + record.x - back, at.y + record.y - record.size / 2}, record.colour,
                 record.text.c_str(), record.text.c_str() + record.text.size());
  }
};

/// The longer side of the minimap, in pixels. It is limited so that most of a small canvas is left to the picture.
int minimapSide(const Theme &theme, ImVec2 size) {
  constexpr float kMostOfCanvas = 0.35f;
  return int(std::min(theme.px(120), kMostOfCanvas * std::min(size.x, size.y)));
}

/// Draws the whole picture in a corner, with a frame around the part that the canvas shows.
void drawMinimap(SceneModel &model, const Theme &theme, Textures &textures, ImVec2 at, ImVec2 size) {
  const PixelImage *whole = model.thumbnail(minimapSide(theme, size));
  if (!whole)
    return;
  ImVec2 extent{float(whole->width()), float(whole->height())};
  ImVec2 from{at.x + size.x - extent.x - theme.px(10), at.y + size.y - extent.y - theme.px(10)};
  ImVec2 to{from.x + extent.x, from.y + extent.y};
  ImDrawList &list = *ImGui::GetWindowDrawList();
  float rim = theme.px(3);
  list.AddRectFilled({from.x - rim, from.y - rim}, {to.x + rim, to.y + rim}, theme.panel, theme.px(3));
  list.AddImage(textures.of(*whole), from, to);
  list.AddRect({from.x - rim, from.y - rim}, {to.x + rim, to.y + rim}, theme.rule, theme.px(3));
  const Picture &body = model.scene()->body;
  Point a = model.viewport.toBody({0, 0}), b = model.viewport.toBody({size.x, size.y});
  auto onMap = [&](Point p) {
    return ImVec2{from.x + float(std::clamp(p.x / model.bodyWidth(), 0.0, 1.0)) * extent.x,
                  from.y + float(std::clamp(p.y / body.height, 0.0, 1.0)) * extent.y};
  };
  ImVec2 corner = onMap(a), opposite = onMap(b);
  opposite = {std::max(opposite.x, corner.x + 4), std::max(opposite.y, corner.y + 4)};
  list.AddRect(corner, opposite, theme.ground, 0, 0, theme.px(4));
  list.AddRect(corner, opposite, theme.accent, 0, 0, theme.px(2));
}

/// Handles the minimap's input. The minimap is drawn later, over the picture. Returns true while the minimap has the
/// pointer.
bool minimapInput(SceneModel &model, const Theme &theme, ImVec2 at, ImVec2 size) {
  const PixelImage *whole = model.partial() ? model.thumbnail(minimapSide(theme, size)) : nullptr;
  if (!whole)
    return false;
  ImVec2 extent{float(whole->width()), float(whole->height())};
  ImVec2 from{at.x + size.x - extent.x - theme.px(10), at.y + size.y - extent.y - theme.px(10)};
  ImGui::SetCursorScreenPos(from);
  ImGui::InvisibleButton("minimap", extent);
  if (ImGui::IsItemActive()) {
    ImVec2 pointer = ImGui::GetIO().MousePos;
    const Picture &body = model.scene()->body;
    Viewport &view = model.viewport;
    view.x = size.x / 2 - double((pointer.x - from.x) / extent.x) * model.bodyWidth() * view.scale;
    view.y = size.y / 2 - double((pointer.y - from.y) / extent.y) * body.height * view.scale;
  }
  return ImGui::IsItemHovered() || ImGui::IsItemActive();
}

} // namespace

void drawTooltip(const std::string &words, const Theme &theme) {
  if (words.empty())
    return;
  // The tooltip is well below the pointer, so that lit cells in the pointer's row stay visible.
  ImVec2 pointer = ImGui::GetIO().MousePos, screen = ImGui::GetIO().DisplaySize;
  bool below = pointer.y + theme.px(110) < screen.y;
  float width = std::min(ImGui::CalcTextSize(words.c_str(), nullptr, false, tipWidth(theme)).x, tipWidth(theme)) +
                2 * ImGui::GetStyle().WindowPadding.x;
  float left = std::max(std::min(pointer.x + theme.px(14), screen.x - width - theme.px(4)), 0.0f);
  ImGui::SetNextWindowPos({left, pointer.y + theme.px(below ? 30 : -22)}, ImGuiCond_Always, {0, below ? 0.0f : 1.0f});
  tip(words, theme);
}

CanvasEvents drawSceneCanvas(const char *id, SceneModel &model, const Theme &theme, Textures &textures, ImVec2 size,
                             CanvasPlace &place) {
  CanvasEvents events;
  ImVec2 corner = ImGui::GetCursorScreenPos();
  size = {std::max(size.x, 40.0f), std::max(size.y, 40.0f)};
  const Scene *scene = model.scene();
  if (!scene) {
    ImGui::Dummy(size);
    place = {corner, size};
    return events;
  }
  ImGui::PushID(id);
  Margins margins = marginsOf(*scene, theme);
  ImVec2 at{std::floor(corner.x + margins.left), std::floor(corner.y + margins.top)};
  ImVec2 inner{std::floor(std::max(size.x - margins.left - theme.px(4), 20.0f)),
               std::floor(std::max(size.y - margins.top - theme.px(4), 20.0f))};
  place = {at, inner};
  bool onMinimap = minimapInput(model, theme, at, inner);
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("canvas", inner, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  events.hovered = ImGui::IsItemHovered() && !onMinimap;
  const ImGuiIO &io = ImGui::GetIO();
  Point pointer{io.MousePos.x - at.x, io.MousePos.y - at.y};
  if (events.hovered && io.MouseWheel != 0)
    model.viewport.zoomAt(pointer, std::pow(kZoomPerNotch, io.MouseWheel));
  if (ImGui::IsItemActive() &&
      (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4) || ImGui::IsMouseDragging(ImGuiMouseButton_Middle, 4)))
    model.viewport.pan(io.MouseDelta.x, io.MouseDelta.y);
  if (events.hovered) {
    events.under = model.spotAt(pointer);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
      model.requestFit();
    else
      events.clicked = ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
                       ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 4).x == 0 &&
                       ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 4).y == 0;
  }

  const SceneFrame &frame = model.compose(inner.x, inner.y, theme.sceneStyle());
  ImDrawList &list = *ImGui::GetWindowDrawList();
  ImVec2 picture{at.x + float(std::clamp(model.viewport.x, 0.0, double(inner.x))),
                 at.y + float(std::clamp(model.viewport.y, 0.0, double(inner.y)))};
  ImVec2 end{at.x + inner.x, at.y + inner.y};
  list.PushClipRect(at, end, true);
  CellPainter painter{list, theme, frame, at, theme.mono->GetCharAdvance('0') / theme.mono->FontSize};
  if (scene->raster)
    list.AddRectFilled({at.x + frame.ground.x0, at.y + frame.ground.y0},
                       {at.x + frame.ground.x1, at.y + frame.ground.y1}, frame.ground.fill);
  for (const LineRecord &line : frame.under)
    painter.line(line);
  if (frame.image)
    list.AddImage(textures.of(*frame.image), at, end);
  painter.fill(frame.cells, true);
  for (const RectRecord &copies : frame.hatches)
    drawHatch(list, at, {at.x + copies.x0, at.y + copies.y0}, {at.x + copies.x1, at.y + copies.y1},
              theme.hatch(!frame.labels.empty()));
  for (const LabelRecord &label : frame.labels)
    painter.label(label);
  for (const LineRecord &line : frame.lines)
    painter.line(line);
  for (const TextRecord &text : frame.texts)
    painter.text(text);
  if (frame.dimmed) {
    list.AddRectFilled({at.x + frame.ground.x0, at.y + frame.ground.y0},
                       {at.x + frame.ground.x1, at.y + frame.ground.y1}, theme.dim);
    if (frame.marks)
      list.AddImage(textures.of(*frame.marks), at, end);
    painter.fill(frame.lit, false);
    for (const LabelRecord &label : frame.litLabels)
      painter.label(label);
    for (const RectRecord &cell : frame.lit)
      if (cell.x1 - cell.x0 >= kCellWithOutline)
        list.AddRect({at.x + cell.x0, at.y + cell.y0}, {at.x + cell.x1, at.y + cell.y1}, theme.lit);
  }
  for (const RectRecord &cell : frame.chosen) {
    // A tiny cell gets a ring around it, so that the user finds it.
    float grow = std::max(0.0f, (theme.px(9) - (cell.x1 - cell.x0)) / 2);
    ImVec2 from{at.x + cell.x0 - grow, at.y + cell.y0 - grow}, to{at.x + cell.x1 + grow, at.y + cell.y1 + grow};
    list.AddRect(from, to, theme.ground, 0, 0, theme.px(5));
    list.AddRect(from, to, theme.chosen, 0, 0, theme.px(2.5f));
  }
  for (const LineRecord &line : frame.arrows) {
    painter.arrow(line, theme.ground, line.width + theme.px(3));
    painter.arrow(line, theme.chosen, line.width);
  }
  list.PopClipRect();
  AxisPainter axes{list, theme, frame, at, inner, margins, picture};
  axes.top(scene->top); // drawn after the dimming, which applies only to the picture
  axes.left(scene->left);
  if (model.partial())
    drawMinimap(model, theme, textures, at, inner);
  ImGui::PopID();
  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy(size);
  return events;
}

void drawSwatch(ImDrawList &list, ImVec2 at, ImVec2 size, const LegendEntry &entry, const Theme &theme) {
  ImVec2 to{at.x + size.x, at.y + size.y};
  if (entry.bandCount > 1) {
    float width = size.x / float(entry.bandCount);
    for (int i = 0; i < entry.bandCount; ++i)
      list.AddRectFilled({at.x + width * float(i), at.y}, {at.x + width * float(i + 1), to.y},
                         packed(entry.bands[size_t(i)]));
  } else {
    list.AddRectFilled(at, to, packed(entry.fill), theme.px(2));
  }
  if (entry.hatched)
    drawHatch(list, at, at, to, theme.hatch());
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

void drawLegend(std::span<const LegendEntry> legend, const Theme &theme) {
  ImVec2 corner = ImGui::GetCursorScreenPos();
  float room = ImGui::GetContentRegionAvail().x, gap = theme.px(8), swatchWidth = theme.px(30), widest = 0;
  for (const LegendEntry &entry : legend)
    if (!entry.caption)
      widest = std::max(widest, swatchWidth + gap + ImGui::CalcTextSize(entry.text.c_str()).x);
  size_t columns = legend.size() > 2 && 2 * widest + gap <= room ? 2 : 1, column = 0;
  float columnWidth = room / float(columns), y = corner.y, bottom = y;
  auto nextRow = [&] {
    if (column > 0)
      y = bottom + theme.px(4);
    column = 0;
  };
  auto words = [&](const LegendEntry &entry, ImVec2 at, float width) {
    ImGui::SetCursorScreenPos(at);
    ImGui::BeginGroup();
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    ImGui::TextUnformatted(entry.text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndGroup();
    bottom = std::max(bottom, ImGui::GetItemRectMax().y);
  };
  for (const LegendEntry &entry : legend) {
    if (entry.caption || column == columns)
      nextRow();
    ImVec2 at{corner.x + columnWidth * float(column), y};
    if (entry.caption) {
      words(entry, at, room);
      y = bottom + theme.px(3);
      continue;
    }
    bool twoLines = entry.sample.find('\n') != std::string::npos;
    ImVec2 swatch{swatchWidth, theme.px(twoLines ? 30 : 17)};
    drawSwatch(*ImGui::GetWindowDrawList(), at, swatch, entry, theme);
    bottom = std::max(bottom, at.y + swatch.y);
    words(entry, {at.x + swatch.x + gap, at.y + (theme.px(17) - ImGui::GetFontSize()) / 2},
          columnWidth - swatch.x - gap);
    ++column;
  }
  ImGui::SetCursorScreenPos({corner.x, bottom + theme.px(4)});
  ImGui::Dummy({1, theme.px(2)});
}

} // namespace lanescope::viz
