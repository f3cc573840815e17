// The base class for descriptions of the machines that kernels are compiled for. Each kind of machine derives its own
// class, such as GpuTarget (core/gpu/kernel/GpuTarget.h).
#pragma once

#include <string_view>

namespace lanescope::core {

struct Target {
  std::string_view name;  // the name in `--arch`
  std::string_view title; // its maker's name for the generation
};

} // namespace lanescope::core
