#include "core/gpu/emulator/check/EarlyPhases.h"

#include "core/gpu/emulator/check/UseWords.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Names.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr std::string_view kArrivalCountKind = "arrival-count", kTwiceKind = "phase-overrun";
constexpr size_t kMostLate = 256, kMostCompared = 8; // late arrivals, and races, that are kept per cluster
constexpr uint32_t kMostArrivals = 1 << 14;          // arrivals that a search for a cause looks at

} // namespace

void EarlyPhases::begin() {
  arrivals_.clear();
  late_.clear();
  races_.clear();
  cause_.reset();
  anyRace_ = false;
  arrivalsAfterRace_ = 0;
}

void EarlyPhases::initialised(size_t barrier) {
  if (barrier < arrivals_.size())
    arrivals_[barrier] = {};
  std::erase_if(late_, [&](const LateArrival &one) { return one.barrier == barrier; });
}

void EarlyPhases::arrives(const Warp &warp, const Instr &i, uint32_t lanes, const Block &owner,
                          const Mbarrier &barrier) {
  size_t number = order_.mbarrierNumber(owner.clusterRank, barrier.address);
  if (number >= arrivals_.size())
    arrivals_.resize(number + 1);
  auto &[last, now] = arrivals_[number];
  const uint32_t w = order_.numberOf(warp);
  Arrival arrival{.warp = w, .pc = order_.pcOf(i), .lanes = lanes, .epoch = order_.viewOf(warp).seen[Agent(w)]};
  auto isOwn = [&](const Arrival &one) { return one.warp == w && (one.lanes & lanes); };
  if (barrier.phase > 0 && late_.size() < kMostLate && std::ranges::none_of(last, isOwn) &&
      !order_.knowsPhases(warp, owner.clusterRank, barrier.address, barrier.phase)) {
    late_.push_back(
        {number, barrier.phase, arrival, last, &owner, barrier.address, barrier.expected, barrier.initialised});
    findCause();
  }
  if (!now.empty() && now.back().warp == w && now.back().pc == arrival.pc && !(now.back().lanes & lanes)) {
    now.back().lanes |= lanes;
    now.back().epoch = arrival.epoch;
  } else {
    now.push_back(arrival);
  }
  arrived();
}

void EarlyPhases::completed(size_t barrier) {
  if (barrier >= arrivals_.size())
    return;
  std::swap(arrivals_[barrier].last, arrivals_[barrier].now);
  arrivals_[barrier].now.clear();
}

void EarlyPhases::endSearch() {
  if (cause_ || ++arrivalsAfterRace_ > kMostArrivals)
    *order_.grid().causeFound = true;
}

void EarlyPhases::setCause(Diagnostic cause) {
  if (!cause_)
    cause_ = std::move(cause);
}

void EarlyPhases::raced(Race race) {
  if (race.waited.empty() || races_.size() >= kMostCompared)
    return;
  anyRace_ = true;
  races_.push_back(std::move(race));
  findCause();
}

bool EarlyPhases::explains(const LateArrival &late, const Race &race) {
  return late.arrival.warp >= race.late && late.arrival.warp < race.late + race.count &&
         late.arrival.epoch >= race.epoch &&
         std::ranges::find(race.waited, std::pair(late.barrier, static_cast<int64_t>(late.phase) - 1)) !=
             race.waited.end();
}

void EarlyPhases::findCause() {
  for (const Race &race : races_)
    for (const LateArrival &late : late_)
      if (!cause_ && explains(late, race))
        setCause(findingOf(late));
}

std::optional<Diagnostic> EarlyPhases::causeOf(size_t barrier, uint64_t first, uint64_t last) const {
  auto is = [&](const LateArrival &one) { return one.barrier == barrier && one.phase > first && one.phase <= last; };
  auto found = std::ranges::find_if(late_, is);
  return found == late_.end() ? std::nullopt : std::optional(findingOf(*found));
}

std::string EarlyPhases::namesOf(std::vector<uint32_t> warps) const {
  std::ranges::sort(warps);
  warps.erase(std::ranges::unique(warps).begin(), warps.end());
  if (order_.oneBlock())
    return warpList(warps);
  constexpr size_t kMost = 4;
  std::string out;
  for (size_t n = 0; n < std::min(warps.size(), kMost); ++n)
    out += text(out.empty() ? "" : ", ", warpName(order_, warps[n]));
  return warps.size() > kMost ? text(out, " and ", warps.size() - kMost, " more") : out;
}

Note EarlyPhases::noteOf(const Arrival &arrival, std::string_view how) const {
  const Instr &instr = order_.grid().program->code[arrival.pc];
  return {order_.grid().spanOf(instr),
          text(warpName(order_, arrival.warp), " arrives here, with `", order_.grid().opcodeOf(instr), "`, ", how)};
}

Diagnostic EarlyPhases::findingOf(const LateArrival &late) const {
  const Grid &grid = order_.grid();
  std::vector<uint32_t> early, missed;
  for (const Arrival &one : late.before)
    early.push_back(one.warp);
  for (const LateArrival &one : late_)
    if (one.barrier == late.barrier && one.phase == late.phase)
      missed.push_back(one.arrival.warp);
  const bool partly = std::ranges::find_first_of(missed, early) != missed.end();
  const std::string name = describeMbarrier(*late.owner, late.address),
                    who = text(partly ? "other lanes of " : "", namesOf(std::move(missed)));
  const bool one = !partly && !who.starts_with("warps") && who.find(", ") == std::string::npos;
  const uint64_t phase = late.phase - 1;
  Diagnostic finding{
      .kind = std::string(kArrivalCountKind), .span = grid.spanOf(grid.program->code[late.initialised]), .notes = {}};
  const std::string counted =
      text("so phase ", late.phase, " counts it: nothing has told this warp that phase ", phase, " is over");
  for (size_t n = 1; n < late.before.size(); ++n) {
    const Arrival &second = late.before[n];
    auto isSame = [&](const Arrival &one) { return one.warp == second.warp && (one.lanes & second.lanes); };
    auto first = std::find_if(late.before.begin(), late.before.begin() + static_cast<long>(n), isSame);
    if (first == late.before.begin() + static_cast<long>(n))
      continue;
    finding.kind = kTwiceKind;
    finding.span = grid.spanOf(grid.program->code[second.pc]);
    finding.message = text(warpName(order_, second.warp), " arrives twice in phase ", phase, " of ", name,
                           ", which then ends before ", who, " arrives");
    finding.notes = {noteOf(*first, "for the first time"), noteOf(second, "for the second time"),
                     noteOf(late.arrival, counted)};
    return finding;
  }
  finding.message =
      text(name, " is initialised here for ", late.expected, late.expected == 1 ? " arrival" : " arrivals",
           ", and more come to it in one round: phase ", phase, " ends ",
           early.empty() ? text() : text("with those of ", namesOf(early), ", "), "before ", who, " arrive",
           one ? "s" : "");
  constexpr size_t kMostNotes = 2;
  for (size_t n = 0; n < std::min(late.before.size(), kMostNotes); ++n)
    finding.notes.push_back(noteOf(late.before[n], text("in phase ", phase)));
  finding.notes.push_back(noteOf(late.arrival, counted));
  return finding;
}

} // namespace lanescope::core::emulator
