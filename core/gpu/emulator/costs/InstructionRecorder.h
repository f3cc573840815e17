// Counts what each instruction of a program does, for a RunRecord.
//
//   InstructionRecorder recorder(program, 0);    // replaces handlers in program.code, after all others that do
//   RecordedGrid grid;  grid.recorder = &recorder;
//   …run, on any number of threads…
//   recorder.record(grid.conflicts, record);
//
// A program without a recorder runs at full speed, because it has its own handlers and makes no tests.
#pragma once

#include "core/gpu/emulator/costs/RunRecord.h"
#include "core/gpu/emulator/coverage/Observer.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace lanescope::core::emulator {

class InstructionRecorder {
public:
  /// `limit`: RunRecord::limit.
  InstructionRecorder(Program &program, uint64_t limit);
  InstructionRecorder(const InstructionRecorder &) = delete;
  InstructionRecorder &operator=(const InstructionRecorder &) = delete;

  /// Forgets all counts, because the run begins again.
  void clear();
  /// Later runs are not counted.
  void stop() { counting_ = false; }
  /// Writes the counts to `out`. `conflicts`: the conflicts of the same run; null if none were counted. Writes nothing
  /// if the run was longer than the limit.
  void record(const BankConflicts *conflicts, RunRecord &out) const;

private:
  static constexpr uint32_t kGranule = 16; // bytes: the resolution in shared memory
  static constexpr size_t kWarps = 1 << 12;

  /// An instruction's own handler, and the memory that each of its lanes accesses.
  struct Replaced {
    Handler run = nullptr;
    uint32_t bytes = 0, lanes = kAllLanes; // the lanes whose addresses are used
  };
  struct Count {
    uint64_t executed = 0, cycles = 0, bytes = 0, copied = 0;
    std::vector<uint64_t> touched = {}; // a bit for each granule of shared memory
  };
  /// The last instruction of a warp, which is charged with the time that the warp then waits.
  struct Last {
    const Warp *warp = nullptr;
    uint64_t block = 0, time = 0;
    size_t pc = 0;
    bool slept = false;
  };
  /// The counts of one host thread.
  struct Shard {
    std::vector<Count> counts; // by pc
    std::vector<Last> last;
    uint64_t counted = 0;
  };

  static Step count(Warp &warp, const Instr &i, uint32_t mask);
  Shard &shard();
  /// True if all granules from `first` to `last` are touched.
  static bool allTouched(const Count &count, uint64_t first, uint64_t last);
  void touch(Count &count, Warp &warp, const Instr &i, uint32_t mask, uint32_t bytes);

  const Program &program_;
  std::vector<Replaced> replaced_; // by pc
  uint64_t limit_;
  std::atomic<bool> counting_ = true;
  uint64_t run_; // identifies this recorder, because threads cache their shards
  std::mutex mutex_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

class Replay;

struct RecordedGrid : ObservedGrid {
  InstructionRecorder *recorder = nullptr;
  Replay *replay = nullptr; // the perturbations of this run (replay/Replay.h)
};

} // namespace lanescope::core::emulator
