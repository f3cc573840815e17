// A device that remembers results. If a run is repeated, it returns the earlier result. This helps if a file runs after
// every edit, because most of its kernels have not changed.
//
//   auto device = rememberedRuns(makeEmulatorDevice(nullptr, &record), {.record = &record});
//   device->run(kernel, inputs, options);      // runs
//   device->run(kernel, inputs, options);      // does not: its outputs, trace, text and record are the first run's
//
// Two runs are the same if they agree in PTX, launch, names for the profiler and tensor memory, source name, schedule,
// and every byte of the inputs. The device compares all of these; it uses no hashes. Use it only for devices whose runs
// depend on nothing else, such as the emulator's (core/gpu/emulator/README.md). A run that failed, or that had
// findings, is repeated.
#pragma once

#include "core/Device.h"
#include "core/gpu/emulator/costs/RunRecord.h"

namespace lanescope::core {

struct RememberedRunsOptions {
  RunRecord *record = nullptr; // the record that the device fills in each run; it must outlive the device; null: none
  size_t mostBytes = size_t{128} << 20; // limit for inputs, outputs and traces; the oldest are dropped
};

std::unique_ptr<Device> rememberedRuns(std::unique_ptr<Device> device, const RememberedRunsOptions &options);

} // namespace lanescope::core
