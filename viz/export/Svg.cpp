#include "viz/export/Svg.h"

#include "layouts/support/Utf8.h"
#include "layouts/support/Visible.h"
#include "viz/export/MergedFills.h"
#include "viz/scene/Page.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lanescope::viz {
namespace {

// The distance from the middle of a line down to its baseline, divided by the font size.
constexpr double kBaseline = 0.36;

class Writer {
public:
  std::string out;

  Writer &operator<<(std::string_view s) {
    out.append(s);
    return *this;
  }
  /// Writes at most two decimals.
  Writer &operator<<(double value) {
    if (!std::isfinite(value))
      value = 0;
    char buffer[64];
    int64_t hundredths = std::llround(std::clamp(value, -1e12, 1e12) * 100);
    if (hundredths < 0) {
      out += '-';
      hundredths = -hundredths;
    }
    char *end = std::to_chars(buffer, buffer + sizeof buffer, hundredths / 100).ptr;
    out.append(buffer, end);
    if (int64_t rest = hundredths % 100) {
      out += '.';
      out += static_cast<char>('0' + rest / 10);
      if (rest % 10)
        out += static_cast<char>('0' + rest % 10);
    }
    return *this;
  }
  Writer &paint(std::string_view attribute, Colour colour) {
    constexpr char kDigits[] = "0123456789abcdef";
    *this << " " << attribute << "=\"#";
    for (uint8_t c : {colour.r, colour.g, colour.b}) {
      out += kDigits[c >> 4];
      out += kDigits[c & 15];
    }
    out += '"';
    if (colour.a != 255)
      *this << " " << attribute << "-opacity=\"" << colour.a / 255.0 << "\"";
    return *this;
  }
  Writer &rect(Rect r) {
    return *this << "<rect x=\"" << r.x << "\" y=\"" << r.y << "\" width=\"" << r.width << "\" height=\"" << r.height
                 << "\"";
  }
};

/// The style that all elements of a picture share.
struct Style {
  bool titles = false, interactive = false, merge = false;
  std::string hatch; // the pattern's id
};

void writeBox(Writer &w, const Box &box, const Style &style) {
  w.rect(box.rect);
  if (style.interactive)
    w << " class=\"b\"";
  w.paint("fill", box.bandCount > 1 ? box.bands[0] : box.fill);
  if (box.strokeWidth > 0)
    w.paint("stroke", box.stroke) << " stroke-width=\"" << box.strokeWidth << "\"";
  if (style.titles && !box.tooltip.empty())
    w << "><title>" << xmlText(box.tooltip) << "</title></rect>\n";
  else
    w << "/>\n";
  double band = box.rect.width / std::max(box.bandCount, 1);
  for (int i = 1; i < box.bandCount; ++i)
    w.rect({box.rect.x + i * band, box.rect.y, band, box.rect.height}).paint("fill", box.bands[i])
        << " pointer-events=\"none\"/>\n";
  if (box.hatched)
    w.rect(box.rect) << " fill=\"url(#" << style.hatch << ")\" pointer-events=\"none\"/>\n";
}

void writePath(Writer &w, const std::vector<Rect> &rects) {
  w << "<path d=\"";
  for (const Rect &r : rects)
    w << "M" << r.x << " " << r.y << "h" << r.width << "v" << r.height << "h" << -r.width << "z";
  w << "\"";
}

void writeMerged(Writer &w, const std::vector<Box> &boxes, const Style &style) {
  for (const auto &[colour, rects] : mergedFills(boxes)) {
    writePath(w, rects);
    w.paint("fill", colour) << "/>\n";
  }
  if (std::vector<Rect> hatched = mergedHatches(boxes); !hatched.empty()) {
    writePath(w, hatched);
    w << " fill=\"url(#" << style.hatch << ")\"/>\n";
  }
}

void writeLines(Writer &w, const std::vector<Line> &lines, bool under) {
  for (const Line &line : lines) {
    if (line.under != under)
      continue;
    w << "<line x1=\"" << line.from.x << "\" y1=\"" << line.from.y << "\" x2=\"" << line.to.x << "\" y2=\"" << line.to.y
      << "\"";
    w.paint("stroke", line.colour) << " stroke-width=\"" << line.width
                                   << "\" stroke-linecap=\"square\" pointer-events=\"none\"/>\n";
  }
}

/// Writes labels in one group per font size, which halves the size of the file.
void writeLabels(Writer &w, const std::vector<Box> &boxes) {
  for (bool detail : {false, true}) {
    double size = 0;
    Colour colour;
    bool open = false;
    for (const Box &box : boxes) {
      const std::string &line = detail ? box.detail : box.label;
      if (line.empty())
        continue;
      double want = detail ? box.labelSize * 0.86 : box.labelSize;
      if (!open || want != size || !(box.labelColour == colour)) {
        w << (open ? "</g>\n" : "") << "<g text-anchor=\"middle\" pointer-events=\"none\" font-size=\"" << want << "\"";
        w.paint("fill", box.labelColour) << ">\n";
        size = want;
        colour = box.labelColour;
        open = true;
      }
      double middle = box.rect.y + box.rect.height / 2;
      if (!box.detail.empty())
        middle += detail ? box.labelSize * 0.62 : -box.labelSize * 0.58;
      w << "<text x=\"" << box.rect.x + box.rect.width / 2 << "\" y=\"" << middle + want * kBaseline << "\">"
        << xmlText(line) << "</text>\n";
    }
    w << (open ? "</g>\n" : "");
  }
}

void writeTexts(Writer &w, const std::vector<Text> &texts) {
  for (const Text &text : texts) {
    w << "<text x=\"" << text.at.x << "\" y=\"" << text.at.y + text.size * kBaseline << "\" font-size=\"" << text.size
      << "\"";
    w.paint("fill", text.colour);
    if (text.align != Align::Left)
      w << (text.align == Align::Centre ? " text-anchor=\"middle\"" : " text-anchor=\"end\"");
    w << (text.bold ? " font-weight=\"bold\">" : ">") << xmlText(text.text) << "</text>\n";
  }
}

void writePicture(Writer &w, const Picture &picture, const Style &style) {
  std::vector<Line> lines = withHeads(picture.lines);
  writeLines(w, lines, true);
  w << "<g shape-rendering=\"crispEdges\">\n"; // avoids light seams between neighbouring boxes
  if (style.merge)
    writeMerged(w, picture.boxes, style);
  else
    for (const Box &box : picture.boxes)
      writeBox(w, box, style);
  w << "</g>\n";
  writeLines(w, lines, false);
  writeLabels(w, picture.boxes);
  writeTexts(w, picture.texts);
}

} // namespace

