// Why a trace took as long as it did, in words and as JSON: the waits that cost most with the chain of causes of each
// one's longest, the critical path, what overlapped, how full the processors were.
//
//   explain(trace)                    // the text of `lanescope trace F --explain`
//   chainOf(causes, path)             // a path's links, a line each; the window shows them beside a slice
//
// Sources: the numbers are CriticalPath.h's, Overlap.h's and Occupancy.h's.
#pragma once

#include "core/profiler/CriticalPath.h"

#include <string>

namespace lanescope::core {

/// One link of a chain, latest first.
struct ChainLink {
  double ns = 0;    // its length
  double share = 0; // of what is explained; 0: it lies before that
  bool before = false;
  std::string words; // "`copy`, 16384 bytes, x.py:12, was in flight"
  PathStep step;
};
/// At most `most` links; what comes before them is left out.
std::vector<ChainLink> chainOf(const TraceCauses &causes, const CriticalPath &path, size_t most = 12);

/// Waits of one name and line.
struct WaitSite {
  uint32_t name = 0, place = 0;
  size_t count = 0;
  double totalNs = 0;
  uint32_t track = 0; // of the longest one
  CausedWait longest;
};
/// By total time, longest first.
std::vector<WaitSite> waitSites(const TraceCauses &causes);
/// Of a slice of a track: a wait, or a region with what it waited for.
CriticalPath pathOfSlice(const TraceCauses &causes, uint32_t track, uint32_t slice);

/// "`mbarrier wait`, x.py:14"
std::string sliceWords(const Trace &trace, uint32_t name, uint32_t place);
/// "`copy`, x.py:12 in flight"
std::string shareWords(const Trace &trace, const PathShare &share);

std::string explain(const Trace &trace);
/// The same as JSON; docs/trace.md has its members.
std::string explainJson(const Trace &trace);

} // namespace lanescope::core
