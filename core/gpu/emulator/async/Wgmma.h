// wgmma.mma_async m64nNkK, K being 32 bytes of operand (PTX ISA 9.7.15): f16, bf16, tf32, e4m3, e5m2, s8, u8 and b1
// operands, f32, f16 and s32 accumulators. Each warp of a warpgroup owns 16 rows of the result. Operations are kept in
// order and computed when `wgmma.wait_group` asks for them, which is as late as the rules allow, then for all four
// warps at once: the first one that waits goes on when all four have issued the operation. In the fast mode they are
// computed when the last of the four warps commits them, or when an instruction uses their registers before.
//
// Results are those of an H200, bit for bit: integers exact, floats added as tensor/TensorSum.h says. One instruction's
// K is one sum, whatever its group.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

namespace lanescope::core::emulator {

Step issueWgmma(Warp &warp, const Instr &i, uint32_t mask);
Step fenceWgmma(Warp &warp, const Instr &i, uint32_t mask);
Step commitWgmma(Warp &warp, const Instr &i, uint32_t mask);
Step waitWgmma(Warp &warp, const Instr &i, uint32_t mask);
/// Before an instruction whose registers wgmmas use: waits where the use is of one in flight and no fault; in the fast
/// mode computes what is in flight.
Step useRegisters(Warp &warp, const Instr &i);

} // namespace lanescope::core::emulator
