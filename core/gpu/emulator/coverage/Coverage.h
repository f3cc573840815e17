// Collects what runs have shown of a program's synchronisation: which waits really had to wait, which buffers were
// refilled, and which phases, stages, loops and branches were executed.
//
//   Coverage coverage;
//   emulate(ptx, launch, arrays, {.coverage = &coverage});     // adds up over runs, of several sizes and schedules
//   for (const Diagnostic &gap : coverage.gaps()) …            // "`barrier_wait(read.at[stage])` never had to wait"
//
// It reports what passing runs have *not* shown. It does not claim that everything else is right.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace lanescope::core {

struct CoveragePoint {
  enum class Kind : uint8_t {
    Wait,      // a wait for a phase of an mbarrier
    GroupWait, // a wait for groups of copies or of wgmmas, or for tensor memory
    Barrier,   // a barrier of a block, of a part of it, or of the cluster: an arrival with its wait, or only the wait
    Arrival,   // an arrival at an mbarrier or a barrier
    Copy,      // an asynchronous copy into a buffer
    Fence,     // a proxy fence, wgmma.fence, or a commit
    Loop,      // a backward branch
    Branch,    // a forward branch
    Late,      // an operation at which one warp's lateness could matter (check/Phases)
    Access,    // a use of a word that several warps or blocks use, some by strong accesses (ContendedWords.h)
  };
  Kind kind = Kind::Wait;
  Span place;
  std::string words;    // the source's line, or the instruction
  bool inLoop = false;  // some of its instructions are in a loop
  uint64_t reached = 0; // how often warps have passed it; for a Late: how often it was suspected
  uint64_t waited = 0;  // how often warps had to wait there, or found something to wait for
  bool parity[2]{};     // for a Wait: true for each parity whose phase was seen to complete
  std::string barrier;  // for a Wait: the barrier's name in the source; empty if unknown
  // For a Wait: the mbarriers that it has waited for, and all mbarriers with that name.
  std::set<uint32_t> stages, allStages;
  uint64_t again = 0;                      // for a Copy: how often its buffer had already been filled or sent
  bool taken = false, fellThrough = false; // for a Loop or a Branch: taken and not taken
  uint64_t tried = 0;                      // for a Late: the number of runs in which the warp was late
  bool breaks = false;                     // one of these runs broke the kernel
  std::string untried;                     // why a suspicion was not tried
  // For an Access: what uses the word ("warp", "block" or "cluster"), and which of them were late there in some run.
  std::string_view usedBy;
  std::set<uint32_t> users, lateUsers;
};

class Coverage {
public:
  /// Adds another run's points. Points of the same kind and place are merged.
  void add(const std::vector<CoveragePoint> &points);
  /// The points in the order of the source.
  const std::vector<CoveragePoint> &points() const { return points_; }
  /// A note for each point at which something has not been shown. The kinds of these notes begin with "coverage-".
  Diagnostics gaps() const;
  /// The rendered gaps, and the summary.
  std::string report() const;
  /// "coverage: 24 of 30 points of synchronisation shown in full", followed by the number of points at which a late
  /// warp could break the kernel.
  std::string summary() const;

  /// The points at which the lateness of one warp or block could matter.
  struct Late {
    size_t suspected = 0, tried = 0, breaking = 0; // `tried`: points that were tried as often as they were suspected
  };
  Late late() const;

private:
  std::vector<CoveragePoint> points_;
};

} // namespace lanescope::core
