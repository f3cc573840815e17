// What each instruction of a kernel did in a run: what costs are counted from.
//
//   RunRecord record;
//   options.record = &record;  emulate(…);        // EmulatorOptions
//   record.instructions[12].executed              256: warps that ran it, counted each time
//
// Times are cycles of the model (machine/CostModel.h) that a warp spent at the instruction, summed over all warps: its
// own, and those in which it waited for a value or slept.
#pragma once

#include "layouts/support/Source.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lanescope::core {

struct InstructionRecord {
  uint32_t place = 0; // its first byte in the PTX
  uint64_t executed = 0, cycles = 0;
  uint64_t conflicts = 0;                               // wavefronts beyond one per phase
  uint64_t sharedBytes = 0, globalBytes = 0;            // of loads and stores that name the state space
  uint64_t copiedBytes = 0;                             // of asynchronous copies; those to several blocks count in each
  std::vector<std::pair<int64_t, int64_t>> shared = {}; // bytes of a block's shared memory: begin and end, ascending
};

struct RunRecord {
  /// Warp instructions that a thread of the host counts at most: a longer run goes on without, and there is no record
  /// of it. 0: as many as there are. Counting takes about a third of a run's time.
  uint64_t limit = 0;
  SourceRef ptx;                               // what ran; null: nothing has
  std::vector<InstructionRecord> instructions; // of those that ran, in the order of the text
  int64_t sharedBytes = 0;                     // that a block had
  bool copies = true; // bytes of copies were counted; in the fast mode, where none is in flight, they are not
};

} // namespace lanescope::core
