// What every device checks before it runs a launch: the same errors from the GPU and the emulator.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"

#include <span>

namespace lanescope::core {

/// Of these checks those that are about devices: peers that there are, an axis of devices in each buffer.
Result<void> checkDevices(const Launch &launch);
/// The launch by itself: sizes of grid and block, clusters, parameter blocks, descriptors. Errors: "launch",
/// "tensor-map".
Result<void> checkLaunch(const Launch &launch);
/// `inputs` against the kernel's arguments: one per buffer, the profiler's left out, each of the buffer's dtype and
/// shape.
Result<void> checkInputs(const CompiledKernel &kernel, std::span<const Array> inputs);
/// "`x`", or "argument 2" for a buffer without a name.
std::string bufferText(const BufferSpec &buffer, size_t index);

} // namespace lanescope::core
