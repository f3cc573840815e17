// Warps of which one, if it came late, would break the kernel.
#pragma once

#include "core/gpu/emulator/machine/Grid.h"
#include "core/gpu/emulator/machine/Program.h"
#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// The finding to tell if that warp's lateness breaks the kernel. Phases finds it; such a run settles it
/// (replay/LateRuns.h).
struct LateSuspect {
  LatePoint late; // no warp: the run itself shows the mistake, and there is nothing to replay
  Diagnostic finding;
  uint32_t pc = kNone; // the operation to which the warp would come late

  enum class Trial : uint8_t { None, Harmless, Breaks };
  Trial trial = Trial::None;
  std::string untried = {}; // why there was no replay
};

struct LateSuspects {
  std::vector<LateSuspect> all;
  bool more = false; // there are further ones, which were left out
};

} // namespace lanescope::core::emulator
