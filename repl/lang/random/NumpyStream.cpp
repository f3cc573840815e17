#include "repl/lang/random/NumpyStream.h"

#include "repl/lang/random/Ziggurat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace lanescope::repl {
namespace {

/// SeedSequence: entropy of any length into 256 bits, from which as many words are drawn as a generator needs
/// (O'Neill, "Developing a seed_seq Alternative").
class SeedSequence {
public:
  explicit SeedSequence(const std::vector<uint32_t> &entropy) {
    uint32_t constant = 0x43b0d7e5;
    auto hashed = [&](uint32_t value) {
      value ^= constant;
      constant *= 0x931e8875;
      value *= constant;
      return value ^ (value >> 16);
    };
    auto mixed = [](uint32_t x, uint32_t y) {
      uint32_t value = 0xca01f9dd * x - 0x4973f715 * y;
      return value ^ (value >> 16);
    };
    for (size_t i = 0; i < pool_.size(); ++i)
      pool_[i] = hashed(i < entropy.size() ? entropy[i] : 0);
    for (size_t from = 0; from < pool_.size(); ++from)
      for (size_t to = 0; to < pool_.size(); ++to)
        if (from != to)
          pool_[to] = mixed(pool_[to], hashed(pool_[from]));
    for (size_t from = pool_.size(); from < entropy.size(); ++from)
      for (uint32_t &word : pool_)
        word = mixed(word, hashed(entropy[from]));
  }
  std::array<uint64_t, 4> words() const {
    std::array<uint32_t, 8> halves;
    uint32_t constant = 0x8b51f9dd;
    for (size_t i = 0; i < halves.size(); ++i) {
      uint32_t value = pool_[i % pool_.size()] ^ constant;
      constant *= 0x58f38ded;
      value *= constant;
      halves[i] = value ^ (value >> 16);
    }
    std::array<uint64_t, 4> out;
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = halves[2 * i] | static_cast<uint64_t>(halves[2 * i + 1]) << 32;
    return out;
  }

private:
  std::array<uint32_t, 4> pool_{};
};

} // namespace

constexpr double kNormalEnd = 3.6541528853610087963519472518; // where the ziggurat's lowest strip ends
constexpr double kInverseEnd = 0.27366123732975827203338247596;

NumpyStream::NumpyStream(const std::vector<uint32_t> &entropy) {
  auto words = SeedSequence(entropy).words();
  increment_ = (static_cast<Wide>(words[2]) << 64 | words[3]) << 1 | 1;
  next64();
  state_ += static_cast<Wide>(words[0]) << 64 | words[1];
  next64();
}

