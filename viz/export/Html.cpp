#include "viz/export/Html.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "viz/export/LinePacking.h"
#include "viz/export/PackedPage.h"
#include "viz/export/PageTexts.h"
#include "viz/export/Svg.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/Palette.h"
#include "viz/scene/Selection.h"

#include <nlohmann/json.hpp>

namespace lanescope::viz {
namespace {

/// The most elements that blocks of merged cells list, over all boxes. If there are more, each further block gives only
/// its first element.
constexpr int64_t kMostListed = 1 << 18;

/// Larger pages are compressed. Smaller ones stay readable and searchable for any tool.
constexpr size_t kMostPlain = 128 * 1024;

/// JSON for a script element. It contains no `<`, and therefore no `</script>`. With `indent` 0, each entry has its own
/// line. With -1, all entries are on one line.
std::string scriptJson(const nlohmann::json &value, int indent = -1) {
  std::string dumped = value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace), out;
  for (char c : dumped)
    c == '<' ? out += "\\u003c" : out += c;
  return out;
}

/// For each element, the pairs of boxes from which and to which it moves. Empty if boxes stand for several cells.
nlohmann::json arrowsJson(const Scene &scene) {
  nlohmann::json out = nlohmann::json::object();
  if (!scene.raster || scene.grid.blockRows != 1 || scene.grid.blockColumns != 1)
    return out;
  std::vector<CellArrow> arrows;
  for (const Box &box : scene.body.boxes) {
    arrows.clear();
    if (box.element >= 0)
      scene.raster->model().arrowsOf(box.element, arrows);
    if (arrows.empty() || out.contains(std::to_string(box.element)))
      continue;
    nlohmann::json pairs = nlohmann::json::array();
    for (const CellArrow &arrow : arrows)
      for (CellAt at : {arrow.from, arrow.to})
        pairs.push_back(at.row * scene.grid.columns + at.column);
    out[std::to_string(box.element)] = std::move(pairs);
  }
  return out;
}

/// The data of a scene, as viz/web/page/drawn.js reads them.
nlohmann::json sceneJson(const Scene &scene, int array) {
  nlohmann::json boxSets = nlohmann::json::array(), tips = nlohmann::json::array(), elements = nlohmann::json::array();
  int64_t listed = 0;
  for (size_t i = 0; i < scene.body.boxes.size(); ++i) {
    const Box &box = scene.body.boxes[i];
    boxSets.push_back(box.linkSet);
    tips.push_back(validUtf8(box.tooltip));
    if (array < 0) {
      elements.push_back(-1);
    } else if (box.elements > 1 && listed + box.elements <= kMostListed) {
      listed += box.elements;
      elements.push_back(elementsOf(scene, static_cast<int64_t>(i)));
    } else {
      elements.push_back(box.element);
    }
  }
  return {{"sets", scene.linkSets},          {"boxSets", std::move(boxSets)}, {"tips", std::move(tips)},
          {"elements", std::move(elements)}, {"columns", scene.grid.columns}, {"array", array},
          {"arrows", arrowsJson(scene)}};
}

} // namespace

std::string toHtml(const Scene &scene) { return toHtml(std::span(&scene, 1)); }

std::string toHtml(std::span<const Scene> scenes) {
  nlohmann::json data = nlohmann::json::array();
  std::string figures, title = scenes.empty() ? "" : scenes[0].title;
  ColourTheme theme = scenes.empty() ? ColourTheme::Light : scenes[0].theme;
  for (size_t i = 0; i < scenes.size(); ++i) {
    int array = scenes[i].array ? static_cast<int>(i) : -1;
    for (size_t other = 0; other < i && array >= 0; ++other)
      if (sameArray(scenes[i], scenes[other])) {
        array = static_cast<int>(other);
        break;
      }
    data.push_back(sceneJson(scenes[i], array));
    figures += "<figure>\n" + toSvg(scenes[i], {.interactive = true, .number = static_cast<int>(i)}) + "</figure>\n";
  }
  std::string hint = scenes.empty() || scenes[0].linkHint.empty()
                         ? title
                         : scenes[0].linkHint + "; a click or the arrow keys keep a cell lit, Escape lets go";
  auto colour = [theme](Colour light) { return hex(inTheme(light, theme)); };
  std::string out =
      text("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
           "content=\"width=device-width, initial-scale=1\"/>\n<title>",
           xmlText(title), "</title>\n<style>\n:root{color-scheme:", name(theme), ";--paper:", colour(kPaper),
           ";--ink:", colour(kInk), "}", kPictureStyle, "</style>\n</head>\n<body>\n");
  out += text("<main>\n<lanescope-layout theme=\"", name(theme), "\">\n");
  const nlohmann::json page = {{"hint", std::move(hint)}, {"scenes", std::move(data)}};
  auto content = [&](int indent) {
    return text(figures, "<script type=\"application/json\">", scriptJson(page, indent), "</script>\n");
  };
  if (std::string plain = content(-1); plain.size() <= kMostPlain)
    return text(out, plain, "</lanescope-layout>\n</main>\n<script type=\"module\">", kElementScript,
                "</script>\n</body>\n</html>\n");
  return text(out, "</lanescope-layout>\n</main>\n<noscript>A script draws the pictures of this page.</noscript>\n",
              packedElement(content(0)), "<script type=\"module\">", kUnpackScript, kElementScript,
              "</script>\n</body>\n</html>\n");
}

} // namespace lanescope::viz
