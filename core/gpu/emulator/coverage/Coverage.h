// Collects what runs have shown of a program's synchronisation: which waits ever had to wait, which buffers were ever
// refilled, and which phases, stages, loops and branches were exercised.
//
//   Coverage coverage;
//   emulate(ptx, launch, arrays, {.coverage = &coverage});     // adds up over runs, of several sizes and schedules
//   for (const Diagnostic &gap : coverage.gaps()) …            // "`barrier_wait(read.at[stage])` never had to wait"
//
// It reports what passing runs have *not* shown. It does not claim that the rest is right.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace lanescope::core {

struct CoveragePoint {
  enum class Kind : uint8_t {
    Wait,      // for a phase of an mbarrier
    GroupWait, // for groups of copies or of wgmmas, or for tensor memory
    Barrier,   // of a block, a part of it, or the cluster: an arrival with its wait, or the wait alone
    Arrival,   // at an mbarrier or a barrier
    Copy,      // asynchronous, into a buffer
    Fence,     // proxy fences, wgmma.fence, commits
    Loop,      // a backward branch
    Branch,    // a forward branch
    Late,      // an operation at which one warp's lateness could matter (check/Phases)
  };
  Kind kind = Kind::Wait;
  Span place;
  std::string words;                       // the source's line, or the instruction
  bool inLoop = false;                     // some of its instructions are in a loop
  uint64_t reached = 0;                    // how often warps have come through; for a Late: how often it was suspected
  uint64_t waited = 0;                     // how often they had to wait, or found something to wait for
  bool parity[2]{};                        // for a Wait: the phases that it has seen complete
  std::string barrier;                     // for a Wait: the barrier's name in the source; empty if not known
  std::set<uint32_t> stages, allStages;    // for a Wait: mbarriers that it has waited for, and all of that name
  uint64_t again = 0;                      // for a Copy: how often its buffer had been filled, or sent, before
  bool taken = false, fellThrough = false; // for a Loop or a Branch
  uint64_t tried = 0;                      // for a Late: the number of runs in which the warp came late
  bool breaks = false;                     // one of these runs broke the kernel
  std::string untried;                     // why a suspicion was not tried
};

class Coverage {
public:
  /// Adds another run's points. Points of the same kind and place are merged.
  void add(const std::vector<CoveragePoint> &points);
  /// In source order.
  const std::vector<CoveragePoint> &points() const { return points_; }
  /// A note for each point of which something has not been shown. Their kinds begin with "coverage-".
  Diagnostics gaps() const;
  /// The rendered gaps, and the summary.
  std::string report() const;
  /// "coverage: 24 of 30 points of synchronisation shown in full", and how many of them a late warp could break.
  std::string summary() const;

  /// The points at which one warp's lateness could matter.
  struct Late {
    size_t suspected = 0, tried = 0, breaking = 0; // `tried`: points tried as often as suspected
  };
  Late late() const;

private:
  std::vector<CoveragePoint> points_;
};

} // namespace lanescope::core
