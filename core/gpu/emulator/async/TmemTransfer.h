// tcgen05.ld, .st and their waits (PTX ISA, "Tensor Memory and Register Load/Store Instructions"), of one warp: the
// quarter of the lanes that it reaches is 32 * (warp % 4) on; an address below lane 32 counts from there.
//
// A load reads when it is issued. A store writes when `tcgen05.wait::st` orders it, or, drawn from the seed, at once:
// who looks without the wait finds the old cells, and is told.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

/// imm: Program::tmemMoves; list: the registers; d2: of a reduction.
Step loadTmem(Warp &warp, const Instr &i, uint32_t mask);
Step storeTmem(Warp &warp, const Instr &i, uint32_t mask);
Step waitTmemLoads(Warp &warp, const Instr &i, uint32_t mask);
Step waitTmemStores(Warp &warp, const Instr &i, uint32_t mask);

} // namespace lanescope::core::emulator
