// What stops a run, as people write it: the debugger's commands and the window's entry use the same words.
//
//   Stops stops(debugger, target, values);
//   stops.breakAt("46 if warp == 4 and step >= 2")   ->  "breakpoint 1 at line 46, if warp == 4 and step >= 2"
//   stops.watch("out[70, 3]")                        ->  "watchpoint 2: out[70, 3]"
#pragma once

#include "repl/debug/Conditions.h"

#include <string>
#include <string_view>

namespace lanescope::repl {

/// It outlives the debugger's use of its conditions; target and values outlive it.
class Stops {
public:
  Stops(core::Debugger &debugger, const DebugTarget &target, const MarkedValues &values)
      : debugger_(debugger), target_(target), conditions_(debugger, target, values) {}

  /// `[LINE | ptx:LINE] [if CONDITION]`; without a line: where the run stands. Gives what was made, in words. Errors
  /// "debug-command" and "breakpoint", and those of the condition.
  Result<std::string> breakAt(std::string_view where);
  /// `BUFFER[INDEX] | smem ADDRESS [BYTES] | mbarrier ADDRESS`, the last two of the block in focus. Likewise.
  Result<std::string> watch(std::string_view what);
  /// `[NUMBER]`; without one: all. Gives what was done, in words. Error "debug-command": there is none.
  Result<std::string> remove(std::string_view which);
  Result<std::string> setEnabled(std::string_view which, bool enabled);
  /// Any of these, by its first word: `break`, `watch`, `delete`, `enable` or `disable`; without one, a line is where
  /// to break, and all else what to watch.
  Result<std::string> obey(std::string_view words);
  /// What went wrong in a condition since the last call; empty: nothing.
  Diagnostics takeProblems() { return conditions_.takeProblems(); }

private:
  Result<core::Watchpoint> elementOf(std::string_view what) const;

  core::Debugger &debugger_;
  const DebugTarget &target_;
  Conditions conditions_;
};

} // namespace lanescope::repl
