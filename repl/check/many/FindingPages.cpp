#include "repl/check/many/FindingPages.h"

#include "core/data/Files.h"
#include "core/data/Progress.h"
#include "layouts/support/Text.h"
#include "viz/export/PageTexts.h"
#include "viz/export/Svg.h"

#include <algorithm>
#include <set>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;

constexpr uint32_t kAround = 6;        // lines shown around a line that a step is at
constexpr uint32_t kWholeSource = 400; // a source with at most this many lines is shown whole

uint32_t linesOf(const Source &source) { return source.lineColumn(static_cast<uint32_t>(source.text().size())).line; }

/// The lines around `lines`, with the number of each. `mark`: the letter of the rows' identifiers. `named`: lines that
/// the finding names.
std::string codeHtml(const Source &source, char mark, const std::set<uint32_t> &lines,
                     const std::set<uint32_t> &named) {
  const uint32_t count = linesOf(source);
  std::set<uint32_t> shown;
  for (const std::set<uint32_t> *some : {&lines, &named})
    for (uint32_t line : *some)
      for (uint32_t each = line > kAround ? line - kAround : 1; each <= std::min(count, line + kAround); ++each)
        shown.insert(each);
  if (count <= kWholeSource)
    for (uint32_t line = 1; line <= count; ++line)
      shown.insert(line);
  std::string out = "<div class=\"code\">";
  uint32_t last = 0;
  for (uint32_t line : shown) {
    if (line != last + 1)
      out += "<div class=\"faint\"><b></b>…</div>";
    out += text("<div id=\"", mark, line, "\"", named.contains(line) ? " class=\"named\"" : "", "><b>", line, "</b>",
                viz::xmlText(std::string(source.lineText(line))), " </div>");
    last = line;
  }
  return out + "</div>\n";
}

/// JSON that may stand in a script of a page.
std::string scriptJson(const nlohmann::ordered_json &json) {
  std::string out = jsonText(json, -1);
  out.erase(out.find_last_not_of('\n') + 1);
  for (size_t at = out.find('<'); at != out.npos; at = out.find('<', at))
    out.replace(at, 1, "\\u003c");
  return out;
}

std::string stepsHtml(const FindingSteps &steps) {
  std::string items;
  nlohmann::ordered_json data = nlohmann::ordered_json::array();
  for (const FindingStep &step : steps.steps) {
    items += text("<li", step.access ? " class=\"access\"" : "", ">", viz::xmlText(text(step.warp, ": ", step.what)),
                  "</li>\n");
    data.push_back({{"moment", step.moment},
                    {"cycle", step.cycle},
                    {"warp", step.warp},
                    {"ptx", step.ptxLine},
                    {"source", step.sourceLine},
                    {"warps", step.warps},
                    {"memory", step.memory}});
  }
  return text("<section><h2>Events before the finding; accesses that it names are marked</h2><ol>\n", items,
              "</ol></section>\n<section><h2>The warps</h2><pre id=\"warps\"></pre><h2>Barriers and operations in "
              "flight</h2><pre id=\"memory\"></pre></section>\n<script>const steps = ",
              scriptJson(data), ";</script>\n");
}

/// The lines of a file that the finding names.
std::set<uint32_t> namedLines(const FindingRecord &finding, const std::string &file) {
  std::set<uint32_t> out;
  if (finding.file == file && finding.line)
    out.insert(static_cast<uint32_t>(finding.line));
  for (const RelatedPlace &related : finding.related)
    if (related.file == file && related.line)
      out.insert(static_cast<uint32_t>(related.line));
  return out;
}

/// The file of the finding, for a page without steps.
SourceRef fileOf(const FindingRecord &finding) {
  auto source = core::readSource(finding.file, core::FileRole::Trace);
  return source && finding.line ? *source : nullptr;
}

} // namespace

