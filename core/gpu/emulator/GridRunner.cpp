#include "core/gpu/emulator/GridRunner.h"

#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/schedule/Deadlock.h"
#include "core/gpu/emulator/schedule/SpinWatch.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>
#include <thread>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kQuantum = 1 << 20; // warp instructions of a cluster between looks at the clock
constexpr uint64_t kTurn = 1 << 16;    // and before another one gets its turn
constexpr size_t kMaxFindings = 20, kMaxPlaces = 16;

uint64_t endOf(const Cluster &cluster) {
  uint64_t end = 0;
  for (const auto &block : cluster.blocks)
    end = std::max(end, block->endTime());
  return end;
}

} // namespace

GridRunner::GridRunner(Grid &grid, const EmulatorOptions &options, uint32_t threads) : grid_(grid), options_(options) {
  clusterSize_ = static_cast<uint64_t>(grid.cluster[0]) * grid.cluster[1] * grid.cluster[2];
  total_ = grid.clusterCount();
  bool together = grid.program->communicates;
  threads_ = together ? 1 : static_cast<uint32_t>(std::min<uint64_t>(threads, total_));
  slots_ = smCount() / clusterSize_;
  slotEnd_.assign(slots_, 0);
  slotRuns_.assign(slots_, 0);
}

void GridRunner::run(RunResult &result, EmulatorStatistics &statistics) {
  if (grid_.program->communicates)
    runTogether();
  else
    runApart();
  report(result);
  statistics.warpInstructions = executed_;
  statistics.cycles = cycles_;
  statistics.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  result.timeUs = static_cast<double>(cycles_) / 1000;
}

bool GridRunner::timeIsUp() {
  if (stopped_)
    return true;
  bool interrupted = options_.interrupted && *options_.interrupted;
  double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (!interrupted && seconds <= options_.timeoutSeconds)
    return false;
  std::scoped_lock lock(mutex_);
  if (!stopped_.exchange(true))
    interrupted_ = interrupted;
  slotFree_.notify_all();
  return true;
}

void GridRunner::gather(ClusterRun &cluster, uint64_t index, RunState state) {
  Outcome outcome;
  for (const auto &block : cluster.blocks) {
    if (!block->printed.empty())
      outcome.printed[block->linear] = std::move(block->printed);
    std::ranges::move(block->findings, std::back_inserter(outcome.findings));
    if (state == RunState::Running && outcome.places.size() < kMaxPlaces)
      std::ranges::move(whereWarpsAre(*block), std::back_inserter(outcome.places));
  }
  if (state == RunState::Faulted)
    outcome.fault = std::move(cluster.faulted()->fault);
  std::scoped_lock lock(mutex_);
  cycles_ = std::max(cycles_, endOf(cluster));
  if (!outcome.printed.empty() || !outcome.findings.empty() || outcome.fault || !outcome.places.empty())
    outcomes_[index] = std::move(outcome);
}

// --- blocks that cannot talk to each other ---------------------------------------------------------------------------

