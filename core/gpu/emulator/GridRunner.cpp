#include "core/gpu/emulator/GridRunner.h"

#include "core/data/Threads.h"
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/RunPart.h"
#include "core/gpu/emulator/schedule/Deadlock.h"
#include "core/gpu/emulator/Turns.h"
#include "core/gpu/emulator/UnrolledFindings.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <charconv>
#include <thread>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kQuantum = 1 << 18; // warp instructions between two checks of the time limit
constexpr size_t kMaxFindings = 20, kMaxPlaces = 16;

/// "20", "0.5".
std::string shortest(double seconds) {
  char room[32];
  return {room, std::to_chars(room, room + sizeof room, seconds).ptr};
}

uint64_t endOf(const Cluster &cluster) {
  uint64_t end = 0;
  for (const auto &block : cluster.blocks)
    end = std::max(end, block->endTime());
  return end;
}

} // namespace

GridRunner::GridRunner(std::span<Grid *const> grids, const EmulatorOptions &options, uint32_t threads)
    : grids_(grids), grid_(*grids[0]), options_(options),
      blocks_(options.progress, "block", grid_.clusterCount() * grids.size() * grid_.clusterBlocks()) {
  total_ = grid_.clusterCount();
  bool together = grid_.program->communicates;
  threads_ = together ? 1 : static_cast<uint32_t>(std::min<uint64_t>(threads, total_ * grids_.size()));
  for (const Grid *each : grids_)
    placements_.emplace_back(*each);
}

void GridRunner::run(RunResult &result, EmulatorStatistics &statistics) {
  if (grid_.program->communicates)
    runTogether();
  else
    runApart();
  report(result);
  result.communicates = grid_.program->communicates;
  statistics.warpInstructions = executed_;
  statistics.cycles = cycles_;
  statistics.l2Bytes = sectors_ * cost::kSectorBytes;
  statistics.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  result.timeUs = static_cast<double>(cycles_) / 1000;
}

RacingReads GridRunner::racingReads() const {
  RacingReads all;
  for (const auto &shadow : shadows_)
    all.insert(shadow->racingReads->begin(), shadow->racingReads->end());
  return all;
}

RacingReads GridRunner::laneReads() const {
  RacingReads all;
  for (const auto &shadow : shadows_)
    all.insert(shadow->laneReads->begin(), shadow->laneReads->end());
  return all;
}

StaleReads GridRunner::staleReads() const {
  StaleReads all;
  for (const auto &shadow : shadows_)
    all.insert(shadow->staleReads->begin(), shadow->staleReads->end());
  return all;
}

std::vector<std::vector<ByteRange>> GridRunner::accessed() const {
  std::vector<std::vector<ByteRange>> out;
  for (size_t n = 0; n < grid_.copies && !shadows_.empty(); ++n) {
    const Region &region = grid_.regions[grid_.firstCopy + n];
    std::map<uint64_t, uint64_t> pages;
    for (const auto &shadow : shadows_)
      shadow->eachPage(region.shadow, [&](uint64_t begin, uint64_t end) { pages[begin] = end; });
    std::vector<ByteRange> &ranges = out.emplace_back();
    for (auto [begin, end] : pages)
      if (!ranges.empty() && ranges.back().second == begin)
        ranges.back().second = end;
      else
        ranges.emplace_back(begin, end);
    if (!ranges.empty())
      ranges.back().second = std::min(ranges.back().second, region.bytes);
  }
  return out;
}

GlobalTouches GridRunner::touches() const {
  GlobalTouches all;
  for (const auto &shadow : shadows_)
    all.add(*shadow);
  return all;
}

bool GridRunner::timeIsUp() {
  if (stopped_)
    return true;
  bool interrupted = (options_.interrupted && *options_.interrupted) || (grid_.causeFound && *grid_.causeFound);
  double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (options_.part)
    seconds += options_.part->secondsBefore;
  if (!interrupted && seconds <= options_.timeoutSeconds)
    return false;
  std::lock_guard lock(mutex_);
  if (!stopped_.exchange(true))
    interrupted_ = interrupted;
  placeFree_.notify_all();
  return true;
}

