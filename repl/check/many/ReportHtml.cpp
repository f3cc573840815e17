// The report as one page: a table that a click on a column sorts, and below it the lines of each finding.
#include "repl/check/many/ReportWriter.h"

#include "layouts/support/Text.h"
#include "viz/export/PageTexts.h"
#include "viz/export/Svg.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

/// The state of a finding that does not count.
std::string stateText(const FindingRecord &finding) {
  if (!finding.allowed.empty())
    return text("allowed: ", finding.allowed);
  return finding.known ? "known" : "new";
}

std::string cell(const std::string &content, const std::string &by = {}) {
  return text("<td", by.empty() ? std::string() : text(" data-by=\"", viz::xmlText(by), "\""), ">", content, "</td>");
}

/// The finding's own page; empty: it has none.
std::string pageOf(const ReportStyle &style, size_t number) {
  return number <= style.pages.size() ? style.pages[number - 1] : std::string();
}

std::string rowHtml(const MergedFinding &each, size_t number, const ReportStyle &style) {
  const FindingRecord &finding = each.finding;
  constexpr std::string_view kGrades = "fault hazard note error";
  std::string place = viz::xmlText(finding.line ? text(finding.file, ":", finding.line) : finding.file);
  std::string page = pageOf(style, number);
  return text(
      "<tr>",
      cell(text("<span class=\"", finding.grade, "\">", finding.grade, "</span>"), text(kGrades.find(finding.grade))),
      cell(viz::xmlText(finding.rule)), cell(text("<a href=\"#f", number, "\">", place, "</a>")),
      cell(viz::xmlText(finding.kernel)), cell(viz::xmlText(finding.message)), cell(text(each.units.size())),
      cell(viz::xmlText(stateText(finding))),
      style.pages.empty() ? std::string()
                          : cell(page.empty() ? std::string() : text("<a href=\"", viz::xmlText(page), "\">steps</a>")),
      "</tr>\n");
}

std::string sectionHtml(const MergedFinding &each, size_t number, const ReportStyle &style) {
  const FindingRecord &finding = each.finding;
  std::string page = linkOf(finding, style.link);
  std::string out =
      text("<section id=\"f", number, "\"><h2><span class=\"", finding.grade, "\">", finding.grade, "</span> ",
           viz::xmlText(finding.rule), "</h2>\n<pre>", viz::xmlText(finding.text), "</pre>\n");
  if (std::string own = pageOf(style, number); !own.empty())
    out += text("<p><a href=\"", viz::xmlText(own), "\">Step through the run</a></p>\n");
  if (!page.empty())
    out +=
        text("<p><a href=\"", viz::xmlText(page), "\">", viz::xmlText(finding.file), ":", finding.line, "</a></p>\n");
  if (!each.again.empty())
    out += text("<p>Again: <code>", viz::xmlText(each.again), "</code></p>\n");
  if (each.units.size() > 1) {
    std::vector<std::string> units;
    for (const std::string &unit : each.units)
      units.push_back(viz::xmlText(unit));
    out += text("<details><summary>", units.size(), " kernels</summary>", joined(units, "<br>"), "</details>\n");
  }
  return out + "</section>\n";
}

} // namespace

std::string reportHtml(const MergedChecks &merged, const ReportStyle &style) {
  std::vector<MergedFinding> findings = distinctFindings(merged);
  std::string rows, sections, heads, remarks;
  for (size_t n = 0; n < findings.size(); ++n) {
    rows += rowHtml(findings[n], n + 1, style);
    sections += sectionHtml(findings[n], n + 1, style);
  }
  for (const char *head : {"grade", "rule", "place", "kernel", "finding", "kernels", "state"})
    heads += text("<th><button>", head, "</button></th>");
  if (!style.pages.empty())
    heads += "<th><button>page</button></th>";
  for (const KnownFinding &gone : style.gone)
    remarks += text("<p class=\"faint\">The baseline has a ", gone.grade, " [", viz::xmlText(gone.rule), "] of ",
                    viz::xmlText(gone.kernel), " that is there no more.</p>\n");
  if (!merged.unchecked.empty())
    remarks += text("<details class=\"faint\"><summary>not checked yet: ", merged.unchecked.size(), "</summary>",
                    viz::xmlText(joined(merged.unchecked, ", ")), "</details>\n");
  return text("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
              "<meta name=\"viewport\" content=\"width=device-width\"><title>Lanescope: findings</title>\n<style>",
              viz::kReportStyle, "</style></head>\n<body><header><h1>Lanescope: findings</h1>\n<p>",
              viz::xmlText(summaryText(merged)), "</p>\n", remarks,
              "</header>\n<main><input type=\"search\" placeholder=\"show only rows with this text\" "
              "aria-label=\"show only rows with this text\">\n<table><thead><tr>",
              heads, "</tr></thead>\n<tbody>\n", rows, "</tbody></table></main>\n", sections, "<script>",
              viz::kReportScript, "</script></body></html>\n");
}

} // namespace lanescope::repl
