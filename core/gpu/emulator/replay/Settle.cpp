#include "core/gpu/emulator/replay/Settle.h"

#include "core/gpu/emulator/check/LaneWords.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/replay/PerturbedReads.h"
#include "core/gpu/emulator/replay/RacingValues.h"
#include "core/gpu/emulator/replay/StaleLoads.h"
#include "core/gpu/emulator/sync/WarpSync.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace lanescope::core::emulator {

bool endedAtRace(const RunResult &result) {
  auto first = std::ranges::find(result.diagnostics, Severity::Error, &Diagnostic::severity);
  return first != result.diagnostics.end() &&
         (first->kind == "race" || first->kind == "copy-not-awaited" || first->kind == "overwritten-in-flight");
}

Result<bool> endsAtDeadReads(RepeatedRun &runs, RacingSharedReads &reads) {
  runs.allow(&reads);
  auto runWith = [&](std::byte bits, EmulatorStatistics &counted) {
    reads.turn(bits);
    return runs.again([](RecordedGrid &) {}, &counted);
  };
  EmulatorStatistics counted;
  RunResult there = LANESCOPE_TRY(runWith({}, counted));
  uint64_t left = reads.found().left();
  bool dead = !hasErrors(there.diagnostics) && !reads.found().empty();
  // Inverting these bits gives values of either sign in every type.
  for (std::byte bits : {std::byte{0x55}, std::byte{0xAA}}) {
    if (!dead)
      break;
    EmulatorStatistics otherCounted;
    RunResult other = LANESCOPE_TRY(runWith(bits, otherCounted));
    dead = sameResults(there, other) && otherCounted.warpInstructions == counted.warpInstructions &&
           reads.found().left() == left;
  }
  reads.turn({});
  if (!dead)
    runs.allow(nullptr);
  return dead;
}

namespace {

/// Two other schedules. A pair holds a seed, and true if clusters run in reverse order.
std::array<std::pair<uint64_t, bool>, 2> otherSchedules(uint64_t seed) { return {{{seed, true}, {seed + 1, false}}}; }

} // namespace

Result<std::vector<bool>> varyingOutputs(const RunResult &result, const RepeatedRun &runs) {
  std::vector<bool> varying(result.outputs.size());
  for (auto [seed, backwards] : otherSchedules(runs.options.seed)) {
    RunResult other = LANESCOPE_TRY(runs.again([&](RecordedGrid &grid) { grid.backwards = backwards; }, nullptr, seed));
    std::vector<bool> differs = differing(result, other);
    for (size_t n = 0; n < varying.size(); ++n)
      varying[n] = varying[n] || differs[n];
  }
  return varying;
}

