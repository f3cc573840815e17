#include "core/gpu/emulator/schedule/ClusterRun.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/schedule/Deadlock.h"
#include "core/gpu/emulator/sync/Divergence.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kBlockSlack = 48; // cycles that a block may run ahead of the cluster's other blocks
constexpr uint64_t kWindow = 512;    // cycles until the earliest block is determined again
constexpr uint32_t kIdleRounds = 64; // a wait counts as stuck after this many answers "not yet" without any effect

} // namespace

ClusterRun::ClusterRun() = default;
ClusterRun::~ClusterRun() = default;

void ClusterRun::begin(Grid &theGrid, uint64_t index, std::span<const uint32_t> sms, std::span<const uint64_t> starts,
                       GlobalShadow *shadow) {
  Cluster::begin(theGrid, index, sms, starts);
  finished_.assign(blocks.size(), false);
  effectsSeen_ = idleRounds_ = 0;
  if (!shadow)
    checker_.reset();
  else if (!checker_)
    checker_ = std::make_unique<Checker>();
  const Block &any = *blocks[0];
  if (checker_)
    checker_->begin(*grid, *shadow, static_cast<uint32_t>(grid->device * grid->clusterCount() + index),
                    static_cast<uint32_t>(blocks.size()), static_cast<uint32_t>(any.warps.size()),
                    static_cast<uint32_t>(any.shared.size()));
  for (const auto &block : blocks)
    block->checks = checker_.get();
}

bool ClusterRun::answerTimedWaits() {
  bool any = false;
  for (const auto &block : blocks)
    for (Warp &warp : block->warps)
      for (Split &split : warp.splits)
        if (split.state == SplitState::AtMbarrier) {
          split.state = SplitState::Ready;
          split.timedOut = true;
          warp.time += cost::kTryWaitTimeout;
          warp.runnable = any = true;
        }
  return any;
}

bool ClusterRun::holdsLanes() const {
  return std::ranges::any_of(blocks,
                             [](const auto &block) { return std::ranges::any_of(block->warps, emulator::holdsLanes); });
}

bool ClusterRun::letLanesGo() {
  bool any = false;
  for (const auto &block : blocks)
    for (Warp &warp : block->warps)
      any = emulator::letLanesGo(warp) || any;
  return any;
}

/// Call this when nothing can happen by itself. Makes waits with a time limit answer "not yet". Returns false if there
/// are none, or if such answers have had no effect for kIdleRounds rounds: this is a deadlock.
bool ClusterRun::releaseTimedWaits() {
  if (effects() != effectsSeen_) {
    effectsSeen_ = effects();
    idleRounds_ = 0;
  }
  return ++idleRounds_ <= kIdleRounds && answerTimedWaits();
}

bool ClusterRun::endStuck() {
  if (!grid->keepGoing)
    return false;
  for (size_t rank = 0; rank < blocks.size(); ++rank) {
    if (blocks[rank]->fault && !goesOnAfterFault(*blocks[rank]))
      return false;
    if (!finished_[rank] && !finishBlock(*blocks[rank]))
      return false;
    finished_[rank] = true;
  }
  return true;
}

uint64_t ClusterRun::nextTime() const {
  uint64_t next = UINT64_MAX;
  for (size_t rank = 0; rank < blocks.size(); ++rank)
    if (!finished_[rank])
      next = std::min(next, blocks[rank]->nextTime());
  return next;
}

RunState ClusterRun::run(uint64_t budget, bool single, uint64_t horizon) {
  uint64_t limit = executed() + budget;
  for (;;) {
    Block *next = nullptr;
    uint64_t first = UINT64_MAX, second = UINT64_MAX;
    bool all = true;
    for (size_t rank = 0; rank < blocks.size(); ++rank) {
      if (finished_[rank])
        continue;
      all = false;
      uint64_t time = blocks[rank]->nextTime();
      if (time < first) {
        second = first;
        first = time;
        next = blocks[rank].get();
      } else {
        second = std::min(second, time);
      }
    }
    if (all) {
      if (checker_)
        for (std::optional<Diagnostic> finding :
             {checker_->shared.takeUnwritten(), checker_->tensor.takeUnwritten(), checker_->shared.takeUnread()})
          if (finding)
            blocks[0]->findings.push_back(std::move(*finding));
      return RunState::Finished;
    }
    if (!next) {
      if (releaseTimedWaits() || letLanesGo())
        continue;
      reportDeadlock(*this);
      if (endStuck())
        continue;
      return RunState::Faulted;
    }
    uint64_t done = executed();
    if (done >= limit || first > horizon)
      return RunState::Running;
    uint64_t until = single ? first : blocks.size() == 1 ? UINT64_MAX : std::min(second, first + kWindow) + kBlockSlack;
    until = std::min(until, horizon);
    switch (runBlock(*next, limit - done, until, watch)) {
    case RunState::Faulted: return RunState::Faulted;
    case RunState::Abandoned: return RunState::Abandoned;
    case RunState::Finished: finished_[next->clusterRank] = true; break;
    default: break;
    }
  }
}

} // namespace lanescope::core::emulator
