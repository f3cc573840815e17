#include "core/gpu/kernel/CompiledKernel.h"

namespace lanescope::core {

Result<const CompiledKernel *> gpuKernel(const Artifact &artifact) {
  if (const auto *kernel = dynamic_cast<const CompiledKernel *>(&artifact))
    return kernel;
  return error("device",
               Message("`{name}` is compiled for {}, and this device runs kernels of a GPU; choose one for {}",
                       artifact.name, artifact.arch, artifact.arch));
}

} // namespace lanescope::core