std::string xmlText(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : visible(text)) {
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    default: out += c;
    }
  }
  return out;
}

std::string toSvg(const Scene &scene, const SvgOptions &options) {
  Page layout = page(scene);
  Writer w;
  w.out.reserve(4096 + scene.body.boxes.size() * 400);
  if (!options.interactive)
    w << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  w << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << layout.width << "\" height=\"" << layout.height
    << "\" viewBox=\"0 0 " << layout.width << " " << layout.height
    << "\" font-family=\"'DejaVu Sans', Verdana, sans-serif\">\n";
  Style style;
  style.hatch = options.interactive ? "hatch" + std::to_string(options.number) : "hatch";
  w << "<defs><pattern id=\"" << style.hatch << "\" width=\"" << 7 * layout.hatch << "\" height=\"" << 7 * layout.hatch
    << "\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"" << 1.2 * layout.hatch
    << "\" height=\"" << 7 * layout.hatch << "\"";
  w.paint("fill", layout.ink) << " fill-opacity=\"0.22\"/></pattern></defs>\n";
  w.rect({0, 0, layout.width, layout.height}).paint("fill", layout.paper) << "/>\n";
  writePicture(w, layout.furniture, style);
  w << "<g";
  if (options.interactive)
    w << " class=\"body\" tabindex=\"0\" role=\"application\" aria-label=\"" << xmlText(scene.title)
      << ": arrow keys select a cell, Escape lets go\"";
  w << " transform=\"translate(" << layout.bodyAt.x << " " << layout.bodyAt.y << ")\">\n";
  style.interactive = options.interactive;
  bool few = static_cast<int64_t>(scene.body.boxes.size()) <= options.maxTitles;
  style.titles = few && !options.interactive;
  style.merge = !few && !options.interactive && scene.grid.rows > 0;
  writePicture(w, scene.body, style);
  w << "</g>\n</svg>\n";
  return std::move(w.out);
}

} // namespace lanescope::viz
