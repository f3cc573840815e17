// Conditions of breakpoints: expressions of the snippet language about the warp that is about to stop.
//
//   block == (0, 1) and warp < 4 and step == 3        `step`: a scalar of the kernel
//   %r12 >= 100                                       a PTX register, in the first active lane
//
// A condition can use these names: `block` (an int in a grid of one dimension, else a tuple in the order of the
// snippet's grid), `warp`, `warpgroup`, `cycle`, `moment`, scalars that the source names, registers, and Python's
// builtins.
#pragma once

#include "core/gpu/emulator/debug/Debugger.h"
#include "repl/debug/MarkedValues.h"

#include <functional>
#include <memory>

namespace lanescope::repl {

/// Makes conditions for one debugger, and keeps the values of the scalars that they name up to date. Must live as long
/// as the debugger uses the conditions.
class Conditions {
public:
  Conditions(core::Debugger &debugger, const DebugTarget &target, const MarkedValues &values);
  ~Conditions();
  Conditions(const Conditions &) = delete;
  Conditions &operator=(const Conditions &) = delete;

  /// Makes a condition from a text. Errors: "debug-command" for an unknown name, and those of the expression.
  Result<std::function<bool(const core::Glance &)>> make(const std::string &text);
  /// The errors of conditions since the last call; empty if there are none. A condition that fails counts as true.
  Diagnostics takeProblems();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace lanescope::repl
