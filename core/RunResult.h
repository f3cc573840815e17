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
  double timeUs = 0;   // hardware: measured by the device's clock; emulators: computed by their cycle model
  std::string device;  // "NVIDIA H200"; for an emulator, the name of its target
  std::string printed; // the output of the kernel's debug_print
  std::string note;    // the emulator's remark on the instructions that it ran exactly, approximately or not at all
  bool communicates = false; // emulator: blocks may wait for each other at global memory
  Diagnostics diagnostics;   // races, faults, deadlocks; after an error the outputs are not reliable
};

} // namespace lanescope::core
