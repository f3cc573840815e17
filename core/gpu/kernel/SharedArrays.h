// The arrays that a kernel has in its dynamic shared memory, and which of their elements a byte is: for messages and
// for the debugger.
//
//   SharedArray tile{"tile", Dtype::F16, {2, 64, 64}, {8, 64}, 128, 1024};   // 1024 bytes behind the start
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
  layouts::Shape tiling = {}; // of the last dimensions; empty: none
  int swizzle = 0;            // bytes; 0: none
  uint32_t offset = 0;        // bytes behind the start of the dynamic shared memory

  std::string type() const; // "f16[64, 64] in tiles of (8, 64), 128-byte swizzle"
  bool operator==(const SharedArray &) const = default;
};

/// Which element is where, behind shared address `first`: the hardware swizzles addresses, so `first` is no larger
/// than the array's own.
struct SharedElements {
  uint32_t first = 0;
  layouts::AddressMap map;
};
/// Of the array at a shared address. Errors: those of SmemMap::of.
Result<SharedElements> elementsOf(const SharedArray &array, uint32_t address);

/// The elements that `bytes` at byte `offset` of the dynamic shared memory hold, which begins at shared address
/// `dynamic`: "`tile[1, 0, 32:40]`", of several boxes "`x[0, 120]` to `x[1, 7]`", of arrays that share the place
/// "`a[3]` or `b[0, 3]`". Empty: none has a name there.
std::string elementsAt(std::span<const SharedArray> arrays, uint32_t offset, uint32_t bytes, uint32_t dynamic);

} // namespace lanescope::core
