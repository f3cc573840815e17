// Finds a slice of a trace in the debugger's run: the warp that made the slice, and the cycle at which it begins.
#pragma once

#include "viz/gui/timeline/TimelineModel.h"
#include "viz/host/DebugTarget.h"

namespace lanescope::viz {

/// Nothing if the target's run does not record such a slice: the trace was recorded on a GPU or read from a file, or it
/// is of another kernel; the slice shows what is in flight.
std::optional<SliceMoment> momentOf(const DebugTarget &target, const core::Trace &trace, SliceRef slice);

} // namespace lanescope::viz
