// What a run gave: outputs, trace, times, and what went wrong.
#pragma once

#include "core/data/Array.h"
#include "core/Trace.h"

#include <optional>
#include <string>
#include <vector>

namespace lanescope::core {

struct RunResult {
  std::vector<Array> outputs; // Artifact::outputs order; zeros where the kernel faulted
  std::optional<Trace> trace;
  double timeUs = 0;       // hardware: by its own clock; emulators: by their cycle model
  std::string device;      // "NVIDIA H200", or an emulator by the name of its target
  std::string printed;     // what the kernel's debug_print wrote
  std::string note;        // the emulator's line on exact, approximate, unsupported instructions
  Diagnostics diagnostics; // races, faults, deadlocks; an error among them means that outputs are not to be trusted
};

} // namespace lanescope::core
