#include "repl/lang/random/LegacyStream.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace lanescope::repl {

namespace {

/// A state as what std::mt19937 takes for a sequence of seeds.
struct State {
  std::array<uint32_t, std::mt19937::state_size> words;
  using result_type = uint32_t;
  template <typename Iterator> void generate(Iterator begin, Iterator) { std::ranges::copy(words, begin); }
};

State stateOf(std::span<const uint32_t> key) {
  constexpr size_t n = std::mt19937::state_size;
  State out{};
  auto &x = out.words;
  x[0] = 19650218;
  for (uint32_t i = 1; i < n; ++i)
    x[i] = 1812433253 * (x[i - 1] ^ x[i - 1] >> 30) + i;
  uint32_t i = 1;
  auto step = [&] {
    if (++i >= n) {
      x[0] = x[n - 1];
      i = 1;
    }
  };
  for (size_t k = 0, j = 0; k < std::max(n, key.size()); ++k, j = (j + 1) % key.size()) {
    x[i] = (x[i] ^ (x[i - 1] ^ x[i - 1] >> 30) * 1664525) + key[j] + static_cast<uint32_t>(j);
    step();
  }
  for (size_t k = 0; k + 1 < n; ++k) {
    x[i] = (x[i] ^ (x[i - 1] ^ x[i - 1] >> 30) * 1566083941) - i;
    step();
  }
  x[0] = 0x80000000;
  return out;
}

} // namespace

LegacyStream::LegacyStream(std::span<const uint32_t> key) {
  State state = stateOf(key);
  bits_ = std::mt19937(state);
}

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
