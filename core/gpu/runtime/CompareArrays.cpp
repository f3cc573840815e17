#include "core/gpu/runtime/CompareArrays.h"

#include "layouts/support/Text.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace lanescope::core {

namespace {

uint64_t bitsOf(const Array &array, int64_t index) {
  uint64_t bits = 0;
  auto width = static_cast<size_t>(layouts::hostBytes(array.dtype));
  std::memcpy(&bits, array.bytes.data() + static_cast<size_t>(index) * width, width);
  return bits;
}

/// Maps the sign-magnitude bits of a float to an integer, so that adjacent representable values have adjacent integers.
int64_t position(const Array &array, int64_t index) {
  uint64_t bits = bitsOf(array, index), sign = uint64_t{1} << (layouts::hostBytes(array.dtype) * 8 - 1);
  if (array.dtype == Dtype::F4E2M1FN)
    sign = 8;
  if (array.dtype == Dtype::F6E2M3FN || array.dtype == Dtype::F6E3M2FN)
    sign = 32;
  if (array.dtype == Dtype::F8E8M0FNU) // has no sign
    return static_cast<int64_t>(bits);
  auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

bool near(const Array &a, const Array &b, int64_t index, uint64_t ulps) {
  if (bitsOf(a, index) == bitsOf(b, index))
    return true;
  if (ulps == 0)
    return false;
  int64_t x, y;
  if (layouts::isFloat(a.dtype)) {
    bool nanA = std::isnan(a.number(index)), nanB = std::isnan(b.number(index));
    if (nanA || nanB)
      return nanA && nanB;
    x = position(a, index);
    y = position(b, index);
  } else {
    x = a.integer(index);
    y = b.integer(index);
    if (a.dtype == Dtype::U64) // unsigned values compare as such
      x ^= INT64_MIN, y ^= INT64_MIN;
  }
  uint64_t distance =
      x > y ? static_cast<uint64_t>(x) - static_cast<uint64_t>(y) : static_cast<uint64_t>(y) - static_cast<uint64_t>(x);
  return distance <= ulps;
}

std::string place(const Shape &shape, int64_t index) {
  Shape at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = index % shape[d];
    index /= shape[d];
  }
  return layouts::tupleText(at);
}

std::string valueText(const Array &array, int64_t index) {
  if (!layouts::isFloat(array.dtype))
    return array.dtype == Dtype::U64 ? text(bitsOf(array, index)) : text(array.integer(index));
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.9g (bits 0x%llx)", array.number(index),
                static_cast<unsigned long long>(bitsOf(array, index)));
  return buffer;
}

} // namespace

Comparison compareArrays(const Array &actual, const Array &expected, uint64_t ulps) {
  if (actual.dtype != expected.dtype || actual.shape != expected.shape)
    return {std::max<int64_t>(actual.size(), 1),
            text("it is ", layouts::name(actual.dtype), layouts::tupleText(actual.shape), " where ",
                 layouts::name(expected.dtype), layouts::tupleText(expected.shape), " is expected")};
  if (actual.bytes == expected.bytes)
    return {};
  Comparison result;
  int64_t first = 0;
  for (int64_t i = 0; i < actual.size(); ++i)
    if (!near(actual, expected, i, ulps) && result.different++ == 0)
      first = i;
  if (result.different > 0)
    result.message =
        text(result.different, " of ", actual.size(), " elements differ, the first at ", place(actual.shape, first),
             ": ", valueText(actual, first), " where ", valueText(expected, first), " is expected");
  return result;
}

} // namespace lanescope::core