namespace {

/// True if the results stay the same under other schedules, and also when racing loads return an older value or the
/// next one.
Result<bool> anyValueServes(const RunResult &result, const RepeatedRun &runs, const RacingReads &reads,
                            RacingValues::Apart apart) {
  constexpr size_t kMostReaders = 8;
  RacingValues values(runs.program, reads, RacingValues::Of::Instructions, apart);
  auto isAlike = [&](RunResult other) {
    values.counters().hide(result, other);
    return alikeResults(result, other);
  };
  auto serves = [&]() -> Result<bool> { return isAlike(LANESCOPE_TRY(runs.under(values))); };
  values.record();
  if (!LANESCOPE_TRY(serves()) || !values.isComplete())
    return false;
  for (auto [seed, backwards] : otherSchedules(runs.options.seed))
    if (!isAlike(LANESCOPE_TRY(runs.again([&](RecordedGrid &grid) { grid.backwards = backwards; }, nullptr, seed))))
      return false;
  for (bool last : {false, true}) {
    values.giveOlder(last);
    if (!LANESCOPE_TRY(serves()))
      return false;
  }
  for (auto [block, warp] : values.warps(kMostReaders)) {
    values.giveNewer(block, warp);
    if (!LANESCOPE_TRY(serves()))
      return false;
  }
  return true;
}

/// True if any result depends on the values of racing loads.
Result<bool> racingMatters(const RunResult &result, const EmulatorStatistics &counted, const RepeatedRun &runs,
                           const RacingReads &reads) {
  std::vector<bool> compared(result.outputs.size());
  std::optional<std::vector<bool>> varying; // outputs that other orders of floating-point sums change
  auto alike = [&](const RunResult &other) -> Result<bool> {
    if (alikeResults(result, other))
      return true;
    if (!varying) {
      varying = LANESCOPE_TRY(varyingOutputs(result, runs));
      for (size_t n = 0; n < compared.size(); ++n)
        (*varying)[n] = (*varying)[n] && compared[n];
    }
    return alikeResults(result, other, *varying);
  };
  bool verified = true; // true as long as other values only cost further rounds of `atom.cas` loops
  // First tries the bits that endsAtDeadReads() tries: they change values of either sign in every type. Then tries
  // zeros, with which a polling loop waits forever.
  for (std::optional bits : {std::optional(std::byte{0x55}), std::optional(std::byte{0xAA}), {}}) {
    PerturbedReads perturbed(runs.program, reads, bits);
    EmulatorStatistics otherCounted;
    RunResult other = LANESCOPE_TRY(runs.under(perturbed, &otherCounted));
    bool otherRounds = otherCounted.warpInstructions != counted.warpInstructions && perturbed.allCompared();
    verified = verified && (otherRounds || !bits);
    for (size_t n = 0; n < compared.size(); ++n)
      compared[n] = compared[n] || perturbed.comparedIn(n);
    if (!bits ? hasErrors(other.diagnostics) : otherRounds ? !LANESCOPE_TRY(alike(other)) : !sameResults(result, other))
      return true;
  }
  RacingValues values(runs.program, reads, RacingValues::Of::Reads);
  values.record();
  LANESCOPE_TRY(runs.under(values));
  values.giveOlder(false);
  RunResult older = LANESCOPE_TRY(runs.under(values));
  return verified ? !LANESCOPE_TRY(alike(older)) : !alikeResults(result, older);
}

constexpr std::string_view kNothingDepends = "; no result depends on the loaded value";
constexpr std::string_view kAnyServes = "; results are the same with the old value and with the new one: `ld.relaxed`, "
                                        "or `volatile`, says that either will do";

/// The outcome of the replays. `matters`: a result depends on the values of racing loads. `serves`: the result is right
/// with each value that the place held.
struct RacingVerdict {
  bool matters = false, serves = false;
};

Result<RacingVerdict> racingVerdict(const RunResult &result, const EmulatorStatistics &counted, const RepeatedRun &runs,
                                    const RacingReads &reads, RacingValues::Apart apart) {
  RacingVerdict verdict;
  if (reads.empty())
    return verdict;
  bool failed = hasErrors(result.diagnostics);
  verdict.matters = failed || LANESCOPE_TRY(racingMatters(result, counted, runs, reads));
  verdict.serves = !failed && verdict.matters && LANESCOPE_TRY(anyValueServes(result, runs, reads, apart));
  return verdict;
}

/// Gives a racing load its grade: a note, the hazard `hazard`, or a fault.
void grade(Diagnostic &finding, std::string_view hazard, const RacingVerdict &verdict, const RepeatedRun &runs) {
  if (!verdict.matters) {
    finding.kind = kRacingReadKind;
    finding.message += kNothingDepends;
  } else if (verdict.serves) {
    finding.kind = hazard;
    finding.severity = runs.options.strict ? Severity::Error : Severity::Warning;
    finding.message += hazard == kRacingValueKind ? kAnyServes : "";
  } else {
    finding.kind = "race";
    finding.severity = Severity::Error;
  }
}

/// True if the instruction of each load in `lanes` also occurs in `reads`.
bool areOfInstructions(const RacingReads &lanes, const RacingReads &reads) {
  std::set<uint32_t> pcs;
  for (const RacingRead &read : reads)
    pcs.insert(read.pc);
  return std::ranges::all_of(lanes, [&](const RacingRead &read) { return pcs.contains(read.pc); });
}

bool isOfUnwritten(const Diagnostic &finding) {
  return finding.kind == kWordEndKind || finding.kind == kOutsideLaneKind ||
         (finding.severity == Severity::Note && finding.kind.starts_with("uninitialised-"));
}

} // namespace

