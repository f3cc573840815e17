// An access that the checker compares with earlier uses of shared or global memory. The accessor holds the accessing
// warp and the warp's view, and finds with them which uses happen before the access.
//
//   Accessor accessor(order, warp, instr, false);
//   accessor.comesAfter(use.agent, use.epoch)   // true by a barrier, a wait or the warp's own program order
//
// LaneOrder does the same for single lanes: `st.shared [s + 4 * lane]; ld.shared [s];` is ordered for lane 0 only.
#pragma once

#include "core/gpu/emulator/check/Ordering.h"

namespace lanescope::core::emulator {

/// How a later access is ordered after the lanes of an earlier use.
/// Alike: the access is ordered in the same way after every lane of the use.
/// Ordered: it is ordered after each lane that touched the same bytes.
/// InStep: nothing orders the lanes, but they execute the same instruction together.
/// Unordered: nothing orders them, and they do not run together either.
enum class LaneOrder : uint8_t { Alike, Ordered, InStep, Unordered };

struct Accessor {
  Warp &warp;
  const Instr &i;
  const View &view; // the warp's view
  bool byUnit;      // one of the warp's asynchronous units accesses
  Agent warpAgent;
  Epoch synchronised; // all lanes of the warp are ordered after what any of them did up to this epoch

  Accessor(Ordering &order, Warp &of, const Instr &instr, bool unit)
      : warp(of), i(instr), view(order.viewOf(of)), byUnit(unit), warpAgent(static_cast<Agent>(order.numberOf(of))),
        synchronised(order.lanesOf(warpAgent).all) {}

  /// True if everything that `agent` did up to `epoch` happens before the access. Program order puts the warp's own
  /// uses before it.
  bool comesAfter(Agent agent, Epoch epoch) const {
    return view.seen.covers(agent, epoch) || (!byUnit && agent == warpAgent);
  }
};

} // namespace lanescope::core::emulator
