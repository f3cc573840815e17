// A run of a kernel that the window's debugger can open: the launch and its arrays.
#pragma once

#include "core/data/Array.h"
#include "core/gpu/emulator/debug/DebugTypes.h"
#include "core/gpu/kernel/Launch.h"
#include "core/gpu/kernel/Profile.h"
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

/// A named array of the snippet in shared memory, in the layout in which the kernel reads it.
struct DebugTile {
  std::string name;
  layouts::Dtype dtype = layouts::Dtype::F32;
  uint32_t address = 0;    // shared address at which `map` begins
  layouts::AddressMap map; // the element at each address, from `address` on
};

/// The value that a snippet's name had when the focused warp last passed its definition.
struct DebugValue {
  core::Array array;                                  // for a scalar: one element per lane of the warp
  std::optional<layouts::RegisterLayout> layout = {}; // set for an array in registers
  std::string remark = {};                            // about warps that are at other places; empty if there are none
  std::string memory = {};                            // for an array in memory: its place and layout there
};

/// The values that a snippet names. repl/workbench implements it.
class DebugValues {
public:
  virtual ~DebugValues() = default;
  virtual std::vector<std::string> names() const = 0;
  /// The value of a name. Goes back and forth in the run and returns to the same moment. Fails if the name has no value
  /// yet.
  virtual Result<DebugValue> value(core::Debugger &debugger, const std::string &name, core::WarpRef focus) const = 0;
  /// The arrays that stay at one place in the block's shared memory.
  virtual std::vector<DebugTile> tiles(const core::Debugger &debugger) const = 0;
};

/// The breakpoints and watchpoints of a debugger. The commands `break`, `watch`, `delete`, `enable` and `disable` set
/// them (docs/debugger.md). In the first two, the command's name may be left out.
class DebugStops {
public:
  virtual ~DebugStops() = default;
  /// Runs a command: "46 if warp == 4", "ptx:120", "out[3, 4]", "smem 1024 16", "mbarrier 9216", "delete 2". Returns a
  /// text that says what it has done.
  virtual Result<std::string> obey(std::string_view words) = 0;
  /// The errors in conditions since the last call. A condition that fails counts as true.
  virtual Diagnostics takeProblems() = 0;
};

struct DebugTarget {
  std::string title; // the kernel's name
  SourceRef snippet; // the text to which `.loc` lines of file 1 refer; null if there is none
  SourceRef ptx;
  core::Launch launch;
  std::vector<core::Array> arrays; // one per launch.buffers(), before the run
  size_t shownArray = 0;           // index in `arrays` of the array that is shown first, which is the output
  uint64_t seed = 0;               // the run's schedule
  bool strict = false;             // hazards are faults
  bool faulted = false;            // the run ended with a fault
  core::ProfileSpec profile = {};  // the trace that the run records; none if it has no names
  std::vector<core::TensorArray> tensorArrays = {};    // the kernel's arrays in tensor memory
  std::shared_ptr<const DebugValues> values = nullptr; // null: values have no names
  /// Makes the breakpoints and watchpoints of a debugger. They must live as long as the debugger uses them. If null,
  /// breakpoints can only be lines.
  std::function<std::unique_ptr<DebugStops>(core::Debugger &)> stops = nullptr;
  /// Makes the same run with code in which values have names. Called on the worker's thread when the run is opened;
  /// returns null if that fails. Null: it is not possible.
  std::function<std::shared_ptr<const DebugTarget>()> withValues = nullptr;
};

} // namespace lanescope::viz
