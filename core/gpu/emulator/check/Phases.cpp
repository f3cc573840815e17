#include "core/gpu/emulator/check/Phases.h"

#include "core/gpu/emulator/check/UseWords.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/Names.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr std::string_view kConflictKind = "barrier-conflict", kOverrunKind = "phase-overrun",
                           kLeftOutKind = "copy-not-awaited";
constexpr uint64_t kLate = 1 << 16;  // cycles between two checks of what the other warps have done without the late one
constexpr uint32_t kMostLooks = 32;  // the most checks for one late warp, if the other warps never come to rest
constexpr size_t kMostSuspects = 16; // per cluster
constexpr size_t kMostOverruns = 1024; // the most that are recorded per cluster

/// Reports copies of the phase that has just ended which the phase did not wait for: the instruction at `announcing`
/// expects fewer bytes than the phase's copies bring.
///
///   A: arrive.expect_tx [bar], 16; cp.async.bulk [s], [g], 16, [bar]; cp.async.bulk [s+16], [g+16], 16, [bar];
/// // either copy ends phase 0: a thread that waits for phase 0 may read bytes that the other copy still writes
void reportLeftOut(const Block &owner, const Mbarrier &barrier, uint32_t announcing) {
  for (const auto &issuer : owner.cluster->blocks)
    for (const AsyncOp &op : issuer->async.all()) {
      const Signal *signal = signalOf(op);
      if (!signal || op.bytes == 0 || signal->rank != owner.clusterRank || signal->mbarrier != barrier.address ||
          signal->phase + 1 != barrier.phase)
        continue;
      const Grid &grid = *owner.grid;
      if (!isNews(*issuer, kLeftOutKind, grid.pcOf(*op.instr), announcing))
        continue;
      const Instr &announces = grid.program->code[announcing];
      issuer->findings.push_back(findingAt(
          issuer->warps[op.warp], *op.instr, Severity::Error, std::string(kLeftOutKind),
          Message(
              "phase {} of {barrier} ends before this copy, whose {bytes} bytes it was to count: `expect_tx` announces "
              "fewer bytes than the phase's copies bring, so a wait for the phase does not wait for all of them",
              signal->phase, describeMbarrier(owner, barrier.address), op.bytes),
          op.lane,
          {Note{grid.spanOf(announces), text("`", grid.opcodeOf(announces), "` announces the bytes of the phase")}}));
    }
}

/// The line of the instruction in its source.
uint32_t lineOf(const Grid &grid, uint32_t pc) {
  const Span span = grid.spanOf(grid.program->code[pc]);
  return span.source->lineColumn(span.begin).line;
}

} // namespace

void Phases::begin(uint32_t blocks) {
  operations_.assign(order_.warps(), 0);
  named_.assign(size_t{blocks} * kNamedBarriers, Named{});
  namedRaces_.clear();
  counted_.clear();
  overruns_.clear();
  suspects_ = {};
  early_.begin();
  seen_.clear();
  effects_ = UINT64_MAX;
  looks_ = 0;
}

bool Phases::comesLate(Warp &warp) {
  const LatePoint &late = order_.grid().late;
  if (late.warp == UINT32_MAX) [[likely]]
    return false;
  uint32_t number = order_.numberOf(warp);
  if (number != late.warp || operations_[number] != late.operation || looks_ >= kMostLooks)
    return false;
  uint64_t effects = warp.block->cluster->effects();
  if (effects == effects_) {
    looks_ = kMostLooks;
    return false;
  }
  effects_ = effects;
  ++looks_;
  warp.time += kLate;
  return true;
}

Phases::Arrival Phases::arrivalOf(const Warp &warp, const Instr &i) const {
  uint32_t number = order_.numberOf(warp);
  return {.warp = number,
          .pc = order_.pcOf(i),
          .operation = operations_[number],
          .epoch = order_.view(number).seen[static_cast<Agent>(number)]};
}

