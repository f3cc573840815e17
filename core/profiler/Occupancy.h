// How full the processors were: blocks on each over time, and the tail, when some have nothing left to do.
//
//   TraceOccupancy of = occupancyOf(trace);
//   of.tailNs, of.tailIdle                // 1.2 µs before the end the first processor was done; 38 % of that was lost
//   occupancyBins(of, {of.beginNs, of.endNs}, 600)   // processors with 0, 1, 2, 3 and more blocks, in 600 steps
//
// A block is there from the first mark of its tracks to the last. Where tracks name no block, all of a process are one.
#pragma once

#include "core/profiler/TraceAnalysis.h"

#include <array>

namespace lanescope::core {

struct ProcessTimes {
  int64_t pid = 0;
  std::string name;
  size_t blocks = 0;
  size_t most = 0;   // at once
  double busyNs = 0; // with at least one block
  double firstNs = 0, lastNs = 0;
  struct Step {
    double ns;
    uint32_t blocks; // at once from here on
  };
  std::vector<Step> steps; // ascending; none before the first one
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

/// Shares of the processors with no block, 1, 2, 3, and 4 or more, over a step of time; they add up to 1.
using OccupancyBin = std::array<double, 5>;
/// Equal steps of a stretch; empty where there are no processors or no time.
std::vector<OccupancyBin> occupancyBins(const TraceOccupancy &of, TraceStretch within, size_t bins);
/// "3 blocks on 2 processors, at most 2 at once; 75.0 % of the processors' time with a block", and a line on the tail
/// where there are several processors. Empty where there are none.
std::vector<std::string> occupancyLines(const TraceOccupancy &of);

} // namespace lanescope::core
