// Finds a slice of a trace in the debugger's run: the warp that made the slice, and the cycle at which it begins.
#pragma once

#include "viz/gui/timeline/TimelineModel.h"
#include "viz/host/DebuggedRun.h"

namespace lanescope::viz {

/// Returns nothing if the target's run does not record such a slice. This is so if the trace was recorded on a GPU or
/// read from a file, if it is of another kernel, or if the slice is an operation in flight.
std::optional<SliceMoment> momentOf(const DebugTarget &target, const core::Trace &trace, SliceRef slice);

} // namespace lanescope::viz
