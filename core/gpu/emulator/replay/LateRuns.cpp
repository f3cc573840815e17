#include "core/gpu/emulator/replay/LateRuns.h"

#include "core/gpu/emulator/coverage/Schedule.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMostRuns = 4; // a kernel with many such places is wrong at the first ones already

bool endedByItself(const Diagnostic &fault) { return fault.kind != "timeout" && fault.kind != "interrupted"; }

} // namespace

Result<void> settleLate(RunResult &result, const RepeatedRun &runs, LateSuspects &suspects) {
  if (hasErrors(result.diagnostics))
    return {};
  std::vector<std::pair<Severity, std::string>> told;
  size_t made = 0;
  for (LateSuspect &suspect : suspects) {
    if (runs.options.strict)
      suspect.finding.severity = Severity::Error;
    std::pair key(suspect.finding.severity, suspect.finding.kind);
    if (suspect.late.warp == UINT32_MAX || std::ranges::find(told, key) != told.end())
      continue;
    if (++made > kMostRuns)
      return {};
    RunResult run = LANESCOPE_TRY(runs.again([&](RecordedGrid &grid) { grid.late = suspect.late; }));
    auto fault = std::ranges::find(run.diagnostics, Severity::Error, &Diagnostic::severity);
    bool faults = fault != run.diagnostics.end();
    if (faults ? !endedByItself(*fault) : runs.program.communicates || alikeResults(result, run))
      continue;
    Diagnostic finding = std::move(suspect.finding);
    std::string schedule = scheduleText(Schedule::late(suspect.late.warp, suspect.late.operation).number());
    std::string late = text("where that warp comes late (`--seed ", schedule, "`), ");
    if (faults)
      finding.notes.push_back({fault->span, late + text("the kernel ends here: ", fault->message)});
    else
      finding.notes.push_back({finding.span, late + "the kernel gives other results"});
    told.push_back(std::move(key));
    result.diagnostics.push_back(std::move(finding));
  }
  return {};
}

} // namespace lanescope::core::emulator
