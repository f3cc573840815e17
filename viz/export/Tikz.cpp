#include "viz/export/Tikz.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "viz/export/MergedFills.h"
#include "viz/scene/Page.h"
#include "viz/scene/Palette.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace lanescope::viz {
namespace {

constexpr double kBigPointsPerPixel = 0.75;
constexpr double kMostPixels = 21000;        // the most pixels per side; TeX's largest length is 16383 pt
constexpr size_t kMostBoxes = 9000;          // boxes with labels take up to 4.6 of TeX's 5 million words (see Tikz.h)
constexpr size_t kRectsPerPath = 64;         // limited, because TeX reads a path as a whole
constexpr double kHatchGap = 7 * 1.41421356; // the same as in Cairo

class TikzWriter {
public:
  std::string out;

  TikzWriter &operator<<(std::string_view s) {
    out += s;
    return *this;
  }
  TikzWriter &operator<<(double value) {
    char buffer[32];
    double rounded = std::round(std::clamp(value, -1e6, 1e6) * 100) / 100;
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, rounded + 0.0, std::chars_format::fixed).ptr);
    return *this;
  }
  /// Writes "(x,y)".
  TikzWriter &operator<<(Point p) { return *this << "(" << p.x << "," << p.y << ")"; }
};

/// Gives colours names when they first occur. The definitions of the names go into the preamble.
class Colours {
public:
  std::string name(Colour colour) {
    std::string key = hex(colour);
    auto [at, isNew] = names_.try_emplace(key, text("c", names_.size()));
    if (isNew)
      definitions +=
          text("\\definecolor{", at->second, "}{RGB}{", int(colour.r), ",", int(colour.g), ",", int(colour.b), "}\n");
    return at->second;
  }
  std::string definitions;

private:
  std::map<std::string, std::string> names_;
};

struct Label {
  Point at;
  std::string_view text;
  double size;
  Colour colour;
  Align align;
  bool bold;
};

class Drawer {
public:
  Drawer(const Page &page, Colours &colours)
      : height_(page.height), ink_(page.ink), hatch_(page.hatch), colours_(colours) {}

  void picture(const Picture &picture, Point origin) {
    origin_ = origin;
    std::vector<Line> all = withHeads(picture.lines);
    lines(all, true);
    for (const auto &[colour, rects] : mergedFills(picture.boxes))
      fill(rects, colour);
    hatch(mergedHatches(picture.boxes));
    for (const Box &box : picture.boxes)
      if (box.strokeWidth > 0)
        w << "\\draw[" << colours_.name(box.stroke) << ",line width=" << box.strokeWidth * kBigPointsPerPixel << "bp]"
          << moved({box.rect.x, box.rect.y}) << "rectangle"
          << moved({box.rect.x + box.rect.width, box.rect.y + box.rect.height}) << ";\n";
    lines(all, false);
    for (const Box &box : picture.boxes) {
      Point middle = moved({box.rect.x + box.rect.width / 2, box.rect.y + box.rect.height / 2});
      bool two = !box.detail.empty();
      if (!box.label.empty())
        labels_.push_back({{middle.x, middle.y - (two ? box.labelSize * 0.58 : 0)},
                           box.label,
                           box.labelSize,
                           box.labelColour,
                           Align::Centre,
                           false});
      if (two)
        labels_.push_back({{middle.x, middle.y + box.labelSize * 0.62},
                           box.detail,
                           box.labelSize * 0.86,
                           box.labelColour,
                           Align::Centre,
                           false});
    }
    for (const Text &text : picture.texts)
      labels_.push_back({moved(text.at), text.text, text.size, text.colour, text.align, text.bold});
  }

