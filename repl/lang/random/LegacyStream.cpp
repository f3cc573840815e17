#include "repl/lang/random/LegacyStream.h"

#include <bit>
#include <cmath>

namespace lanescope::repl {

uint64_t LegacyStream::next64() {
  const uint64_t high = next32();
  return high << 32 | next32();
}

double LegacyStream::uniform() {
  const uint32_t high = next32() >> 5, low = next32() >> 6;
  return (high * 0x1p26 + low) * 0x1p-53;
}

double LegacyStream::normal() {
  if (second_) {
    const double out = *second_;
    second_.reset();
    return out;
  }
  for (;;) {
    const double x = 2.0 * uniform() - 1.0, y = 2.0 * uniform() - 1.0, square = x * x + y * y;
    if (square >= 1.0 || square == 0.0)
      continue;
    const double factor = std::sqrt(-2.0 * std::log(square) / square);
    second_ = factor * x;
    return factor * y;
  }
}

uint16_t LegacyStream::bounded16(uint16_t range, Buffer &buffer) {
  const auto mask = static_cast<uint16_t>(std::bit_ceil(uint32_t{range} + 1) - 1);
  while (range > 0)
    if (const auto value = static_cast<uint16_t>(drawn(buffer, 16) & mask); value <= range)
      return value;
  return 0;
}

uint8_t LegacyStream::bounded8(uint8_t range, Buffer &buffer) {
  const auto mask = static_cast<uint8_t>(std::bit_ceil(uint32_t{range} + 1) - 1);
  while (range > 0)
    if (const auto value = static_cast<uint8_t>(drawn(buffer, 8) & mask); value <= range)
      return value;
  return 0;
}

std::vector<int64_t> LegacyStream::distinct(int64_t population, int64_t count, bool /*shuffles*/) {
  std::vector<int64_t> order = shuffled(population);
  order.resize(static_cast<size_t>(count));
  return order;
}

} // namespace lanescope::repl
