#include "repl/check/many/ReportWriter.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <span>

namespace lanescope::repl {

namespace {

/// The first names of a list, and how many more there are.
std::string firstNames(std::span<const std::string> names) {
  constexpr size_t kShown = 3;
  std::string out = joined(names.first(std::min(kShown, names.size())), ", ");
  return names.size() <= kShown ? out : text(out, " and ", names.size() - kShown, " more");
}

} // namespace

std::string reportText(const MergedChecks &merged, const ReportStyle &style) {
  std::string out;
  for (const MergedFinding &each : distinctFindings(merged)) {
    const FindingRecord &finding = each.finding;
    if (!finding.counts())
      continue;
    out += finding.text;
    if (!each.again.empty())
      out += text("  in ", firstNames(each.units), "; again with `", each.again, "`\n");
  }
  for (const KnownFinding &gone : style.gone)
    out += text("the baseline has a ", gone.grade, " [", gone.rule, "] of `", gone.kernel,
                "` that is there no more: `lanescope baseline` writes the baseline anew\n");
  if (!merged.unchecked.empty())
    out += text("not checked yet: ", firstNames(merged.unchecked), "\n");
  return text(out, summaryText(merged), "\n");
}

} // namespace lanescope::repl
