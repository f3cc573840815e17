// Runs a grid's clusters, on one device or on several side by side. Collects their results and findings.
//
// A kernel whose blocks cannot communicate (Program::communicates is false) runs on all cores. A cluster's place and
// its start time depend only on the earlier clusters on its SMs (schedule/ClusterPlacement.h). So times and values do
// not depend on the host: the result, the reports and the trace are the same with 1 thread and with 100. After a fault,
// clusters with a higher index stop, clusters with a lower index finish, and the fault with the lowest index is
// reported.
//
// A kernel with atomics, reductions, strong accesses or fences on global memory runs on one thread. Clusters run in
// turns, so that blocks may wait for each other and sums of floats have one order. With several devices, all clusters
// that fit start at once, and the turns are short and ordered by time.
//
// Accesses of such independent clusters to the same bytes of global memory are checked on one thread only. If several
// threads run, they only notice such accesses. The grid must then run again in order, so that the report does not
// depend on the number of threads.
//
//   GridRunner runner(grids, options, threads);  // a grid per device, of one program
//   runner.run(result, statistics);
//   if (runner.needsOrder()) …                   // again from the start, with one thread
#pragma once

#include "core/data/Progress.h"
#include "core/gpu/emulator/check/GlobalShadow.h"
#include "core/gpu/emulator/check/GlobalTouches.h"
#include "core/gpu/emulator/check/LateWarps.h"
#include "core/gpu/emulator/costs/RunRecord.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/schedule/ClusterPlacement.h"
#include "core/gpu/emulator/schedule/ClusterRun.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

namespace lanescope::core::emulator {

class GridRunner {
public:
  GridRunner(std::span<Grid *const> grids, const EmulatorOptions &options, uint32_t threads);
  /// True if several threads ran, and clusters may have raced or a cluster has faulted.
  bool needsOrder() const { return needsOrder_; }
  void run(RunResult &result, EmulatorStatistics &statistics);
  /// Loads that race with a store of their own cluster; each has a finding.
  RacingReads racingReads() const;
  /// Loads that race with a store of another lane of their warp, which executes in step with the load.
  RacingReads laneReads() const;
  /// Strong loads that may return an older value.
  StaleReads staleReads() const;
  /// True if the checker let an unordered write pass because it left the bytes as they were.
  bool equalWrites() const { return equalWrites_; }
  /// True if lanes in step race at a load whose value each use may discard (check/DiscardedValues.h).
  bool discardable() const { return discardable_; }
  /// The pages of each array of a single device that the kernel accessed. Empty if nothing is checked.
  std::vector<std::vector<ByteRange>> accessed() const;
  /// The granules of global memory that the clusters read and wrote. Empty if nothing is checked.
  GlobalTouches touches() const;
  /// Warps whose lateness may break the kernel. For each finding, this is the warp of the first cluster.
  const LateSuspects &lateSuspects() const { return lateSuspects_; }

private:
  using Clock = std::chrono::steady_clock;
  /// The output and findings of a cluster. It is kept only if the cluster has any.
  struct Outcome {
    std::map<uint64_t, std::string> printed; // by device and block
    Diagnostics findings;
    std::optional<Diagnostic> fault;
    LateSuspects late;
    std::vector<Note> places; // the places of its warps when the run was stopped
  };

  void runApart();
  /// Runs the clusters before `end` that no thread has taken yet, on all threads.
  void runRound(uint64_t end);
  void work(GlobalShadow *shadow, uint64_t end);
  bool mayHaveRaced() const;
  GlobalShadow *newShadow();
  void runTogether();
  /// Runs one cluster to its end. Returns false if the whole run has to stop.
  bool runToEnd(ClusterRun &cluster, uint64_t index);
  void gather(ClusterRun &cluster, uint64_t index, RunState state);
  bool timeIsUp();
  void report(RunResult &result);
  std::string pastLimit() const;

  std::span<Grid *const> grids_;
  Grid &grid_; // the grid of the first device; all shared settings are read from it
  const EmulatorOptions &options_;
  uint32_t threads_ = 1;
  bool needsOrder_ = false;
  std::vector<std::unique_ptr<GlobalShadow>> shadows_; // one per thread
  uint64_t total_ = 1;                                 // clusters per device
  Clock::time_point begin_ = Clock::now();
  std::atomic<uint64_t> next_{0}, firstFault_{UINT64_MAX}, executed_{0};
  std::atomic<bool> stopped_{false};
  bool interrupted_ = false;
  bool equalWrites_ = false, discardable_ = false;
  std::mutex mutex_;
  std::condition_variable placeFree_;
  std::vector<Placement> placements_; // one per device
  std::map<uint64_t, Outcome> outcomes_;
  LateSuspects lateSuspects_;
  uint64_t cycles_ = 0, sectors_ = 0;
  ProgressStep blocks_;
  uint64_t finished_ = 0; // number of clusters that have finished
  double lastEnd_ = 0;    // when the last cluster ended, in seconds since begin_
};

} // namespace lanescope::core::emulator