std::vector<Phases::Arrival> Phases::unordered(const Warp &warp, const std::vector<Arrival> &arrivals) const {
  uint32_t number = order_.numberOf(warp);
  const View &view = order_.viewOf(warp);
  std::vector<Arrival> out;
  for (const Arrival &arrival : arrivals)
    if (arrival.warp != number && !Ordering::comesAfter(view, static_cast<Agent>(arrival.warp), arrival.epoch))
      out.push_back(arrival);
  return out;
}

bool Phases::isNew(uint32_t pc, uint32_t other) {
  if (std::ranges::find(seen_, std::pair(pc, other)) != seen_.end())
    return false;
  if (suspects_.all.size() >= kMostSuspects) {
    suspects_.more = true;
    return false;
  }
  seen_.emplace_back(pc, other);
  return true;
}

Note Phases::arrivalNote(const Arrival &arrival, std::string_view phase) const {
  const Grid &grid = order_.grid();
  const Instr &instr = grid.program->code[arrival.pc];
  return {grid.spanOf(instr),
          text(warpName(order_, arrival.warp), " arrives here, with `", grid.opcodeOf(instr), "`, ", phase)};
}

std::vector<Note> Phases::notesOf(const std::vector<Arrival> &arrivals) const {
  constexpr size_t kMost = 4;
  if (arrivals.size() < 2)
    return {};
  std::vector<Note> notes;
  for (size_t n = 0; n < std::min(arrivals.size(), kMost); ++n)
    notes.push_back(arrivalNote(arrivals[n], text("arrival ", n + 1, " of this phase")));
  if (arrivals.size() > kMost)
    notes.back().message += text(", and ", arrivals.size() - kMost, " more follow");
  return notes;
}

// --- named barriers --------------------------------------------------------------------------------------------------

void Phases::add(Named &barrier, LateSuspect suspect) {
  if (barrier.suspect == SIZE_MAX)
    barrier.suspect = suspects_.all.size();
  suspects_.all.push_back(std::move(suspect));
}

/// Adds the suspicion that `arrival` may come before `other`, an arrival of the previous phase.
void Phases::suspectNamed(const Warp &warp, Named &barrier, uint32_t number, const Arrival &arrival,
                          const Arrival &other) {
  const Grid &grid = order_.grid();
  const Instr &instr = grid.program->code[arrival.pc];
  std::string who = warpName(order_, arrival.warp), whom = warpName(order_, other.warp);
  auto own = std::ranges::find(barrier.last, arrival.warp, &Arrival::warp);
  bool again = own != barrier.last.end();
  bool sameUse = std::ranges::find(barrier.last, arrival.pc, &Arrival::pc) != barrier.last.end();
  std::string message = text("named barrier ", number), advice;
  if (again) {
    message += text(": ", who,
                    " arrives a second time here, and nothing makes it wait for the phase of its first "
                    "arrival: both may be counted in one phase, in place of ",
                    whom);
    advice =
        "a warp that only arrives has to wait somewhere, for all others, before it comes to the same barrier again";
  } else if (sameUse) {
    if (barrier.crowded == SIZE_MAX)
      barrier.crowded = suspects_.all.size();
    message += text(" is for ", barrier.last.size() * kLanes, " threads, and more come to it: ", who,
                    " may be counted in place of ", whom, ", which then waits for a phase that does not end");
    advice = "the count has to be that of all threads which arrive or wait, the same on both sides; groups of warps "
             "that meet "
             "apart need a barrier each";
  } else {
    message += text(" is used by two groups of warps at once: ", who, " here may be counted in place of ", whom,
                    ", because nothing makes ", who, " wait for the phase that ", whom, " is in");
    advice = "each pair needs a barrier number of its own, or a barrier at which both wait before they share one";
  }
  Diagnostic finding{
      .kind = std::string(kConflictKind), .span = grid.spanOf(instr), .message = std::move(message), .notes = {}};
  if (again)
    finding.notes.push_back(arrivalNote(*own, "in the phase before"));
  finding.notes.push_back(
      arrivalNote(other, text("in the phase before, for ", barrier.last.size() * kLanes, " threads")));
  finding.notes.push_back({grid.spanOf(instr), std::move(advice)});
  for (const NamedRace &race : namedRaces_)
    if (sameUse && !again && race.barrier == &barrier && race.late == arrival.warp && race.phase == barrier.phase)
      early_.setCause(finding);
  add(barrier, {{other.warp, other.operation}, std::move(finding), other.pc});
}

