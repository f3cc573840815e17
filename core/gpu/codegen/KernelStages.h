// What a compilation for a GPU gives: its stages, and the kernel when all of them succeeded.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"
#include "core/Stages.h"

#include <optional>

namespace lanescope::core {

struct KernelStages : Stages {
  std::optional<CompiledKernel> kernel; // present iff every stage succeeded
};

} // namespace lanescope::core
