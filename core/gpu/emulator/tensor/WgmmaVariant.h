// The variant of a `wgmma` instruction.
#pragma once

#include "core/gpu/emulator/tensor/MatrixTypes.h"

#include <cstdint>

namespace lanescope::core::emulator {

enum class MatrixResult : uint8_t { F32, F16, S32 };

struct WgmmaVariant {
  uint16_t columns = 8; // N
  MatrixType a = MatrixType::F16, b = MatrixType::F16;
  MatrixResult result = MatrixResult::F32;
  bool aInRegisters = false, negateA = false, negateB = false, transposeA = false, transposeB = false;
  bool saturate = false; // for s32
  bool sparse = false;   // A stores half of the elements of K

  /// stored(): the elements of K in the 32 bytes of a row of A. depth(): the elements of K in a column of B.
  uint32_t stored() const { return 8 * 32 / static_cast<uint32_t>(bitsOf(a)); }
  uint32_t depth() const { return sparse ? 2 * stored() : stored(); }
  uint32_t columnBytes() const { return sparse ? 64 : 32; }

  uint64_t pack() const {
    auto bit = [](bool flag, int at) { return static_cast<uint64_t>(flag) << at; };
    return columns | static_cast<uint64_t>(a) << 16 | static_cast<uint64_t>(b) << 20 |
           static_cast<uint64_t>(result) << 24 | bit(aInRegisters, 26) | bit(negateA, 27) | bit(negateB, 28) |
           bit(transposeA, 29) | bit(transposeB, 30) | bit(saturate, 31) | bit(sparse, 32);
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
    v.sparse = bits >> 32 & 1;
    return v;
  }
};

} // namespace lanescope::core::emulator