/// Adds the suspicions that the arrival is counted in the phase of an earlier arrival of its lanes.
void Phases::suspectTwice(Named &barrier, uint32_t number, const Arrival &arrival) {
  for (const Arrival &own : barrier.now) {
    if (own.warp != arrival.warp || !(own.lanes & arrival.lanes) || !isNew(arrival.pc, own.pc))
      continue;
    const Grid &grid = order_.grid();
    add(barrier,
        {{},
         {.kind = std::string(kConflictKind),
          .span = grid.spanOf(grid.program->code[arrival.pc]),
          .message = text(warpName(order_, arrival.warp), " arrives twice in one phase of named barrier ", number,
                          ", in place of another warp: nothing makes it wait for the phase of its "
                          "first arrival to end"),
          .notes = {arrivalNote(own, "for the first time"), arrivalNote(arrival, "for the second time")}}});
  }
}

void Phases::lookAtArrival(const Warp &warp, const Instr &i, Named &barrier, uint32_t number, uint32_t mask) {
  Arrival arrival = arrivalOf(warp, i);
  arrival.lanes = mask;
  if (!(barrier.waitersOfLast >> warp.id & 1))
    for (const Arrival &other : unordered(warp, barrier.last))
      if (isNew(arrival.pc, other.pc))
        suspectNamed(warp, barrier, number, arrival, other);
  if (barrier.arrivedNow >> warp.id & 1)
    suspectTwice(barrier, number, arrival);
}

void Phases::arrivesNamed(const Warp &warp, const Instr &i, uint32_t number, uint32_t mask, bool waits) {
  Named &barrier = named_[warp.block->clusterRank * kNamedBarriers + number];
  const uint32_t bit = 1u << warp.id, w = order_.numberOf(warp);
  if (!(barrier.waitersOfLast & bit) || (barrier.arrivedNow & bit))
    lookAtArrival(warp, i, barrier, number, mask);
  Arrival &arrival = barrier.now.emplace_back(); // filled in place: a copy would wait for the stores of its members
  arrival.warp = w;
  arrival.pc = order_.pcOf(i);
  arrival.operation = operations_[w]++;
  arrival.lanes = mask;
  arrival.epoch = order_.view(w).seen[static_cast<Agent>(w)];
  arrival.waits = waits;
  barrier.arrivedNow |= bit;
  barrier.waitersNow |= waits ? bit : 0;
  early_.arrived();
}

void Phases::releasedNamed(uint32_t rank, uint32_t number) {
  Named &barrier = named_[rank * kNamedBarriers + number];
  std::swap(barrier.last, barrier.now);
  barrier.now.clear();
  barrier.waitersOfLast = barrier.waitersNow;
  barrier.arrivedNow = barrier.waitersNow = 0;
  ++barrier.phase;
}

std::vector<Note> Phases::arrivalsAtNamed(uint32_t rank, uint32_t number) const {
  return notesOf(named_[rank * kNamedBarriers + number].now);
}

const LateSuspect *Phases::suspectOfNamed(uint32_t rank, uint32_t number) const {
  size_t suspect = named_[rank * kNamedBarriers + number].suspect;
  return suspect < suspects_.all.size() ? &suspects_.all[suspect] : nullptr;
}

