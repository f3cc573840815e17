// Counts the bank conflicts of AMD's LDS: the cost of an access by a wavefront of 64 lanes, by the rule that AMD
// publishes.
//
//   ldsConflicts(*parseLdsOp("ds_read_b128"), map, memory)   ->  instructions, cycles, cycles without a conflict
//
// The rule. The LDS has 32 banks of 4 bytes. It serves a wavefront's access in the phases listed below. A phase takes
// as many cycles as the largest number of different words that its lanes want from one bank (equal words count once).
//   b128, writes: eight phases of eight neighbouring lanes.
//   b128, reads: eight phases of two runs of four lanes: 0-3 with 20-23, 4-7 with 16-19, 8-11 with 28-31, 12-15 with
//   24-27, and the same for lanes 32 to 63.
//   b32: two phases, lanes 0-31 and 32-63.
// Sources: AMD, "Understanding AMD GPU LDS and Bank Conflicts" (ROCm documentation of Composable Kernel: phases of
// b128), "Avoiding LDS Bank Conflicts on AMD GPUs Using CK-Tile Framework" (ROCm blogs), and the AMD OpenCL programming
// guide (half wavefronts). Assumed, not published: b64 has four phases of 16 neighbouring lanes, so that a phase moves
// 128 bytes as the others do; narrower accesses behave as b32. The rule holds for CDNA 1 to 3 (gfx908 to gfx942);
// gfx950 has 64 banks. It was not checked by measurement.
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
  int bytes = 4; // bytes per lane: 1, 2, 4, 8, 16
  bool operator==(const LdsOp &) const = default;
};
/// Reads `ds_read_b128`, `ds_write_b64`, `ds_read_u16`, …. Error: another instruction.
Result<LdsOp> parseLdsOp(std::string_view text);
bool looksLikeLdsOp(std::string_view text);
std::string ldsOpText(const LdsOp &op);

/// One byte address per lane; negative for a lane that takes no part.
using LdsAddresses = std::span<const int32_t, kLdsLanes>;
/// The lanes of each phase.
std::vector<std::vector<int>> ldsPhases(const LdsOp &op);

struct LdsCount {
  int cycles = 0;
  int phases = 0; // phases with at least one active lane: the cycles without any conflict
  int conflicts() const { return cycles - phases; }
  bool operator==(const LdsCount &) const = default;
};
LdsCount ldsCycles(const LdsOp &op, LdsAddresses addresses);
/// Error: an address that is not a multiple of the instruction's width; the message names the first.
Result<void> checkLdsAlignment(const LdsOp &op, LdsAddresses addresses);

/// Lanes of one phase that want different words from one bank.
struct LdsMeeting {
  int phase = 0, bank = 0;
  std::vector<int> lanes;
};
std::vector<LdsMeeting> ldsMeetings(const LdsOp &op, LdsAddresses addresses);

struct LdsReport {
  LdsOp op;
  int waves = 0;
  std::vector<LdsCount> instructions; // one per instruction, summed over all wavefronts
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
