// What a tensor core has yet to do: tcgen05.mma, .cp and .shift in the order of issue. Of a pair of blocks that work
// together (`.cta_group::2`) the even one has the queue.
#pragma once

#include "core/gpu/emulator/machine/Tcgen05Form.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lanescope::core::emulator {

struct Instr;

/// One operation: carried out when a wait for its commit orders it, which is as late as the rules allow.
struct Tcgen05Op {
  const Instr *instr = nullptr;
  const Tcgen05Form *form = nullptr;
  uint32_t rank = 0, warp = 0, lane = 0;   // who issued it
  TmemMmaOperands operands;                // .cp, .shift: d and b
  std::shared_ptr<const TmemMma> mma;      // null: .cp, .shift
  uint64_t issued = 0, begin = 0, end = 0; // cycles
};

struct Tcgen05Queue {
  std::vector<Tcgen05Op> ops; // that have yet to be carried out
  uint64_t done = 0;          // operations that have been
  uint64_t unitFree = 0;      // cycle

  /// Operations so far.
  uint64_t issued() const { return done + ops.size(); }
  /// As it is when a block starts.
  void clear() {
    ops.clear();
    done = unitFree = 0;
  }
};

} // namespace lanescope::core::emulator
