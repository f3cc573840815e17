// A host array: dtype, shape, and contiguous row-major bytes. Sub-byte types take one byte per element.
#pragma once

#include "core/data/ArrayBytes.h"
#include "layouts/Dtype.h"
#include "layouts/Shape.h"
#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core {

using layouts::Dtype;
using layouts::Shape;

struct Array {
  Dtype dtype = Dtype::F32;
  Shape shape;
  ArrayBytes bytes;

  static Array zeros(Dtype dtype, Shape shape);
  int64_t size() const { return layouts::elementCount(shape); }
  /// The element at a flat index, as a double or an integer. Both are exact for dtypes of up to 32 bits; `number` is
  /// also exact for f64, and `integer` for i64.
  double number(int64_t index) const;
  int64_t integer(int64_t index) const;
  /// Rounds to nearest even; integers wrap like NumPy's astype.
  void setNumber(int64_t index, double value);
  void setInteger(int64_t index, int64_t value);
};

/// The most bytes that one host array may take; the readers refuse larger shapes.
constexpr uint64_t kMaxArrayBytes = uint64_t{16} << 30;
/// The bytes of a host array; nothing if a size is negative or the array would exceed kMaxArrayBytes.
std::optional<uint64_t> checkedArrayBytes(Dtype dtype, const Shape &shape);

/// NumPy's .npy, format versions 1 to 3. Types that NumPy lacks are stored as void bytes of their width ('<V2' for
/// bf16, '|V1' for f8), as ml_dtypes does. A comment in the header, which NumPy skips, holds the dtype's name. i4 and
/// u4 are stored as bytes, tf32 as f4. `as` is the dtype for reading such data. Without it, the comment decides;
/// without a comment, two void bytes are bf16. Column-major files are converted to row-major. Errors:
/// "unreadable-file", "npy".
Result<Array> loadNpy(const std::filesystem::path &path, std::optional<Dtype> as = std::nullopt);
Result<void> saveNpy(const std::filesystem::path &path, const Array &array);
/// Reads the .npy format from bytes in memory; `name` is for messages.
Result<Array> parseNpy(std::span<const std::byte> bytes, const std::string &name,
                       std::optional<Dtype> as = std::nullopt);
Bytes npyBytes(const Array &array);

struct NamedArray {
  std::string name; // without ".npy"
  Array array;
};
/// NumPy's .npz: a zip file of .npy files, stored or deflated, in the order of its directory.
Result<std::vector<NamedArray>> loadNpz(const std::filesystem::path &path);

} // namespace lanescope::core
