#include "viz/export/Html.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "viz/export/LinePacking.h"
#include "viz/export/PackedPage.h"
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

constexpr const char kStyle[] = R"(
body{margin:0;background:var(--paper);color:var(--ink);font:14px 'DejaVu Sans',Verdana,sans-serif}
#hint{position:sticky;top:0;left:0;z-index:1;padding:9px 28px;background:var(--bar);border-bottom:1px solid var(--rule);
  min-height:1.3em}
#tip{position:fixed;z-index:2;display:none;max-width:30em;padding:7px 10px;border-radius:5px;background:var(--ink);
  color:var(--paper);pointer-events:none;line-height:1.4}
figure{margin:0;overflow-x:auto}
figure+figure{border-top:1px solid var(--rule)}
svg{display:block}
.b{cursor:default}
.body{outline:none}
.body:focus-visible{outline:2px solid var(--at);outline-offset:3px}
.body.some .b{opacity:.3}
.body.some .b.on{opacity:1}
.way{stroke:var(--at);stroke-width:3;fill:none;pointer-events:none}
.body .b.at{stroke:var(--at);stroke-width:3;opacity:1}
)";

// Data for each scene: `sets` and `boxSets` (boxes whose sets share a key are linked), `tips`, `elements` (for each
// box: an element of the array, a list of elements, or -1), `array` (scenes with the same number show the same array),
// `columns` of the grid, `arrows` (for each element: pairs of boxes, from and to). The boxes are the elements of class
// b, in the same order.
constexpr const char kScript[] = R"(
function start(data) {
const tip = document.getElementById('tip'), hint = document.getElementById('hint'), idle = hint.textContent;
const scenes = data.map((d, s) => {
  const body = document.querySelectorAll('figure')[s].querySelector('.body');
  const scene = { data: d, body, boxes: Array.from(body.querySelectorAll('.b')), bySet: new Map(), byKey: new Map(),
                  byElement: new Map(), current: 0 };
  scene.boxes.forEach((box, i) => {
    box.lanescope = { scene, i };
    const set = d.boxSets[i];
    if (set >= 0) {
      if (!scene.bySet.has(set)) {
        scene.bySet.set(set, []);
        for (const key of d.sets[set]) {
          if (!scene.byKey.has(key)) scene.byKey.set(key, []);
          scene.byKey.get(key).push(set);
        }
      }
      scene.bySet.get(set).push(i);
    }
    for (const e of elementsOf(scene, i)) {
      if (!scene.byElement.has(e)) scene.byElement.set(e, []);
      scene.byElement.get(e).push(i);
    }
  });
  return scene;
});
function elementsOf(scene, i) {
  const e = scene.data.elements[i];
  return Array.isArray(e) ? e : e < 0 ? [] : [e];
}
function linkedBoxes(scene, i) {
  const set = scene.data.boxSets[i], sets = new Set();
  if (set < 0) return [i];
  for (const key of scene.data.sets[set]) for (const other of scene.byKey.get(key)) sets.add(other);
  const out = [];
  for (const other of sets) out.push(...scene.bySet.get(other));
  return out;
}
let marked = [], ways = [], shown = null, pinned = false;
function mark(scene, i, name) { const box = scene.boxes[i]; box.classList.add(name); marked.push(box); }
function draw(scene, a, b) {
  const at = (i, right) => {
    const number = name => Number(scene.boxes[i].getAttribute(name));
    return [number('x') + (right ? number('width') : 0), number('y') + number('height') / 2];
  };
  const [x0, y0] = at(a, true), [x1, y1] = at(b, false), angle = Math.atan2(y1 - y0, x1 - x0);
  const head = side => `L${x1 - 11 * Math.cos(angle + side)} ${y1 - 11 * Math.sin(angle + side)}`;
  const way = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  way.setAttribute('class', 'way');
  way.setAttribute('d', `M${x0} ${y0}L${x1} ${y1}${head(0.42)}M${x1} ${y1}${head(-0.42)}`);
  scene.body.appendChild(way);
  ways.push(way);
}
function clear() {
  for (const way of ways) way.remove();
  ways = [];
  for (const box of marked) box.classList.remove('on', 'at');
  for (const scene of scenes) scene.body.classList.remove('some');
  marked = []; shown = null;
  tip.style.display = 'none';
  hint.textContent = idle;
}
function show(scene, i) {
  clear();
  shown = { scene, i };
  scene.current = i;
  const linked = linkedBoxes(scene, i), own = new Set(elementsOf(scene, i)), all = new Set();
  for (const box of linked) for (const e of elementsOf(scene, box)) all.add(e);
  mark(scene, i, 'at');
  for (const box of linked) mark(scene, box, 'on');
  for (const other of scenes) {
    if (other !== scene && (other.data.array < 0 || other.data.array !== scene.data.array)) continue;
    other.body.classList.add('some');
    for (const e of all) for (const box of other.byElement.get(e) || []) mark(other, box, 'on');
    for (const e of own) for (const box of other.byElement.get(e) || []) mark(other, box, 'at');
    if (own.size <= 64)
      for (const e of own) {
        const pairs = other.data.arrows[e] || [];
        for (let i = 0; i < pairs.length; i += 2) draw(other, pairs[i], pairs[i + 1]);
      }
  }
  scene.body.classList.add('some');
  hint.textContent = scene.data.tips[i] || idle;
}
function place(x, y) {
  const words = shown && shown.scene.data.tips[shown.i];
  if (!words) { tip.style.display = 'none'; return; }
  tip.textContent = words;
  tip.style.display = 'block';
  const r = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 16, innerWidth - r.width - 8)) + 'px';
  tip.style.top = (y + 20 + r.height > innerHeight ? y - r.height - 12 : y + 20) + 'px';
}
document.addEventListener('mousemove', event => {
  if (pinned) return;
  const at = event.target.lanescope;
  if (!at) { if (shown) clear(); return; }
  if (!shown || shown.scene !== at.scene || shown.i !== at.i) show(at.scene, at.i);
  place(event.clientX, event.clientY);
});
document.addEventListener('click', event => {
  const at = event.target.lanescope;
  pinned = Boolean(at) && !(pinned && shown && shown.scene === at.scene && shown.i === at.i);
  if (!at) { clear(); return; }
  show(at.scene, at.i);
  place(event.clientX, event.clientY);
});
function step(scene, key) {
  const columns = scene.data.columns || 1, count = scene.boxes.length, i = scene.current, column = i % columns;
  if (key === 'ArrowLeft') return scene.data.columns && column === 0 ? i : i - 1;
  if (key === 'ArrowRight') return scene.data.columns && column === columns - 1 ? i : i + 1;
  if (key === 'ArrowUp') return i - columns;
  if (key === 'ArrowDown') return i + columns;
  if (key === 'Home') return i - column;
  if (key === 'End') return Math.min(i - column + columns - 1, count - 1);
  return -1;
}
document.addEventListener('keydown', event => {
  if (event.key === 'Escape') { pinned = false; clear(); return; }
  const scene = scenes.find(s => s.body === document.activeElement);
  if (!scene || !scene.boxes.length || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === 'Enter' || event.key === ' ') {
    pinned = !(pinned && shown && shown.scene === scene && shown.i === scene.current);
    show(scene, scene.current);
    event.preventDefault();
    return;
  }
  const to = step(scene, event.key);
  if (!['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(event.key)) return;
  event.preventDefault();
  pinned = true;
  if (to >= 0 && to < scene.boxes.length) show(scene, to);
  scene.boxes[scene.current].scrollIntoView({ block: 'nearest', inline: 'nearest' });
});
document.body.dataset.ready = 'yes';
}
)";
// The data of the scenes come first. The figures follow after a form feed.
constexpr const char kStartPacked[] = R"(
unpacked().then(all => {
  const end = all.indexOf('\f');
  document.getElementById('figures').innerHTML = all.slice(end + 1);
  start(JSON.parse(all.slice(0, end)));
}).catch(() => {
  document.getElementById('hint').textContent = 'This browser is too old to unpack the pictures.';
});
)";

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
                         : scenes[0].linkHint + "; click or arrow keys: pin it, Escape: unpin";
  auto colour = [theme](Colour light) { return hex(inTheme(light, theme)); };
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>";
  out += xmlText(title);
  out +=
      text("</title>\n<style>\n:root{color-scheme:", name(theme), ";--paper:", colour(kPaper), ";--ink:", colour(kInk),
           ";--bar:", colour(kEmpty), ";--rule:", colour(kHairline), ";--at:", colour(kHighlight), "}");
  out += kStyle;
  out += "</style>\n</head>\n<body>\n<div id=\"hint\" role=\"status\" aria-live=\"polite\">";
  out += xmlText(hint);
  out += "</div>\n<div id=\"tip\"></div>\n";
  const std::string json = scriptJson(data);
  if (json.size() + figures.size() <= kMostPlain)
    return text(out, figures, "<script>", kScript, "const data = ", json,
                ";\nstart(data);\n</script>\n</body>\n</html>\n");
  return text(out, "<div id=\"figures\"></div>\n<noscript>A script draws the pictures of this page.</noscript>\n",
              packedElement(text(scriptJson(data, 0), "\f", figures)), "<script>", kScript, kUnpackLinesScript,
              kUnpackScript, kStartPacked, "</script>\n</body>\n</html>\n");
}

} // namespace lanescope::viz
