// Bank conflicts of AMD's LDS: what a wavefront of 64 lanes costs, by the rule that AMD publishes.
//
//   ldsConflicts(*parseLdsOp("ds_read_b128"), map, memory)   ->  instructions, cycles, cycles without a conflict
//
// The rule. 32 banks of 4 bytes; a wavefront's access is worked off in phases of the lanes below, and a phase takes as
// many cycles as the most different words that it wants from one bank (equal words are one).
//   b128, writes: eight phases of eight neighbouring lanes.
//   b128, reads: eight phases of two runs of four lanes: 0-3 with 20-23, 4-7 with 16-19, 8-11 with 28-31, 12-15 with
//   24-27, and the same of lanes 32 to 63.
//   b32: two phases, lanes 0-31 and 32-63.
// Sources: AMD, "Understanding AMD GPU LDS and Bank Conflicts" (ROCm documentation of Composable Kernel: phases of
// b128), "Avoiding LDS Bank Conflicts on AMD GPUs Using CK-Tile Framework" (ROCm blogs), and the AMD OpenCL
// programming guide (half wavefronts).
// Assumed, not published: b64 has four phases of 16 neighbouring lanes, so that a phase moves 128 bytes as the others
// do; narrower accesses go as b32. Of CDNA 1 to 3 (gfx908 to gfx942); gfx950 has 64 banks. Nothing here was measured.
#pragma once

#include "layouts/AddressMap.h"
#include "layouts/ElementMap.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

constexpr int kLdsLanes = 64, kLdsBanks = 32;

struct LdsOp {
  bool load = true;
  int bytes = 4; // per lane: 1, 2, 4, 8, 16
  bool operator==(const LdsOp &) const = default;
};
/// `ds_read_b128`, `ds_write_b64`, `ds_read_u16`, …. Errors: another instruction.
Result<LdsOp> parseLdsOp(std::string_view text);
bool looksLikeLdsOp(std::string_view text);
std::string ldsOpText(const LdsOp &op);

/// One byte address per lane; negative for one that takes no part.
using LdsAddresses = std::span<const int32_t, kLdsLanes>;
/// The lanes of each phase.
std::vector<std::vector<int>> ldsPhases(const LdsOp &op);

struct LdsCount {
  int cycles = 0;
  int phases = 0; // that have a lane switched on: the cycles without any conflict
  int conflicts() const { return cycles - phases; }
  bool operator==(const LdsCount &) const = default;
};
LdsCount ldsCycles(const LdsOp &op, LdsAddresses addresses);
/// Error: an address that the instruction's width does not divide, the first one named.
Result<void> checkLdsAlignment(const LdsOp &op, LdsAddresses addresses);

/// Lanes of one phase that want different words of one bank.
struct LdsMeeting {
  int phase = 0, bank = 0;
  std::vector<int> lanes;
};
std::vector<LdsMeeting> ldsMeetings(const LdsOp &op, LdsAddresses addresses);

struct LdsReport {
  LdsOp op;
  int waves = 0;
  std::vector<LdsCount> instructions; // over all wavefronts
  int64_t cycles = 0, ideal = 0;
  std::vector<int32_t> addresses; // [instruction][wavefront][lane]
  int64_t conflicts() const { return cycles - ideal; }
  LdsAddresses addressesOf(int instruction, int wave) const {
    return LdsAddresses(addresses.data() + (static_cast<size_t>(instruction) * waves + wave) * kLdsLanes, kLdsLanes);
  }
};
/// `memory`: offsets for the map's shape. Errors: different shapes; warps of another size than 64; values that the
/// instruction cannot move together (groupAccesses); more accesses than a report holds.
Result<LdsReport> ldsConflicts(const LdsOp &op, const ElementMap &map, const AddressMap &memory);

} // namespace lanescope::layouts
