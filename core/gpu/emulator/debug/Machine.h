// A run that stands still at any moment, and goes back to any: the emulator on a thread of its own, which waits in the
// midst of a turn, and snapshots from which it runs again.
//
//   Machine machine(...);
//   machine.go(marks, decide);          // until decide(step) says so, a fault, the end
//   machine.rewind(1000);               // stands at the last snapshot at moment 1000 or before
//
// While the machine stands its state may be looked at. Snapshots are taken between turns, when running has cost many
// times what one costs; where they exceed the limit, those that are least missed go.
#pragma once

#include "core/data/MemoryReserve.h"
#include "core/gpu/emulator/debug/Debugger.h"
#include "core/gpu/emulator/debug/Snapshot.h"
#include "core/gpu/emulator/LaunchImage.h"
#include "core/gpu/emulator/PreparedRun.h"
#include "core/gpu/emulator/schedule/StepWatch.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace lanescope::core::emulator {

/// Which steps are asked about; all where `every`.
struct Marks {
  std::vector<uint8_t> pcs; // by pc; empty: none
  bool landings = false, every = false;
  uint64_t from = UINT64_MAX; // a moment: all from here on
};

class Machine final : private StepWatch {
public:
  /// True: stand here, before the step happens. It looks, and changes nothing of the run.
  using Decide = std::function<bool(const Step &)>;
  enum class Standing : uint8_t {
    Between, // turns; nothing is known of the next step
    AtStep,
    Ended,
    Faulted, // fault() says why
  };

  static Result<std::unique_ptr<Machine>> open(const SourceRef &ptx, const Launch &launch,
                                               std::span<const Array> arrays, const DebugOptions &options);
  ~Machine();

  /// Goes on from where it stands. A call may also end because of interrupt() or the time: limited() is true then.
  Standing go(const Marks &marks, Decide decide);
  /// Stands between turns at the last snapshot at `moment` or before it.
  void rewind(uint64_t moment);
  void interrupt() { interrupted_ = true; }
  bool limited() const { return limited_; }
  /// A limit begins to count.
  void begin();

  Standing standing() const { return standing_; }
  uint64_t moment() const { return StepWatch::moment; }
  const Step *at() const { return standing_ == Standing::AtStep ? &*step_ : nullptr; }
  /// Of Standing::Faulted.
  const Diagnostic &fault() const { return *fault_; }
  /// The last snapshot at the moment or before; 0 is always one.
  uint64_t snapshotBefore(uint64_t moment) const { return std::prev(snapshots_.upper_bound(moment))->first; }

  /// Ascending.
  std::vector<uint64_t> snapshotMoments() const;
  /// Clusters below this number have begun.
  uint64_t begunClusters() const { return turns_->state().devices[0].next; }

  const Program &program() const { return run_->program; }
  const PreparedRun &prepared() const { return *run_; }
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
  void leave();
  void gather(ClusterRun &cluster);
  void snapshotWhenDue();
  void takeSnapshot();
  void thinOut();
  size_t snapshotBytes() const;
  RunParts parts() { return {run_->grid, shadow_.get(), *turns_, leavings_, pages_}; }
  /// Posts to the thread, and waits until it stands.
  void post(Command command);
  /// Of the thread: it stands, and waits.
  Command wait(Standing standing);

  DebugOptions options_;
  Launch launch_; // the image refers to its buffers
  std::unique_ptr<PreparedRun> run_;
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
  std::optional<Step> step_;
  Standing standing_ = Standing::Between;
  std::atomic<bool> interrupted_{false};
  std::optional<StopWithoutMemory> stop_; // guards the command that runs
  bool limited_ = false;
  double deadline_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  Command command_ = Command::None;
  bool standsStill_ = true;
  std::thread thread_;
};

} // namespace lanescope::core::emulator
