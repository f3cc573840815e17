// The result of a compilation for a GPU: its stages, and the kernel if all of them succeeded.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"
#include "core/Stages.h"

#include <optional>

namespace lanescope::core {

struct KernelStages : Stages {
  std::optional<CompiledKernel> kernel; // present iff every stage succeeded
};

} // namespace lanescope::core
