// The handlers of asynchronous copies (PTX ISA 9.7.9.25-27), and of their groups and waits. DecodeBulk.cpp decodes
// them.
//
// Instr::imm is the index of the first address in Program::addresses: [0] the shared side, [1] the global side or the
// descriptor, [2] the mbarrier.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Instr::sub of a bulk copy: flags, and its ReduceOp.
enum BulkSub : uint8_t {
  kToGlobal = 0x80,
  kFromShared = 0x40,
  kOfPair = 0x20, // for tensor copies
  kRows = 0x10,   // for tensor copies
  kSpread = 0x10, // for copies of bytes: `multimem`
  kReduceMask = 0xF
};
/// Instr::sub of a commit or a wait.
enum GroupSub : uint8_t { kRead = 1, kBulkGroup = 2, kWaitAll = 4 };

/// b: bytes; c: ranks of a multicast; access: the element type of a reduction.
Step bulkCopy(Warp &warp, const Instr &i, uint32_t mask);
/// list: coordinates, then im2col offsets; access: the TmaMode; c: ranks of a multicast.
Step tensorCopy(Warp &warp, const Instr &i, uint32_t mask);
/// cp.async of `access` bytes; b: bytes of the source; c: true to ignore the source; sub: negates c.
Step copyAsync(Warp &warp, const Instr &i, uint32_t mask);
/// cp.async.mbarrier.arrive: arrives once this lane's earlier cp.async copies have completed. sub: `.noinc`.
Step arriveAfterCopies(Warp &warp, const Instr &i, uint32_t mask);
Step commitGroup(Warp &warp, const Instr &i, uint32_t mask);
/// imm: how many groups may still be unfinished.
Step waitGroup(Warp &warp, const Instr &i, uint32_t mask);

} // namespace lanescope::core::emulator
