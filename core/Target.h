// A machine that artifacts are compiled for: the part that all kinds of machines share. Each kind derives its own
// description: core/gpu/kernel/GpuTarget.h.
#pragma once

#include <string_view>

namespace lanescope::core {

struct Target {
  std::string_view name;  // the name in `--arch`
  std::string_view title; // its maker's name for the generation
};

} // namespace lanescope::core
