// Finds the wait of a kernel that grew most from one version's trace to the next, and the reason: the operation that
// ended it was issued later, or took longer.
//
//   std::optional<GrownWait> wait = grownWait(before, after);
//   grownWaitText(*wait)
//
// "`tile wait` 3 of block (0, 0, 0) warpgroup 1 grew by 410 ns, 120 ns to 530 ns: `tile copy`, which ended it, was
// issued 300 ns later and was in flight 110 ns longer"
//
// Tracks match by their names. On two matching tracks, the nth waits of a name match.
#pragma once

#include "core/profiler/Causes.h"

#include <string>

namespace lanescope::core {

struct GrownWait {
  std::string name, track;                          // the names of the wait and of its track
  uint32_t trackIndex = 0;                          // the track's index in the later trace
  double beginNs = 0;                               // its begin in the later trace, in that trace's own time
  size_t occurrence = 0;                            // number among the waits of that name on the track, from 1
  double before = 0, after = 0;                     // its lengths in ns
  double startsLater = 0;                           // ns, counted from each trace's first mark; negative for earlier
  WaitCause::Kind cause = WaitCause::Kind::Unknown; // the cause in both traces, or Unknown if they differ
  // The operation in flight, or the track that arrived; empty if not known.
  std::string by;
  double issuedLater = 0; // ns, counted from the wait's beginning; for Arrival, the delay of the arrival
  double longer = 0;      // ns by which the operation was in flight longer
  bool inferred = false;  // the cause was inferred from the order of regions
  double growth() const { return after - before; }
};

/// The wait that grew most; nothing if no wait that is in both traces grew.
std::optional<GrownWait> grownWait(const Trace &before, const Trace &after);
std::string grownWaitText(const GrownWait &wait);

} // namespace lanescope::core
