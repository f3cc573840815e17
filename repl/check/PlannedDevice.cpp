#include "repl/check/PlannedDevice.h"

#include "core/gpu/emulator/CheckedRuns.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/EmulatorDevice.h"
#include "core/gpu/kernel/CompiledKernel.h"
#include "layouts/support/Try.h"

#include <utility>

namespace lanescope::repl {

namespace {

class PlannedDevice : public core::Device {
public:
  PlannedDevice(core::ScheduleReserve &reserve, FoundUnderSchedule found)
      : reserve_(reserve), found_(std::move(found)) {}
  std::string name() const override { return device_->name(); }

  Result<core::RunResult> run(const core::Artifact &artifact, std::span<const core::Array> inputs,
                              const core::RunOptions &options) override {
    const core::CompiledKernel &kernel = *LANESCOPE_TRY(core::gpuKernel(artifact));
    core::SchedulePlan plan(reserve_, core::ScheduleExtent::of(kernel.launch), kernel.ptx.size(),
                            core::arrayBytesOf(kernel.launch));
    std::optional<core::RunResult> first;
    while (std::optional<uint64_t> schedule = plan.next()) {
      core::RunOptions other = options;
      other.emulation.seed = *schedule;
      core::RunResult result = LANESCOPE_TRY(device_->run(artifact, inputs, other));
      plan.ran(statistics_.warpInstructions + statistics_.judged, result.communicates);
      if (!options.emulation.keepGoing && hasErrors(result.diagnostics) && !core::mayHaveOtherCause(result.diagnostics))
        plan.stop();
      if (first)
        found_(result.diagnostics, *schedule, kernel.launch.entry);
      else
        first = std::move(result);
    }
    return std::move(*first);
  }

private:
  core::ScheduleReserve &reserve_;
  FoundUnderSchedule found_;
  core::EmulatorStatistics statistics_;
  std::unique_ptr<core::Device> device_ = core::makeEmulatorDevice(nullptr, nullptr, &statistics_);
};

} // namespace

std::unique_ptr<core::Device> makePlannedDevice(core::ScheduleReserve &reserve, FoundUnderSchedule found) {
  return std::make_unique<PlannedDevice>(reserve, std::move(found));
}

} // namespace lanescope::repl
