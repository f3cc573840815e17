// tcgen05.ld, .st and their waits (PTX ISA, "Tensor Memory and Register Load/Store Instructions"). A warp reaches one
// quarter of the lanes, which begins at 32 * (warp % 4). An address below lane 32 counts from there.
//
// A load reads when it is issued. A store writes when `tcgen05.wait::st` orders it or, if the seed says so, at once. So
// a thread that reads without the wait finds the old cells, and gets a fault.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

/// imm: an index of Program::tmemMoves; list: the registers; d2: the register of a reduction.
Step loadTmem(Warp &warp, const Instr &i, uint32_t mask);
Step storeTmem(Warp &warp, const Instr &i, uint32_t mask);
Step waitTmemLoads(Warp &warp, const Instr &i, uint32_t mask);
Step waitTmemStores(Warp &warp, const Instr &i, uint32_t mask);

} // namespace lanescope::core::emulator
