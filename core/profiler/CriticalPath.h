// What a stretch of a track took so long for, and what a whole run did: the chain back in time from its end, each link
// what the one after it had to wait for.
//
//   wait ← a copy, in flight 600 ns ← issued by warpgroup 1, which ran 100 ns ← its wait ← warpgroup 0 arrived ← …
//
//   TraceCauses causes(trace);
//   CriticalPath why = pathTo(causes, track, slice.endNs, slice.beginNs);   // of one wait or region
//   CriticalPath all = gridPath(causes);                                    // of the whole run
//
// The steps of a path follow one another without a gap, so their times add up to what the path explains.
#pragma once

#include "core/profiler/Causes.h"

namespace lanescope::core {

struct PathStep {
  enum class Kind {
    Run,    // the track did something
    Flight, // something was in flight, from its issue to its completion
    Wake,   // from what ended the wait until the track went on
    Wait,   // a wait whose cause the trace does not tell
    Launch, // the block had no processor yet: another one ran there
  };
  static constexpr uint32_t kNone = UINT32_MAX;
  Kind kind = Kind::Run;
  double beginNs = 0, endNs = 0;
  uint32_t track = 0;      // who ran, waited or began
  uint32_t slice = kNone;  // of the track. Run: the region that most of it lies in; Wake, Wait: the wait
  uint32_t flight = kNone; // Flight: in Trace::flights, where it is known
  uint32_t name = kNone;   // of the region, the wait or the flight
  uint32_t place = 0;      // index into Trace::places: its line, 0: not known
  bool inferred = false;   // from regions and their order, not recorded
  double length() const { return endNs - beginNs; }
};

struct CriticalPath {
  double beginNs = 0, endNs = 0;
  std::vector<PathStep> steps; // latest first; the earliest may begin before `beginNs`
  /// Of a step, what lies within the path's own time.
  double within(const PathStep &step) const;
  /// Time at the beginning that no step explains: the trace does not say who issued what the first one waits for.
  double untoldNs() const;
};

/// What the steps of one kind, name and line take together.
struct PathShare {
  PathStep::Kind kind = PathStep::Kind::Run;
  uint32_t name = PathStep::kNone, place = 0;
  size_t count = 0;
  double ns = 0;
  bool inferred = false;
};

/// Back from moment `ns` of a track until `untilNs`. `further`: steps to follow beyond that, to say what led there.
CriticalPath pathTo(const TraceCauses &causes, uint32_t track, double ns, double untilNs, size_t further = 0);
/// From the end of what finishes last, of all tracks or of a block's (TraceCauses::groups), to its beginning.
CriticalPath gridPath(const TraceCauses &causes);
CriticalPath blockPath(const TraceCauses &causes, size_t group);

/// Longest first.
std::vector<PathShare> sharesOf(const CriticalPath &path);

} // namespace lanescope::core
