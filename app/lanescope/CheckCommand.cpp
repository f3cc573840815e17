#include "app/lanescope/CheckResults.h"
#include "app/lanescope/Common.h"
#include "layouts/support/Text.h"
#include "repl/check/Check.h"
#include "repl/check/many/Baseline.h"
#include "repl/terminal/Interruption.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace lanescope::app {

namespace {

repl::CheckOptions checkOptions(const CheckArguments &arguments, const repl::Interruption &interruption) {
  core::SketchOptions sketch;
  sketch.grid = arguments.grid;
  sketch.arguments = arguments.arguments;
  const std::vector<std::string> &reads = arguments.reach.reads;
  return {.reads = {reads.begin(), reads.end()},
          .launch = arguments.launch,
          .sketch = std::move(sketch),
          .seeds = arguments.seeds,
          .adversaries = arguments.adversaries,
          .schedule = arguments.schedule,
          .coverage = arguments.coverage,
          .rules = arguments.rules,
          .strictRules = arguments.strictRules,
          // A known fault would hide new ones.
          .keepGoing = arguments.keepGoing || !arguments.baseline.empty(),
          .blocks = arguments.blocks,
          .shrink = arguments.shrink,
          .timeLimit = arguments.timeLimit,
          .arch = arguments.arch,
          .threads = arguments.threads,
          .progress = &progressLine().progress(),
          .interrupted = interruption.flag(),
          .python = arguments.python,
          .arguments = arguments.programArguments,
          .ofMany = arguments.format == "record"};
}

/// The error for options that do not fit together; empty if all fit.
std::string misfit(const CheckArguments &arguments) {
  const bool many = !arguments.results.empty();
  constexpr std::array<std::string_view, 4> kOfReports = {"html", "junit", "markdown", "github"};
  constexpr std::array<std::string_view, 2> kOfOne = {"json", "record"};
  auto isOneOf = [&](const auto &formats) { return std::ranges::find(formats, arguments.format) != formats.end(); };
  if (!many && arguments.files.size() > 1)
    return "several files need `--results DIR`, a folder for their records";
  if (!many && isOneOf(kOfReports))
    return text("`--format ", arguments.format, "` needs `--results DIR`; `lanescope report DIR` writes it, too");
  if (many && isOneOf(kOfOne))
    return text("`--results` has no `--format ", arguments.format,
                "`: the records in the folder are JSON (docs/ci.md)");
  if (many &&
      (arguments.coverage || arguments.shrink || !arguments.launch.empty() || !arguments.programArguments.empty()))
    return "`--coverage`, `--shrink`, `--launch` and arguments after `--` are for one file, without `--results`";
  return {};
}

/// The report as a record. The process that checks many files reads it.
int putRecord(const std::string &file, const Result<repl::CheckReport> &checked) {
  put(recordLine(checked ? repl::checkRecord(file, *checked)
                         : repl::failedRecord(file, repl::Outcome::Refused, checked.error())));
  return checked && !hasErrors(checked->problems) ? kDone : kInputAtFault;
}

} // namespace

int runCheck(const CheckArguments &arguments) {
  if (std::string problem = misfit(arguments); !problem.empty()) {
    complain(text("lanescope check: ", problem, "\n"));
    return kUsage;
  }
  repl::Interruption interruption;
  const repl::CheckOptions options = checkOptions(arguments, interruption);
  if (!arguments.results.empty())
    return checkIntoResults(arguments, options);
  const std::string &file = arguments.files.front();
  if (!programWordsFit("check", file, arguments.python, arguments.programArguments))
    return kUsage;
  std::optional<repl::Baseline> baseline;
  if (!arguments.baseline.empty()) {
    auto read = repl::readBaseline(arguments.baseline);
    if (!read)
      return report(read.error());
    baseline = *std::move(read);
  }
  auto checked = repl::check(file, options);
  if (arguments.format == "record")
    return putRecord(file, checked);
  if (!checked)
    return report(checked.error());
  std::vector<repl::FindingRecord> findings = findingRecords(*checked);
  if (baseline) {
    markKnown(*baseline, file, findings);
    takeKnown(findings, *checked);
  }
  report(checked->remarks);
  if (arguments.format == "text")
    say(writeFindings(*checked, repl::FindingsFormat::Text));
  else
    put(writeFindings(*checked, arguments.format == "json" ? repl::FindingsFormat::Json : repl::FindingsFormat::Sarif));
  if (checked->smaller)
    complain(shrunkText(*checked->smaller, file, options));
  else if (arguments.shrink)
    complain("nothing to shrink: the runs have no finding\n");
  int status = report(checked->problems);
  if (!arguments.blocks.isAll())
    complain("only the blocks that `--blocks` names ran: nothing between them and the other blocks is checked\n");
  if (checked->interrupted)
    complain("stopped before all runs were made: the findings above are from the earlier runs\n");
  const repl::FailOn failOn = failOnOf(arguments);
  bool failed =
      std::ranges::any_of(findings, [&](const repl::FindingRecord &finding) { return fails(finding, failOn); });
  return failed ? std::max<int>(status, kInputAtFault) : status;
}

} // namespace lanescope::app