  /// Writes all labels so far, sorted by font, in a `picture` whose origin is the lower left corner of the page.
  void writeLabels(double width) {
    std::stable_sort(labels_.begin(), labels_.end(), [](const Label &a, const Label &b) {
      return std::tuple(a.size, a.bold, hex(a.colour)) < std::tuple(b.size, b.bold, hex(b.colour));
    });
    w << "\\node[inner sep=0pt,outer sep=0pt,anchor=south west] at " << Point{0, height_}
      << " {\\setlength{\\unitlength}{" << kBigPointsPerPixel << "bp}\\begin{picture}" << Point{width, height_}
      << "%\n";
    const Label *last = nullptr;
    for (const Label &label : labels_) {
      if (!last || last->size != label.size || last->bold != label.bold || !(last->colour == label.colour)) {
        w << (last ? "}%\n" : "") << "{\\fontsize{" << label.size * kBigPointsPerPixel * 0.96 << "bp}{"
          << label.size * kBigPointsPerPixel << "bp}\\selectfont" << (label.bold ? "\\bfseries" : "") << "\\color{"
          << colours_.name(label.colour) << "}%\n";
        last = &label;
      }
      const char *box = label.align == Align::Left ? "\\LL{" : label.align == Align::Right ? "\\RR{" : "\\CC{";
      w << box << label.at.x << "}{" << height_ - label.at.y << "}{" << latexText(label.text) << "}%\n";
    }
    w << (last ? "}%\n" : "") << "\\end{picture}};\n";
  }

  TikzWriter w;

private:
  Point moved(Point p) const { return {p.x + origin_.x, p.y + origin_.y}; }

  void fill(const std::vector<Rect> &rects, Colour colour) {
    for (size_t i = 0; i < rects.size(); ++i) {
      const Rect &r = rects[i];
      if (i % kRectsPerPath == 0)
        w << (i ? ";\n" : "") << "\\fill[" << colours_.name(colour) << "]";
      w << moved({r.x, r.y}) << "rectangle" << moved({r.x + r.width, r.y + r.height});
    }
    w << (rects.empty() ? "" : ";\n");
  }

  void segments(const std::vector<std::pair<Point, Point>> &all, std::string_view style) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (i % kRectsPerPath == 0)
        w << (i ? ";\n" : "") << "\\draw[" << style << "]";
      w << all[i].first << "--" << all[i].second;
    }
    w << (all.empty() ? "" : ";\n");
  }

  /// Draws the diagonals x + y = k * gap, limited to the rectangles.
  void hatch(const std::vector<Rect> &rects) {
    std::vector<std::pair<Point, Point>> all;
    for (const Rect &r : rects) {
      double x0 = r.x, x1 = r.x + r.width, y0 = r.y, y1 = r.y + r.height;
      double gap = kHatchGap * hatch_;
      for (double k = std::ceil((x0 + y0) / gap); k * gap < x1 + y1; ++k) {
        double sum = k * gap, left = std::max(x0, sum - y1), right = std::min(x1, sum - y0);
        if (left < right)
          all.push_back({moved({left, sum - left}), moved({right, sum - right})});
      }
    }
    TikzWriter style;
    style << colours_.name(ink_) << ",opacity=0.22,line width=" << 0.9 * hatch_ << "bp";
    segments(all, style.out);
  }

  void lines(const std::vector<Line> &lines, bool under) {
    // Neighbours in the list usually have the same style.
    std::vector<std::pair<Point, Point>> run;
    const Line *first = nullptr;
    auto flush = [&] {
      if (!first)
        return;
      TikzWriter style;
      style << colours_.name(first->colour) << ",line cap=rect,line width=" << first->width * kBigPointsPerPixel
            << "bp";
      if (first->colour.a != 255)
        style << ",opacity=" << first->colour.a / 255.0;
      segments(run, style.out);
      run.clear();
    };
    for (const Line &line : lines) {
      if (line.under != under)
        continue;
      if (!first || !(first->colour == line.colour) || first->width != line.width) {
        flush();
        first = &line;
      }
      run.push_back({moved(line.from), moved(line.to)});
    }
    flush();
  }

  double height_;
  Colour ink_;
  double hatch_;
  Colours &colours_;
  Point origin_;
  std::vector<Label> labels_;
};

} // namespace