std::string Phases::whyNamedDoesNotOrder(uint32_t rank, uint32_t warp, uint32_t other) const {
  std::string out;
  uint32_t latest = 0;
  for (uint32_t number = 0; number < kNamedBarriers; ++number) {
    const Named &barrier = named_[rank * kNamedBarriers + number];
    auto own = std::ranges::find(barrier.last, warp, &Arrival::warp),
         its = std::ranges::find(barrier.last, other, &Arrival::warp);
    if (own == barrier.last.end() || !own->waits || own->operation < latest)
      continue;
    if (its != barrier.last.end()) {
      const uint32_t mine = lineOf(order_.grid(), own->pc), theirs = lineOf(order_.grid(), its->pc);
      if (its->waits && mine != theirs) { // copies of one statement have one line
        latest = own->operation;
        out = text("barrier ", number, " let both go on, ", warpName(order_, warp), " from line ", mine, " and ",
                   warpName(order_, other), " from line ", theirs);
      }
      continue;
    }
    latest = own->operation;
    const LateSuspect *suspect = suspectOfNamed(rank, number);
    std::string met;
    for (const Arrival &arrival : barrier.last)
      if (arrival.warp != warp)
        met += text(met.empty() ? "" : ", ", warpName(order_, arrival.warp));
    out = suspect ? suspect->finding.message
                  : text("named barrier ", number, " let ", warpName(order_, warp), " go on with ",
                         met.empty() ? "no other warp" : met, ", not with ", warpName(order_, other));
  }
  return out;
}

// --- mbarriers -------------------------------------------------------------------------------------------------------

Phases::Counted &Phases::counted(uint32_t rank, uint32_t address) {
  size_t number = order_.mbarrierNumber(rank, address);
  if (number >= counted_.size())
    counted_.resize(number + 1);
  return counted_[number];
}

void Phases::initialised(uint32_t rank, const Mbarrier &barrier) {
  counted(rank, barrier.address) = {};
  early_.initialised(order_.mbarrierNumber(rank, barrier.address));
  std::erase_if(overruns_, [&](const Overrun &one) {
    return one.address == barrier.address && one.warp / order_.warpsPerBlock() == rank;
  });
}

void Phases::arrives(const Warp &warp, const Instr &i, uint32_t lanes, const Block &owner, const Mbarrier &barrier) {
  early_.arrives(warp, i, lanes, owner, barrier);
  Counted &state = counted(owner.clusterRank, barrier.address);
  Arrival arrival = arrivalOf(warp, i);
  // A barrier that expects one arrival cannot count a second arrival in place of the first.
  if (barrier.expected > 1 && !order_.knowsPhases(warp, owner.clusterRank, barrier.address, barrier.phase))
    for (const Arrival &other : unordered(warp, state.last)) {
      if (!isNew(arrival.pc, other.pc))
        continue;
      const Grid &grid = order_.grid();
      suspects_.all.push_back(
          {{other.warp, other.operation},
           {.kind = std::string(kOverrunKind),
            .span = grid.spanOf(i),
            .message = text("an arrival of ", warpName(order_, arrival.warp), " for phase ", barrier.phase, " of ",
                            describeMbarrier(owner, barrier.address), " may be counted in phase ", barrier.phase - 1,
                            ", in place of one of ", warpName(order_, other.warp), ": nothing makes ",
                            warpName(order_, arrival.warp), " wait for that phase to end"),
            .notes = {arrivalNote(other, text("in phase ", barrier.phase - 1))}},
           other.pc});
    }
  state.now.push_back(arrival);
}

