// The schedules that a kernel is checked under by default: as many as take about half as long again as the
// first one does, with what starts the process and compiles the kernel. What runs cost is counted in instructions and
// bytes, not measured, so that a verdict does not depend on how fast a machine is.
//
//   SchedulePlan plan(reserve, warpgroups, devices, bytes);
//   while (std::optional<uint64_t> schedule = plan.next())
//     plan.ran(instructions of the run);
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace lanescope::core {

/// The time that a check takes beside its first run, in microseconds. Further runs may take half as much. Runs of
/// several kernels may share it.
struct ScheduleReserve {
  double microseconds = 0;
};

class SchedulePlan {
public:
  /// `ptxBytes` are read and `arrayBytes` copied for each run. `reserve` outlives this, and has less afterwards.
  SchedulePlan(ScheduleReserve &reserve, uint32_t warpgroups, uint32_t devices, uint64_t ptxBytes, uint64_t arrayBytes);

  /// Nothing: what is left would not pay for another run.
  std::optional<uint64_t> next();
  /// Warp instructions of the run of what next() gave, and of those that judged its findings.
  void ran(uint64_t instructions);
  /// The next run is the last: more of them would tell nothing new.
  void stop() { at_ = schedules_.size(); }

private:
  ScheduleReserve &reserve_;
  std::vector<uint64_t> schedules_;
  size_t at_ = 0;
  double runCost_ = 0; // without its instructions
  double own_ = 0;     // what is left of this kernel's budget
  uint64_t most_ = 0;  // instructions of a run so far
};

} // namespace lanescope::core
