// Checks that every device performs before it runs a launch, so that a GPU and the emulator report the same errors.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"

#include <span>

namespace lanescope::core {

/// Makes only the checks about devices: peers exist, and each buffer has an axis of devices.
Result<void> checkDevices(const Launch &launch);
/// Checks the launch itself: sizes of grid and block, clusters, parameter blocks, descriptors. Errors: "launch",
/// "tensor-map".
Result<void> checkLaunch(const Launch &launch);
/// Checks `inputs` against the kernel's arguments: one per buffer except the profiler's, each with the buffer's dtype
/// and shape.
Result<void> checkInputs(const CompiledKernel &kernel, std::span<const Array> inputs);
/// The buffer's name in messages: "`x`", or "argument 2" for a buffer without a name.
std::string bufferText(const BufferSpec &buffer, size_t index);

} // namespace lanescope::core
