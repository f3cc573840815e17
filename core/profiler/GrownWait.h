// Which wait of a kernel grew most from one version's trace to the next, and why: what ended it was begun later, or
// took longer.
//
//   std::optional<GrownWait> wait = grownWait(before, after);
//   grownWaitText(*wait)
//
// "`tile wait` 3 of block (0, 0, 0) warpgroup 1 grew by 410 ns, 120 ns to 530 ns: `tile copy`, which ended it, was
// issued 300 ns later and was in flight 110 ns longer"
//
// Tracks are matched by their names, and the nth wait of a name with the nth of that name on the track.
#pragma once

#include "core/profiler/Causes.h"

#include <string>

namespace lanescope::core {

struct GrownWait {
  std::string name, track;                          // the wait's name, and the track's that waits
  uint32_t trackIndex = 0;                          // where it is in the later trace
  double beginNs = 0;                               // likewise, in that trace's own time
  size_t occurrence = 0;                            // from 1, of the waits of that name on the track
  double before = 0, after = 0;                     // ns that it lasted
  double startsLater = 0;                           // ns, counted from each trace's first mark; negative: earlier
  WaitCause::Kind cause = WaitCause::Kind::Unknown; // the same in both, else Unknown
  std::string by;                                   // what was in flight, or the track that arrived; empty: not known
  double issuedLater = 0; // ns, counted from the wait's begin. Arrival: how much later that came
  double longer = 0;      // ns that the flight lasted longer
  bool inferred = false;  // the cause, from the order of regions
  double growth() const { return after - before; }
};

/// None where no wait that both traces have grew.
std::optional<GrownWait> grownWait(const Trace &before, const Trace &after);
std::string grownWaitText(const GrownWait &wait);

} // namespace lanescope::core
