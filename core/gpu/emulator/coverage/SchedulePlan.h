// The schedules under which a kernel is checked: the requested ones, or by default as many as take about half as long
// as the first run, including the start of the process and the compilation. The cost of a run is counted in
// instructions and bytes, not measured, so that a verdict does not depend on the speed of the machine.
//
//   SchedulePlan plan(reserve, ScheduleExtent::of(launch), ptxBytes, arrayBytes);
//   while (std::optional<uint64_t> schedule = plan.next())
//     plan.ran(instructions of the run, result.communicates);
#pragma once

#include "core/gpu/emulator/coverage/Schedule.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lanescope::core {

/// The time that a check takes apart from its first run, in microseconds. Further runs may take half as much. Runs of
/// several kernels may share it.
struct ScheduleReserve {
  double microseconds = 0;
};

class SchedulePlan {
public:
  /// `ptxBytes` are read and `arrayBytes` copied for each run. `reserve` must outlive this; its time decreases.
  SchedulePlan(ScheduleReserve &reserve, const ScheduleExtent &extent, uint64_t ptxBytes, uint64_t arrayBytes);
  /// These schedules, whatever they cost.
  explicit SchedulePlan(std::vector<uint64_t> schedules) : schedules_(std::move(schedules)) {}

  /// The number of schedules, including those that cost too much.
  size_t size() const { return schedules_.size(); }
  /// The next schedule; nothing if the remaining time would not pay for another run.
  std::optional<uint64_t> next();
  /// Reports the run that next() gave: its warp instructions, with those of the replays that decided its findings, and
  /// if blocks may wait for each other.
  void ran(uint64_t instructions, bool communicates);
  /// The next run is the last: more runs would show nothing new.
  void stop() { at_ = schedules_.size(); }

private:
  ScheduleReserve *reserve_ = nullptr; // null: the runs may cost anything
  std::vector<uint64_t> schedules_;
  size_t at_ = 0;
  double runCost_ = 0; // without its instructions
  double own_ = 0;     // the rest of this kernel's budget
  uint64_t most_ = 0;  // instructions of the longest run so far
};

} // namespace lanescope::core