std::vector<Note> Phases::arrivalsAt(uint32_t rank, uint32_t address) { return notesOf(counted(rank, address).now); }
/// True if the warp follows other warps of its warpgroup and therefore cannot be late by a whole phase. There are two
/// such cases: all arrivals of the ending phase are from its warpgroup, or the phase waited for another warp of the
/// warpgroup that made the same wait.
bool Phases::isFollower(const Counted &state, const Wait &wait, const Released &told) const {
  auto isPeer = [&](uint32_t warp) {
    uint32_t block = order_.warpsPerBlock();
    return warp / block == wait.warp / block && warp % block / 4 == wait.warp % block / 4;
  };
  return std::ranges::all_of(state.now, isPeer, &Arrival::warp) ||
         std::ranges::any_of(state.waits, [&](const Wait &other) {
           return isPeer(other.warp) && other.pc == wait.pc && other.phase == wait.phase &&
                  Ordering::comesAfter(told, static_cast<Agent>(other.warp), other.epoch);
         });
}

void Phases::completed(const Block &owner, const Mbarrier &barrier) {
  Counted &state = counted(owner.clusterRank, barrier.address);
  const Released &told = order_.mbarrier(owner.clusterRank, barrier.address).pending;
  auto phase = static_cast<int64_t>(barrier.phase) - 1; // the phase that has just ended
  for (const Wait &wait : state.waits) {
    if (wait.phase != phase - 1 || Ordering::comesAfter(told, static_cast<Agent>(wait.warp), wait.epoch))
      continue;
    uint32_t by = state.now.empty() ? kNone : state.now.back().pc;
    if (!isNew(wait.pc, by))
      continue;
    const Grid &grid = order_.grid();
    std::string name = describeMbarrier(owner, barrier.address), who = warpName(order_, wait.warp);
    Diagnostic finding{.kind = std::string(kOverrunKind),
                       .span = grid.spanOf(grid.program->code[wait.pc]),
                       .message = text("phases ", phase - 1, " and ", phase, " of ", name, " may both be over before ",
                                       who, " waits here for phase ", phase - 1, ", which then waits for phase ",
                                       phase + 1, ": nothing makes phase ", phase, " wait for ", who),
                       .notes = {}};
    if (by != kNone)
      finding.notes.push_back(arrivalNote(state.now.back(), text("and ends phase ", phase)));
    if (isFollower(state, wait, told))
      finding.severity = Severity::Warning;
    suspects_.all.push_back({{wait.warp, wait.operation}, std::move(finding), wait.pc});
  }
  // If no arrival has an `expect_tx`, the fault at the reader says so.
  auto announces = [&](const Arrival &arrival) {
    const Grid &grid = order_.grid();
    return grid.opcodeOf(grid.program->code[arrival.pc]).find("expect_tx") != std::string_view::npos;
  };
  if (auto found = std::ranges::find_if(state.now, announces); found != state.now.end())
    reportLeftOut(owner, barrier, found->pc);
  std::swap(state.last, state.now);
  state.now.clear();
  early_.completed(order_.mbarrierNumber(owner.clusterRank, barrier.address));
}

std::vector<std::pair<size_t, int64_t>> Phases::waitedFor(uint32_t warp) const {
  std::vector<std::pair<size_t, int64_t>> out;
  for (size_t number = 0; number < counted_.size(); ++number)
    for (const Wait &wait : counted_[number].waits)
      if (wait.warp == warp)
        out.emplace_back(number, wait.phase);
  return out;
}

void Phases::racedNamed(uint32_t rank, uint32_t warp, uint32_t late) {
  constexpr size_t kMostNamedRaces = 32;
  for (uint32_t number = 0; number < kNamedBarriers; ++number) {
    const Named &barrier = named_[rank * kNamedBarriers + number];
    auto own = std::ranges::find(barrier.last, warp, &Arrival::warp);
    if (own == barrier.last.end() || !own->waits ||
        std::ranges::find(barrier.last, late, &Arrival::warp) != barrier.last.end())
      continue;
    early_.mayRace();
    if (barrier.crowded < suspects_.all.size())
      early_.setCause(suspects_.all[barrier.crowded].finding);
    else if (namedRaces_.size() < kMostNamedRaces)
      namedRaces_.push_back({&barrier, late, barrier.phase});
  }
}

