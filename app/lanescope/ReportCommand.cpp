#include "app/lanescope/CheckResults.h"
#include "app/lanescope/Common.h"
#include "core/data/Files.h"
#include "core/data/ProcessMemory.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "layouts/support/Words.h"
#include "repl/check/many/CheckMany.h"
#include "repl/check/many/FindingPages.h"
#include "repl/check/many/ReportWriter.h"
#include "repl/terminal/Interruption.h"

namespace lanescope::app {

namespace {

std::vector<std::filesystem::path> pathsOf(const std::vector<std::string> &words) {
  return {words.begin(), words.end()};
}

/// Writes the report of the records, in which known findings are marked. `whole`: the records are those of all shards.
/// Returns the exit status.
int writeMerged(Result<repl::MergedChecks> merged, const ReportArguments &arguments, bool whole) {
  if (!merged)
    return report(merged.error());
  repl::ReportStyle style{.failOn = *repl::failOnNamed(arguments.failOn), .link = arguments.link};
  if (!arguments.baseline.empty()) {
    auto baseline = repl::readBaseline(arguments.baseline);
    if (!baseline)
      return report(baseline.error());
    style.gone = markKnown(*baseline, *merged);
    if (!whole || !merged->unchecked.empty() || merged->missingShards)
      style.gone.clear(); // a kernel of another shard, or one that is not checked yet, may have them
  }
  const repl::ReportFormat format = *repl::reportFormatNamed(arguments.format);
  if (!arguments.pages.empty()) {
    repl::Interruption interruption;
    auto pages = writeFindingPages(distinctFindings(*merged), {.folder = arguments.pages,
                                                               .report = arguments.output,
                                                               .progress = &progressLine().progress(),
                                                               .interrupted = interruption.flag()});
    if (!pages)
      return report(pages.error());
    style.pages = *std::move(pages);
  }
  std::string words = writeReport(*merged, format, style);
  if (arguments.output.empty()) {
    format == repl::ReportFormat::Text ? say(words) : put(words);
  } else {
    if (auto written = core::writeFile(arguments.output, words); !written)
      return report(written.error());
    complain(text(summaryText(*merged), ": ", shownName(arguments.output), "\n"));
  }
  return fails(*merged, style.failOn) ? kInputAtFault : kDone;
}

/// Keeps only the units of the shard. Only the report of all shards can say that a comment is unused.
Result<repl::MergedChecks> ownShare(Result<repl::MergedChecks> merged, repl::Shard shard) {
  if (!merged || shard.of == 1)
    return merged;
  std::erase_if(merged->records, [&](const repl::CheckRecord &record) { return !shard.has(record.unit); });
  std::erase_if(merged->unchecked, [&](const std::string &unit) { return !shard.has(unit); });
  merged->unusedAllows.clear();
  merged->missingShards = 0;
  return merged;
}

} // namespace

repl::FailOn failOnOf(const CheckArguments &arguments) {
  return arguments.strict ? repl::FailOn::Hazard : *repl::failOnNamed(arguments.failOn);
}

int checkIntoResults(const CheckArguments &arguments, const repl::CheckOptions &options) {
  auto shard = repl::parseShard(arguments.shard);
  if (!shard) {
    complain(text("lanescope check: ", shard.error().front().message, "\n"));
    return kUsage;
  }
  auto done = repl::checkMany(pathsOf(arguments.files), {.results = arguments.results,
                                                         .options = findingOptions(options),
                                                         .python = options.python,
                                                         .shard = *shard,
                                                         .jobs = arguments.jobs,
                                                         .threads = arguments.threads,
                                                         .memory = core::givenMemoryLimit().value_or(0),
                                                         .unitSeconds = arguments.unitTimeLimit,
                                                         .progress = options.progress,
                                                         .interrupted = options.interrupted});
  if (!done)
    return report(done.error());
  if (done->reused)
    complain(text(done->reused, " of ", done->units, " kernels were checked before\n"));
  if (done->left) {
    complain(text("stopped: ", done->left, " of ", done->units,
                  " kernels are not checked; the same command goes on from here\n"));
    return kInputAtFault;
  }
  const ReportArguments wanted{.folders = {arguments.results},
                               .format = arguments.format,
                               .output = {},
                               .baseline = arguments.baseline,
                               .failOn = arguments.strict ? "hazard" : arguments.failOn,
                               .link = {},
                               .pages = {}};
  return writeMerged(ownShare(repl::mergeResults({arguments.results}), *shard), wanted, shard->of == 1);
}

int reportResults(const ReportArguments &arguments) {
  return writeMerged(repl::mergeResults(pathsOf(arguments.folders)), arguments, true);
}

int runReport(const ReportArguments &arguments) { return reportResults(arguments); }

int runBaseline(const BaselineArguments &arguments) {
  auto merged = repl::mergeResults(pathsOf(arguments.folders));
  if (!merged)
    return report(merged.error());
  if (size_t left = merged->unchecked.size() + merged->missingShards) {
    complain(text("the results are not complete (", left,
                  " kernels or shards are missing), so a baseline of them would forget findings: run `lanescope check "
                  "--results` to its end first\n"));
    return kInputAtFault;
  }
  repl::Baseline baseline = baselineOf(*merged);
  if (auto written = core::writeFile(arguments.output, baselineText(baseline)); !written)
    return report(written.error());
  complain(text(counted(baseline.known.size(), "known finding"), ": ", shownName(arguments.output), "\n"));
  return kDone;
}

} // namespace lanescope::app
