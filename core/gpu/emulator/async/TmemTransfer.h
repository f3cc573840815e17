// tcgen05.ld, .st and their waits (PTX ISA, "Tensor Memory and Register Load/Store Instructions"). A warp can access
// one quarter of the lanes, which begins at lane 32 * (warp % 4). An address with a lane below 32 is relative to that
// quarter.
//
// A load reads at its issue. A store writes when `tcgen05.wait::st` orders it or, with some seeds, at once. So a thread
// that reads without the wait finds the old cells, and gets a fault.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

/// imm: an index of Program::tmemMoves; list: the registers; d2: the register of a reduction.
Step loadTmem(Warp &warp, const Instr &i, uint32_t mask);
Step storeTmem(Warp &warp, const Instr &i, uint32_t mask);
Step waitTmemLoads(Warp &warp, const Instr &i, uint32_t mask);
Step waitTmemStores(Warp &warp, const Instr &i, uint32_t mask);

} // namespace lanescope::core::emulator
