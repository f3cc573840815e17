#include "layouts/Shape.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <limits>

namespace lanescope::layouts {

int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::numeric_limits<int64_t>::max();
  return product;
}

int64_t elementCount(const Shape &shape) {
  // A size of zero makes the product zero, even if other sizes overflow.
  if (std::ranges::find(shape, 0) != shape.end())
    return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    count = saturatingMultiply(count, size);
  return count;
}

Result<int64_t> checkedElementCount(const Shape &shape) {
  for (int64_t size : shape)
    if (size < 0)
      return error("shape-negative", Message("shape {shape} has the negative size {size}", tupleText(shape), size));
  if (std::ranges::find(shape, 0) != shape.end())
    return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    if (__builtin_mul_overflow(count, size, &count))
      return error("shape-too-large",
                   Message("shape {shape} has more elements than 63 bits can count", tupleText(shape)));
  return count;
}

Shape contiguousStrides(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = saturatingMultiply(strides[i], shape[i]);
  return strides;
}

Shape unravelIndex(int64_t index, const Shape &shape) {
  Shape coordinates(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    coordinates[i] = index % shape[i];
    index /= shape[i];
  }
  return coordinates;
}

int64_t ravelIndex(std::span<const int64_t> coordinates, const Shape &shape) {
  int64_t index = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    index = index * shape[i] + coordinates[i];
  return index;
}

std::string tupleText(const Shape &shape) { return text('(', joined(shape, ", "), shape.size() == 1 ? ",)" : ")"); }
std::string listText(const Shape &values) { return text('[', joined(values, ", "), ']'); }

} // namespace lanescope::layouts
