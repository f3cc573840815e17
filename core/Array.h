// A host array: dtype, shape, and contiguous row-major bytes. Sub-byte types take one byte per element.
#pragma once

#include "layouts/Dtype.h"
#include "layouts/Shape.h"
#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace lanescope::core {

using layouts::Dtype;
using layouts::Shape;

struct Array {
  Dtype dtype = Dtype::F32;
  Shape shape;
  std::vector<std::byte> bytes;

  static Array zeros(Dtype dtype, Shape shape);
  int64_t size() const { return layouts::elementCount(shape); }
  /// Element by flat index as a double / integer (exact for every dtype of up to 32 bits; f64, i64 by their own type).
  double number(int64_t index) const;
  int64_t integer(int64_t index) const;
  /// Rounds to nearest even; integers wrap as astype does in NumPy.
  void setNumber(int64_t index, double value);
  void setInteger(int64_t index, int64_t value);
};

/// NumPy's .npy. Types that NumPy lacks are stored as void bytes of their width with the name in a side key, as
/// ml_dtypes does ('<V2' for bf16); `as` names the dtype to read such data with.
Result<Array> loadNpy(const std::filesystem::path &path, std::optional<Dtype> as = std::nullopt);
Result<void> saveNpy(const std::filesystem::path &path, const Array &array);

} // namespace lanescope::core
