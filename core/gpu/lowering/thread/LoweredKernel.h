// The results of the lowering besides the code: a description of the launch, and the facts that are needed to read its
// results.
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
