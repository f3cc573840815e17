// An array of tensor memory with its name and its place in it: what a kernel declares there.
//
//   TmemArray acc{"acc", *catalogue::tmemDefault(), {2, 128, 64}, Dtype::F32, 0};
//   *columnsOf(acc)         ->  128      // two accumulators of 64 columns, side by side
//
// Arrays of a union lie in the same columns. Where an element lies in its own columns is the TmemMap's to say.
#pragma once

#include "layouts/Dtype.h"
#include "layouts/TmemLayout.h"

#include <string>

namespace lanescope::layouts {

struct TmemArray {
  std::string name;
  TMEMLayout layout;
  Shape shape; // the last two dimensions fit the layout; those before count from left to right in the columns
  Dtype dtype = Dtype::F32;
  int64_t column = 0;      // the first, of 32 bits
  bool collective = false; // there in both blocks of a pair
  bool operator==(const TmemArray &) const = default;
};

/// The shape of one of its matrices.
Shape matrixShape(const TmemArray &array);
/// 32-bit columns of all its matrices. Errors: fewer than two dimensions; those of TMEMLayout::columnsIn.
Result<int64_t> columnsOf(const TmemArray &array);
/// The catalogue's name of its layout, or JAX's text of it.
std::string layoutName(const TmemArray &array);
/// "(128, 64) f16 in tmem_default_layout(2)".
std::string typeText(const TmemArray &array);

} // namespace lanescope::layouts
