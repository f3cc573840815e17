// The operations that a tensor core has not executed yet: tcgen05.mma, .cp and .shift in the order of issue. If two
// blocks work as a pair (`.cta_group::2`), the even block has the queue.
#pragma once

#include "core/gpu/emulator/machine/Tcgen05Form.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lanescope::core::emulator {

struct Instr;

/// One operation. It is executed when a wait for its commit orders it, which is as late as the rules allow.
struct Tcgen05Op {
  const Instr *instr = nullptr;
  const Tcgen05Form *form = nullptr;
  uint32_t rank = 0, warp = 0, lane = 0;   // the lane that issued it
  TmemMmaOperands operands;                // .cp and .shift use only d and b
  std::shared_ptr<const TmemMma> mma;      // null for .cp and .shift
  uint64_t issued = 0, begin = 0, end = 0; // cycles
};

struct Tcgen05Queue {
  std::vector<Tcgen05Op> ops; // not executed yet
  uint64_t done = 0;          // the number of executed operations
  uint64_t unitFree = 0;      // cycle

  /// The number of operations issued so far.
  uint64_t issued() const { return done + ops.size(); }
  /// Sets the state in which a block starts.
  void clear() {
    ops.clear();
    done = unitFree = 0;
  }
};

} // namespace lanescope::core::emulator
