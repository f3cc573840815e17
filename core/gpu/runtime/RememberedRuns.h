// A device that gives what it gave before, where the same is asked again: for files that run at every edit, of which
// most kernels have not changed.
//
//   auto device = rememberedRuns(makeEmulatorDevice(nullptr, &record), {.record = &record});
//   device->run(kernel, inputs, options);      // runs
//   device->run(kernel, inputs, options);      // does not: its outputs, trace, text and record are the first run's
//
// The same is: PTX, launch, the profiler's and the tensor memory's names, the source's name, every byte of the inputs
// and the schedule. All of it is compared, nothing is hashed. Only for devices whose runs depend on nothing else, as
// the emulator's do not (core/gpu/emulator/README.md). A run that failed, or that had something to say, is made again.
#pragma once

#include "core/Device.h"
#include "core/gpu/emulator/costs/RunRecord.h"

namespace lanescope::core {

struct RememberedRunsOptions {
  RunRecord *record = nullptr;          // that the device fills at each run; outlives it. Null: it fills none
  size_t mostBytes = size_t{128} << 20; // of inputs, outputs and traces that are kept; the oldest make room
};

std::unique_ptr<Device> rememberedRuns(std::unique_ptr<Device> device, const RememberedRunsOptions &options);

} // namespace lanescope::core
