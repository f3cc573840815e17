#include "core/gpu/emulator/schedule/Cluster.h"

#include "core/gpu/emulator/check/Checks.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/schedule/Deadlock.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kSlack = 48;      // cycles a block may run ahead of the cluster's others
constexpr uint64_t kWindow = 512;    // cycles after which it is looked again at who is first
constexpr uint32_t kIdleRounds = 64; // answers "not yet" that change nothing before a wait counts as stuck

} // namespace

void Cluster::begin(Grid &theGrid, uint64_t index, std::span<const uint32_t> sms, std::span<const uint64_t> starts,
                    GlobalShadow *shadow) {
  grid = &theGrid;
  std::array<uint32_t, 3> first{};
  uint64_t rest = index;
  for (size_t n = 0; n < 3; ++n) {
    uint32_t count = grid->size[n] / grid->cluster[n];
    first[n] = static_cast<uint32_t>(rest % count) * grid->cluster[n];
    rest /= count;
  }
  if (blocks.size() != sms.size())
    blocks.clear();
  blocks.resize(sms.size());
  finished_.assign(blocks.size(), false);
  open = false;
  lastArrival = released = 0;
  firstArrival = nullptr;
  effectsSeen_ = idleRounds_ = 0;
  for (uint32_t rank = 0; rank < blocks.size(); ++rank) {
    if (!blocks[rank])
      blocks[rank] = std::make_unique<Block>();
    std::array<uint32_t, 3> id = first;
    id[0] += rank % grid->cluster[0];
    id[1] += rank / grid->cluster[0] % grid->cluster[1];
    id[2] += rank / grid->cluster[0] / grid->cluster[1];
    blocks[rank]->begin(*this, rank, id, sms[rank], starts[rank]);
  }
  const Block &any = *blocks[0];
  std::shared_ptr<Checker> checks = any.checks;
  if (!shadow)
    checks.reset();
  else if (!checks)
    checks = std::make_shared<Checker>();
  if (checks)
    checks->begin(*grid, *shadow, static_cast<uint32_t>(index), static_cast<uint32_t>(blocks.size()),
                  static_cast<uint32_t>(any.warps.size()), static_cast<uint32_t>(any.shared.size()));
  for (const auto &block : blocks)
    block->checks = checks;
}

uint64_t Cluster::executed() const {
  uint64_t sum = 0;
  for (const auto &block : blocks)
    sum += block->executed;
  return sum;
}

uint64_t Cluster::effects() const {
  uint64_t sum = 0;
  for (const auto &block : blocks)
    sum += block->effects;
  return sum;
}

Block *Cluster::faulted() const {
  for (const auto &block : blocks)
    if (block->fault)
      return block.get();
  return nullptr;
}

bool Cluster::answerTimedWaits() {
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

/// Nothing can happen by itself. When waits with a time limit that answer "not yet" change nothing, it is a deadlock.
bool Cluster::releaseTimedWaits() {
  if (effects() != effectsSeen_) {
    effectsSeen_ = effects();
    idleRounds_ = 0;
  }
  return ++idleRounds_ <= kIdleRounds && answerTimedWaits();
}

RunState Cluster::run(uint64_t budget, bool single) {
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
      if (blocks[0]->checks)
        blocks[0]->fault = blocks[0]->checks->takeUnwritten();
      return blocks[0]->fault ? RunState::Faulted : RunState::Finished;
    }
    if (!next) {
      if (releaseTimedWaits())
        continue;
      reportDeadlock(*this);
      return RunState::Faulted;
    }
    uint64_t done = executed();
    if (done >= limit)
      return RunState::Running;
    uint64_t until = single ? first : blocks.size() == 1 ? UINT64_MAX : std::min(second, first + kWindow) + kSlack;
    switch (next->run(limit - done, until)) {
    case RunState::Faulted: return RunState::Faulted;
    case RunState::Finished: finished_[next->clusterRank] = true; break;
    default: break;
    }
  }
}

void Cluster::releaseIfComplete() {
  if (!open)
    return;
  for (const auto &block : blocks)
    for (const Warp &warp : block->warps)
      if (warp.live & ~warp.clusterArrived)
        return;
  open = false;
  if (blocks[0]->checks)
    blocks[0]->checks->clusterDone();
  released = lastArrival + cost::kBarrier;
  for (const auto &block : blocks) {
    ++block->effects;
    for (Warp &warp : block->warps) {
      warp.clusterArrived = 0;
      for (Split &split : warp.splits)
        if (split.state == SplitState::AtCluster) {
          split.state = SplitState::Ready;
          warp.runnable = true;
        }
    }
  }
}

Block *blockOfRank(const Block &block, uint32_t rank) {
  return rank < block.cluster->blocks.size() ? block.cluster->blocks[rank].get() : nullptr;
}

} // namespace lanescope::core::emulator
