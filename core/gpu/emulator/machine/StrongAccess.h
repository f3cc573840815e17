// Strong accesses: those that several threads may make at the same time without a data race (PTX ISA, "Memory
// Consistency Model": strong operations).
#pragma once

#include "core/gpu/emulator/machine/Program.h"

#include <string_view>

namespace lanescope::core::emulator {

/// True for a volatile, relaxed, acquiring or releasing access, and for an atomic.
inline bool isStrong(std::string_view opcode, const Instr &i) {
  return i.strong || opcode.starts_with("atom.") || opcode.starts_with("red.");
}

} // namespace lanescope::core::emulator
