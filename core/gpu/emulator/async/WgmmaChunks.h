// Where a wgmma's operand lies in shared memory: the addresses of its 16-byte chunks. Kernels use few descriptors again
// and again; those that a host thread asked for last are remembered.
#pragma once

#include <cstdint>
#include <span>

namespace lanescope::core::emulator {

inline constexpr uint32_t kChunkBytes = 16; // that lie together

struct WgmmaOperand {
  uint64_t descriptor = 0;
  bool mnMajor = false;          // lines along M or N, elements of 16 bits
  uint16_t first = 0, count = 0; // rows (columns)
  uint16_t bytes = 32;           // of K

  bool operator==(const WgmmaOperand &) const = default;
};

/// Shared addresses: along K row after row, otherwise k by k. Good until the thread's next call.
std::span<const uint32_t> chunksOf(const WgmmaOperand &operand);

} // namespace lanescope::core::emulator
