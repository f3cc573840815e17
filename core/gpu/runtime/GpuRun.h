// One run on the devices of a launch: load the PTX, put the buffers and the TMA descriptors in place, launch on all,
// watch all, read back.
#pragma once

#include "core/gpu/runtime/Gpu.h"

#include <span>

namespace lanescope::core {

/// Whether the request fits its launch. Errors: "launch", "tensor-map".
Result<void> checkRequest(const RunRequest &request);
/// `devices`: one for each of the launch, with contexts that reach each other. Errors: Gpu::run's.
Result<RunReply> runOn(const cuda::Api &api, LoadedModules &modules, std::span<const GpuDevice> devices,
                       const RunRequest &request, const StageReport &progress);

} // namespace lanescope::core
