// The tensor core: tcgen05.mma, .cp, .shift and .commit (PTX ISA, "Tensorcore 5th Generation Instructions"). One thread
// issues each operation. With `.cta_group::2`, the pair of blocks has one queue, and the operation uses the memories of
// both blocks.
//
// Operations are kept in the order of their issue. They are executed when a wait observes the phase of a commit's
// mbarrier. This is as late as the rules allow, so a thread that has not waited does not find the results. They are
// executed in the order of their issue, as in the tensor core ("Pipelined tcgen05 Instructions"), so a later operation
// finds the results of an earlier one. With seeds other than 0, some operations are executed at their issue. Modelled
// times follow the unit, which executes one operation after another.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

struct Tcgen05Commit;

/// imm: an index of Program::tensorForms.
Step issueTcgen05(Warp &warp, const Instr &i, uint32_t mask);
/// imm: an index into Program::addresses for the mbarrier. c: the mask of ranks for `.multicast::cluster`.
Step commitTcgen05(Warp &warp, const Instr &i, uint32_t mask);
/// sub: 1 for `::before_thread_sync`, 0 for `::after_thread_sync`.
Step fenceTcgen05(Warp &warp, const Instr &i, uint32_t mask);

/// Executes the operations that the commit tracks. `block` issued the commit. Returns false after a fault.
bool carryOut(Block &block, const Tcgen05Commit &commit);

} // namespace lanescope::core::emulator