Result<void> settleRacing(RunResult &result, const EmulatorStatistics &counted, const RepeatedRun &runs,
                          RacingReads reads, const RacingReads &lanes) {
  bool together = !reads.empty() && areOfInstructions(lanes, reads);
  if (together)
    reads.insert(lanes.begin(), lanes.end());
  using Apart = RacingValues::Apart;
  RacingVerdict warps = LANESCOPE_TRY(racingVerdict(result, counted, runs, reads, Apart::Warps));
  for (Diagnostic &finding : result.diagnostics)
    if (finding.kind == kRacingReadKind)
      grade(finding, kRacingValueKind, warps, runs);
  RacingVerdict own = together ? warps : LANESCOPE_TRY(racingVerdict(result, counted, runs, lanes, Apart::Lanes));
  for (Diagnostic &finding : result.diagnostics) {
    if (finding.severity == Severity::Note && finding.kind == kUnsettledLaneRace)
      grade(finding, kRacingValueKind, own, runs);
    if (finding.severity == Severity::Note && finding.kind == kWarpSynchronousKind)
      grade(finding, kWarpSynchronousKind, {own.matters, true}, runs); // hardware keeps the lanes in step
  }
  return {};
}

void nameGuesses(RunResult &result) {
  for (Diagnostic &finding : result.diagnostics)
    if (finding.kind == kVerifiedGuess)
      finding.kind = kRacingReadKind;
}

Result<void> settleStale(RunResult &result, const RepeatedRun &runs, StaleReads &reads) {
  constexpr size_t kMostLoads = 8;
  if (hasErrors(result.diagnostics) || runs.lateSignals) // with late signals, loads give old values already
    return {};
  size_t tried = 0;
  for (auto &[pc, finding] : reads) {
    if (++tried > kMostLoads)
      return {};
    StaleLoads stale(runs.program, pc);
    RunResult run = LANESCOPE_TRY(runs.under(stale));
    stale.counters().hide(result, run);
    if (std::ranges::any_of(run.diagnostics,
                            [](const Diagnostic &d) { return d.kind == "timeout" || d.kind == "interrupted"; }))
      return {}; // this run proves nothing
    if (alikeResults(result, run))
      continue;
    for (auto [seed, backwards] : otherSchedules(runs.options.seed)) {
      RunResult other =
          LANESCOPE_TRY(runs.again([&](RecordedGrid &grid) { grid.backwards = backwards; }, nullptr, seed));
      stale.counters().hide(result, other);
      if (!alikeResults(result, other))
        return {};
    }
    result.diagnostics.push_back(std::move(finding));
    if (hasErrors(result.diagnostics))
      return {};
  }
  return {};
}

Result<void> settleUnwritten(RunResult &result, const RepeatedRun &runs) {
  if (hasErrors(result.diagnostics) || std::ranges::none_of(result.diagnostics, isOfUnwritten))
    return {};
  bool fails = false;
  std::vector<bool> depends(result.outputs.size());
  // With both signs in every type, so that no min or max hides both.
  for (std::byte large : {std::byte{0x7B}, std::byte{0xFB}}) {
    RunResult other = LANESCOPE_TRY(runs.again([&](RecordedGrid &grid) { grid.unwritten = large; }));
    fails |= hasErrors(other.diagnostics) || other.printed != result.printed;
    std::vector<bool> differs = differing(result, other);
    for (size_t n = 0; n < depends.size(); ++n)
      depends[n] = depends[n] || differs[n];
  }
  bool matters = fails || std::ranges::find(depends, true) != depends.end(), ofClocks = false;
  if (matters && !fails && runs.program.readsClock) {
    // Differences between clock readings change, too.
    std::vector<bool> clocks =
        differing(result, LANESCOPE_TRY(runs.again([](RecordedGrid &grid) { grid.clockRate = 3; })));
    ofClocks = std::ranges::equal(depends, clocks, [](bool one, bool clock) { return !one || clock; });
  }
  if (!matters) // reductions over a part of a warp read values of other lanes without using them
    std::erase_if(result.diagnostics, [](const Diagnostic &finding) { return finding.kind == kOutsideLaneKind; });
  for (Diagnostic &finding : result.diagnostics)
    if (isOfUnwritten(finding)) {
      finding.message += !matters   ? "; no result depends on what it holds"
                         : ofClocks ? "; only results that store clock readings depend on what it holds"
                                    : "; results depend on what it holds";
      if (matters && !ofClocks)
        finding.severity = Severity::Error;
    }
  return {};
}

} // namespace lanescope::core::emulator
