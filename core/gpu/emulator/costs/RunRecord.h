// The work that each instruction of a kernel did in a run. Costs are computed from this.
//
//   RunRecord record;
//   options.record = &record;  emulate(…);        // EmulatorOptions
//   record.instructions[12].executed              256: how often warps executed it
//
// Times are cycles of the model (machine/CostModel.h), summed over all warps. They include the instruction's own
// cycles, and those in which a warp waited there for a value or slept.
#pragma once

#include "layouts/support/Source.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lanescope::core {

struct InstructionRecord {
  uint32_t place = 0; // the offset of its first byte in the PTX
  uint64_t executed = 0, cycles = 0;
  uint64_t conflicts = 0;                    // wavefronts beyond one per phase
  uint64_t sharedBytes = 0, globalBytes = 0; // by loads and stores that name the state space
  uint64_t copiedBytes = 0; // bytes of asynchronous copies; a copy to several blocks counts once per block
  // Ranges of a block's shared memory (begin and end), in ascending order.
  std::vector<std::pair<int64_t, int64_t>> shared = {};
};

/// Bytes of an array: the first one and the one after the last.
using ByteRange = std::pair<uint64_t, uint64_t>;

struct RunRecord {
  /// The most warp instructions that a host thread counts. A longer run goes on without counting, and has no record. 0:
  /// no limit. Counting takes about a third of a run's time.
  uint64_t limit = 0;
  SourceRef ptx;                               // the PTX that ran; null if there was none
  std::vector<InstructionRecord> instructions; // the instructions that were executed, in the order of the text
  int64_t sharedBytes = 0;                     // bytes per block
  bool wantsAccessed = false;                  // set it to get `accessed`, on one device and with checks
  /// For each array that a parameter refers to, the pages that the kernel accessed, in ascending order. A page has 64
  /// lines of the checker's shadow (check/GlobalShadow.h), so a few kilobytes.
  std::vector<std::vector<ByteRange>> accessed;
  bool copies = true; // false in the fast mode, where bytes of copies are not counted
};

} // namespace lanescope::core
