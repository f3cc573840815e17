// Runs a cluster: its blocks side by side, with the checker that watches them.
//
//   ClusterRun cluster;
//   cluster.begin(grid, index, sms, starts, shadow);     // index counts the device's clusters, x fastest
//   while (cluster.run(budget) == RunState::Running) …
//
// Scheduling goes by time: the block whose next event is the earliest runs until the second's. What a block does to
// another (an arrival, a copy, a store) is seen there at the other's time or later.
#pragma once

#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/schedule/BlockRun.h"

#include <memory>
#include <span>
#include <vector>

namespace lanescope::core::emulator {

class GlobalShadow;

class ClusterRun : public Cluster {
public:
  ClusterRun();
  ~ClusterRun();

  /// `sms`, `starts`: SM and first cycle per block. `shadow`: of global memory, for the checker; null: nothing is
  /// checked.
  void begin(Grid &grid, uint64_t index, std::span<const uint32_t> sms, std::span<const uint64_t> starts,
             GlobalShadow *shadow);
  /// Runs until the cluster ends, faults or has executed `budget` more warp instructions, or its next event is later
  /// than `horizon`. `single`: an instruction of one warp at a time.
  RunState run(uint64_t budget, bool single = false, uint64_t horizon = UINT64_MAX);
  /// When something happens next by itself; UINT64_MAX: never.
  uint64_t nextTime() const;
  /// Is told of each step; null: nobody is.
  StepWatch *watch = nullptr;
  /// What run() keeps beside the cluster and its checker.
  struct Progress {
    uint64_t effectsSeen = 0;
    uint32_t idleRounds = 0;
    std::vector<bool> finished = {};
  };
  Progress progress() const { return {effectsSeen_, idleRounds_, finished_}; }
  void restore(const Progress &progress) {
    effectsSeen_ = progress.effectsSeen;
    idleRounds_ = progress.idleRounds;
    finished_ = progress.finished;
  }
  /// Null: nothing is checked.
  Checker *checker() const { return checker_.get(); }
  bool finished(uint32_t rank) const { return finished_[rank]; }
  /// Ends a cluster that cannot go on, where runs go on after faults: the fault is a finding, and what is in flight
  /// lands. False: the run ends.
  bool endStuck();
  /// Waits with a time limit answer "not yet"; false when there is none.
  bool answerTimedWaits();
  /// Whether lanes wait at meeting points for others of their warps.
  bool holdsLanes() const;
  /// They go on (sync/Divergence.h); false when there are none.
  bool letLanesGo();

private:
  bool releaseTimedWaits();

  std::unique_ptr<Checker> checker_;
  uint64_t effectsSeen_ = 0;
  uint32_t idleRounds_ = 0;
  std::vector<bool> finished_;
};

} // namespace lanescope::core::emulator
