// The occupancy of the processors: the number of blocks on each of them over time. Also the tail, the time at the end
// in which some processors have no more work.
//
//   TraceOccupancy of = occupancyOf(trace);
//   of.tailNs, of.tailIdle                // 1.2 µs before the end the first processor was done; 38 % of that was lost
//   occupancyBins(of, {of.beginNs, of.endNs}, 600)   // processors with 0, 1, 2, 3 and more blocks, in 600 steps
//
// A block is present from the first mark of its tracks to the last. If track names give no blocks, all tracks of a
// process count as one block.
#pragma once

#include "core/profiler/TraceAnalysis.h"

#include <array>

namespace lanescope::core {

struct ProcessTimes {
  int64_t pid = 0;
  std::string name;
  size_t blocks = 0;
  size_t most = 0;   // the most blocks at a time
  double busyNs = 0; // time with at least one block
  double firstNs = 0, lastNs = 0;
  struct Step {
    double ns;
    uint32_t blocks; // the number of blocks from here on
  };
  std::vector<Step> steps; // ascending; none before the first one
};

struct TraceOccupancy {
  std::vector<ProcessTimes> processes; // by pid
  size_t blocks = 0;
  double beginNs = 0, endNs = 0;
  double busyShare = 0;     // share of all processors' time from beginNs to endNs
  double averageBlocks = 0; // per processor, at a time
  double tailNs = 0;        // from the moment when the first processor is done to the end
  double tailIdle = 0;      // the share of all processors' time in the tail in which no block ran
};

TraceOccupancy occupancyOf(const Trace &trace);

/// The shares of processors that hold 0, 1, 2, 3, and 4 or more blocks, during a step of time. They add up to 1.
using OccupancyBin = std::array<double, 5>;
/// The shares in equal steps of a stretch; empty if there are no processors or no time.
std::vector<OccupancyBin> occupancyBins(const TraceOccupancy &of, TraceStretch within, size_t bins);
/// The occupancy in words: "3 blocks on 2 processors, at most 2 at once; 75.0 % of the processors' time with a block".
/// If there are several processors, a line about the tail follows. Empty if there is no processor.
std::vector<std::string> occupancyLines(const TraceOccupancy &of);

} // namespace lanescope::core
