// How full the processors were: blocks on each over time, and the tail, when some have nothing left to do.
//
//   TraceOccupancy of = occupancyOf(trace);
//   of.tailNs, of.tailIdle                // 1.2 µs before the end the first processor was done; 38 % of that was lost
//
// A block is there from the first mark of its tracks to the last. Where tracks name no block, all of a process are one.
#pragma once

#include "core/Trace.h"

namespace lanescope::core {

struct ProcessTimes {
  int64_t pid = 0;
  std::string name;
  size_t blocks = 0;
  size_t most = 0;   // at once
  double busyNs = 0; // with at least one block
  double firstNs = 0, lastNs = 0;
};

struct TraceOccupancy {
  std::vector<ProcessTimes> processes; // by pid
  size_t blocks = 0;
  double beginNs = 0, endNs = 0;
  double busyShare = 0;     // of all processors' time from beginNs to endNs
  double averageBlocks = 0; // at once, per processor
  double tailNs = 0;        // from the moment the first processor is done to the end
  double tailIdle = 0;      // share of that time, over all processors, that is lost
};

TraceOccupancy occupancyOf(const Trace &trace);

} // namespace lanescope::core
