// A kernel trace as a timeline: a track per warp or warpgroup, nested slices, a time axis.
//
//   traceScene(trace, {.width = 1200})                                  // all of it
//   traceScene(trace, {.beginNs = 500, .endNs = 900, .width = 1200})    // zoomed in: times since the first slice
#pragma once

#include "core/profiler/TimeWords.h"
#include "viz/scene/Scene.h"

#include <memory>

namespace lanescope::viz {

struct TraceSceneOptions {
  double beginNs = 0, endNs = 0; // since traceBeginNs(); endNs <= beginNs means the whole trace
  double width = 1200;           // width of the body in pixels
  double rowHeight = 0;          // height of one nesting level; 0: 22, or less for many tracks
  double minSlice = 1.5;         // pixels; runs of narrower slices are merged into one grey box with their number
  int64_t maxTracks = 256;       // later ones are left out with a note
  ColourTheme theme = ColourTheme::Light;
};

/// The time of the first slice (0 for an empty trace), and the time from it to the end of the last slice, in ns.
double traceBeginNs(const core::Trace &trace);
double traceLengthNs(const core::Trace &trace);
/// Colour of the n-th region name, the same in every view.
Colour traceColour(uint32_t name);
using core::timeText;
/// The time of a tick, `step` ns from the next one. All ticks up to `longest` ns have one unit, with enough digits to
/// tell two ticks apart.
std::string tickText(double ns, double step, double longest);

/// Never fails: an empty trace gives a scene with a note. Box::row: track, Box::column: depth, Box::element: slice.
Scene traceScene(std::shared_ptr<const core::Trace> trace, const TraceSceneOptions &options = {});

} // namespace lanescope::viz
