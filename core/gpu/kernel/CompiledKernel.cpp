#include "core/gpu/kernel/CompiledKernel.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

Result<const CompiledKernel *> gpuKernel(const Artifact &artifact) {
  if (const auto *kernel = dynamic_cast<const CompiledKernel *>(&artifact))
    return kernel;
  return error("device", text("`", artifact.name, "` is compiled for ", artifact.arch,
                              ", and this device runs kernels of a GPU; choose one for ", artifact.arch));
}

} // namespace lanescope::core