std::string latexText(std::string_view given) {
  constexpr std::pair<std::string_view, std::string_view> kWritten[] = {{"\\", "\\textbackslash{}"},
                                                                        {"{", "\\{"},
                                                                        {"}", "\\}"},
                                                                        {"$", "\\$"},
                                                                        {"&", "\\&"},
                                                                        {"#", "\\#"},
                                                                        {"%", "\\%"},
                                                                        {"_", "\\_"},
                                                                        {"^", "\\textasciicircum{}"},
                                                                        {"~", "\\textasciitilde{}"},
                                                                        {"<", "\\textless{}"},
                                                                        {">", "\\textgreater{}"},
                                                                        {"|", "\\textbar{}"},
                                                                        {"\"", "\\textquotedbl{}"},
                                                                        {"–", "--"},
                                                                        {"×", "$\\times$"},
                                                                        {"·", "$\\cdot$"},
                                                                        {"…", "\\ldots{}"},
                                                                        {"µ", "$\\mu$"},
                                                                        {"→", "$\\to$"}};
  std::string text = validUtf8(given), out;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view character = firstCharacters(rest, 1);
    rest.remove_prefix(character.size());
    auto known = std::find_if(std::begin(kWritten), std::end(kWritten),
                              [&](const auto &written) { return written.first == character; });
    if (known != std::end(kWritten))
      out += known->second;
    else
      out += character.size() == 1 ? character : "?";
  }
  return out;
}

Result<std::string> toTikz(const Scene &scene) {
  Page layout = page(scene);
  if (layout.width > kMostPixels || layout.height > kMostPixels || scene.body.boxes.size() > kMostBoxes)
    return error(
        "picture-too-large",
        Message("the picture is too large for TeX: {} x {} pixels, {count} cells; write PDF, or draw a part of it",
                static_cast<int64_t>(layout.width), static_cast<int64_t>(layout.height), scene.body.boxes.size()));
  Colours colours;
  Drawer drawer(layout, colours);
  drawer.picture(layout.furniture, {0, 0});
  drawer.picture(scene.body, layout.bodyAt);
  drawer.writeLabels(layout.width);
  TikzWriter w;
  double width = layout.width * kBigPointsPerPixel, height = layout.height * kBigPointsPerPixel;
  w << "% Compile with pdflatex; needs "
       "TikZ.\n\\RequirePackage{fix-cm}\n\\documentclass{article}\n\\usepackage[paperwidth="
    << width << "bp,paperheight=" << height
    << "bp,margin=0bp]{geometry}\n\\usepackage{textcomp}\n\\usepackage{tikz}\n\\pagestyle{empty}\n\\parindent=0pt\n"
       "\\topskip=0pt\n\\renewcommand{\\familydefault}{\\sfdefault}\n"
       "\\newcommand{\\LL}[3]{\\put(#1,#2){\\makebox(0,0)[l]{#3}}}\n"
       "\\newcommand{\\CC}[3]{\\put(#1,#2){\\makebox(0,0){#3}}}\n"
       "\\newcommand{\\RR}[3]{\\put(#1,#2){\\makebox(0,0)[r]{#3}}}\n"
       "\\providecommand{\\textquotedbl}{''}\n";
  std::string paper = colours.name(layout.paper);
  w << colours.definitions << "\\begin{document}%\n\\pagecolor{" << paper
    << "}%\n\\begin{tikzpicture}[x=0.75bp,y=-0.75bp]\n\\path[use as bounding box] (0,0) rectangle "
    << Point{layout.width, layout.height} << ";\n"
    << drawer.w.out << "\\end{tikzpicture}%\n\\end{document}\n";
  return std::move(w.out);
}

} // namespace lanescope::viz
