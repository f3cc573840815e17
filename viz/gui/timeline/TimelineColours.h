// The colours of the graphs below the timeline's axis.
#pragma once

#include "core/profiler/Overlap.h"
#include "core/profiler/TraceOccupancy.h"
#include "viz/scene/Scene.h"

#include <optional>

namespace lanescope::viz {

/// A state's colour in the graph of overlap and in its legend. Nothing for `Idle`, which has the colour of rules.
std::optional<Colour> overlapColour(core::OverlapState state, bool dark);
/// The opacity of the accent's colour for a processor with `blocks` blocks, from 1.
float occupancyOpacity(size_t blocks);

} // namespace lanescope::viz
