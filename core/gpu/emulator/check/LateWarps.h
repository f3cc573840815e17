// Warps of which one, if it came late, would break the kernel.
#pragma once

#include "core/gpu/emulator/machine/Grid.h"
#include "layouts/support/Diagnostic.h"

#include <vector>

namespace lanescope::core::emulator {

/// The finding to tell if that warp's lateness breaks the kernel. Phases finds it; such a run settles it
/// (replay/LateRuns.h).
struct LateSuspect {
  LatePoint late;
  Diagnostic finding;
};

using LateSuspects = std::vector<LateSuspect>;

} // namespace lanescope::core::emulator