bool GridRunner::runToEnd(ClusterRun &cluster, uint64_t index) {
  for (uint64_t quiet = 0;;) {
    uint64_t before = cluster.executed(), effects = cluster.effects();
    RunState state = cluster.run(kQuantum);
    quiet = cluster.effects() == effects ? quiet + 1 : 0;
    if (state == RunState::Running && std::has_single_bit(quiet)) {
      ClusterRun *const alone = &cluster;
      state = watched({&alone, 1});
    }
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

/// Clusters that have run for long without any effect: whether one of them can ever have one.
RunState GridRunner::watched(std::span<ClusterRun *const> clusters) {
  SpinWatch watch;
  for (ClusterRun *cluster : clusters)
    if (RunState state = watch.add(*cluster); state != RunState::Waiting)
      return state;
  if (!watch.circles())
    return RunState::Running;
  watch.report();
  return RunState::Faulted;
}

GlobalShadow *GridRunner::newShadow() {
  if (!grid_.checks)
    return nullptr;
  shadows_.push_back(std::make_unique<GlobalShadow>(grid_, threads_ == 1));
  return shadows_.back().get();
}

void GridRunner::work(GlobalShadow *shadow, uint64_t end) {
  ClusterRun cluster;
  std::vector<uint32_t> sms(clusterSize_);
  auto take = [&] {
    uint64_t index = next_;
    while (index < end && !next_.compare_exchange_weak(index, index + 1))
      ;
    return index;
  };
  for (uint64_t index = take(); index < end && index < firstFault_; index = take()) {
    uint64_t slot = index % slots_, start = 0;
    {
      std::unique_lock lock(mutex_);
      slotFree_.wait(lock, [&] { return slotRuns_[slot] == index / slots_ || stopped_ || firstFault_ < index; });
      if (slotRuns_[slot] != index / slots_)
        return;
      start = slotEnd_[slot] + cost::kBlockStart;
    }
    for (uint64_t rank = 0; rank < clusterSize_; ++rank)
      sms[rank] = static_cast<uint32_t>(slot * clusterSize_ + rank);
    cluster.begin(grid_, index, sms, std::vector<uint64_t>(clusterSize_, start), shadow);
    bool finished = runToEnd(cluster, index);
    {
      std::scoped_lock lock(mutex_);
      if (shadow && shadow->suspicious)
        firstFault_ = std::min<uint64_t>(firstFault_, index); // the rest is in vain
      if (finished) {
        slotEnd_[slot] = endOf(cluster);
        ++slotRuns_[slot];
      }
    }
    slotFree_.notify_all();
    if (timeIsUp())
      return;
  }
}

void GridRunner::runRound(uint64_t end) {
  std::vector<std::thread> others;
  for (uint32_t n = 1; n < threads_; ++n)
    others.emplace_back([this, end, shadow = shadows_.empty() ? nullptr : shadows_[n].get()] { work(shadow, end); });
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
  // Blocks that touch the same bytes mostly do so from the first on, and little is lost when that is noticed then.
  if (watched && total_ >= 2 * uint64_t(threads_)) {
    runRound(threads_);
    needsOrder_ = !stopped_ && mayHaveRaced();
  }
  if (!needsOrder_)
    runRound(total_);
  needsOrder_ = watched && !stopped_ && (needsOrder_ || firstFault_ != UINT64_MAX || mayHaveRaced());
}

// --- blocks that may -------------------------------------------------------------------------------------------------

void GridRunner::runTogether() {
  struct Resident {
    std::unique_ptr<ClusterRun> cluster;
    uint64_t index = 0;
  };
  std::vector<Resident> resident;
  std::vector<std::unique_ptr<ClusterRun>> idle;
  std::vector<uint64_t> free(smCount(), 0);
  std::vector<bool> busy(smCount());
  uint64_t looked = 0;
  uint64_t &next = grid_.nextCluster = 0;
  uint64_t quiet = 0; // turns of all clusters in which nothing has happened
  GlobalShadow *shadow = newShadow();
  // The SMs that are free first; all of a cluster's blocks start when the last of them is free.
  auto start = [&] {
    std::vector<uint32_t> sms;
    uint64_t begin = 0;
    for (uint64_t rank = 0; rank < clusterSize_; ++rank) {
      uint32_t sm = kNone;
      for (uint32_t n = 0; n < smCount(); ++n)
        if (!busy[n] && (sm == kNone || free[n] < free[sm]))
          sm = n;
      busy[sm] = true;
      begin = std::max(begin, free[sm] + cost::kBlockStart);
      sms.push_back(sm);
    }
    std::unique_ptr<ClusterRun> cluster;
    if (idle.empty()) {
      cluster = std::make_unique<ClusterRun>();
    } else {
      cluster = std::move(idle.back());
      idle.pop_back();
    }
    cluster->begin(grid_, next, sms, std::vector<uint64_t>(clusterSize_, begin), shadow);
    resident.push_back({std::move(cluster), next++});
  };
  while (next < total_ || !resident.empty()) {
    // Most clusters end in their first turn. When those that are here do not, they may wait for others: twice as many.
    // Clusters that take over others find those that the machine has no room for, as on the hardware; with a seed, as
    // many as there are so that kernels meet both answers.
    size_t most = grid_.program->cancelsClusters && !grid_.seed ? total_ : resident.size() + 1;
    for (size_t more = most; more > 0 && next < total_; --more)
      if ((resident.size() + 1) * clusterSize_ <= smCount())
        start();
    auto effects = [&] {
      uint64_t sum = 0;
      for (const Resident &one : resident)
        sum += one.cluster->effects();
      return sum;
    };
    uint64_t begun = next, present = resident.size(), before = effects();
    for (size_t n = 0; n < resident.size();) {
      ClusterRun &cluster = *resident[n].cluster;
      uint64_t before = cluster.executed();
      RunState state = cluster.run(kTurn);
      executed_ += cluster.executed() - before;
      if (state == RunState::Faulted) {
        firstFault_ = resident[n].index;
        gather(cluster, resident[n].index, state);
        return;
      }
      if (state == RunState::Finished) {
        gather(cluster, resident[n].index, state);
        for (const auto &block : cluster.blocks) {
          free[block->sm] = block->endTime();
          busy[block->sm] = false;
        }
        idle.push_back(std::move(resident[n].cluster));
        resident.erase(resident.begin() + static_cast<long>(n));
      } else {
        ++n;
      }
      if (executed_ - looked >= kQuantum / 4) {
        looked = executed_;
        if (timeIsUp()) {
          for (const Resident &left : resident)
            gather(*left.cluster, left.index, RunState::Running);
          return;
        }
      }
    }
    // Those that are here may wait for what only a cluster that has yet to start would do.
    bool still = next == total_ && begun == next && resident.size() == present && !resident.empty();
    quiet = still && effects() == before ? quiet + 1 : 0;
    if (!std::has_single_bit(quiet))
      continue;
    std::vector<ClusterRun *> clusters;
    for (const Resident &one : resident)
      clusters.push_back(one.cluster.get());
    if (watched(clusters) != RunState::Faulted)
      continue;
    for (const Resident &one : resident)
      if (one.cluster->faulted()) {
        firstFault_ = one.index;
        gather(*one.cluster, one.index, RunState::Faulted);
        return;
      }
  }
}

// --- the report ------------------------------------------------------------------------------------------------------

void GridRunner::report(RunResult &result) {
  std::map<uint32_t, std::string> printed;
  std::vector<Note> places;
  Diagnostics leftOut;
  for (auto &[index, outcome] : outcomes_) {
    if (index > firstFault_)
      break;
    for (auto &[block, words] : outcome.printed)
      printed[block] = std::move(words);
    for (Diagnostic &finding : outcome.findings) {
      auto same = [&](const Diagnostic &d) {
        return d.kind == finding.kind && d.span.begin == finding.span.begin && d.span.source == finding.span.source;
      };
      if (std::ranges::any_of(result.diagnostics, same) || std::ranges::any_of(leftOut, same))
        continue;
      (result.diagnostics.size() < kMaxFindings ? result.diagnostics : leftOut).push_back(std::move(finding));
    }
    if (outcome.fault)
      result.diagnostics.push_back(std::move(*outcome.fault));
    if (places.size() < kMaxPlaces)
      std::ranges::move(outcome.places, std::back_inserter(places));
  }
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
  diagnostic.message = interrupted_
                           ? text("the kernel was interrupted")
                           : text("the kernel did not end within ", static_cast<int64_t>(options_.timeoutSeconds),
                                  " s on the emulator; is there an endless loop?");
  diagnostic.notes = std::move(places);
  if (!diagnostic.notes.empty())
    diagnostic.span = diagnostic.notes.front().span;
  result.diagnostics.push_back(std::move(diagnostic));
}

} // namespace lanescope::core::emulator
