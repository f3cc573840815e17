#include "repl/python/native/CodePage.h"

#include "core/Links.h"
#include "layouts/support/Text.h"
#include "viz/export/PageTexts.h"
#include "viz/export/Svg.h"

#include <algorithm>
#include <set>

namespace lanescope::python {
namespace {

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
              viz::kCodeStyle, "</style>\n<nav>", tabs, "</nav>\n", pages, "<script>", viz::kCodeScript, "</script>\n");
}

} // namespace lanescope::python
