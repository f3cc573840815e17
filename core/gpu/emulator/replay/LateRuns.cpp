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

// If a kernel breaks at all, it usually breaks at one of the first suspected places. Coverage needs a run for each
// place.
constexpr size_t kMostRuns = 4, kMostRunsForCoverage = 32;

bool endedByItself(const Diagnostic &fault) { return fault.kind != "timeout" && fault.kind != "interrupted"; }

/// Runs the kernel with the suspected warp late. If a fault ends the run, the fault becomes a note of the suspicion's
/// finding.
Result<void> tryLate(const RunResult &result, const RepeatedRun &runs, LateSuspect &suspect) {
  RunResult run = LANESCOPE_TRY(runs.again([&](RecordedGrid &grid) { grid.late = suspect.late; }));
  auto fault = std::ranges::find(run.diagnostics, Severity::Error, &Diagnostic::severity);
  bool faults = fault != run.diagnostics.end();
  if (faults && !endedByItself(*fault)) {
    suspect.untried = text("the run in which it came late did not end within the time limit");
    return {};
  }
  bool breaks = faults || !(runs.program.communicates || alikeResults(result, run));
  suspect.trial = breaks ? LateSuspect::Trial::Breaks : LateSuspect::Trial::Harmless;
  if (!breaks)
    return {};
  std::string schedule = scheduleText(Schedule::late(suspect.late.warp, suspect.late.operation).number());
  std::string late = text("if that warp comes late (`--seed ", schedule, "`), ");
  if (faults)
    suspect.finding.notes.push_back({fault->span, late + text("the kernel ends here: ", fault->message)});
  else
    suspect.finding.notes.push_back({suspect.finding.span, late + "the kernel gives other results"});
  return {};
}

bool canBeLate(const LateSuspect &suspect) { return suspect.late.warp != UINT32_MAX; }

/// If the run ended in a race, puts the wrong uses of barriers that the run itself shows in front of it: they are the
/// cause.
void addCertain(RunResult &result, const LateSuspects &suspects) {
  auto race = std::ranges::find(result.diagnostics, Severity::Error, &Diagnostic::severity);
  if (race->kind != "race")
    return;
  auto certain = std::ranges::find_if_not(suspects.all, canBeLate);
  if (certain != suspects.all.end())
    result.diagnostics.insert(race, certain->finding);
}

} // namespace

Result<void> settleLate(RunResult &result, const RepeatedRun &runs, LateSuspects &suspects) {
  bool all = runs.options.coverage, faulted = hasErrors(result.diagnostics);
  std::vector<std::pair<Severity, std::string>> told;
  if (faulted)
    addCertain(result, suspects);
  size_t made = 0, most = all ? kMostRunsForCoverage : kMostRuns;
  for (LateSuspect &suspect : suspects.all) {
    if (!canBeLate(suspect))
      continue;
    if (runs.options.strict)
      suspect.finding.severity = Severity::Error;
    std::pair key(suspect.finding.severity, suspect.finding.kind);
    bool known = std::ranges::find(told, key) != told.end();
    if (known && !all)
      continue;
    if (faulted || made == most) {
      suspect.untried =
          faulted ? std::string("a fault ended the run") : text("a run tries no more than ", most, " such places");
      continue;
    }
    ++made;
    LANESCOPE_CHECK(tryLate(result, runs, suspect));
    if (suspect.trial != LateSuspect::Trial::Breaks || known)
      continue;
    told.push_back(std::move(key));
    result.diagnostics.push_back(suspect.finding);
  }
  return {};
}

std::vector<CoveragePoint> latePoints(const LateSuspects &suspects, const Grid &grid) {
  std::vector<CoveragePoint> points;
  for (const LateSuspect &suspect : suspects.all) {
    if (!canBeLate(suspect))
      continue;
    const Instr &instr = grid.program->code[suspect.pc];
    CoveragePoint point{.kind = CoveragePoint::Kind::Late, .place = grid.spanOf(instr)};
    point.words = Observer::wordsAt(grid, instr, point.place);
    point.reached = 1;
    point.tried = suspect.trial != LateSuspect::Trial::None;
    point.breaks = suspect.trial == LateSuspect::Trial::Breaks;
    point.untried = suspect.untried;
    points.push_back(std::move(point));
  }
  if (suspects.more && !points.empty()) {
    ++points.back().reached;
    points.back().untried = "a run keeps no more places than these, and there are others";
  }
  return points;
}

} // namespace lanescope::core::emulator
