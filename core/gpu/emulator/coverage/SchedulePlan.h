// The schedules under which a kernel is checked by default. Their runs may take about half as long as the first run,
// including the start of the process and the compilation. The cost of a run is counted in instructions and bytes, not
// measured, so that a verdict does not depend on the speed of the machine.
//
//   SchedulePlan plan(reserve, warpgroups, devices, bytes);
//   while (std::optional<uint64_t> schedule = plan.next())
//     plan.ran(instructions of the run);
#pragma once

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
  SchedulePlan(ScheduleReserve &reserve, uint32_t warpgroups, uint32_t devices, uint64_t ptxBytes, uint64_t arrayBytes);

  /// The next schedule; nothing if the remaining time would not pay for another run.
  std::optional<uint64_t> next();
  /// Reports the warp instructions of the run that next() gave, and of the replays that decided its findings.
  void ran(uint64_t instructions);
  /// The next run is the last: more runs would show nothing new.
  void stop() { at_ = schedules_.size(); }

private:
  ScheduleReserve &reserve_;
  std::vector<uint64_t> schedules_;
  size_t at_ = 0;
  double runCost_ = 0; // without its instructions
  double own_ = 0;     // the rest of this kernel's budget
  uint64_t most_ = 0;  // instructions of the longest run so far
};

} // namespace lanescope::core
