// One run on the devices of a launch: loads the PTX, fills buffers and TMA descriptors, launches on all devices,
// watches them, reads back.
#pragma once

#include "core/gpu/runtime/Gpu.h"

#include <span>

namespace lanescope::core {

/// Checks that the request fits its launch. Errors: "launch", "tensor-map".
Result<void> checkRequest(const RunRequest &request);
/// `devices`: one per device of the launch, with contexts that can access each other. Errors: those of Gpu::run.
Result<RunReply> runOn(const cuda::Api &api, LoadedModules &modules, std::span<const GpuDevice> devices,
                       const RunRequest &request, const StageReport &progress);

} // namespace lanescope::core
