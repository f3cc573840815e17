// The tensor core: tcgen05.mma, .cp, .shift and .commit (PTX ISA, "Tensorcore 5th Generation Instructions"), each
// issued by one thread. With `.cta_group::2` the pair of blocks has one queue, and both blocks' memories take part.
//
// Operations are kept in the order of their issue and carried out when the phase of a commit's mbarrier is observed,
// which is as late as the rules allow: what nobody has waited for is not there. They are carried out in that order, as
// the tensor core does ("Pipelined tcgen05 Instructions"), so whatever comes later finds what it needs. With seeds
// other than 0 some are carried out when issued. Modelled times go by the unit, which does one after another.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

struct Tcgen05Commit;

/// imm: Program::tensorForms.
Step issueTcgen05(Warp &warp, const Instr &i, uint32_t mask);
/// imm: Program::addresses, the mbarrier; c: mask of ranks with `.multicast::cluster`.
Step commitTcgen05(Warp &warp, const Instr &i, uint32_t mask);
/// sub: 1 `::before_thread_sync`, 0 `::after_thread_sync`.
Step fenceTcgen05(Warp &warp, const Instr &i, uint32_t mask);

/// Carries out what the commit tracks; `block` issued it. False after a fault.
bool carryOut(Block &block, const Tcgen05Commit &commit);

} // namespace lanescope::core::emulator
