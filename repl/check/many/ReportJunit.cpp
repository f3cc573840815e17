// JUnit's XML, as Jenkins and GitLab read it.
#include "repl/check/many/ReportWriter.h"

#include "layouts/support/Text.h"
#include "viz/export/Svg.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

std::string elementText(const char *name, const FindingRecord &finding) {
  return text("      <", name, " type=\"", viz::xmlText(finding.rule), "\" message=\"", viz::xmlText(finding.message),
              "\">", viz::xmlText(finding.text), "</", name, ">\n");
}

/// The unit's test case. A case has one failure or error, so the texts of all findings are in it.
std::string testCase(const CheckRecord &record, FailOn failOn) {
  const FindingRecord *first = nullptr;
  FindingRecord all;
  std::string others;
  for (const FindingRecord &finding : record.findings)
    if (!fails(finding, failOn)) {
      others += finding.text;
    } else {
      if (!first)
        all = *(first = &finding);
      else
        all.text += finding.text;
    }
  if (!record.guessed.empty())
    others += guessedText(record.guessed, record.guessed.size()) + "\n";
  for (const GuessedLaunch &launch : record.guessed)
    others += text("guessed for `", launch.kernel, "`: ", joined(launch.guesses, "; "), "\n");
  std::string out = text("    <testcase classname=\"lanescope.check\" name=\"", viz::xmlText(record.unit), "\"");
  if (!first && others.empty())
    return out + "/>\n";
  out += ">\n";
  if (first)
    out += elementText(first->grade == "error" ? "error" : "failure", all);
  if (!others.empty())
    out += text("      <system-out>", viz::xmlText(others), "</system-out>\n");
  return out + "    </testcase>\n";
}

} // namespace

std::string reportJunit(const MergedChecks &merged, const ReportStyle &style) {
  uint64_t failures = 0, errors = 0;
  std::string cases;
  for (const CheckRecord &record : merged.records) {
    auto first = std::ranges::find_if(record.findings,
                                      [&](const FindingRecord &finding) { return fails(finding, style.failOn); });
    if (first != record.findings.end())
      ++(first->grade == "error" ? errors : failures);
    cases += testCase(record, style.failOn);
  }
  for (const std::string &unit : merged.unchecked)
    cases += text("    <testcase classname=\"lanescope.check\" name=\"", viz::xmlText(unit),
                  "\"><skipped message=\"not checked yet\"/></testcase>\n");
  std::string counts = text("tests=\"", merged.records.size() + merged.unchecked.size(), "\" failures=\"", failures,
                            "\" errors=\"", errors, "\" skipped=\"", merged.unchecked.size(), "\"");
  return text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites ", counts, ">\n  <testsuite name=\"lanescope\" ",
              counts, ">\n    <properties><property name=\"summary\" value=\"", viz::xmlText(summaryText(merged)),
              "\"/></properties>\n", cases, "  </testsuite>\n</testsuites>\n");
}

} // namespace lanescope::repl