std::string findingPage(const MergedFinding &each, const FindingSteps &steps, const std::string &report) {
  const FindingRecord &finding = each.finding;
  const std::string place = finding.line ? text(finding.file, ":", finding.line) : finding.file;
  std::set<uint32_t> ptxLines, sourceLines;
  for (const FindingStep &step : steps.steps) {
    if (step.ptxLine)
      ptxLines.insert(step.ptxLine);
    if (step.sourceLine)
      sourceLines.insert(step.sourceLine);
  }
  SourceRef source = steps.source || (steps.ptx && steps.ptx->name() == finding.file) ? steps.source : fileOf(finding);
  std::string out = text(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>Lanescope: ",
      viz::xmlText(text(finding.rule, " at ", place)), "</title>\n<style>", viz::kFindingStyle,
      "</style></head>\n<body><header>",
      report.empty() ? std::string() : text("<p><a href=\"", viz::xmlText(report), "\">all findings</a></p>"),
      "<h1><span class=\"", finding.grade, "\">", finding.grade, "</span> ", viz::xmlText(finding.rule), " at ",
      viz::xmlText(place), finding.kernel.empty() ? std::string() : text(", kernel ", viz::xmlText(finding.kernel)),
      "</h1>\n<pre>", viz::xmlText(finding.text), "</pre>\n");
  if (!each.again.empty())
    out += text("<p>Again: <code>", viz::xmlText(each.again), "</code></p>\n");
  if (steps.steps.empty())
    out += text("<p class=\"faint\">There are no steps: ", viz::xmlText(steps.none), "</p>\n");
  out += "</header>\n";
  if (!steps.steps.empty())
    out += text("<nav><button id=\"back\" title=\"left arrow\">back</button><button id=\"on\" title=\"right arrow\">on"
                "</button><input type=\"range\" aria-label=\"step\" min=\"0\" max=\"",
                steps.steps.size() - 1, "\"><span id=\"at\"></span></nav>\n");
  out += "<main>\n";
  if (source)
    out += text("<section><h2>", viz::xmlText(source->name()), "</h2>",
                codeHtml(*source, 's', sourceLines, namedLines(finding, source->name())), "</section>\n");
  if (steps.ptx)
    out += text("<section><h2>", viz::xmlText(steps.ptx->name()), "</h2>",
                codeHtml(*steps.ptx, 'p', ptxLines, namedLines(finding, steps.ptx->name())), "</section>\n");
  if (!steps.steps.empty())
    out += stepsHtml(steps);
  out += "</main>\n";
  if (!steps.steps.empty())
    out += text("<script>", viz::kFindingScript, "</script>");
  return out + "</body></html>\n";
}

Result<std::vector<std::string>> writeFindingPages(const std::vector<MergedFinding> &findings,
                                                   const PagesOptions &options) {
  std::error_code problem;
  fs::create_directories(options.folder, problem);
  if (problem)
    return error("unwritable-file",
                 Message("cannot make the folder `{path}`: {}", options.folder.string(), problem.message()));
  const fs::path pages = fs::absolute(options.folder).lexically_normal();
  const fs::path report = options.report.empty() ? fs::path() : fs::absolute(options.report).lexically_normal();
  auto relative = [](const fs::path &to, const fs::path &from) { return to.lexically_relative(from).generic_string(); };
  core::ProgressStep step(options.progress, "finding", findings.size());
  std::vector<std::string> out(findings.size());
  for (size_t n = 0; n < findings.size(); ++n) {
    if (options.interrupted && *options.interrupted)
      return error("interrupted", "stopped before all pages were written");
    step.advance();
    const MergedFinding &each = findings[n];
    if (each.again.empty()) // an error, or a comment
      continue;
    FindingSteps steps = findingSteps(each.units.front(), each.options, each.finding, options.steps);
    const fs::path page = pages / text("finding-", n + 1, ".html");
    LANESCOPE_CHECK(core::writeFile(
        page, findingPage(each, steps, report.empty() ? std::string() : uriOf(relative(report, pages)))));
    out[n] = uriOf(relative(page, report.parent_path()));
  }
  return out;
}

} // namespace lanescope::repl
