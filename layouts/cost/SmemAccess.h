// Counts the wavefronts that a warp's access to shared memory takes, as the hardware counts them.
//
//   SmemOp op = *parseSmemOp("ld.shared.b64");
//   smemWavefronts(op, addresses)  ->  {.wavefronts = 2, .phases = 2}     // lane i reads bytes 8i … 8i+7: no conflict
//   smemWavefronts(op, addresses)  ->  {.wavefronts = 32, .phases = 2}    // lane i reads at byte 256i: 30 conflicts
//
// The rule. Shared memory has 32 banks; bank b holds the 4-byte words whose number is b modulo 32. In one wavefront
// each bank delivers (or takes) one word, for every lane that wants any byte of it.
//
//  1. The hardware serves an instruction in phases: the 32 lanes at once up to 4 bytes per lane, half warps for 8
//     bytes, quarter warps for 16 bytes, so that a phase moves at most 128 bytes. An `ldmatrix` or `stmatrix` has one
//     phase per 8x8 matrix: its eight rows of 16 bytes, whose addresses come from lanes 8m … 8m+7. `.trans` changes
//     nothing.
//  2. Loads (not stores) of 8 or 16 bytes join two neighbouring phases if that costs nothing: if each lane of the warp
//     has the address of the lane whose number differs in bit 0, or each has that of the lane whose number differs in
//     bit 1. An inactive lane agrees with every address. For 8 bytes this joins the two half warps, for 16 bytes the
//     two quarters of each half warp. The decision is made once for the whole warp.
//  3. A phase takes as many wavefronts as the largest number of different words that its lanes want from one bank.
//     Lanes that want the same word, or different bytes of it, count once. This holds for stores too.
//  4. Conflicts, as the counter l1tex__data_bank_conflicts_pipe_lsu_mem_shared counts them, are the wavefronts beyond
//     one per phase.
//
// The rule was found on NVIDIA H200 from hardware counters. The tests compare it with every access that was measured
// (tests/golden/bank_conflicts.json.gz, and bank_conflict_probes.json.gz by tests/gpu/conflicts.py). PTX ISA, "Data
// Movement and Conversion Instructions" gives the addresses that the instructions take, but not how they are served.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

/// One instruction of a warp on shared memory.
struct SmemOp {
  enum class Kind : uint8_t { Load, Store, LoadMatrix, StoreMatrix };
  Kind kind = Kind::Load;
  int bytes = 4;      // bytes per lane that gives an address: 1, 2, 4, 8, 16; a matrix row has 16
  int matrices = 0;   // 1, 2 or 4; 0 for plain loads and stores
  bool trans = false; // true for transposed 8x8 matrices of 16-bit elements

  bool isMatrix() const { return matrices != 0; }
  bool isLoad() const { return kind == Kind::Load || kind == Kind::LoadMatrix; }
  /// The number of lanes whose address the instruction uses: 8 per matrix, or 32.
  int addressLanes() const { return isMatrix() ? 8 * matrices : 32; }
  bool operator==(const SmemOp &) const = default;
};

/// Reads `ld.shared.b64`, `st.shared.v4.f32`, `ldmatrix.x4.trans`, and the full PTX spellings
/// (`ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16`). Errors: another instruction, a width above 16 bytes.
Result<SmemOp> parseSmemOp(std::string_view text);
/// The short form: "ld.shared.b64", "stmatrix.x2.trans".
std::string smemOpText(const SmemOp &op);

/// Marks an inactive lane, or a lane whose address the instruction does not use.
constexpr int32_t kNoAddress = -1;
/// One byte address per lane; kNoAddress for a lane that takes no part.
using LaneAddresses = std::span<const int32_t, 32>;

struct SmemCount {
  int wavefronts = 0;
  int phases = 0; // phases with an active lane, after neighbours were joined: the wavefronts without any conflict
  int conflicts() const { return wavefronts - phases; }
  bool operator==(const SmemCount &) const = default;
};

/// Errors: an address that is not a multiple of the access' bytes (the hardware traps).
Result<void> checkAlignment(const SmemOp &op, LaneAddresses addresses);
/// Counts the wavefronts of one access. Addresses are rounded down to a multiple of the access' bytes.
SmemCount smemWavefronts(const SmemOp &op, LaneAddresses addresses);

/// The words that a phase wants from one bank.
struct SmemBankUse {
  struct Word {
    int32_t word;           // byte address / 4
    std::vector<int> lanes; // the lanes that want the word, or whose row contains it
  };
  int bank;
  std::vector<Word> words; // the different words, in the order of their lanes; more than one is a conflict
};
struct SmemPhase {
  std::vector<int> lanes; // the lanes whose addresses the phase serves
  int wavefronts = 0;
  std::vector<SmemBankUse> banks; // the banks that are used, ascending
};
/// The phases one by one. Law: their wavefronts add up to smemWavefronts().wavefronts.
std::vector<SmemPhase> smemPhases(const SmemOp &op, LaneAddresses addresses);

} // namespace lanescope::layouts
