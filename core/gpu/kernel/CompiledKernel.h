// What the GPU's compiler hands to a device: PTX, how to launch it, and how to read the results.
#pragma once

#include "core/Artifact.h"
#include "core/gpu/kernel/Launch.h"
#include "core/gpu/kernel/Profile.h"
#include "core/gpu/kernel/TensorArrays.h"

#include <string>

namespace lanescope::core {

struct CompiledKernel : Artifact {
  std::string ptx; // `.loc` lines of file 1 refer to `source`
  /// Template: `buffers()` holds the kernel's GMEM arguments in order, then the profiler's u32 buffer when `profiled`.
  Launch launch;
  bool profiled = false;
  ProfileSpec profile;
  std::vector<TensorArray> tensorArrays; // that it declares, in the order in which it does

  std::vector<const BufferSpec *> buffers() const override { return launch.buffers(); }
};

/// The artifact as a kernel of a GPU. Error: it is one for another kind of device.
Result<const CompiledKernel *> gpuKernel(const Artifact &artifact);

} // namespace lanescope::core
