// All that the debugger's view shows of one standstill, as plain data.
#pragma once

#include "core/gpu/emulator/debug/DebugTypes.h"
#include "layouts/TmemMap.h"
#include "viz/gui/debugger/DebuggerActions.h"
#include "viz/host/DebugTarget.h"

#include <memory>

namespace lanescope::viz {

/// A breakpoint or watchpoint that is set.
struct DebugStop {
  uint32_t number = 0;
  bool enabled = true, conditional = false;
  uint32_t line = 0;     // of a breakpoint, from 1; 0: a watchpoint
  bool inSnippet = true; // the line
  std::string words;     // "line 46, if warp == 4", "watches out[3, 4]"
};

/// An array of tensor memory, and which of its elements is where.
struct TensorPlace {
  core::TensorArray array;
  layouts::TmemMap matrix; // one of its matrices
};

/// What does not change while a run is open.
struct DebugMemories {
  std::vector<DebugTile> tiles;
  std::vector<TensorPlace> tensors;
};

/// Barriers and memories are those of the block in focus; what costs much is there when its panel is.
struct DebugPage {
  DebugPanel panel = DebugPanel::Warps;
  core::Stop stop;
  core::WarpRef focus;
  uint64_t last = 0;      // moment up to which is known that there is something
  bool lastIsEnd = false; // nothing is behind it
  std::vector<core::WarpPlace> warps;
  std::vector<core::BarrierState> barriers;
  std::vector<core::Flight> flights;
  std::vector<core::WaitEdge> waits; // of Waits: to know them the run goes on for a while, and back
  core::SharedMemory shared;
  core::TensorMemoryState tensor;                // of Tensor
  std::shared_ptr<const DebugMemories> memories; // of Shared and Tensor
  std::vector<core::Array> arrays;               // of Arrays
  std::vector<core::RegisterValue> registers;    // of the warp in focus
  std::vector<std::string> valueNames;           // of the snippet
  std::string valueName;                         // of Values: what `value` is of
  std::optional<DebugValue> value;
  std::string valueProblem;     // why there is none; empty: nothing was asked for
  std::vector<DebugStop> stops; // by their numbers
  std::string said;             // of what was written to stop it, or of a condition that could not be judged
  bool refused = false;         // `said` is an error
  Diagnostics findings;         // hazards and notes so far
};

} // namespace lanescope::viz
