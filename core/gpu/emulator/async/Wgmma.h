// wgmma.mma_async m64nNkK, where K is 32 bytes of operand (PTX ISA 9.7.15): f16, bf16, tf32, e4m3, e5m2, s8, u8 and b1
// operands; f32, f16 and s32 accumulators. Each warp of a warpgroup owns 16 rows of the result.
//
// Operations are kept in order and computed when `wgmma.wait_group` needs them. This is as late as the rules allow.
// They are computed for all four warps at once: the first warp that waits goes on when all four have issued the
// operation. In the fast mode, they are computed when the last of the four warps commits them, or earlier if an
// instruction uses their registers.
//
// Results equal those of an H200 bit for bit. Integers are exact. Floats are added as tensor/TensorSum.h describes, and
// the K of one instruction is one sum, in whatever group the instruction is.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

namespace lanescope::core::emulator {

Step issueWgmma(Warp &warp, const Instr &i, uint32_t mask);
Step fenceWgmma(Warp &warp, const Instr &i, uint32_t mask);
Step commitWgmma(Warp &warp, const Instr &i, uint32_t mask);
Step waitWgmma(Warp &warp, const Instr &i, uint32_t mask);
/// Call this before an instruction that uses registers of wgmmas. If the use is allowed, waits for the wgmma in flight
/// that it concerns. In the fast mode, computes the wgmmas in flight.
Step useRegisters(Warp &warp, const Instr &i);

} // namespace lanescope::core::emulator
