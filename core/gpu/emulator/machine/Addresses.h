// Decodes an address: finds the window of generic addresses in which it lies, and the memory that it refers to.
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

// Windows of generic addresses. Regions of global memory are 64 GiB apart. In all other windows, the low half of the
// address is the 32-bit address.
inline constexpr uint64_t kGlobalBase = 0x0000'7000'0000'0000;
inline constexpr int kRegionShift = 36;
inline constexpr uint64_t kSharedWindow = 0x0100'0000'0000'0000;
inline constexpr uint64_t kLocalWindow = 0x0200'0000'0000'0000;
inline constexpr uint64_t kParamWindow = 0x0300'0000'0000'0000;
inline constexpr uint64_t kFunctionWindow = 0x0400'0000'0000'0000; // + the number of a Routine
inline constexpr uint32_t kSharedBase = 1024;                      // so that no variable has the shared address 0
// If a shared address divided by 2^kRankShift is rank + kRankBias, it belongs to the block of that rank in the cluster.
// All other shared addresses belong to the accessing block. The bias is even, so that clearing bit 24 gives the address
// in the even block of a pair. Kernels rely on that.
inline constexpr int kRankShift = 24;
inline constexpr uint32_t kRankBias = 16;

enum class Access : uint8_t { Read, Write, Atomic };

/// Returns the shared address by which other blocks access `address` of the block with that rank.
inline uint32_t rankedAddress(uint32_t rank, uint32_t address) { return (rank + kRankBias) << kRankShift | address; }

} // namespace lanescope::core::emulator
