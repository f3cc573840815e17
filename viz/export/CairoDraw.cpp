#include "viz/export/CairoDraw.h"

#include "core/gpu/runtime/OwnFile.h"
#include "layouts/support/Utf8.h"

#include <cairo.h>
#include <cstdlib>
#include <filesystem>
#include <fontconfig/fontconfig.h>

namespace lanescope::viz {
namespace {

/// On a machine without font settings, such as a container, Cairo finds no fonts. This function then provides the fonts
/// that are installed with the program.
void provideFonts() {
  std::error_code problem;
  std::filesystem::path data = core::dataFolder(), fonts = data / "fonts";
  if (data.empty() || std::getenv("FONTCONFIG_FILE") || std::filesystem::exists("/etc/fonts/fonts.conf", problem) ||
      !std::filesystem::is_directory(fonts, problem))
    return;
  FcConfig *own = FcConfigCreate();
  if (!own)
    return;
  // Adds each file, because fontconfig keeps a cache for a folder.
  for (const auto &entry : std::filesystem::directory_iterator(fonts, problem))
    if (entry.path().extension() == ".ttf")
      FcConfigAppFontAddFile(own, reinterpret_cast<const FcChar8 *>(entry.path().c_str()));
  FcConfigSetCurrent(own);
}

constexpr double kBaseline = 0.36; // as in SVG
constexpr double kHatchGap = 7 * 1.41421356;

void paint(cairo_t *cairo, Colour c) {
  cairo_set_source_rgba(cairo, c.r / 255.0, c.g / 255.0, c.b / 255.0, c.a / 255.0);
}

class Drawer {
public:
  Drawer(cairo_t *cairo, const Page &page) : cairo_(cairo), ink_(page.ink), hatchScale_(page.hatch) {}

  void picture(const Picture &picture) {
    std::vector<Line> lines = withHeads(picture.lines);
    for (const Line &l : lines)
      if (l.under)
        line(l);
    for (const Box &b : picture.boxes)
      box(b);
    for (const Line &l : lines)
      if (!l.under)
        line(l);
    for (const Box &b : picture.boxes)
      labels(b);
    for (const Text &t : picture.texts)
      text(t.at, t.text, t.size, t.colour, t.align, t.bold);
  }

private:
  void fill(Rect r, Colour colour) {
    paint(cairo_, colour);
    cairo_set_antialias(cairo_, CAIRO_ANTIALIAS_NONE); // avoids light seams between neighbouring boxes
    cairo_rectangle(cairo_, r.x, r.y, r.width, r.height);
    cairo_fill(cairo_);
    cairo_set_antialias(cairo_, CAIRO_ANTIALIAS_DEFAULT);
  }

  void box(const Box &box) {
    if (box.bandCount > 1) {
      double band = box.rect.width / box.bandCount;
      for (int i = 0; i < box.bandCount; ++i)
        fill({box.rect.x + i * band, box.rect.y, band, box.rect.height}, box.bands[i]);
    } else {
      fill(box.rect, box.fill);
    }
    if (box.hatched)
      hatch(box.rect);
    if (box.strokeWidth > 0) {
      paint(cairo_, box.stroke);
      cairo_set_line_width(cairo_, box.strokeWidth);
      cairo_rectangle(cairo_, box.rect.x, box.rect.y, box.rect.width, box.rect.height);
      cairo_stroke(cairo_);
    }
  }

  void hatch(Rect r) {
    cairo_save(cairo_);
    cairo_rectangle(cairo_, r.x, r.y, r.width, r.height);
    cairo_clip(cairo_);
    paint(cairo_, {ink_.r, ink_.g, ink_.b, 56});
    cairo_set_line_width(cairo_, 1.2 * hatchScale_);
    double gap = kHatchGap * hatchScale_;
    // The lines are x + y = k * gap, so that the hatches of neighbouring boxes meet.
    double first = static_cast<double>(static_cast<int64_t>((r.x + r.y) / gap)) * gap;
    for (double sum = first; sum < r.x + r.y + r.width + r.height; sum += gap) {
      cairo_move_to(cairo_, sum - r.y, r.y);
      cairo_line_to(cairo_, sum - r.y - r.height, r.y + r.height);
    }
    cairo_stroke(cairo_);
    cairo_restore(cairo_);
  }

  void line(const Line &line) {
    paint(cairo_, line.colour);
    cairo_set_line_width(cairo_, line.width);
    cairo_move_to(cairo_, line.from.x, line.from.y);
    cairo_line_to(cairo_, line.to.x, line.to.y);
    cairo_stroke(cairo_);
  }

  void labels(const Box &box) {
    double x = box.rect.x + box.rect.width / 2, y = box.rect.y + box.rect.height / 2;
    if (box.detail.empty()) {
      text({x, y}, box.label, box.labelSize, box.labelColour, Align::Centre, false);
      return;
    }
    text({x, y - box.labelSize * 0.58}, box.label, box.labelSize, box.labelColour, Align::Centre, false);
    text({x, y + box.labelSize * 0.62}, box.detail, box.labelSize * 0.86, box.labelColour, Align::Centre, false);
  }

  void text(Point at, const std::string &line, double size, Colour colour, Align align, bool bold) {
    if (line.empty())
      return;
    std::string text = validUtf8(line);   // Cairo stops drawing after malformed text
    if (bold != bold_ || size != size_) { // looking up a font takes longer than drawing a label
      cairo_select_font_face(cairo_, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                             bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
      cairo_set_font_size(cairo_, size);
      bold_ = bold;
      size_ = size;
    }
    double x = at.x;
    if (align != Align::Left) {
      cairo_text_extents_t extents;
      cairo_text_extents(cairo_, text.c_str(), &extents);
      x -= align == Align::Centre ? extents.x_advance / 2 : extents.x_advance;
    }
    paint(cairo_, colour);
    cairo_move_to(cairo_, x, at.y + size * kBaseline);
    cairo_show_text(cairo_, text.c_str());
  }

  cairo_t *cairo_;
  Colour ink_;
  double hatchScale_;
  bool bold_ = false;
  double size_ = 0;
};

} // namespace

void drawPage(cairo_t *cairo, const Scene &scene, const Page &layout) {
  paint(cairo, layout.paper);
  cairo_paint(cairo);
  cairo_set_line_cap(cairo, CAIRO_LINE_CAP_SQUARE);
  static const bool provided = (provideFonts(), true);
  (void)provided;
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cairo, options);
  cairo_font_options_destroy(options);
  Drawer drawer(cairo, layout);
  drawer.picture(layout.furniture);
  cairo_translate(cairo, layout.bodyAt.x, layout.bodyAt.y);
  drawer.picture(scene.body);
}

} // namespace lanescope::viz
