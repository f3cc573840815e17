// The places of an array's elements in shared memory that is cut into tiles and swizzled.
//
//   auto map = *SmemMap::of({16, 128}, 16, {8, 64}, 128);   // f16, tiles (8, 64), 128-byte swizzle
//   map.byteOffset({1, 0})   ->  144     // second row of the first tile: byte 128, chunk 0 ^ 1
//   map.elementAt(72)        ->  128     // element offset 72 = byte 144 holds element (1, 0)
//
// Tiles lie in row-major order (with `transpose`, in column-major order: this moves the tiles and leaves their insides
// unchanged). The rows of a tile follow one another. Leading dimensions that the tiling does not name come first,
// untiled. A dimension that is smaller than its tile is one tile of its own size. Then the hardware XORs, within each
// 128-byte line, the number of the 16-byte chunk with the number of the line modulo 2, 4 or 8 (32-, 64-, 128-byte
// swizzle; PTX ISA, "Swizzling Modes"). Offsets assume a buffer aligned to 1024 bytes.
#pragma once

#include "layouts/Shape.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanescope::layouts {

constexpr int kSmemBanks = 32;
constexpr int kSmemBankBytes = 4;
constexpr int kSwizzleChunkBytes = 16;
constexpr int kSwizzleLineBytes = 128;

/// Swizzles a byte offset; the function is its own inverse. swizzle: 16 (none), 32, 64 or 128.
constexpr uint64_t swizzledByte(uint64_t byte, int swizzle) {
  return byte ^ ((byte / kSwizzleLineBytes) % static_cast<uint64_t>(swizzle / kSwizzleChunkBytes) * kSwizzleChunkBytes);
}

/// One logical dimension: index i lies at (i/tile)*tileStride + (i%tile)*elementStride, in elements, before swizzling.
struct SmemDim {
  int64_t size;
  int64_t tile; // the dimension's own size if it is not tiled
  int64_t tileStride;
  int64_t elementStride;
};

class SmemMap {
public:
  /// bitwidth: 4, 8, 16, 32 or 64. tiling: sizes for the last dimensions, empty for none. swizzle: both 16 and nothing
  /// mean none. Errors: a size not divisible by its tile; a wrong rank of the tiling; a swizzle whose tile rows are not
  /// exactly `swizzle` bytes long; more than 2^27 elements.
  static Result<SmemMap> of(Shape shape, int bitwidth, Shape tiling, std::optional<int> swizzle,
                            bool transpose = false);

  const Shape &shape() const { return shape_; }
  int bitwidth() const { return bitwidth_; }
  const Shape &tiling() const { return tiling_; }
  std::optional<int> swizzle() const { return swizzle_; }
  bool transpose() const { return transpose_; }
  /// One entry per logical dimension: the factors by which a lowering multiplies its index.
  const std::vector<SmemDim> &dims() const { return dims_; }
  /// The shape in memory: leading dimensions, tile counts (transposed if requested), tile sizes.
  const Shape &physicalShape() const { return physicalShape_; }
  int64_t elements() const { return elementCount(shape_); }
  /// The bytes of the whole buffer, rounded up.
  int64_t bytes() const { return (elements() * bitwidth_ + 7) / 8; }

  /// The offset, in elements, of the element at these coordinates; there is one per dimension, in range.
  int64_t elementOffset(std::span<const int64_t> coordinates) const;
  int64_t elementOffset(std::initializer_list<int64_t> coordinates) const {
    return elementOffset(std::span(coordinates.begin(), coordinates.size()));
  }
  /// The offset in bytes, rounded down for 4-bit elements.
  int64_t byteOffset(std::span<const int64_t> coordinates) const { return elementOffset(coordinates) * bitwidth_ / 8; }
  int64_t byteOffset(std::initializer_list<int64_t> coordinates) const {
    return elementOffset(coordinates) * bitwidth_ / 8;
  }
  /// The row-major index of the element at an element offset of the buffer; -1 outside the buffer.
  int64_t elementAt(int64_t elementOffset) const;
  /// elementAt for every offset, in one pass.
  std::vector<int32_t> image() const;

private:
  int64_t swizzledOffset(int64_t elementOffset) const;

  Shape shape_, tiling_, physicalShape_;
  int bitwidth_ = 8;
  std::optional<int> swizzle_;
  bool transpose_ = false;
  std::vector<SmemDim> dims_;
};

/// Bank (0 … 31) of a byte offset.
constexpr int smemBank(int64_t byte) { return static_cast<int>(byte / kSmemBankBytes % kSmemBanks); }

} // namespace lanescope::layouts
