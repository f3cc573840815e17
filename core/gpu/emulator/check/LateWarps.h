// Suspicions that a kernel breaks if one of its warps is late.
#pragma once

#include "core/gpu/emulator/machine/Grid.h"
#include "core/gpu/emulator/machine/Program.h"
#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// The finding to report if a warp's lateness breaks the kernel. Phases creates it, and a replay with the late warp
/// confirms or drops it (replay/LateRuns.h).
struct LateSuspect {
  LatePoint late; // without a warp: the run itself shows the mistake, so no replay is needed
  Diagnostic finding;
  uint32_t pc = kNone; // the operation to which the warp would be late

  enum class Trial : uint8_t { None, Harmless, Breaks };
  Trial trial = Trial::None;
  std::string untried = {}; // why there was no replay
};

struct LateSuspects {
  std::vector<LateSuspect> all;
  bool more = false;                    // further suspicions were dropped
  std::optional<Diagnostic> cause = {}; // the cause of the race that ended the run (EarlyPhases.h)
  bool mayHaveCause = false;            // a run that goes on after the race may find the cause
};

} // namespace lanescope::core::emulator
