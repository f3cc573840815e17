#include "viz/gui/window/ViewLinks.h"

#include "layouts/support/Text.h"
#include "viz/gui/window/Models.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace lanescope::viz {

void ViewLinks::update() {
  CodeModel &code = models_.code;
  TimelineModel &timeline = models_.timeline;
  if (timeline.trace()) {
    auto known = [&](const CodeRequest::Region &region) {
      return std::ranges::find(timeline.trace()->names, region.name) != timeline.trace()->names.end();
    };
    bool same = code.pinned().some() && (timeline.title == code.title || std::ranges::any_of(code.regions(), known));
    timeline.filter.light(same ? code.litRegions() : std::vector<std::string>(),
                          same ? code.litPlaces() : std::vector<std::string>());
  }
  std::optional<size_t> module = code.pageNamed("module");
  if (models_.dump.empty() || !module || code.title != models_.dump.page().name)
    return;
  const std::vector<DumpRow> &rows = models_.dump.page().rows;
  if (std::exchange(linkedRow_, models_.dump.row()) != models_.dump.row() && models_.dump.row() < rows.size()) {
    code.pin({*module, rows[models_.dump.row()].line});
  } else if (CodePlace line = code.pinned(); line != linkedLine_ && line.some() && line.page == *module) {
    auto row = std::ranges::find(rows, line.line, &DumpRow::line);
    if (row != rows.end())
      models_.dump.choose(linkedRow_ = static_cast<size_t>(row - rows.begin()), requests_);
  }
  linkedLine_ = code.pinned();
}

void ViewLinks::showPlace(const std::string &place) {
  size_t colon = place.rfind(':'), folder = place.rfind('/') + 1; // 0 if there is no folder
  uint32_t line = 0;
  if (colon != std::string::npos)
    std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
  const std::vector<CodeModel::Page> &pages = models_.code.pages();
  auto page = std::ranges::find(pages, "snippet", &CodeModel::Page::title);
  if (colon == std::string::npos || page == pages.end() || models_.code.title != place.substr(folder, colon - folder)) {
    models_.console.print(text(place, ": its text is not open; open the snippet to see the line\n"));
    return;
  }
  models_.code.pin({size_t(page - pages.begin()), line});
  models_.front = ViewId::Code;
}

void ViewLinks::showRegion(const std::string &name) {
  for (const CodeRequest::Region &region : models_.code.regions())
    for (uint32_t line : region.lines) {
      const CodeModel::Page &page = models_.code.pages()[region.page];
      if (region.name != name || line > page.lines() || page.line(line - 1).find(name) == std::string_view::npos)
        continue;
      models_.code.pin({region.page, line});
      models_.front = ViewId::Code;
      return;
    }
  models_.console.print(
      text("no line of the code that is open names region `", name, "`; open the snippet that it is of\n"));
}

} // namespace lanescope::viz
