// Runs a cluster: its blocks side by side, and their checker.
//
//   ClusterRun cluster;
//   cluster.begin(grid, index, sms, starts, shadow);     // index counts the device's clusters, x fastest
//   while (cluster.run(budget) == RunState::Running) …
//
// The schedule follows time: the block with the earliest next event runs until the time of the second block's next
// event. An effect on another block (an arrival, a copy, a store) becomes visible there at that block's current time or
// later.
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

  /// `sms`, `starts`: the SM and the first cycle of each block. `shadow`: the shadow of global memory, for the checker.
  /// A null `shadow` turns the checker off.
  void begin(Grid &grid, uint64_t index, std::span<const uint32_t> sms, std::span<const uint64_t> starts,
             GlobalShadow *shadow);
  /// Runs the cluster. Returns when the cluster ends, faults or has executed `budget` more warp instructions, or when
  /// its next event is later than `horizon`. `single`: runs one instruction of one warp at a time.
  RunState run(uint64_t budget, bool single = false, uint64_t horizon = UINT64_MAX);
  /// The time of the next event that needs no outside cause; UINT64_MAX if there is none.
  uint64_t nextTime() const;
  /// Gets each step; may be null.
  StepWatch *watch = nullptr;
  /// The state of run(), apart from the cluster and its checker.
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
  /// Null if nothing is checked.
  Checker *checker() const { return checker_.get(); }
  bool finished(uint32_t rank) const { return finished_[rank]; }
  /// Ends a cluster that cannot go on, for runs that continue after faults. The fault becomes a finding, and operations
  /// in flight finish. Returns false if the run ends.
  bool endStuck();
  /// Makes waits with a time limit answer "not yet". Returns false if there are none.
  bool answerTimedWaits();
  /// True if lanes wait at meeting points for other lanes of their warps.
  bool holdsLanes() const;
  /// Lets these lanes go on without the others (sync/Divergence.h). Returns false if there are none.
  bool letLanesGo();

private:
  bool releaseTimedWaits();

  std::unique_ptr<Checker> checker_;
  uint64_t effectsSeen_ = 0;
  uint32_t idleRounds_ = 0;
  std::vector<bool> finished_;
};

} // namespace lanescope::core::emulator
