#include "viz/export/DumpHtml.h"

#include "layouts/support/Text.h"
#include "viz/export/PageTexts.h"
#include "viz/export/Svg.h"

#include <map>

namespace lanescope::viz {

namespace {

constexpr int64_t kMostCells = 1 << 10;    // larger pictures are drawn in blocks
constexpr size_t kMostPictures = 64;       // for all kernels together
constexpr size_t kMostTextBytes = 4 << 20; // for a module or its PTX

/// Several lines as character data. Tabs are replaced by blanks.
std::string linesText(std::string_view content) {
  std::string out;
  while (!content.empty()) {
    size_t end = std::min(content.find_first_of("\n\t"), content.size());
    out += xmlText(content.substr(0, end));
    if (end < content.size())
      out += content[end] == '\n' ? "\n" : "    ";
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return out;
}

class Writer {
public:
  std::string run(std::span<const DumpPage> pages) {
    std::string title = pages.size() == 1 ? pages.front().name : text(pages.size(), " kernels");
    out_ = text("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", xmlText(title),
                "</title><style>", kDumpStyle, "</style></head><body>\n");
    if (pages.size() > 1) {
      out_ += "<nav><section>";
      for (size_t i = 0; i < pages.size(); ++i)
        out_ += text("<a href=\"#kernel", i, "\">", xmlText(pages[i].name), "</a>");
      out_ += "</section></nav>\n";
    }
    for (size_t i = 0; i < pages.size(); ++i)
      kernel(pages[i], i);
    out_ += "<div hidden-pictures>\n";
    for (const auto &[spec, id] : pictures_)
      out_ += drawn_.at(id);
    return out_ + text("</div><script>", kDumpScript, "</script></body></html>\n");
  }

private:
  void kernel(const DumpPage &page, size_t number) {
    out_ += text("<div class=\"kernel\" id=\"kernel", number, "\" data-first=\"", page.first, "\"><header><h1>",
                 xmlText(page.name), "</h1><pre>", linesText(page.summary), "</pre></header>\n");
    if (!page.rows.empty())
      operations(page);
    for (bool tensor : {false, true})
      if (auto scene = memoryScene(page, tensor))
        out_ +=
            text("<section class=\"mem\">", toSvg(*scene, {.interactive = true, .number = next_++}), "</section>\n");
    for (const DumpSection &section : page.sections)
      out_ +=
          text("<section><h2>", xmlText(section.title), "</h2><pre>", linesText(section.text), "</pre></section>\n");
    texts(page);
    out_ += "</div>\n";
  }

  void operations(const DumpPage &page) {
    out_ +=
        "<section><div class=\"main\"><div><h2>Operations</h2><p class=\"s\">Point at one: its layouts are drawn, what "
        "its operands come from and where its results go lights up. A click pins it.</p><table>"
        "<tr><th>#</th><th>line</th><th>operation</th><th>layouts</th></tr>\n";
    for (size_t i = 0; i < page.rows.size(); ++i)
      row(page.rows[i], i);
    out_ += "</table></div><div class=\"side\"><div class=\"words\"></div></div></div></section>\n";
  }

  void row(const DumpRow &row, size_t number) {
    std::string from, pictures, layouts, words;
    for (const DumpRowValue &value : row.values) {
      if (value.source)
        from += text(*value.source, " ");
      if (value.storage.empty())
        continue;
      layouts += text("<div class=\"v\">", value.role.front() == 'r' ? "→ " : "", xmlText(value.storage), "</div>");
      if (std::string id = picture(value.view); !id.empty())
        pictures += id + " ";
    }
    words = text("<h2>#", number + 1, " ", xmlText(row.name), "</h2>");
    for (const DumpRowValue &value : row.values) {
      words += text("<div>", xmlText(value.role), ": ", xmlText(value.type),
                    value.storage.empty() ? "" : text(", <b>", xmlText(value.storage), "</b>"),
                    value.source ? text(", from #", *value.source + 1) : "", "</div>");
      for (const DumpRowValue::Reason &reason : value.why)
        words += text("<div class=\"s\">&nbsp;&nbsp;", xmlText(reason.words),
                      reason.line > 0 ? text(" (line ", reason.line, ")") : "", "</div>");
    }
    out_ += text("<tr class=\"op\" data-from=\"", from, "\" data-pics=\"", pictures, "\" data-line=\"", row.line,
                 "\"><td>", number + 1, "<template>", words, "</template></td><td>", row.line, "</td><td>",
                 xmlText(row.name), row.place.empty() ? "" : text("<div class=\"s\">", xmlText(row.place), "</div>"));
    for (const std::string &cost : row.costs)
      out_ += text("<div class=\"cost\">", xmlText(cost), "</div>");
    out_ += text("</td><td>", layouts, "</td></tr>\n");
  }

  /// The id of the value's picture, which is drawn once. Empty if there is no picture.
  std::string picture(const std::optional<ViewSpec> &view) {
    if (!view)
      return "";
    std::string key = viewText(*view);
    if (auto found = pictures_.find(key); found != pictures_.end())
      return found->second;
    if (pictures_.size() >= kMostPictures)
      return "";
    std::string id;
    if (auto scene = viewScene(*view, {.tooltips = false, .maxLabelled = kMostCells, .maxCells = kMostCells})) {
      id = text("picture", pictures_.size());
      drawn_[id] = text("<figure class=\"pic\" id=\"", id, "\">",
                        toSvg(*scene, {.maxTitles = 0, .interactive = true, .number = next_++}), "</figure>\n");
    } else {
      drawn_[id] = "";
    }
    return pictures_[key] = id;
  }

  void texts(const DumpPage &page) {
    if (page.module.empty() && page.ptx.empty())
      return;
    out_ += text("<section><h2>Module and PTX</h2><p class=\"s\">The module",
                 page.ours.empty() ? "" : ", what we compile it to (lines that belong together light up)",
                 page.ptx.empty() ? "" : ", JAX's PTX", "</p><div class=\"two\">");
    std::map<uint32_t, const DumpRow *> rows;
    for (const DumpRow &row : page.rows)
      rows.try_emplace(row.line, &row);
    lines("module", page.module, [&](uint32_t number) {
      auto found = rows.find(number);
      std::string place = found == rows.end() ? "" : found->second->place;
      return Line{number, place.substr(0, place.rfind(':'))};
    });
    if (!page.ours.empty())
      lines("ours", page.ours,
            [&](uint32_t number) { return Line{number <= page.oursFrom.size() ? page.oursFrom[number - 1] : 0, ""}; });
    if (!page.ptx.empty())
      lines("ptx", page.ptx, [&](uint32_t number) {
        return Line{0, number <= page.ptxPlaces.size() ? page.ptxPlaces[number - 1] : std::string()};
      });
    out_ += "</div></section>\n";
  }

  /// The source of a line of a text: a line of the module (0: none), and a place in Python.
  struct Line {
    uint32_t module = 0;
    std::string place;
  };

  void lines(std::string_view name, std::string_view content, const auto &lineOf) {
    out_ += text("<pre class=\"", name, "\">");
    bool cut = content.size() > kMostTextBytes;
    content = content.substr(0, kMostTextBytes);
    for (uint32_t number = 1; !content.empty(); ++number) {
      size_t end = std::min(content.find('\n'), content.size());
      Line line = lineOf(number);
      out_ += "<span class=\"l\"";
      if (line.module > 0)
        out_ += text(" data-n=\"", line.module, "\"");
      if (!line.place.empty())
        out_ += text(" data-p=\"", xmlText(line.place), "\" title=\"", xmlText(line.place), "\"");
      out_ += text(">", linesText(content.substr(0, end)), end == 0 ? " " : "", "</span>");
      content.remove_prefix(std::min(end + 1, content.size()));
    }
    out_ += cut ? "<span class=\"l\">… the rest is left out</span></pre>" : "</pre>";
  }

  std::string out_;
  std::map<std::string, std::string> pictures_, drawn_; // pictures_: view -> id; drawn_: id -> drawing
  int next_ = 0;
};

} // namespace

std::string dumpHtml(std::span<const DumpPage> pages) { return Writer().run(pages); }

} // namespace lanescope::viz
