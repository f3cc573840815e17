#include "core/gpu/emulator/replay/StrictRuns.h"

#include "core/gpu/emulator/check/Rules.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace lanescope::core::emulator {

namespace {

struct StrictRule {
  std::string_view name;
  StrictForm form;
};

constexpr auto kStrictRules = std::to_array<StrictRule>({
    {"equal-write", StrictForm::EqualWrite},
    {"relaxed-in-block", StrictForm::RelaxedInBlock},
    {"carried-fence", StrictForm::CarriedFence},
    {"relaxed-end", StrictForm::RelaxedEnd},
    {"unwritten-matrix", StrictForm::UnwrittenMatrix},
    {"allocated-address", StrictForm::AllocatedAddress},
    {"copy-after-mma", StrictForm::CopyAfterMma},
    {"unit-reduction", StrictForm::UnitReduction},
    {"vector-end", StrictForm::VectorEnd},
    {"global-proxy-fence", StrictForm::GlobalProxy},
});

constexpr bool areOnRequest() {
  size_t rules = std::ranges::count(kRules, RuleGrade::OnRequest, &CheckerRule::grade);
  return rules == kStrictRules.size() && std::ranges::all_of(kStrictRules, [](const StrictRule &rule) {
           return std::ranges::count(kLeniencies, rule.name, &CheckerLeniency::strictRule) == 1 &&
                  std::ranges::count(kCheckerRules, rule.name) == 1;
         });
}
static_assert(areOnRequest(), "each rule on request has a strict form and a leniency");

bool isIn(const Diagnostics &all, const Diagnostic &finding) {
  return std::ranges::any_of(all, [&](const Diagnostic &other) {
    return other.kind == finding.kind && other.span.source == finding.span.source &&
           other.span.begin == finding.span.begin;
  });
}

/// True if the diagnostic is no finding of the checker but states how far the run came.
bool isEnd(const Diagnostic &finding) {
  return finding.kind == "timeout" || finding.kind == "interrupted" || finding.kind == "findings-left-out";
}

} // namespace

Result<void> addStrictFaults(RunResult &result, const Diagnostics &told, const RepeatedRun &runs) {
  const EmulatorOptions &options = runs.options;
  if (options.instant || !options.checks || (hasErrors(result.diagnostics) && !options.keepGoing))
    return {};
  Diagnostics known = result.diagnostics;
  for (const StrictRule &rule : kStrictRules) {
    if (std::ranges::find(options.strictRules, rule.name) == options.strictRules.end())
      continue;
    std::string_view passes = std::ranges::find(kLeniencies, rule.name, &CheckerLeniency::strictRule)->what;
    RunResult run = LANESCOPE_TRY(runs.again([&](RecordedGrid &grid) { grid.form = rule.form; }));
    for (Diagnostic &finding : run.diagnostics) {
      if (isEnd(finding) || isIn(told, finding) || isIn(known, finding))
        continue;
      finding.notes.push_back(
          {finding.span, text("a fault only with `--strict-rule ", rule.name, "`; without it, ", passes)});
      finding.kind = std::string(rule.name);
      finding.severity = Severity::Error;
      result.diagnostics.push_back(std::move(finding));
    }
  }
  return {};
}

} // namespace lanescope::core::emulator
