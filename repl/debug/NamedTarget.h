// A run to debug with the values that its names have, for views that know no names of the language.
//
//   auto named = std::make_shared<const NamedTarget>(target);
//   viewTarget.stops = [named](core::Debugger &debugger) { return makeStops(debugger, named); };
#pragma once

#include "repl/debug/MarkedValues.h"
#include "viz/host/DebuggedRun.h"

#include <memory>

namespace lanescope::repl {

/// The target and its values live equally long.
struct NamedTarget {
  explicit NamedTarget(DebugTarget theTarget) : target(std::move(theTarget)), values(target) {}
  NamedTarget(const NamedTarget &) = delete;
  NamedTarget &operator=(const NamedTarget &) = delete;
  const DebugTarget target;
  const MarkedValues values;
};

/// The breakpoints and watchpoints of a debugger, as StopCommands.h reads them.
std::unique_ptr<viz::DebugStops> makeStops(core::Debugger &debugger, std::shared_ptr<const NamedTarget> named);

} // namespace lanescope::repl
