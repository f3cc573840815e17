// A run that can stop at any moment and go back to any moment. It consists of the emulator on its own thread, which can
// wait in the middle of a turn, and of snapshots from which the emulator runs again. Without a thread, a stop leaves
// the turn, and going on repeats the run from the last snapshot up to the stop.
//
//   Machine machine(...);
//   machine.go(marks, decide);          // until decide(step) is true, a fault, or the end
//   machine.rewind(1000);               // stops at the last snapshot at or before moment 1000
//
// While the machine is stopped, its state may be read. Snapshots are taken between turns, when the run since the last
// snapshot has taken many times as long as a snapshot. Above the memory limit, the least useful snapshots are dropped.
#pragma once

#include "core/data/MemoryReserve.h"
#include "core/gpu/emulator/debug/Debugger.h"
#include "core/gpu/emulator/debug/RunSnapshot.h"
#include "core/gpu/emulator/LaunchImage.h"
#include "core/gpu/emulator/PreparedRun.h"
#include "core/gpu/emulator/replay/Replay.h"
#include "core/gpu/emulator/schedule/StepWatch.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace lanescope::core::emulator {

/// A block's number over all devices.
inline uint32_t numberOf(const Block &block) {
  const Grid &grid = *block.grid;
  return grid.device * grid.size[0] * grid.size[1] * grid.size[2] + block.linear;
}

/// The steps at which Decide is called. If `every` is set, these are all steps.
struct Marks {
  std::vector<uint8_t> pcs; // by pc; empty: no instructions
  bool landings = false, every = false;
  uint64_t from = UINT64_MAX; // also all moments from here on
};

class Machine final : private StepWatch {
public:
  /// Called before the step happens. Returns true to stop there. It must only read the state.
  using Decide = std::function<bool(const Step &)>;
  enum class Standing : uint8_t {
    Between, // between turns; the next step is not known yet
    AtStep,
    Ended,
    Faulted, // fault() has the cause
  };

  static Result<std::unique_ptr<Machine>> open(const SourceRef &ptx, const Launch &launch,
                                               std::span<const Array> arrays, const DebugOptions &options);
  ~Machine();

  /// Runs on from the current moment. A call may also end because of interrupt() or the time limit. limited() is true
  /// then.
  Standing go(const Marks &marks, Decide decide);
  /// Goes back to the last snapshot at or before `moment`. The machine is between turns then.
  void rewind(uint64_t moment);
  void interrupt() { interrupted_ = true; }
  bool limited() const { return limited_; }
  /// Starts a time limit.
  void begin();

  Standing standing() const { return standing_; }
  uint64_t moment() const { return StepWatch::moment; }
  const Step *at() const { return standing_ == Standing::AtStep ? &*step_ : nullptr; }
  /// The fault that led to Standing::Faulted.
  const Diagnostic &fault() const { return *fault_; }
  /// The last snapshot at or before the moment. There is always one at moment 0.
  uint64_t snapshotBefore(uint64_t moment) const { return std::prev(snapshots_.upper_bound(moment))->first; }

  /// The moments in ascending order.
  std::vector<uint64_t> snapshotMoments() const;
  /// True if the cluster, numbered over all devices, has begun. It may also have ended.
  bool hasBegun(uint64_t cluster) const {
    uint64_t each = grid().clusterCount();
    return cluster % each < turns_->state().devices[cluster / each].next;
  }

  const Program &program() const { return run_->program; }
  const PreparedRun &prepared() const { return *run_; }
  const Launch &launch() const { return launch_; }
  /// A device's grid. Sizes and the program are the same on all devices.
  const Grid &grid(uint32_t device = 0) const { return devices_[device]; }
  const LaunchImage &image() const { return image_; }
  std::vector<std::pair<ClusterRun *, uint64_t>> resident() const { return turns_->resident(); }
  const Leavings &leavings() const { return leavings_; }
  Debugger::Checkpoints checkpoints() const;

private:
  enum class Command : uint8_t { None, Go, Leave, Quit };

  Machine(const Launch &launch, const DebugOptions &options) : options_(options), launch_(launch) {}
  bool reached(const Step &step) override;
  void work();
  Standing runTurns();
  bool hasThread() const { return thread_.joinable(); }
  void leave();
  void gather(ClusterRun &cluster);
  void snapshotWhenDue();
  void takeSnapshot();
  void thinOut();
  size_t snapshotBytes() const;
  RunParts parts() {
    return {grids_,           run_->grid.observer,
            run_->grid.links, lateSignals_ ? &*lateSignals_ : nullptr,
            shadow_.get(),    *turns_,
            leavings_,        pages_};
  }
  /// Gives a command to the thread, and waits until the thread has stopped.
  void post(Command command);
  /// Called on the emulator's thread. Reports that the thread has stopped, and waits for the next command.
  Command wait(Standing standing);

  DebugOptions options_;
  Launch launch_; // the image refers to the launch's buffers
  std::unique_ptr<PreparedRun> run_;
  std::optional<LateSignals> lateSignals_;
  std::optional<Replay> replay_;      // runs with the late signals
  std::vector<RecordedGrid> devices_; // copies of the prepared run's grid
  std::vector<Grid *> grids_;         // pointers into devices_
  LaunchImage image_;
  std::unique_ptr<GlobalShadow> shadow_;
  std::unique_ptr<Turns> turns_;
  Leavings leavings_;
  std::optional<Diagnostic> fault_;

  PageCount pages_;
  std::map<uint64_t, Snapshot> snapshots_; // by moment
  double lastCost_ = 0, lastTaken_ = 0;    // seconds of the thread's processor time

  Decide decide_;
  std::vector<uint8_t> marks_;
  uint64_t repeatedUntil_ = 0; // Decide has already refused the steps before this one
  std::optional<Step> step_;
  Standing standing_ = Standing::Between;
  std::atomic<bool> interrupted_{false};
  std::optional<StopWithoutMemory> stop_; // active while a command runs
  bool limited_ = false;
  double deadline_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  Command command_ = Command::None;
  bool standsStill_ = true;
  std::thread thread_;
};

} // namespace lanescope::core::emulator
