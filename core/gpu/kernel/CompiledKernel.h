// The result of the GPU compiler, for a device: PTX, the launch, and how to read the results.
#pragma once

#include "core/Artifact.h"
#include "core/gpu/kernel/Launch.h"
#include "core/gpu/kernel/Profile.h"
#include "core/gpu/kernel/TensorArrays.h"

#include <string>

namespace lanescope::core {

struct CompiledKernel : Artifact {
  std::string ptx; // file 1 of its `.loc` lines is `source`
  /// The launch without data. Its `buffers()` are the kernel's GMEM arguments in order, then, if `profiled`, the
  /// profiler's u32 buffer.
  Launch launch;
  bool profiled = false;
  ProfileSpec profile;
  std::vector<TensorArray> tensorArrays; // the declared arrays, in order of declaration

  std::vector<const BufferSpec *> buffers() const override { return launch.buffers(); }
};

/// Returns the artifact as a kernel of a GPU. Error: it is for another kind of device.
Result<const CompiledKernel *> gpuKernel(const Artifact &artifact);

} // namespace lanescope::core
