// Everything that the debugger's view shows at one moment, as plain data.
#pragma once

#include "core/gpu/emulator/debug/DebugTypes.h"
#include "layouts/TmemMap.h"
#include "viz/gui/debugger/DebuggerActions.h"
#include "viz/host/DebuggedRun.h"

#include <memory>

namespace lanescope::viz {

/// A breakpoint or a watchpoint.
struct DebugStop {
  uint32_t number = 0;
  bool enabled = true, conditional = false;
  uint32_t line = 0;     // a breakpoint's line, from 1; 0 for a watchpoint
  bool inSnippet = true; // the line is in the snippet, not in the PTX
  std::string words;     // "line 46, if warp == 4", "watches out[3, 4]"
  std::string command;   // sets the same stop in another run (DebugStops): "46 if warp == 4", "out[3, 4]"
  uint32_t block = 0;    // the block of a watchpoint in shared memory, whose command is for the focused block
};

/// An array of tensor memory and the places of its elements.
struct TensorPlace {
  core::TensorArray array;
  layouts::TmemMap matrix; // the map of one of its matrices
};

/// Data that does not change while a run is open.
struct DebugMemories {
  std::vector<DebugTile> tiles;
  std::vector<TensorPlace> tensors;
};

/// Barriers and memories are those of the focused block. Data that take long to get are only in pages for the panel
/// that shows them.
struct DebugPage {
  DebugPanel panel = DebugPanel::Warps;
  core::Stop stop;
  core::WarpRef focus;
  std::array<uint32_t, 3> grid{1, 1, 1}; // blocks of a device
  uint32_t devices = 1;
  uint64_t last = 0;      // the latest moment that is known to exist
  bool lastIsEnd = false; // no moment follows `last`
  std::vector<core::WarpPlace> warps;
  std::vector<core::BarrierState> barriers;
  std::vector<core::Flight> flights;
  // Only for Waits. To find them, the debugger runs ahead for a while and returns.
  std::vector<core::WaitEdge> waits;
  core::SharedMemory shared;
  core::TensorMemoryState tensor;                // only for Tensor
  std::shared_ptr<const DebugMemories> memories; // only for Shared and Tensor
  std::vector<core::Array> arrays;               // only for Arrays
  std::vector<core::RegisterValue> registers;    // the focused warp's registers
  std::vector<std::string> valueNames;           // the snippet's names
  std::string valueName;                         // only for Values: the name of `value`
  std::optional<DebugValue> value;
  std::string valueProblem;     // the reason why there is no value; empty if none was requested
  std::vector<DebugStop> stops; // sorted by number
  // The outcome of the last command on stops, or of a condition that could not be evaluated.
  std::string said;
  bool refused = false; // `said` is an error
  Diagnostics findings; // hazards and notes up to this moment
};

} // namespace lanescope::viz
