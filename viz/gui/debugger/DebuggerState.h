// The place of a run in the debugger, as a link of the web page has it: {"last", "moment", "block", "warp", "panel",
// "stops"}. repl/web/KernelPage reads it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace lanescope::viz {

class DebuggerModel;

/// Null before the run is opened. Without a "moment", the run stands at its start, at its end, or before its fault.
nlohmann::json debuggerState(const DebuggerModel &model);

} // namespace lanescope::viz
