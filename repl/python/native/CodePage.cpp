#include "repl/python/native/CodePage.h"

#include "core/Links.h"
#include "layouts/support/Text.h"
#include "viz/export/Svg.h"

#include <algorithm>
#include <set>

namespace lanescope::python {
namespace {

constexpr const char kStyle[] = R"(
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;--faint:#57606a;--rule:#d0d7de;--bar:#f6f8fa;--lit:#ffe9b3}
@media(prefers-color-scheme:dark){:root{--paper:#14171b;--ink:#e6e9ed;--faint:#9aa4af;--rule:#39414b;--bar:#1d2228;
  --lit:#5a4409}}
body{margin:0;background:var(--paper);color:var(--ink);font:14px 'DejaVu Sans',Verdana,sans-serif}
nav{position:sticky;top:0;display:flex;gap:2px;background:var(--bar);border-bottom:1px solid var(--rule)}
nav button{font:inherit;padding:8px 14px;border:0;background:none;color:var(--faint);cursor:pointer}
nav button[aria-selected=true]{color:var(--ink);box-shadow:inset 0 -3px var(--ink)}
pre{display:none;margin:0;padding:8px 0;font:12px/1.5 'DejaVu Sans Mono',monospace;overflow-x:auto}
pre.shown{display:block}
pre div{padding:0 14px;min-height:1.5em}
pre div::before{content:attr(data-n);display:inline-block;width:4em;color:var(--faint)}
pre div.lit{background:var(--lit)}
)";

// The attribute `data-from` of a line lists the snippet's lines that it comes from. Pointing at a line highlights all
// lines that share one of them.
constexpr const char kScript[] = R"(
const tabs = [...document.querySelectorAll('nav button')], pages = [...document.querySelectorAll('pre')];
function show(n) {
  tabs.forEach((tab, i) => tab.setAttribute('aria-selected', i == n));
  pages.forEach((page, i) => page.classList.toggle('shown', i == n));
}
tabs.forEach((tab, i) => tab.addEventListener('click', () => show(i)));
const byLine = new Map();
for (const line of document.querySelectorAll('pre div[data-from]'))
  for (const from of line.dataset.from.split(' '))
    byLine.set(from, [...(byLine.get(from) || []), line]);
let lit = [];
document.addEventListener('mouseover', event => {
  const line = event.target.closest && event.target.closest('pre div[data-from]');
  if (!line) return;
  lit.forEach(each => each.classList.remove('lit'));
  lit = line.dataset.from.split(' ').flatMap(from => byLine.get(from));
  lit.forEach(each => each.classList.add('lit'));
});
show(0);
)";

using Lines = std::set<uint32_t>;

/// The lines of the snippet that a line of a stage comes from.
Lines linesOf(const core::Stage &stage, uint32_t line, const SourceRef &snippet) {
  Lines out;
  if (!stage.origins.empty())
    for (const Span &place : core::originOf(stage, line).places)
      if (place.source == snippet)
        out.insert(snippet->lineColumn(place.begin).line);
  return out;
}

/// Adds a text. `from` maps a line's number in the text (from 1) to the lines of the snippet that it comes from.
template <typename From> void addPage(std::string &out, std::string_view content, uint32_t first, From from) {
  out += "<pre>";
  uint32_t number = 0;
  for (size_t at = 0; at < content.size();) {
    size_t end = std::min(content.find('\n', at), content.size());
    Lines lines = from(++number);
    out += text("<div data-n=\"", first + number - 1, "\"");
    if (!lines.empty())
      out += text(" data-from=\"", joined(lines, " "), "\"");
    out += text(">", viz::xmlText(content.substr(at, end - at)), "</div>");
    at = end + 1;
  }
  out += "</pre>\n";
}

} // namespace

std::string codePage(const repl::ShownCode &shown) {
  std::string tabs, pages;
  auto addTab = [&](std::string_view title) { tabs += text("<button>", viz::xmlText(title), "</button>"); };
  if (shown.source && shown.stages) { // shows the whole text, because a kernel's span covers only its name
    addTab("snippet");
    std::string_view content = shown.source->text();
    size_t begin = content.find_last_of('\n', content.find_first_not_of("\n \t"));
    begin = begin == std::string_view::npos ? 0 : begin + 1;
    uint32_t first = shown.source->lineColumn(static_cast<uint32_t>(begin)).line;
    addPage(pages, content.substr(begin), first, [&](uint32_t line) { return Lines{first + line - 1}; });
  }
  for (const repl::ShownCode::Page &page : shown.pages) {
    const core::Stage *stage = shown.stages ? shown.stages->find(page.title) : nullptr;
    if (shown.stages && !stage)
      continue; // this text is the snippet itself
    addTab(page.title);
    addPage(pages, page.text, 1,
            [&](uint32_t line) { return stage && shown.source ? linesOf(*stage, line, shown.source) : Lines(); });
  }
  return text("<!doctype html>\n<meta charset=\"utf-8\">\n<title>", viz::xmlText(shown.title), "</title>\n<style>",
              kStyle, "</style>\n<nav>", tabs, "</nav>\n", pages, "<script>", kScript, "</script>\n");
}

} // namespace lanescope::python
