// The results of a run: outputs, trace, times, and diagnostics.
#pragma once

#include "core/data/Array.h"
#include "core/Trace.h"

#include <optional>
#include <string>
#include <vector>

namespace lanescope::core {

struct RunResult {
  std::vector<Array> outputs; // in the order of Artifact::outputs; zeros if the kernel faulted
  std::optional<Trace> trace;
  double timeUs = 0;         // hardware: by its own clock; emulators: by their cycle model
  std::string device;        // "NVIDIA H200", or an emulator's name, which is its target's
  std::string printed;       // the output of the kernel's debug_print
  std::string note;          // the emulator's line on exact, approximate, unsupported instructions
  bool communicates = false; // emulator: blocks may wait for each other at global memory
  Diagnostics diagnostics;   // races, faults, deadlocks; after an error the outputs are not reliable
};

} // namespace lanescope::core
