// Commands of a GitHub workflow, which show findings at their lines
// (docs.github.com/actions/reference/workflow-commands).
#include "repl/check/many/ReportWriter.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {

namespace {

/// A value in which nothing ends the command. `isProperty`: it stands before the message.
std::string commandText(std::string_view words, bool isProperty) {
  std::string out;
  for (char c : words)
    out += c == '%'                 ? "%25"
           : c == '\r'              ? "%0D"
           : c == '\n'              ? "%0A"
           : c == ':' && isProperty ? "%3A"
           : c == ',' && isProperty ? "%2C"
                                    : std::string(1, c);
  return out;
}

} // namespace

std::string reportGithub(const MergedChecks &merged, const ReportStyle &style) {
  std::string out;
  for (const MergedFinding &each : distinctFindings(merged)) {
    const FindingRecord &finding = each.finding;
    if (!finding.counts())
      continue;
    const char *level = fails(finding, style.failOn) ? "error" : finding.grade == "note" ? "notice" : "warning";
    out += text("::", level, " file=", commandText(finding.file, true));
    if (finding.line)
      out += text(",line=", finding.line, ",col=", finding.column);
    out += text(",title=", commandText(text(finding.grade, " [", finding.rule, "]"), true),
                "::", commandText(finding.message, false), "\n");
  }
  return out + text(summaryText(merged), "\n");
}

} // namespace lanescope::repl
