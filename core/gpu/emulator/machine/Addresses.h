// What an address says: the windows of generic addresses, and what an access does there.
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

// Generic address windows. Global regions are 64 GiB apart; the others hold 32-bit addresses in their low half.
inline constexpr uint64_t kGlobalBase = 0x0000'7000'0000'0000;
inline constexpr int kRegionShift = 36;
inline constexpr uint64_t kSharedWindow = 0x0100'0000'0000'0000;
inline constexpr uint64_t kLocalWindow = 0x0200'0000'0000'0000;
inline constexpr uint64_t kParamWindow = 0x0300'0000'0000'0000;
inline constexpr uint64_t kFunctionWindow = 0x0400'0000'0000'0000; // + the number of a Routine
inline constexpr uint32_t kSharedBase = 1024;                      // shared address 0 is nobody's
// A shared address with rank + kRankBias above this bit is of the cluster's block of that rank; without, of the own
// block. The bias is even: with bit 24 cleared it is of the even block of a pair, which kernels rely on.
inline constexpr int kRankShift = 24;
inline constexpr uint32_t kRankBias = 16;

enum class Access : uint8_t { Read, Write, Atomic };

/// A shared address of the block with that rank, for other blocks.
inline uint32_t rankedAddress(uint32_t rank, uint32_t address) { return (rank + kRankBias) << kRankShift | address; }

} // namespace lanescope::core::emulator
