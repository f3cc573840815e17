#include "viz/export/Html.h"

#include "viz/export/Svg.h"
#include "viz/scene/Utf8.h"

#include <nlohmann/json.hpp>

namespace lanescope::viz {
namespace {

constexpr const char kStyle[] = R"(
body{margin:0;background:#fff;color:#1b1f24;font:14px 'DejaVu Sans',Verdana,sans-serif}
#hint{position:sticky;top:0;left:0;z-index:1;padding:9px 28px;background:#f6f8fa;border-bottom:1px solid #d0d7de;
  min-height:1.3em}
#tip{position:fixed;z-index:2;display:none;max-width:30em;padding:7px 10px;border-radius:5px;background:#1b1f24;color:#fff;
  pointer-events:none;line-height:1.4}
svg{display:block}
.b{cursor:default}
#body.some .b{opacity:.32}
#body.some .b.on{opacity:1}
#body .b.at{stroke:#d62728;stroke-width:3;opacity:1}
)";

// The boxes are the elements of class b in the order of `data.tips`; boxes with one link set, or with sets that share a
// key, light up together. A click keeps the selection until the next click or Escape.
constexpr const char kScript[] = R"(
const body = document.getElementById('body'), tip = document.getElementById('tip'), hint = document.getElementById('hint');
const boxes = Array.from(body.querySelectorAll('.b')), idle = hint.textContent;
const bySet = new Map(), byKey = new Map(), number = new Map();
boxes.forEach((box, i) => {
  number.set(box, i);
  const s = data.boxSets[i];
  if (s < 0) return;
  if (!bySet.has(s)) {
    bySet.set(s, []);
    for (const key of data.sets[s]) { if (!byKey.has(key)) byKey.set(key, []); byKey.get(key).push(s); }
  }
  bySet.get(s).push(box);
});
let lit = [], at = null, pinned = false;
function clear() {
  for (const box of lit) box.classList.remove('on');
  if (at) at.classList.remove('at');
  body.classList.remove('some');
  lit = []; at = null;
  tip.style.display = 'none';
  hint.textContent = idle;
}
function show(box) {
  clear();
  const i = number.get(box), s = data.boxSets[i];
  if (!data.tips[i]) return;
  at = box;
  box.classList.add('at');
  hint.textContent = data.tips[i];
  if (s < 0) return;
  const sets = new Set();
  for (const key of data.sets[s]) for (const other of byKey.get(key)) sets.add(other);
  for (const set of sets) for (const other of bySet.get(set)) { other.classList.add('on'); lit.push(other); }
  body.classList.add('some');
}
function place(event) {
  const i = at ? number.get(at) : -1;
  if (i < 0 || !data.tips[i]) { tip.style.display = 'none'; return; }
  tip.textContent = data.tips[i];
  tip.style.display = 'block';
  const r = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 16, innerWidth - r.width - 8)) + 'px';
  tip.style.top = (event.clientY + 20 + r.height > innerHeight ? event.clientY - r.height - 12 : event.clientY + 20) + 'px';
}
body.addEventListener('mousemove', event => {
  if (pinned) return;
  const box = number.has(event.target) ? event.target : null;
  if (box !== at) box ? show(box) : clear();
  if (at) place(event);
});
body.addEventListener('mouseleave', () => { if (!pinned) clear(); });
document.addEventListener('click', event => {
  const box = number.has(event.target) ? event.target : null;
  pinned = box !== null && !(pinned && box === at);
  if (box) { show(box); place(event); } else clear();
});
document.addEventListener('keydown', event => { if (event.key === 'Escape') { pinned = false; clear(); } });
)";

/// JSON that may stand in a script element: no `<`, so no `</script>`.
std::string scriptJson(const nlohmann::json &value) {
  std::string dumped = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), out;
  for (char c : dumped)
    c == '<' ? out += "\\u003c" : out += c;
  return out;
}

} // namespace

std::string toHtml(const Scene &scene) {
  nlohmann::json data = {
      {"sets", scene.linkSets}, {"boxSets", nlohmann::json::array()}, {"tips", nlohmann::json::array()}};
  for (const Box &box : scene.body.boxes) {
    data["boxSets"].push_back(box.linkSet);
    data["tips"].push_back(validUtf8(box.tooltip));
  }
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>";
  out += xmlText(scene.title);
  out += "</title>\n<style>";
  out += kStyle;
  out += "</style>\n</head>\n<body>\n<div id=\"hint\">";
  out += xmlText(scene.linkHint.empty() ? scene.title : scene.linkHint + "; click: keep it, Escape: let go");
  out += "</div>\n<div id=\"tip\"></div>\n";
  out += toSvg(scene, {.interactive = true});
  out += "<script>\nconst data = ";
  out += scriptJson(data);
  out += ";";
  out += kScript;
  out += "</script>\n</body>\n</html>\n";
  return out;
}

} // namespace lanescope::viz