void Phases::raced(const Warp &warp, const Use &other) {
  constexpr uint32_t kWarpgroup = 4;
  const AsyncUnit unit = order_.kindOf(other.agent);
  const uint32_t me = order_.numberOf(warp), them = unit == AsyncUnit::Mbarrier ? order_.mbarrierOf(other.agent).issuer
                                                                                : order_.ownerOf(other.agent);
  early_.raced({.late = them,
                .count = unit == AsyncUnit::Wgmma ? kWarpgroup : 1,
                .epoch = unit == AsyncUnit::Warp ? other.epoch : 0,
                .waited = waitedFor(me)});
  if (me != them && me / order_.warpsPerBlock() == them / order_.warpsPerBlock()) {
    racedNamed(warp.block->clusterRank, me, them);
    racedNamed(warp.block->clusterRank, them, me);
  }
  early_.raced({.late = me, .epoch = order_.lanesOf(me).now, .waited = waitedFor(them)});
}

LateSuspects Phases::suspects() const {
  LateSuspects out = suspects_;
  out.cause = early_.cause();
  out.mayHaveCause = early_.mayHaveCause();
  return out;
}

void Phases::waits(const Warp &warp, const Instr &i, const Mbarrier &barrier, uint32_t parity, bool over) {
  uint32_t rank = warp.block->clusterRank, number = order_.numberOf(warp);
  Counted &state = counted(rank, barrier.address);
  auto known = std::ranges::find(state.waits, number, &Wait::warp);
  int64_t last = known == state.waits.end() ? -1 : known->phase;
  int64_t wanted = ((last & 1) != 0) == (parity & 1) ? last : last + 1;
  auto found = static_cast<int64_t>(barrier.phase) - (over ? 1 : 0);
  // A warp that is ordered after the end of the next phase, too, skips phases on purpose.
  if (found > wanted + 1 && !order_.knowsPhases(warp, rank, barrier.address, static_cast<uint64_t>(wanted + 2)) &&
      !overrunOf(number, barrier.address) && overruns_.size() < kMostOverruns)
    overruns_.push_back({.warp = number,
                         .address = barrier.address,
                         .pc = order_.pcOf(i),
                         .wanted = wanted,
                         .found = static_cast<uint64_t>(found),
                         .passed = over,
                         .completedBy = state.last.empty() ? kNone : state.last.back().pc});
  if (!over)
    return;
  Wait wait{number, order_.pcOf(i), operations_[number], order_.view(number).seen[static_cast<Agent>(number)], found};
  if (known == state.waits.end())
    state.waits.push_back(wait);
  else if (known->phase != found)
    *known = wait;
  else
    known->again = true;
}

bool Phases::copyIsEarly(const Warp &warp, const Use &copy, bool reads) const {
  if (order_.kindOf(copy.agent) != AsyncUnit::Mbarrier)
    return false;
  const Ordering::BarrierState &barrier = order_.mbarrierOf(copy.agent);
  size_t index = copy.agent - static_cast<uint32_t>(AsyncUnit::Mbarrier) * order_.warps();
  uint32_t number = order_.numberOf(warp);
  if (index >= counted_.size() || barrier.issuer == number)
    return false;
  const std::vector<Wait> &waits = counted_[index].waits;
  auto last = std::ranges::find(waits, number, &Wait::warp);
  if (last == waits.end() || last->again || last->phase < 0 ||
      barrier.base + static_cast<Epoch>(last->phase) + 2 != copy.epoch)
    return false;
  return !reads || !Ordering::comesAfter(order_.view(barrier.issuer), static_cast<Agent>(number), last->epoch);
}

const Phases::Overrun *Phases::overrunOf(uint32_t warp, uint32_t address) const {
  for (const Overrun &one : overruns_)
    if (one.warp == warp && one.address == address)
      return &one;
  return nullptr;
}

} // namespace lanescope::core::emulator
