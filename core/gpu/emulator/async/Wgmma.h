// wgmma.mma_async m64nNkK, K being 32 bytes of operand (PTX ISA 9.7.15): f16, bf16, tf32, e4m3, e5m2, s8, u8 and b1
// operands, f32, f16 and s32 accumulators. Each warp of a warpgroup owns 16 rows of the result. Operations are kept in
// order and computed when `wgmma.wait_group` asks for them, which is as late as the rules allow, then for all four
// warps at once: the first one that waits goes on when all four have issued the operation.
//
// Results are those of an H200, bit for bit: integers exact, floats added as TensorSum.h says. One instruction's K is
// one sum, whatever its group.
//
// `SharedMatrix` is an operand in shared memory, by its descriptor:
//
//   SharedMatrix b(descriptor, transposed);
//   b.address(mn, byte)   // of a 16-byte chunk: row/column mn, byte offset along K (or mn counted in bytes, and k)
#pragma once

#include "core/gpu/emulator/machine/Machine.h"
#include "core/gpu/emulator/tensor/MatrixTypes.h"

namespace lanescope::core::emulator {

enum class MatrixResult : uint8_t { F32, F16, S32 };

struct WgmmaVariant {
  uint16_t columns = 8; // N
  MatrixType a = MatrixType::F16, b = MatrixType::F16;
  MatrixResult result = MatrixResult::F32;
  bool aInRegisters = false, negateA = false, negateB = false, transposeA = false, transposeB = false;
  bool saturate = false; // s32

  /// Elements of K in the 32 bytes of one instruction.
  uint32_t depth() const { return 8 * 32 / static_cast<uint32_t>(bitsOf(a)); }

  uint64_t pack() const {
    auto bit = [](bool flag, int at) { return static_cast<uint64_t>(flag) << at; };
    return columns | static_cast<uint64_t>(a) << 16 | static_cast<uint64_t>(b) << 20 |
           static_cast<uint64_t>(result) << 24 | bit(aInRegisters, 26) | bit(negateA, 27) | bit(negateB, 28) |
           bit(transposeA, 29) | bit(transposeB, 30) | bit(saturate, 31);
  }
  static WgmmaVariant unpack(uint64_t bits) {
    WgmmaVariant v;
    v.columns = static_cast<uint16_t>(bits);
    v.a = static_cast<MatrixType>(bits >> 16 & 0xF);
    v.b = static_cast<MatrixType>(bits >> 20 & 0xF);
    v.result = static_cast<MatrixResult>(bits >> 24 & 3);
    v.aInRegisters = bits >> 26 & 1;
    v.negateA = bits >> 27 & 1;
    v.negateB = bits >> 28 & 1;
    v.transposeA = bits >> 29 & 1;
    v.transposeB = bits >> 30 & 1;
    v.saturate = bits >> 31 & 1;
    return v;
  }
};

/// A shared-memory matrix descriptor (PTX ISA 9.7.15.5.1, "Matrix Descriptor Format"; the canonical layouts are in
/// CUTLASS, include/cute/arch/mma_sm90_desc.hpp) and where its 16-byte chunks lie.
///
/// Tiles are 8 lines of `swizzle` bytes (16 without one); a line runs along K, or along M/N when transposed. Tiles
/// repeat along the line's direction by the leading offset and across it by the stride offset, the other way round
/// without a swizzle and with lines along M/N.
struct SharedMatrix {
  uint32_t start = 0, leading = 0, stride = 0, swizzle = 0, base = 0;
  uint32_t lineShift = 4; // of lineBytes()
  bool mnMajor = false;

  SharedMatrix(uint64_t bits, bool transposed);
  uint32_t lineBytes() const { return 1u << lineShift; }
  /// Before swizzling, as a shared address; `along`: bytes along a line, `across`: lines.
  uint32_t linear(uint32_t along, uint32_t across) const {
    bool swapped = mnMajor && !swizzle;
    uint32_t inLine = along & (lineBytes() - 1);
    return start + (along >> lineShift) * (swapped ? stride : leading) + across / 8 * (swapped ? leading : stride) +
           (across % 8 << lineShift) + inLine;
  }
  uint32_t address(uint32_t along, uint32_t across) const {
    uint32_t at = linear(along, across);
    return swizzle ? at ^ (((at >> 7) - base) & (swizzle / 16 - 1)) << 4 : at;
  }
};

Step issueWgmma(Warp &warp, const Instr &i, uint32_t mask);
Step fenceWgmma(Warp &warp, const Instr &i, uint32_t mask);
Step commitWgmma(Warp &warp, const Instr &i, uint32_t mask);
Step waitWgmma(Warp &warp, const Instr &i, uint32_t mask);

} // namespace lanescope::core::emulator
