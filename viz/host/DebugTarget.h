// A kernel's run that the window's debugger can open: what was launched, and on what.
#pragma once

#include "core/data/Array.h"
#include "core/gpu/emulator/debug/DebugTypes.h"
#include "core/gpu/kernel/Launch.h"
#include "layouts/RegisterLayout.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::core {
class Debugger;
}

namespace lanescope::viz {

/// What a name of the snippet stood for when the warp in focus passed its definition last.
struct DebugValue {
  core::Array array;                                  // of a scalar: an element for each lane of the warp
  std::optional<layouts::RegisterLayout> layout = {}; // of an array: who holds what
  std::string remark = {};                            // warps that are elsewhere; empty: none
};

/// The values that a snippet names. Whoever knows where they are found implements it.
class DebugValues {
public:
  virtual ~DebugValues() = default;
  virtual std::vector<std::string> names() const = 0;
  /// Goes back and forth in the run, and leaves it where it was. Error: it has no value yet.
  virtual Result<DebugValue> value(core::Debugger &debugger, const std::string &name, core::WarpRef focus) const = 0;
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
  std::shared_ptr<const DebugValues> values = nullptr; // null: none can be told by name
  /// The same run, of code that tells values: asked on the worker's thread when the run is opened. Gives null where
  /// that cannot be made; null: it cannot.
  std::function<std::shared_ptr<const DebugTarget>()> withValues = nullptr;
};

} // namespace lanescope::viz
