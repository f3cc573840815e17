#include "repl/lang/values/ArrayNumbers.h"

#include "core/data/Numeric.h"

#include <cstring>

namespace lanescope::repl {

namespace {

/// Reads elements that are stored as T.
template <typename T, typename Convert>
void readAs(const core::Array &array, int64_t first, std::span<double> out, Convert convert) {
  const std::byte *from = array.bytes.data() + static_cast<size_t>(first) * sizeof(T);
  for (size_t i = 0; i < out.size(); ++i) {
    T element;
    std::memcpy(&element, from + i * sizeof(T), sizeof(T));
    out[i] = static_cast<double>(convert(element));
  }
}

template <typename T, typename Convert>
void writeAs(core::Array &array, int64_t first, std::span<const double> numbers, Convert convert) {
  std::byte *to = array.bytes.data() + static_cast<size_t>(first) * sizeof(T);
  for (size_t i = 0; i < numbers.size(); ++i) {
    T element = convert(static_cast<float>(numbers[i]));
    std::memcpy(to + i * sizeof(T), &element, sizeof(T));
  }
}

} // namespace

void readNumbers(const core::Array &array, int64_t first, std::span<double> out) {
  auto same = [](auto element) { return element; };
  switch (array.dtype) {
  case layouts::Dtype::F64: return readAs<double>(array, first, out, same);
  case layouts::Dtype::F32: return readAs<float>(array, first, out, same);
  case layouts::Dtype::I32: return readAs<int32_t>(array, first, out, same);
  case layouts::Dtype::F16: return readAs<uint16_t>(array, first, out, core::f16ToF32);
  case layouts::Dtype::BF16: return readAs<uint16_t>(array, first, out, core::bf16ToF32);
  default:
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = array.number(first + static_cast<int64_t>(i));
  }
}

void writeFloats(core::Array &array, int64_t first, std::span<const double> numbers) {
  switch (array.dtype) {
  case layouts::Dtype::F32: return writeAs<float>(array, first, numbers, [](float number) { return number; });
  case layouts::Dtype::F16: return writeAs<uint16_t>(array, first, numbers, core::f32ToF16);
  case layouts::Dtype::BF16: return writeAs<uint16_t>(array, first, numbers, core::f32ToBf16);
  default:
    for (size_t i = 0; i < numbers.size(); ++i)
      array.setNumber(first + static_cast<int64_t>(i), numbers[i]);
  }
}

} // namespace lanescope::repl