uint64_t NumpyStream::next64() {
  constexpr Wide kMultiplier = static_cast<Wide>(2549297995355413924ULL) << 64 | 4865540595714422341ULL;
  state_ = state_ * kMultiplier + increment_;
  auto high = static_cast<uint64_t>(state_ >> 64), low = static_cast<uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

uint32_t NumpyStream::next32() {
  if (hasHalf_) {
    hasHalf_ = false;
    return half_;
  }
  uint64_t next = next64();
  hasHalf_ = true;
  half_ = static_cast<uint32_t>(next >> 32);
  return static_cast<uint32_t>(next);
}

double NumpyStream::normal() {
  for (;;) {
    uint64_t bits = next64();
    size_t strip = bits & 0xff;
    bool negative = bits >> 8 & 1;
    uint64_t place = bits >> 9 & 0x000fffffffffffff;
    double x = static_cast<double>(place) * kZigguratWidth[strip];
    if (negative)
      x = -x;
    if (place < kZigguratInside[strip])
      return x;
    if (strip == 0) {
      for (;;) { // the tail
        double away = -kInverseEnd * std::log1p(-uniform()), y = -std::log1p(-uniform());
        if (y + y > away * away)
          return place >> 8 & 1 ? -(kNormalEnd + away) : kNormalEnd + away;
      }
    }
    double above = kZigguratHeight[strip - 1] - kZigguratHeight[strip];
    if (above * uniform() + kZigguratHeight[strip] < std::exp(-0.5 * x * x))
      return x;
  }
}

float NumpyStream::normal32() {
  for (;;) {
    uint32_t bits = next32();
    size_t strip = bits & 0xff;
    bool negative = bits >> 8 & 1;
    uint32_t place = bits >> 9 & 0x007fffff;
    // The tables of floats are those of doubles rounded, in units of 2^-23.
    auto inside = static_cast<uint32_t>((kZigguratInside[strip] + (uint64_t{1} << 28)) >> 29);
    auto height = [](size_t i) { return static_cast<float>(kZigguratHeight[i]); };
    float x = static_cast<float>(place) * static_cast<float>(kZigguratWidth[strip] * 0x1p29);
    if (negative)
      x = -x;
    if (place < inside)
      return x;
    if (strip == 0) {
      for (;;) {
        float away = -static_cast<float>(kInverseEnd) * std::log1p(-uniform32()), y = -std::log1p(-uniform32());
        if (y + y > away * away)
          return place >> 8 & 1 ? -(static_cast<float>(kNormalEnd) + away) : static_cast<float>(kNormalEnd) + away;
      }
    }
    if (static_cast<double>((height(strip - 1) - height(strip)) * uniform32() + height(strip)) < std::exp(-0.5 * x * x))
      return x;
  }
}

uint64_t NumpyStream::bounded64(uint64_t range) {
  if (range == 0)
    return 0;
  if (range <= UINT32_MAX)
    return range == UINT32_MAX ? next32() : bounded32(static_cast<uint32_t>(range));
  if (range == UINT64_MAX)
    return next64();
  uint64_t count = range + 1;
  Wide scaled = static_cast<Wide>(next64()) * count;
  if (static_cast<uint64_t>(scaled) < count)
    for (uint64_t least = (UINT64_MAX - range) % count; static_cast<uint64_t>(scaled) < least;)
      scaled = static_cast<Wide>(next64()) * count;
  return static_cast<uint64_t>(scaled >> 64);
}

uint32_t NumpyStream::bounded32(uint32_t range) {
  if (range == 0)
    return 0;
  if (range == UINT32_MAX)
    return next32();
  uint32_t count = range + 1;
  uint64_t scaled = static_cast<uint64_t>(next32()) * count;
  if (static_cast<uint32_t>(scaled) < count)
    for (uint32_t least = (UINT32_MAX - range) % count; static_cast<uint32_t>(scaled) < least;)
      scaled = static_cast<uint64_t>(next32()) * count;
  return static_cast<uint32_t>(scaled >> 32);
}

uint16_t NumpyStream::bounded16(uint16_t range, Buffer &buffer) {
  auto next = [&] { return static_cast<uint16_t>(drawn(buffer, 16)); };
  if (range == 0)
    return 0;
  if (range == UINT16_MAX)
    return next();
  auto count = static_cast<uint16_t>(range + 1);
  uint32_t scaled = static_cast<uint32_t>(next()) * count;
  if (static_cast<uint16_t>(scaled) < count)
    for (auto least = static_cast<uint16_t>((UINT16_MAX - range) % count); static_cast<uint16_t>(scaled) < least;)
      scaled = static_cast<uint32_t>(next()) * count;
  return static_cast<uint16_t>(scaled >> 16);
}

uint8_t NumpyStream::bounded8(uint8_t range, Buffer &buffer) {
  auto next = [&] { return static_cast<uint8_t>(drawn(buffer, 8)); };
  if (range == 0)
    return 0;
  if (range == UINT8_MAX)
    return next();
  auto count = static_cast<uint8_t>(range + 1);
  auto scaled = static_cast<uint16_t>(next() * count);
  if (static_cast<uint8_t>(scaled) < count)
    for (auto least = static_cast<uint8_t>((UINT8_MAX - range) % count); static_cast<uint8_t>(scaled) < least;)
      scaled = static_cast<uint16_t>(next() * count);
  return static_cast<uint8_t>(scaled >> 8);
}

std::vector<int64_t> NumpyStream::distinct(int64_t population, int64_t count, bool shuffles) {
  auto shuffleFrom = [&](std::vector<int64_t> &values, size_t first) {
    for (size_t i = values.size(); i-- > first;)
      std::swap(values[i], values[bounded64(i)]);
  };
  if (population > 10000 && count > population / (shuffles ? 50 : 20)) {
    std::vector<int64_t> all(static_cast<size_t>(population));
    std::iota(all.begin(), all.end(), 0);
    shuffleFrom(all, static_cast<size_t>(std::max<int64_t>(population - count, 1)));
    return {all.end() - count, all.end()};
  }
  std::vector<int64_t> out;
  for (int64_t j = population - count; j < population; ++j) {
    auto value = static_cast<int64_t>(bounded64(static_cast<uint64_t>(j)));
    out.push_back(std::ranges::find(out, value) == out.end() ? value : j);
  }
  if (shuffles)
    shuffleFrom(out, 1);
  return out;
}

} // namespace lanescope::repl
