// A kernel trace as a timeline. It has a track per warp or warpgroup, nested slices and a time axis.
//
//   traceScene(trace, {.width = 1200})                                  // all of it
//   traceScene(trace, {.beginNs = 500, .endNs = 900, .width = 1200})    // zoomed in: times since the first slice
#pragma once

#include "core/profiler/TimeWords.h"
#include "viz/scene/Scene.h"

#include <memory>

namespace lanescope::viz {

struct TraceSceneOptions {
  double beginNs = 0, endNs = 0; // since traceBeginNs(); if endNs <= beginNs, the whole trace is shown
  double width = 1200;           // width of the body in pixels
  double rowHeight = 0;          // height of one nesting level; 0: 22, or less if there are many tracks
  double minSlice = 1.5;         // in pixels; adjacent narrower slices are merged into one grey box with their number
  int64_t maxTracks = 256;       // later tracks are left out with a note
  ColourTheme theme = ColourTheme::Light;
};

/// The time of the first slice (0 for an empty trace), and the time from there to the end of the last slice, in ns.
double traceBeginNs(const core::Trace &trace);
double traceLengthNs(const core::Trace &trace);
/// The colour of the n-th region name. It is the same in every view.
Colour traceColour(uint32_t name);
using core::timeText;
/// The text for a tick whose neighbours are `step` ns away. All ticks up to `longest` ns have the same unit, and enough
/// digits to distinguish neighbouring ticks.
std::string tickText(double ns, double step, double longest);

/// Never fails: an empty trace gives a scene with a note. Box::row is the track, Box::column the depth, and
/// Box::element the slice.
Scene traceScene(std::shared_ptr<const core::Trace> trace, const TraceSceneOptions &options = {});

} // namespace lanescope::viz
