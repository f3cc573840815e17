#include "core/gpu/emulator/coverage/SchedulePlan.h"

#include <algorithm>

namespace lanescope::core {

namespace {

// Approximate microseconds on a core of 2024. Only their ratios matter.
constexpr double kRun = 60, kPerInstruction = 0.1, kPerPtxByte = 1 / 40.0, kPerArrayByte = 1 / 2000.0;
constexpr double kPart = 0.4; // the share of the first run's time that further runs may take
constexpr uint32_t kSeeds = 4;

} // namespace

SchedulePlan::SchedulePlan(ScheduleReserve &reserve, const ScheduleExtent &extent, uint64_t ptxBytes,
                           uint64_t arrayBytes)
    : reserve_(&reserve), schedules_(schedulesOf(kSeeds, true, extent)),
      runCost_(kRun + kPerPtxByte * static_cast<double>(ptxBytes) + kPerArrayByte * static_cast<double>(arrayBytes)) {
  // A second seed shows what no adversary does: copies that move at once, clusters that others overtake.
  std::ranges::rotate(schedules_.begin() + 1, std::ranges::find(schedules_, uint64_t{1}),
                      std::ranges::find(schedules_, uint64_t{1}) + 1);
}

std::optional<uint64_t> SchedulePlan::next() {
  if (at_ >= schedules_.size())
    return std::nullopt;
  if (at_ == 0 || !reserve_)
    return schedules_[at_++];
  double cost = runCost_ + kPerInstruction * static_cast<double>(most_);
  if (cost > own_ + reserve_->microseconds)
    return std::nullopt;
  double shared = std::max(0.0, cost - own_);
  own_ -= cost - shared;
  reserve_->microseconds -= shared;
  return schedules_[at_++];
}

void SchedulePlan::ran(uint64_t instructions, bool communicates) {
  if (at_ == 1) {
    own_ = kPart * (runCost_ + kPerInstruction * static_cast<double>(instructions));
    if (!communicates)
      dropBlockSchedules(schedules_);
  }
  most_ = std::max(most_, instructions);
}

} // namespace lanescope::core
