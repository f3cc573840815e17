// Warp-wide instructions of one member mask at several places. Since sm_70, the lanes of a mask may execute different
// instructions of the same kind (PTX ISA, `shfl.sync`: "the same qualifiers and same membermask value"):
//
//   @%p bra SIDE;
//   bar.warp.sync -1;  bra.uni MEET;          // lanes 0 to 15 wait here,
//   SIDE: bar.warp.sync -1;                   // lanes 16 to 31 here, and all go on together
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <cstdint>
#include <string_view>

namespace lanescope::core::emulator {

/// Instr::sub for a vote whose predicate is negated.
inline constexpr uint8_t kVoteNegated = 8;

/// True if the instruction waits for the lanes of a member mask, which may execute it at several places.
bool waitsForMembers(std::string_view opcode);

enum class Meeting : uint8_t { None, Done, Fault };

/// The current split waits at an instruction for which waitsForMembers() is true. Other splits may wait at instructions
/// with the same qualifiers and the same mask. If no member of the mask is missing, each split executes its own
/// instruction and can go on.
Meeting meetElsewhere(Warp &warp);

} // namespace lanescope::core::emulator
