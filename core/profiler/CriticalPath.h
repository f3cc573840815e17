// Explains the length of a stretch of a track, or of a whole run. It follows the chain of causes back in time from the
// end. Each link is the cause for which the link after it in time had to wait.
//
//   wait ← a copy, in flight 600 ns ← issued by warpgroup 1, which ran 100 ns ← its wait ← warpgroup 0 arrived ← …
//
//   TraceCauses causes(trace);
//   CriticalPath why = pathTo(causes, track, slice.endNs, slice.beginNs);   // of one wait or region
//   CriticalPath all = gridPath(causes);                                    // of the whole run
//
// The steps of a path follow one another without a gap, so their times add up to the explained time.
#pragma once

#include "core/profiler/Causes.h"

namespace lanescope::core {

struct PathStep {
  enum class Kind {
    Run,    // the track did work
    Flight, // an operation was in flight, from its issue to its completion
    Wake,   // from the cause that ended the wait until the track continued
    Wait,   // a wait whose cause the trace does not show
    Launch, // the block had no processor yet, because another block ran there
  };
  static constexpr uint32_t kNone = UINT32_MAX;
  Kind kind = Kind::Run;
  double beginNs = 0, endNs = 0;
  uint32_t track = 0;      // the track that ran, waited or began
  uint32_t slice = kNone;  // a slice of the track. Run: the region that most of the step lies in; Wake, Wait: the wait
  uint32_t flight = kNone; // Flight: the entry of Trace::flights, if known
  uint32_t name = kNone;   // the name of the region, the wait or the flight
  uint32_t place = 0;      // index into Trace::places of its line; 0 if not known
  bool inferred = false;   // inferred from regions and their order, not recorded
  double length() const { return endNs - beginNs; }
};

struct CriticalPath {
  double beginNs = 0, endNs = 0;
  std::vector<PathStep> steps; // latest first; the earliest may begin before `beginNs`
  /// The part of a step that lies within the path's own time.
  double within(const PathStep &step) const;
  /// The time at the beginning that no step explains, because the trace does not show the issuer of the first step's
  /// operation.
  double untoldNs() const;
};

/// The total time of the steps of one kind, name and line.
struct PathShare {
  PathStep::Kind kind = PathStep::Kind::Run;
  uint32_t name = PathStep::kNone, place = 0;
  size_t count = 0;
  double ns = 0;
  bool inferred = false;
};

/// Follows the causes back from moment `ns` of a track until `untilNs`. `further`: the number of additional steps to
/// follow, to times before `untilNs`.
CriticalPath pathTo(const TraceCauses &causes, uint32_t track, double ns, double untilNs, size_t further = 0);
/// Follows the causes from the end of the work that finishes last, back to the beginning. Considers all tracks, or only
/// the tracks of one block (TraceCauses::groups).
CriticalPath gridPath(const TraceCauses &causes);
CriticalPath blockPath(const TraceCauses &causes, size_t group);

/// The shares of a path, longest first.
std::vector<PathShare> sharesOf(const CriticalPath &path);

} // namespace lanescope::core
