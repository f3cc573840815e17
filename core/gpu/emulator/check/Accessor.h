// An access while the checker compares it with earlier uses, in shared and global memory alike: which warp accesses,
// what the warp knows, and so which uses happen before.
//
//   Accessor accessor(order, warp, instr, false);
//   accessor.comesAfter(use.agent, use.epoch)   // true by a barrier, a wait or the warp's own program order
//
// LaneOrder does the same for single lanes: `st.shared [s + 4 * lane]; ld.shared [s];` is ordered for lane 0 only.
#pragma once

#include "core/gpu/emulator/check/Ordering.h"

namespace lanescope::core::emulator {

/// The order between the lanes of a use and those of a later access. Alike: the same order holds between any two of
/// them. InStep: nothing orders the lanes, but they execute one instruction together. Unordered: they do not even do
/// that.
enum class LaneOrder : uint8_t { Alike, Ordered, InStep, Unordered };

struct Accessor {
  Warp &warp;
  const Instr &i;
  const View &view; // what the warp knows
  bool byUnit;      // one of the warp's asynchronous units accesses
  Agent warpAgent;
  Epoch synchronised; // all lanes of the warp are ordered after what any of them did up to this epoch

  Accessor(Ordering &order, Warp &of, const Instr &instr, bool unit)
      : warp(of), i(instr), view(order.viewOf(of)), byUnit(unit), warpAgent(static_cast<Agent>(order.numberOf(of))),
        synchronised(order.lanesOf(warpAgent).all) {}

  /// True if everything that `agent` did up to `epoch` happens before the access. A warp's own uses do, by program
  /// order.
  bool comesAfter(Agent agent, Epoch epoch) const {
    return view.seen.covers(agent, epoch) || (!byUnit && agent == warpAgent);
  }
};

} // namespace lanescope::core::emulator
