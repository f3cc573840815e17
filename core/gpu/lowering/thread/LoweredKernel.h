// What the lowering returns beside the code: how to launch the kernel, and how to read its results.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"

namespace lanescope::core {

/// `launch.params` is one BytesParam.
struct LoweredKernel {
  std::string name;
  Launch launch;
  std::vector<uint32_t> outputs;
  bool profiled = false;
  ProfileSpec profile;
};

} // namespace lanescope::core
