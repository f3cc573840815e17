// TMA descriptors as the emulator writes them into a parameter block. They have 128 bytes in our own encoding, because
// the driver's is not public. A mark makes it possible to notice anything else that is used as a descriptor.
//
//   encode(map, block + 128);  ...  auto map = decode(block + 128);   // nullopt: not a descriptor
//
// Dimensions go from the innermost outwards, as the coordinates in PTX do.
#pragma once

#include "core/gpu/kernel/Launch.h"
#include "layouts/Dtype.h"
#include "layouts/SharedMemory.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lanescope::core::emulator {

struct TensorMap {
  uint64_t global = 0;
  std::array<uint64_t, 5> sizes{1, 1, 1, 1, 1};
  std::array<uint64_t, 5> strides{}; // bytes; [0] is the element size
  std::array<uint16_t, 5> box{1, 1, 1, 1, 1};
  uint8_t rank = 1;
  uint8_t swizzle = 0; // 0, 32, 64 or 128; kSwizzleWide: 128 with units of 32 bytes
  uint8_t elementBytes = 1;
  bool oobNan = false;
  layouts::Dtype dtype = layouts::Dtype::I8;
  TmaFormat format = TmaFormat::Plain;
  uint8_t sharedBytes = 0;                     // size of an element in shared memory, if it is more than `elementBytes`
  std::array<uint8_t, 5> steps{1, 1, 1, 1, 1}; // a copy takes every n-th element; steps[0] is 1
  /// For im2col modes, in which box[0] is the number of channels and the rest of `box` is unused.
  TmaMode mode = TmaMode::Tiled;
  uint16_t pixels = 1;
  std::array<int16_t, 3> lower{}, upper{}; // corners of the bounding box, relative to 0 and to size - 1

  /// Number of elements that a copy in tiled mode takes along dimension n.
  uint32_t taken(int n) const { return n == 0 ? box[0] : (box[n] + steps[n] - 1u) / steps[n]; }

  /// The same array as groups of 16 narrow elements, which a copy moves as a whole. For Plain, the map itself.
  TensorMap inSixteens() const;
  /// The bytes that a copy spans in shared memory, including gaps.
  uint32_t boxExtent() const { return sharedBytes ? boxBytes() / elementBytes * sharedBytes : boxBytes(); }
  /// The bytes that are copied. The copy reports this number to an mbarrier.
  uint32_t boxBytes() const {
    uint32_t bytes = elementBytes;
    if (mode != TmaMode::Tiled)
      return bytes * box[0] * pixels;
    for (int i = 0; i < rank; ++i)
      bytes *= taken(i);
    return bytes;
  }
};

inline constexpr uint32_t kTmaSixteen = 16; // narrow elements that are copied as a group

void encode(const TensorMap &map, std::byte *to);
std::optional<TensorMap> decode(const std::byte *from);

/// TensorMap::swizzle of the 128-byte swizzle that moves 32-byte units (CUDA driver API,
/// CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B).
inline constexpr uint8_t kSwizzleWide = 129;

/// The shared-memory address after the swizzle (0: no swizzle). Computes the same as layouts::swizzledByte() without a
/// division. `address` is absolute, as in the hardware.
inline uint32_t swizzled(uint32_t address, uint32_t swizzle) {
  static_assert(layouts::kSwizzleLineBytes == 128 && layouts::kSwizzleChunkBytes == 16);
  if (swizzle == kSwizzleWide) [[unlikely]]
    return address ^ ((address >> 7 & 3) << 5);
  return swizzle ? address ^ ((address >> 7 & (swizzle / 16 - 1)) << 4) : address;
}

} // namespace lanescope::core::emulator
