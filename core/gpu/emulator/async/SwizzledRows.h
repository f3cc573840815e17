// Copies rows of a box between an array and swizzled shared memory.
//
//   copyToShared(block.shared.data(), {address, map.swizzle}, 0, 128, row);     // bytes 0 to 127 of the row
//   copyFromShared(row, {address, map.swizzle}, 16, 48, block.shared.data());   // row[0] is byte 16
//
// A swizzle permutes the 16-byte chunks within a line of 128 bytes. The permutation depends on the line's number. A
// whole line is permuted with the host's widest vectors.
#pragma once

#include "core/gpu/emulator/machine/TensorMap.h"

#include <cstddef>
#include <cstdint>

namespace lanescope::core::emulator {

struct SwizzledRow {
  uint32_t address = 0; // address of the row's first byte before swizzling; a window offset
  uint32_t swizzle = 0; // TensorMap::swizzle
};

/// Copies bytes [from, to) of the row. `linear` points to byte `from`, and `shared` to the byte at shared address
/// kSharedBase.
void copyToShared(std::byte *shared, SwizzledRow row, uint32_t from, uint32_t to, const std::byte *linear);
void copyFromShared(std::byte *linear, SwizzledRow row, uint32_t from, uint32_t to, const std::byte *shared);

/// Rows that consist of whole lines. They are adjacent in shared memory, and `stride` bytes apart in the array. The
/// first row, `row`, starts at the start of a line.
struct SwizzledLines {
  static constexpr uint32_t kBytes = layouts::kSwizzleLineBytes;
  SwizzledRow row;
  uint32_t count = 0;
  uint64_t stride = 0;
};
void copyLinesToShared(std::byte *shared, const SwizzledLines &lines, const std::byte *array);
void copyLinesFromShared(std::byte *array, const SwizzledLines &lines, const std::byte *shared);

} // namespace lanescope::core::emulator
