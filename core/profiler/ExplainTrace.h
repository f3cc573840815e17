// Explains the length of a trace, in words and as JSON: the most expensive waits, each with the chain of causes of its
// longest occurrence; the critical path; overlap; and occupancy of the processors.
//
//   explain(trace)                    // the text of `lanescope trace F --explain`
//   chainOf(causes, path)             // a path's links, a line each; the window shows them beside a slice
//
// The numbers come from CriticalPath.h, Overlap.h and TraceOccupancy.h.
#pragma once

#include "core/profiler/CriticalPath.h"

#include <string>

namespace lanescope::core {

/// One link of a chain; the latest comes first.
struct ChainLink {
  double ns = 0;    // its length
  double share = 0; // its share of the explained time; 0 if the link lies before that time
  bool before = false;
  std::string words; // "`copy`, 16384 bytes, x.py:12, was in flight"
  PathStep step;
};
/// Returns the path's links, at most `most` of them; earlier ones are left out.
std::vector<ChainLink> chainOf(const TraceCauses &causes, const CriticalPath &path, size_t most = 12);

/// The waits of one name and line.
struct WaitSite {
  uint32_t name = 0, place = 0;
  size_t count = 0;
  double totalNs = 0;
  uint32_t track = 0; // the track of the longest wait
  CausedWait longest;
};
/// The wait sites by total time, longest first.
std::vector<WaitSite> waitSites(const TraceCauses &causes);
/// The path that explains a slice: a wait, or a region with all the waits inside.
CriticalPath pathOfSlice(const TraceCauses &causes, uint32_t track, uint32_t slice);

/// A slice in words: "`mbarrier wait`, x.py:14".
std::string sliceWords(const Trace &trace, uint32_t name, uint32_t place);
/// A share in words: "`copy`, x.py:12 in flight".
std::string shareWords(const Trace &trace, const PathShare &share);

std::string explain(const Trace &trace);
/// The explanation as JSON; docs/trace.md has its members.
std::string explainJson(const Trace &trace);

} // namespace lanescope::core
