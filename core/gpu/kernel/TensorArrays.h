// The arrays that a kernel declares in tensor memory, and the lookup of an array by its columns.
//
//   int32_t at = arrayAt(arrays, 64, 32, 12);        // columns 64 to 95, written at line 12
//   partName(arrays[at].array, 64, 64)   ->  "acc[1]"
//
// Columns count from the start of the kernel's allocation. Arrays of a union share columns, and are distinguished by
// the snippet's lines that write them.
#pragma once

#include "layouts/TmemArray.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanescope::core {

struct TensorArray {
  layouts::TmemArray array;
  std::vector<uint32_t> writtenAt = {}; // lines of the snippet, ascending
};

/// The first array that contains all these columns. If several arrays contain them, the first one that is written at
/// `line`. -1 if there is none.
int32_t arrayAt(std::span<const TensorArray> arrays, int64_t column, int64_t columns, uint32_t line);
/// The array's name; for one of several matrices, with its indices: "acc", "acc[1]", "acc[0, 1]".
std::string partName(const layouts::TmemArray &array, int64_t column, int64_t columns);

} // namespace lanescope::core
