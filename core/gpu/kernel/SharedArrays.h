// The arrays in a kernel's dynamic shared memory, and the element at each byte, for messages and for the debugger.
//
//   SharedArray tile{"tile", Dtype::F16, {2, 64, 64}, {8, 64}, 128, 1024};   // 1024 bytes after the start
//   elementsAt({&tile, 1}, 1024 + 8192 + 64, 16, 2048)    ->  "`tile[1, 0, 32:40]`"
#pragma once

#include "layouts/AddressMap.h"
#include "layouts/Dtype.h"
#include "layouts/Shape.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core {

struct SharedArray {
  std::string name;
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape;
  layouts::Shape tiling = {}; // the tile's sizes, for the last dimensions; empty: not tiled
  int swizzle = 0;            // bytes; 0: none
  uint32_t offset = 0;        // from the start of the dynamic shared memory

  std::string type() const; // "f16[64, 64] in tiles of (8, 64), 128-byte swizzle"
  bool operator==(const SharedArray &) const = default;
};

/// The element at each place from shared address `first` on. `first` is the array's own address or a smaller one,
/// because the hardware swizzles addresses.
struct SharedElements {
  uint32_t first = 0;
  layouts::AddressMap map;
};
/// The elements of the array at a shared address. Errors: those of SmemMap::of.
Result<SharedElements> elementsOf(const SharedArray &array, uint32_t address);

/// Names the elements in `bytes` at byte `offset` of the dynamic shared memory, which begins at shared address
/// `dynamic`: "`tile[1, 0, 32:40]`"; for several boxes "`x[0, 120]` to `x[1, 7]`"; for arrays that share the bytes,
/// "`a[3]` or `b[0, 3]`". Empty if no named array is there.
std::string elementsAt(std::span<const SharedArray> arrays, uint32_t offset, uint32_t bytes, uint32_t dynamic);

} // namespace lanescope::core