void GridRunner::gather(ClusterRun &cluster, uint64_t index, RunState state) {
  Outcome outcome;
  for (const auto &block : cluster.blocks) {
    if (!block->printed.empty())
      outcome.printed[uint64_t{block->grid->device} << 32 | block->linear] = std::move(block->printed);
    std::ranges::move(block->findings, std::back_inserter(outcome.findings));
    if (state == RunState::Running && outcome.places.size() < kMaxPlaces)
      std::ranges::move(whereWarpsAre(*block), std::back_inserter(outcome.places));
  }
  if (cluster.checker())
    outcome.late = cluster.checker()->phases.suspects();
  if (state == RunState::Faulted)
    outcome.fault = std::move(cluster.faulted()->fault);
  std::lock_guard lock(mutex_);
  equalWrites_ |= cluster.checker() && cluster.checker()->order.hasEqualWrites();
  discardable_ |= cluster.checker() && cluster.checker()->order.hasDiscardable();
  if (state == RunState::Finished) {
    ++finished_;
    blocks_.advance(cluster.blocks.size());
    lastEnd_ = std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  for (const auto &block : cluster.blocks)
    sectors_ += block->work.sectors;
  cycles_ = std::max(cycles_, endOf(cluster));
  if (!outcome.printed.empty() || !outcome.findings.empty() || outcome.fault || !outcome.late.all.empty() ||
      outcome.late.mayHaveCause || !outcome.places.empty())
    outcomes_[index] = std::move(outcome);
}

// --- blocks that cannot communicate ----------------------------------------------------------------------------------

bool GridRunner::runToEnd(ClusterRun &cluster, uint64_t index) {
  for (uint64_t quiet = 0;;) {
    uint64_t before = cluster.executed();
    RunState state = Turns::runApart(cluster, quiet);
    executed_ += cluster.executed() - before;
    if (state == RunState::Running && index < firstFault_ && !timeIsUp())
      continue;
    if (state == RunState::Running && index > firstFault_)
      return false;
    gather(cluster, index, state);
    if (state == RunState::Faulted)
      for (uint64_t first = firstFault_; index < first && !firstFault_.compare_exchange_weak(first, index);)
        ;
    return state == RunState::Finished;
  }
}

GlobalShadow *GridRunner::newShadow() {
  if (!grid_.checks)
    return nullptr;
  shadows_.push_back(std::make_unique<GlobalShadow>(grids_, threads_ == 1));
  shadows_.back()->racingReads.emplace();
  shadows_.back()->laneReads.emplace();
  shadows_.back()->staleReads.emplace();
  return shadows_.back().get();
}

void GridRunner::work(GlobalShadow *shadow, uint64_t end) {
  ClusterRun cluster;
  auto take = [&] {
    uint64_t index = next_;
    while (index < end && !next_.compare_exchange_weak(index, index + 1))
      ;
    return index;
  };
  for (uint64_t index = take(); index < end && index < firstFault_; index = take()) {
    uint64_t device = index / total_, own = index % total_, start = 0;
    Placement &placement = placements_[device];
    {
      std::unique_lock lock(mutex_);
      placeFree_.wait(lock, [&] { return placement.isNext(own) || stopped_ || firstFault_ < index; });
      if (!placement.isNext(own))
        return;
      start = placement.start(own);
    }
    std::vector<uint32_t> sms = placement.sms(own);
    cluster.begin(*grids_[device], own, sms, std::vector<uint64_t>(sms.size(), start), shadow);
    bool finished = runToEnd(cluster, index);
    {
      std::lock_guard lock(mutex_);
      if (shadow && shadow->suspicious)
        firstFault_ = std::min<uint64_t>(firstFault_, index); // clusters after this one need not run
      if (finished)
        cycles_ = std::max(cycles_, placement.end(own, cluster));
    }
    placeFree_.notify_all();
    if (timeIsUp())
      return;
  }
}

void GridRunner::runRound(uint64_t end) {
  std::vector<std::thread> others;
  for (uint32_t n = 1; n < threads_; ++n) {
    std::thread other; // if the system has no more threads, the running threads do this one's share
    if (startThread(other, [this, end, shadow = shadows_.empty() ? nullptr : shadows_[n].get()] { work(shadow, end); }))
      others.push_back(std::move(other));
  }
  work(shadows_.empty() ? nullptr : shadows_[0].get(), end);
  for (std::thread &other : others)
    other.join();
}

bool GridRunner::mayHaveRaced() const {
  for (size_t a = 0; a < shadows_.size(); ++a) {
    if (shadows_[a]->suspicious)
      return true;
    for (size_t b = 0; b < a; ++b)
      if (shadows_[a]->conflictsWith(*shadows_[b]))
        return true;
  }
  return false;
}

void GridRunner::runApart() {
  for (uint32_t n = 0; n < threads_; ++n)
    newShadow();
  bool watched = !shadows_.empty() && threads_ > 1;
  // Blocks that touch the same bytes usually do so from the start. If it is noticed then, little work is lost.
  uint64_t all = total_ * grids_.size();
  if (watched && all >= 2 * uint64_t(threads_)) {
    runRound(threads_);
    needsOrder_ = !stopped_ && mayHaveRaced();
  }
  if (!needsOrder_)
    runRound(all);
  needsOrder_ = watched && !stopped_ && (needsOrder_ || firstFault_ != UINT64_MAX || mayHaveRaced());
}

// --- blocks that may communicate -------------------------------------------------------------------------------------

void GridRunner::runTogether() {
  Turns turns(grids_, newShadow(), Schedule::of(options_.seed));
  for (uint64_t looked = 0; turns.more();) {
    Turns::Turn turn = turns.take();
    executed_ += turn.executed;
    cycles_ = std::max(cycles_, turn.end);
    if (turn.state == RunState::Faulted)
      firstFault_ = turn.index;
    if (turn.cluster && turn.state != RunState::Running)
      gather(*turn.cluster, turn.index, turn.state);
    if (turn.state == RunState::Faulted)
      return;
    if (executed_ - looked < kQuantum)
      continue;
    looked = executed_;
    if (timeIsUp()) {
      for (auto [cluster, index] : turns.resident())
        gather(*cluster, index, RunState::Running);
      return;
    }
  }
}

// --- the report ------------------------------------------------------------------------------------------------------

/// Returns a sentence that says how far the run came within its time limit.
std::string GridRunner::pastLimit() const {
  double now = std::chrono::duration<double>(Clock::now() - begin_).count();
  const uint64_t earlier = options_.part ? options_.part->first : 0;
  const uint64_t clusters = options_.part ? options_.part->clusters : total_ * grids_.size();
  const uint64_t each = grid_.clusterBlocks(), all = clusters * each;
  std::string out = text("the kernel did not end within the time limit of ", shortest(options_.timeoutSeconds),
                         " s (`--time-limit`): ", (earlier + finished_) * each, " of ", all,
                         all == 1 ? " block has ended" : " blocks have ended");
  bool stuck = now - lastEnd_ > now / 2; // no cluster has ended for a long time
  return stuck ? out + "; is there an endless loop?" : out;
}

void GridRunner::report(RunResult &result) {
  std::map<uint64_t, std::string> printed;
  std::vector<Note> places;
  Diagnostics leftOut;
  UnrolledFindings unrolled(grid_);
  for (auto &[index, outcome] : outcomes_) {
    if (index > firstFault_)
      break;
    for (auto &[block, words] : outcome.printed)
      printed[block] = std::move(words);
    for (Diagnostic &finding : outcome.findings) {
      auto same = [&](const Diagnostic &d) {
        return d.kind == finding.kind && d.span.begin == finding.span.begin && d.span.source == finding.span.source;
      };
      if (std::ranges::any_of(result.diagnostics, same) || std::ranges::any_of(leftOut, same) ||
          unrolled.take(result.diagnostics, finding))
        continue;
      (result.diagnostics.size() < kMaxFindings ? result.diagnostics : leftOut).push_back(std::move(finding));
    }
    lateSuspects_.more |= outcome.late.more;
    lateSuspects_.mayHaveCause |= outcome.late.mayHaveCause;
    if (!lateSuspects_.cause)
      lateSuspects_.cause = std::move(outcome.late.cause);
    for (LateSuspect &suspect : outcome.late.all) {
      auto same = [&](const LateSuspect &other) {
        return other.finding.kind == suspect.finding.kind && other.finding.span.begin == suspect.finding.span.begin &&
               other.late.warp == suspect.late.warp;
      };
      if (std::ranges::any_of(lateSuspects_.all, same))
        continue;
      if (lateSuspects_.all.size() < kMaxFindings)
        lateSuspects_.all.push_back(std::move(suspect));
      else
        lateSuspects_.more = true;
    }
    if (outcome.fault)
      result.diagnostics.push_back(std::move(*outcome.fault));
    if (places.size() < kMaxPlaces)
      std::ranges::move(outcome.places, std::back_inserter(places));
  }
  unrolled.addNotes(result.diagnostics);
  if (!leftOut.empty())
    result.diagnostics.push_back({Severity::Warning,
                                  "findings-left-out",
                                  leftOut.front().span,
                                  text("the findings of ", leftOut.size(), leftOut.size() == 1 ? " place" : " places",
                                       " more are left out, from this one on"),
                                  {}});
  for (auto &[block, words] : printed)
    result.printed += words;
  if (!stopped_ || firstFault_ != UINT64_MAX)
    return;
  Diagnostic diagnostic;
  diagnostic.kind = interrupted_ ? "interrupted" : "timeout";
  diagnostic.message = interrupted_ ? text("the kernel was interrupted") : pastLimit();
  diagnostic.notes = std::move(places);
  if (!diagnostic.notes.empty())
    diagnostic.span = diagnostic.notes.front().span;
  result.diagnostics.push_back(std::move(diagnostic));
}

} // namespace lanescope::core::emulator
