// Breakpoints and watchpoints as the user writes them; the debugger's commands and the window use the same words.
//
//   Stops stops(debugger, target, values);
//   stops.breakAt("46 if warp == 4 and step >= 2")   ->  "breakpoint 1 at line 46, if warp == 4 and step >= 2"
//   stops.watch("out[70, 3]")                        ->  "watchpoint 2: out[70, 3]"
#pragma once

#include "repl/debug/Conditions.h"

#include <string>
#include <string_view>

namespace lanescope::repl {

/// The object must live as long as the debugger uses its conditions. `target` and `values` must outlive the object.
class Stops {
public:
  Stops(core::Debugger &debugger, const DebugTarget &target, const MarkedValues &values)
      : debugger_(debugger), target_(target), conditions_(debugger, target, values) {}

  /// Sets a breakpoint: `[LINE | ptx:LINE] [if CONDITION]`; without a line, it is at the place where the run stands.
  /// Returns a text that describes it. Errors: "debug-command", "breakpoint", and those of the condition.
  Result<std::string> breakAt(std::string_view where);
  /// Sets a watchpoint: `BUFFER[INDEX] | smem ADDRESS [BYTES] | mbarrier ADDRESS`. The last two forms are for the block
  /// in focus. Returns a text that describes it. Errors: "debug-command", "breakpoint".
  Result<std::string> watch(std::string_view what);
  /// Removes the stop `[NUMBER]`, or all stops if there is no number. Returns a text that says which were removed.
  /// Error "debug-command": there is none.
  Result<std::string> remove(std::string_view which);
  Result<std::string> setEnabled(std::string_view which, bool enabled);
  /// Runs one of these commands by its first word: `break`, `watch`, `delete`, `enable` or `disable`. Without such a
  /// word, a line sets a breakpoint, and anything else sets a watchpoint.
  Result<std::string> obey(std::string_view words);
  /// The errors of conditions since the last call; empty if there are none.
  Diagnostics takeProblems() { return conditions_.takeProblems(); }

private:
  Result<core::Watchpoint> elementOf(std::string_view what) const;

  core::Debugger &debugger_;
  const DebugTarget &target_;
  Conditions conditions_;
};

} // namespace lanescope::repl
