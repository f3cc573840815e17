// A device that returns the earlier result if a run is repeated: for files that run after every edit, in which most
// kernels have not changed.
//
//   auto device = rememberedRuns(makeEmulatorDevice(nullptr, &record), {.record = &record});
//   device->run(kernel, inputs, options);      // runs
//   device->run(kernel, inputs, options);      // does not: its outputs, trace, text and record are the first run's
//
// A run is the same if its PTX, launch, names for the profiler and tensor memory, source name, every byte of its
// inputs, and schedule are. All of it is compared; nothing is hashed. Use it only for devices whose runs depend on
// nothing else, such as the emulator's (core/gpu/emulator/README.md). A run that failed, or that had findings, is
// repeated.
#pragma once

#include "core/Device.h"
#include "core/gpu/emulator/costs/RunRecord.h"

namespace lanescope::core {

struct RememberedRunsOptions {
  RunRecord *record = nullptr;          // that the device fills in each run, and which outlives it; null: none
  size_t mostBytes = size_t{128} << 20; // limit for inputs, outputs and traces; the oldest are dropped
};

std::unique_ptr<Device> rememberedRuns(std::unique_ptr<Device> device, const RememberedRunsOptions &options);

} // namespace lanescope::core
