// A kernel's run that the window's debugger can open: what was launched, and on what.
#pragma once

#include "core/data/Array.h"
#include "core/gpu/emulator/debug/DebugTypes.h"
#include "core/gpu/kernel/Launch.h"
#include "core/gpu/kernel/TensorArrays.h"
#include "layouts/AddressMap.h"
#include "layouts/RegisterLayout.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::core {
class Debugger;
}

namespace lanescope::viz {

/// Shared memory that a name of the snippet stands for, as the array that the kernel reads there.
struct DebugTile {
  std::string name;
  layouts::Dtype dtype = layouts::Dtype::F32;
  uint32_t address = 0;    // shared, where `map` begins
  layouts::AddressMap map; // which element is where from there on
};

/// What a name of the snippet stood for when the warp in focus passed its definition last.
struct DebugValue {
  core::Array array;                                  // of a scalar: an element for each lane of the warp
  std::optional<layouts::RegisterLayout> layout = {}; // of an array in registers: who holds what
  std::string remark = {};                            // warps that are elsewhere; empty: none
  std::string memory = {};                            // of an array in memory: where, and how it lies there
};

/// The values that a snippet names. Whoever knows where they are found implements it.
class DebugValues {
public:
  virtual ~DebugValues() = default;
  virtual std::vector<std::string> names() const = 0;
  /// Goes back and forth in the run, and leaves it where it was. Error: it has no value yet.
  virtual Result<DebugValue> value(core::Debugger &debugger, const std::string &name, core::WarpRef focus) const = 0;
  /// The arrays of a block's shared memory that are at one place all the time.
  virtual std::vector<DebugTile> tiles(const core::Debugger &debugger) const = 0;
};

/// What stops one debugger's run, as people write it: the commands `break`, `watch`, `delete`, `enable` and `disable`
/// (docs/debugger.md), the first two also without their names.
class DebugStops {
public:
  virtual ~DebugStops() = default;
  /// "46 if warp == 4", "ptx:120", "out[3, 4]", "smem 1024 16", "mbarrier 9216", "delete 2". What was done, in words.
  virtual Result<std::string> obey(std::string_view words) = 0;
  /// What went wrong in a condition since the last call, which then counted as true; empty: nothing.
  virtual Diagnostics takeProblems() = 0;
};

struct DebugTarget {
  std::string title; // the kernel's name
  SourceRef snippet; // what `.loc` lines of file 1 refer to; null: there is none
  SourceRef ptx;
  core::Launch launch;
  std::vector<core::Array> arrays;                     // one per launch.buffers(), as the run began
  size_t shownArray = 0;                               // of `arrays`: what someone wants to see first, the output
  uint64_t seed = 0;                                   // the run's schedule
  bool strict = false;                                 // hazards are faults
  bool faulted = false;                                // it ended with a fault
  std::vector<core::TensorArray> tensorArrays = {};    // that the kernel declares in tensor memory
  std::shared_ptr<const DebugValues> values = nullptr; // null: none can be told by name
  /// What people write to stop the run; it outlives the debugger's use of it. Null: lines alone.
  std::function<std::unique_ptr<DebugStops>(core::Debugger &)> stops = nullptr;
  /// The same run, of code that tells values: asked on the worker's thread when the run is opened. Gives null where
  /// that cannot be made; null: it cannot.
  std::function<std::shared_ptr<const DebugTarget>()> withValues = nullptr;
};

} // namespace lanescope::viz
