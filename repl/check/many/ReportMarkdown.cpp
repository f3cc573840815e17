// A comment for a pull request, in GitHub's Markdown.
#include "repl/check/many/ReportWriter.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

constexpr size_t kMostRows = 50, kMostExcerpts = 10; // a comment on GitHub has at most 65,536 characters

/// Text for one cell of a table, in which nothing is markup.
std::string cellText(std::string_view words) {
  std::string out;
  for (char c : words)
    if (c == '\n')
      out += ' ';
    else if (std::string_view("\\`*_[]#|<>~@&$").find(c) != std::string_view::npos)
      out += text("&#", static_cast<int>(c), ";");
    else
      out += c;
  return out;
}

std::string placeCell(const FindingRecord &finding, const std::string &link) {
  std::string place = cellText(finding.line ? text(finding.file, ":", finding.line) : finding.file);
  std::string page = linkOf(finding, link);
  return page.empty() ? place : text("[", place, "](", page, ")");
}

/// A block of code whose fence is longer than any in the text.
std::string codeBlock(const std::string &words) {
  std::string fence = "```";
  while (words.find(fence) != words.npos)
    fence += '`';
  return text(fence, "text\n", words, words.ends_with('\n') ? "" : "\n", fence, "\n");
}

} // namespace

std::string reportMarkdown(const MergedChecks &merged, const ReportStyle &style) {
  std::vector<MergedFinding> shown = distinctFindings(merged);
  std::erase_if(shown, [](const MergedFinding &each) { return !each.finding.counts(); });
  std::string out = text("### Lanescope: ", summaryText(merged), "\n");
  if (!style.gone.empty())
    out += text("\nThe baseline has ", counted(style.gone.size(), "finding"),
                " that are there no more; `lanescope baseline` writes it anew.\n");
  if (shown.empty())
    return out;
  out += "\n| grade | rule | place | kernel | finding |\n|---|---|---|---|---|\n";
  for (size_t n = 0; n < std::min(shown.size(), kMostRows); ++n) {
    const FindingRecord &finding = shown[n].finding;
    out += text("| ", finding.grade, " | ", cellText(finding.rule), " | ", placeCell(finding, style.link), " | ",
                cellText(finding.kernel), " | ", cellText(finding.message), " |\n");
  }
  if (shown.size() > kMostRows)
    out += text("\n", shown.size() - kMostRows, " more are in the report.\n");
  std::string excerpts;
  for (size_t n = 0; n < std::min(shown.size(), kMostExcerpts); ++n)
    excerpts += codeBlock(shown[n].finding.text);
  return text(out, "\n<details><summary>Lines</summary>\n\n", excerpts, "\n</details>\n");
}

} // namespace lanescope::repl
