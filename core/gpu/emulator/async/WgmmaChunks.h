// The places of a wgmma's operand in shared memory, as the addresses of its 16-byte chunks. Kernels use a few
// descriptors repeatedly, so each host thread caches the results for the latest ones.
#pragma once

#include <cstdint>
#include <span>

namespace lanescope::core::emulator {

inline constexpr uint32_t kChunkBytes = 16; // adjacent bytes

struct WgmmaOperand {
  uint64_t descriptor = 0;
  bool mnMajor = false;          // lines run along M or N; only for elements of 16 bits
  uint16_t first = 0, count = 0; // rows (columns)
  uint16_t bytes = 32;           // bytes of K

  bool operator==(const WgmmaOperand &) const = default;
};

/// The shared addresses of the chunks, row by row if lines run along K, and otherwise k by k. Valid until the thread's
/// next call.
std::span<const uint32_t> chunksOf(const WgmmaOperand &operand);

} // namespace lanescope::core::emulator
