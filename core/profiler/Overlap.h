// Adds up, for each processor, which kinds of work (tensor core, copies, warps) ran at the same time. The results are
// shares of the time, and shares over time.
//
//   Overlap of = overlapOf(trace);
//   of.share(OverlapState::CopiesWhileWaiting)      // 0.42: copies in flight, and every warp waits
//   overlapOf(trace, {}, 600).bins                  // the same in 600 steps of the trace's length
//
// At every moment from the first mark of its tracks to the last, a processor is in one of these states; before and
// after that, it is Idle. If the trace records no operations in flight, the names of regions determine the kind of work
// (TraceKinds.h), and `named` is true.
#pragma once

#include "core/profiler/TraceAnalysis.h"

#include <array>

namespace lanescope::core {

enum class OverlapState : uint8_t {
  TensorAndCopies,    // the tensor core is busy, copies are in flight
  Tensor,             // the tensor core is busy, no copy is in flight
  CopiesWhileRunning, // copies are in flight, some warp does other work
  CopiesWhileWaiting, // copies are in flight, every warp waits
  Running,            // nothing is in flight, some warp works
  Waiting,            // nothing is in flight, every warp waits
  Idle,               // no warp is present
};
inline constexpr size_t kOverlapStates = 7;
/// The state in words: "tensor core busy, copies in flight".
const char *overlapName(OverlapState state);

/// The share of the processors' time in each state; the shares add up to 1.
struct OverlapShares {
  std::array<double, kOverlapStates> of{};
  double operator[](OverlapState state) const { return of[static_cast<size_t>(state)]; }
  double tensorBusy() const { return of[0] + of[1]; }
  double copiesInFlight() const { return of[0] + of[2] + of[3]; }
  double allWait() const { return of[3] + of[5]; }
};

struct Overlap {
  double beginNs = 0, endNs = 0;
  size_t processes = 0;
  OverlapShares whole;
  std::vector<OverlapShares> bins; // equal steps from beginNs to endNs
  bool named = false;              // operations in flight were found by the names of regions
};

/// `within`: analyse only that stretch.
Overlap overlapOf(const Trace &trace, std::optional<TraceStretch> within = {}, size_t bins = 0);

} // namespace lanescope::core
