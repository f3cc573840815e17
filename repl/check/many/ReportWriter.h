// Writes merged records for people, for browsers, for continuous integration and for code review. Nothing in it depends
// on when, where or in how many runs the checks were made.
//
//   std::string page = writeReport(merged, ReportFormat::Html, {.failOn = FailOn::Hazard});
#pragma once

#include "repl/check/many/Baseline.h"

#include <optional>
#include <string>

namespace lanescope::repl {

enum class ReportFormat : uint8_t {
  Text,
  Html,     // one page, without anything from elsewhere
  Sarif,    // SARIF 2.1.0 (OASIS)
  Junit,    // a test case for each unit
  Markdown, // a comment for a pull request
  Github    // commands of a GitHub workflow, which show findings at their lines
};

/// "text", "html", "sarif", "junit", "markdown", "github"; nothing for other words.
std::optional<ReportFormat> reportFormatNamed(std::string_view name);

struct ReportStyle {
  FailOn failOn = FailOn::Fault;
  std::string link = {};               // a page for a line of a source, with `{file}` and `{line}`; empty: none
  std::vector<KnownFinding> gone = {}; // known findings that no unit has any more
  std::vector<std::string> pages = {}; // addresses of the findings' own pages (FindingPages.h), by number; may be empty
};

std::string writeReport(const MergedChecks &merged, ReportFormat format, const ReportStyle &style);

/// "3 faults, 1 hazard, 0 notes in 120 kernels, 2 known; 1 could not be checked; 4 are not checked yet".
std::string summaryText(const MergedChecks &merged);
/// The page for a finding's line, if `link` gives one and the finding has a line.
std::string linkOf(const FindingRecord &finding, const std::string &link);

std::string reportText(const MergedChecks &merged, const ReportStyle &style);
std::string reportHtml(const MergedChecks &merged, const ReportStyle &style);
std::string reportJunit(const MergedChecks &merged, const ReportStyle &style);
std::string reportMarkdown(const MergedChecks &merged, const ReportStyle &style);
std::string reportGithub(const MergedChecks &merged, const ReportStyle &style);

} // namespace lanescope::repl
