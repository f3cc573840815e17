// TMA descriptors as the emulator writes them into a parameter block: 128 bytes of our own encoding (the driver's is
// not public), with a mark so that anything else used as a descriptor is noticed.
//
//   encode(map, block + 128);  ...  auto map = decode(block + 128);   // nullopt: not a descriptor
//
// Dimensions here go innermost first, as the coordinates in PTX do.
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
  uint8_t swizzle = 0; // 0, 32, 64, 128; kSwizzleWide: 128 by 32 bytes
  uint8_t elementBytes = 1;
  bool oobNan = false;
  layouts::Dtype dtype = layouts::Dtype::I8;
  TmaFormat format = TmaFormat::Plain;
  uint8_t sharedBytes = 0; // of an element in shared memory, where these are more than `elementBytes`
  std::array<uint8_t, 5> steps{1, 1, 1, 1, 1}; // every which element is copied; of [0] each
  /// Of im2col modes, in which box[0] is the channels and the rest of `box` says nothing.
  TmaMode mode = TmaMode::Tiled;
  uint16_t pixels = 1;
  std::array<int16_t, 3> lower{}, upper{}; // corners of the bounding box: from 0 and from size - 1 on

  /// Elements that a copy in tiled mode takes of a dimension.
  uint32_t taken(int n) const { return n == 0 ? box[0] : (box[n] + steps[n] - 1u) / steps[n]; }

  /// The same array by sixteens of narrow elements, which are what a copy moves; of Plain as it is.
  TensorMap inSixteens() const;
  /// What a copy takes of shared memory; it may have gaps.
  uint32_t boxExtent() const { return sharedBytes ? boxBytes() / elementBytes * sharedBytes : boxBytes(); }
  /// What is copied: what an mbarrier is told of.
  uint32_t boxBytes() const {
    uint32_t bytes = elementBytes;
    if (mode != TmaMode::Tiled)
      return bytes * box[0] * pixels;
    for (int i = 0; i < rank; ++i)
      bytes *= taken(i);
    return bytes;
  }
};

inline constexpr uint32_t kTmaSixteen = 16; // narrow elements that are copied together

void encode(const TensorMap &map, std::byte *to);
std::optional<TensorMap> decode(const std::byte *from);

/// TensorMap::swizzle of 128 bytes whose 32-byte halves of 64 change places with others (CUDA driver API,
/// CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B).
inline constexpr uint8_t kSwizzleWide = 129;

/// The shared-memory address that the swizzle (0: none) leads to, layouts::swizzledByte() without its division.
/// `address` is absolute, as the hardware's is.
inline uint32_t swizzled(uint32_t address, uint32_t swizzle) {
  static_assert(layouts::kSwizzleLineBytes == 128 && layouts::kSwizzleChunkBytes == 16);
  if (swizzle == kSwizzleWide) [[unlikely]]
    return address ^ ((address >> 7 & 3) << 5);
  return swizzle ? address ^ ((address >> 7 & (swizzle / 16 - 1)) << 4) : address;
}

} // namespace lanescope::core::emulator
