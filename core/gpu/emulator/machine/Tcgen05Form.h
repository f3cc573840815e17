// tcgen05.mma, .cp and .shift in decoded form: the opcode's properties and the places of the operands.
#pragma once

#include "core/gpu/emulator/machine/TmemMove.h"
#include "core/gpu/emulator/tensor/TmemCopy.h"

#include <array>
#include <cstdint>

namespace lanescope::core::emulator {

enum class Tcgen05What : uint8_t { Mma, Copy, Shift };

/// Slots of registers. UINT32_MAX: the instruction has no such operand.
struct Tcgen05Form {
  Tcgen05What what = Tcgen05What::Mma;
  AddressRef d;            // for all three instructions: the address in tensor memory
  uint32_t b = UINT32_MAX; // the descriptor of B, or of the source of .cp

  // Only for .mma.
  layouts::TmemMmaOpcode opcode;
  bool aInTensorMemory = false, shiftA = false, accumulateNegated = false;
  AddressRef tensorA, metadata, scaleA, scaleB;
  uint32_t a = UINT32_MAX; // the descriptor of A, if A is in shared memory
  uint32_t descriptor = UINT32_MAX;
  uint32_t accumulate = UINT32_MAX; // a predicate
  uint32_t zeroColumns = UINT32_MAX;
  uint32_t shiftD = 0;
  std::array<uint32_t, 8> disabledLanes{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
                                        UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

  TmemCopy copy; // only for .cp
};

} // namespace lanescope::core::emulator
