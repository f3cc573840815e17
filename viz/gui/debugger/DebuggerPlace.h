// The place of a run in the debugger, as a link of the web page has it: {"last", "moment", "block", "warp", "panel",
// "stops"}. The page and the window write it, and go there again.
#pragma once

#include "core/data/Json.h"

#include <nlohmann/json_fwd.hpp>

#include <deque>
#include <functional>

namespace lanescope::viz {

class DebuggerModel;

/// Null before the run is opened. Without a "moment", the run stands at its start, at its end, or before its fault.
nlohmann::json debuggerState(const DebuggerModel &model);

/// A step towards a place. It begins when the model has finished the one before.
struct DebuggerStep {
  std::function<void(DebuggerModel &)> run;
  bool setsStop = false; // if the page refuses it afterwards, the place has a stop that this run cannot have
};

/// The steps from any place of a run to that of the state. Members of a wrong kind count as missing.
std::deque<DebuggerStep> debuggerSteps(const core::Json &state);

} // namespace lanescope::viz
