// A named array of tensor memory with its place, as a kernel declares it.
//
//   TmemArray acc{"acc", *catalogue::tmemDefault(), {2, 128, 64}, Dtype::F32, 0};
//   *columnsOf(acc)         ->  128      // two accumulators of 64 columns, side by side
//
// The arrays of a union share their columns. TmemMap gives an element's place within the array's columns.
#pragma once

#include "layouts/Dtype.h"
#include "layouts/TmemLayout.h"

#include <string>

namespace lanescope::layouts {

struct TmemArray {
  std::string name;
  TMEMLayout layout;
  /// The layout covers the last two dimensions. The matrices of the other dimensions lie side by side in the columns.
  Shape shape;
  // the columns
  Dtype dtype = Dtype::F32;
  int64_t column = 0;      // the first 32-bit column
  bool collective = false; // allocated in both blocks of a pair
  bool operator==(const TmemArray &) const = default;
};

/// The shape of one matrix of the array.
Shape matrixShape(const TmemArray &array);
/// The number of 32-bit columns of all matrices. Errors: fewer than two dimensions; those of TMEMLayout::columnsIn.
Result<int64_t> columnsOf(const TmemArray &array);
/// The name of the array's layout in the catalogue, or JAX's text.
std::string layoutName(const TmemArray &array);
/// The type in words: "(128, 64) f16 in tmem_default_layout(2)".
std::string typeText(const TmemArray &array);

} // namespace lanescope::layouts
