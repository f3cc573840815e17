#include "viz/scene/Page.h"

#include "viz/scene/Palette.h"

#include <algorithm>

namespace lanescope::viz {
namespace {

constexpr double kMargin = 28;
constexpr double kTitleSize = 20, kSubtitleSize = 12, kAxisSize = 11, kLegendSize = 12;
constexpr double kLineGap = 1.5; // line height divided by font size
constexpr double kSwatchWidth = 52, kSwatchHeight = 26;
constexpr double kGroupGap = 6;
constexpr double kTickRow = 18;       // height of the row of ticks on the top axis
constexpr double kLegendColumn = 420; // minimal width of a column

/// The text colours of the scene's theme.
struct Inks {
  Colour ink, faint, hairline;
  explicit Inks(ColourTheme theme)
      : ink(inTheme(kInk, theme)), faint(inTheme(kFaintInk, theme)), hairline(inTheme(kHairline, theme)) {}
};

double widest(const std::vector<Tick> &ticks) {
  double width = 0;
  for (const Tick &tick : ticks)
    width = std::max(width, textWidth(tick.text, kAxisSize));
  return width;
}

double widestGroup(const Axis &axis) {
  double width = 0;
  for (const Axis::Group &group : axis.groups)
    width = std::max(width, textWidth(group.text, kAxisSize, true));
  return axis.groups.empty() ? 0 : width + 16;
}

/// Draws wrapped text below `top`. Returns the lower end of the text.
double paragraph(Picture &picture, std::string_view text, double x, double top, double width, double size,
                 Colour colour) {
  for (std::string &line : wrapText(text, size, width)) {
    picture.texts.push_back({{x, top + size * kLineGap / 2}, std::move(line), size, colour});
    top += size * kLineGap;
  }
  return top;
}

/// Draws the legend in a column of `width`. Returns its lower end.
double drawLegend(Picture &picture, const std::vector<LegendEntry> &legend, double x, double top, double width,
                  const Inks &inks) {
  for (const LegendEntry &entry : legend) {
    if (entry.caption) {
      top = paragraph(picture, entry.text, x, top, width, kLegendSize, inks.ink) + 4;
      continue;
    }
    Box swatch;
    swatch.rect = {x, top, kSwatchWidth, kSwatchHeight};
    swatch.fill = entry.fill;
    swatch.bands = entry.bands;
    swatch.bandCount = entry.bandCount;
    swatch.hatched = entry.hatched;
    swatch.stroke = inks.hairline;
    swatch.strokeWidth = 1;
    size_t newline = entry.sample.find('\n');
    swatch.label = entry.sample.substr(0, newline);
    if (newline != std::string::npos)
      swatch.detail = entry.sample.substr(newline + 1);
    swatch.labelSize = 10;
    swatch.labelColour = inks.ink;
    picture.boxes.push_back(std::move(swatch));
    double textX = x + kSwatchWidth + 12;
    size_t lines = wrapText(entry.text, kLegendSize, width - (textX - x)).size();
    double height = static_cast<double>(lines) * kLegendSize * kLineGap;
    double offset = std::max(0.0, (kSwatchHeight - height) / 2); // a single line is centred beside the swatch
    paragraph(picture, entry.text, textX, top + offset, width - (textX - x), kLegendSize, inks.ink);
    top += std::max(kSwatchHeight, height) + 10;
  }
  return top;
}

void drawTopAxis(Picture &picture, const Axis &axis, Point body, const Inks &inks) {
  double y = body.y - 11;
  for (const Tick &tick : axis.ticks)
    picture.texts.push_back({{body.x + tick.at, y}, tick.text, kAxisSize, inks.faint, Align::Centre});
  if (!axis.ticks.empty())
    y -= kTickRow;
  for (const Axis::Group &group : axis.groups) {
    Box box;
    box.rect = {body.x + group.at + 0.5, y - 9, group.size - 1, 18};
    box.fill = group.fill;
    box.label = textWidth(group.text, kAxisSize) <= group.size ? group.text : "";
    box.labelSize = kAxisSize;
    box.labelColour = inks.ink;
    picture.boxes.push_back(std::move(box));
  }
  if (!axis.groups.empty())
    y -= 20;
  if (!axis.title.empty())
    picture.texts.push_back({{body.x, y}, axis.title, kAxisSize, inks.ink, Align::Left, true});
}

/// `raised`: the distance from the row of the top axis's numbers up to the title.
void drawLeftAxis(Picture &picture, const Axis &axis, Point body, double groupWidth, double raised, const Inks &inks) {
  for (const Tick &tick : axis.ticks)
    picture.texts.push_back({{body.x - 8, body.y + tick.at}, tick.text, kAxisSize, inks.faint, Align::Right});
  double left = body.x - 8 - widest(axis.ticks) - (axis.ticks.empty() ? 0 : kGroupGap) - groupWidth;
  for (const Axis::Group &group : axis.groups) {
    Box box;
    box.rect = {left, body.y + group.at + 0.5, groupWidth, group.size - 1};
    box.fill = group.fill;
    box.label = group.text;
    box.labelSize = kAxisSize;
    box.labelColour = inks.ink;
    picture.boxes.push_back(std::move(box));
  }
  if (!axis.title.empty())
    picture.texts.push_back({{body.x - 8, body.y - 11 - raised}, axis.title, kAxisSize, inks.ink, Align::Right, true});
}

} // namespace

Page page(const Scene &scene) {
  Page page;
  page.paper = inTheme(kPaper, scene.theme);
  page.ink = inTheme(kInk, scene.theme);
  constexpr double kPlain = 2400, kWidest = 4; // kPlain: up to this size in pixels, a screen shows a picture unscaled
  page.hatch = std::clamp(std::max(scene.body.width, scene.body.height) / kPlain, 1.0, kWidest);
  const Inks inks(scene.theme);
  Picture &out = page.furniture;
  const Picture &body = scene.body;

  double groupWidth = widestGroup(scene.left);
  double leftLabels = std::max(widest(scene.left.ticks), textWidth(scene.left.title, kAxisSize, true));
  double leftAxis = (leftLabels > 0 ? leftLabels + 8 : 0) + (groupWidth > 0 ? groupWidth + kGroupGap : 0);
  if (groupWidth > 0) // the title may extend over the groups
    leftAxis = std::max(widest(scene.left.ticks) + 8 + kGroupGap + groupWidth,
                        textWidth(scene.left.title, kAxisSize, true) + 8);
  double topAxis =
      (scene.top.ticks.empty() ? 0 : 20) + (scene.top.groups.empty() ? 0 : 22) + (scene.top.title.empty() ? 0 : 20);
  // The last tick is centred on its place, so it may extend to the right.
  double overhang = 0;
  for (const Tick &tick : scene.top.ticks)
    overhang = std::max(overhang, tick.at + textWidth(tick.text, kAxisSize) / 2 - body.width);

  double pictureWidth = leftAxis + body.width + overhang;
  bool legendBeside = body.height > 320 && body.width < 1.6 * body.height;
  double legendWidth = scene.legend.empty() && scene.notes.empty() ? 0
                       : legendBeside                              ? 330
                                                                   : std::max(pictureWidth, 640.0);
  double contentWidth = legendBeside ? pictureWidth + 36 + legendWidth : std::max(pictureWidth, legendWidth);
  contentWidth = std::max({contentWidth, textWidth(scene.title, kTitleSize, true), 320.0});

  double y = kMargin;
  if (!scene.title.empty()) {
    out.texts.push_back({{kMargin, y + kTitleSize / 2}, scene.title, kTitleSize, inks.ink, Align::Left, true});
    y += kTitleSize * kLineGap;
  }
  if (!scene.subtitle.empty())
    y = paragraph(out, scene.subtitle, kMargin, y, contentWidth, kSubtitleSize, inks.faint);
  y += 14;

  page.bodyAt = {kMargin + leftAxis, y + topAxis};
  drawTopAxis(out, scene.top, page.bodyAt, inks);
  // The first number of the top axis is centred on its place. If cells are narrow, it may reach the title.
  bool reaches = false;
  for (const Tick &tick : scene.top.ticks)
    reaches |= tick.at - textWidth(tick.text, kAxisSize) / 2 < -4;
  drawLeftAxis(out, scene.left, page.bodyAt, groupWidth, reaches ? kTickRow : 0, inks);
  double bottom = page.bodyAt.y + body.height;

  double legendX = legendBeside ? kMargin + pictureWidth + 36 : kMargin;
  double legendY = legendBeside ? page.bodyAt.y : bottom + 24;
  // Below a wide picture, the legend is in columns, which are filled one after another.
  int64_t columns = legendBeside ? 1 : std::max<int64_t>(1, static_cast<int64_t>(legendWidth / kLegendColumn));
  columns = std::min<int64_t>(columns, std::max<int64_t>(1, static_cast<int64_t>(scene.legend.size())));
  double columnWidth = legendWidth / static_cast<double>(columns) - (columns > 1 ? 24 : 0);
  columnWidth = std::min(columnWidth, 520.0);
  const size_t columnCount = static_cast<size_t>(columns);
  size_t perColumn = (scene.legend.size() + columnCount - 1) / columnCount;
  double legendEnd = legendY;
  for (size_t c = 0; c < columnCount; ++c) {
    size_t first = std::min(scene.legend.size(), c * perColumn),
           last = std::min(scene.legend.size(), first + perColumn);
    std::vector<LegendEntry> part(scene.legend.begin() + first, scene.legend.begin() + last);
    double x = legendX + static_cast<double>(c) * (columnWidth + 24);
    legendEnd = std::max(legendEnd, drawLegend(out, part, x, legendY, columnWidth, inks));
  }
  if (!scene.notes.empty())
    legendEnd += 4;
  for (const std::string &note : scene.notes)
    legendEnd =
        paragraph(out, note, legendX, legendEnd, legendBeside ? legendWidth : contentWidth, kLegendSize, inks.faint);

  page.width = contentWidth + 2 * kMargin;
  page.height = std::max(bottom, legendEnd) + kMargin;
  return page;
}

} // namespace lanescope::viz
