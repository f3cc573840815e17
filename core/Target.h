// A machine that artifacts are compiled for, as far as every kind of machine has it. Each kind says the rest in a
// description of its own that begins with this: core/gpu/kernel/GpuTarget.h.
#pragma once

#include <string_view>

namespace lanescope::core {

struct Target {
  std::string_view name;  // as `--arch` spells it
  std::string_view title; // what its maker calls the generation
};

} // namespace lanescope::core
