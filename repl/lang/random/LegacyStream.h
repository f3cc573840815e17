// The stream of numpy.random.RandomState, and so of np.random.seed, rand and randn, and of Python's random: MT19937,
// seeded by one word or by several.
//
//   LegacyStream stream(0);
//   stream.uniform()      0.5488135039273248, as np.random.seed(0); np.random.rand()
//
// Sources: Matsumoto and Nishimura, "Mersenne Twister"; NumPy's mtrand.pyx and legacy-distributions.c for what a
// distribution draws: normal numbers by Marsaglia's polar method, two at a time; whole numbers under a mask.
#pragma once

#include "repl/lang/random/RandomStream.h"

#include <optional>
#include <random>
#include <span>

namespace lanescope::repl {

class LegacyStream final : public RandomStream {
public:
  explicit LegacyStream(uint32_t seed) : bits_(seed) {}
  /// Seeded by all of `key`, one word or more (init_by_array).
  explicit LegacyStream(std::span<const uint32_t> key);

  uint32_t next32() override { return static_cast<uint32_t>(bits_()); }
  uint64_t next64() override;
  double uniform() override;
  double normal() override;
  uint64_t bounded64(uint64_t range) override { return interval(range); }
  uint32_t bounded32(uint32_t range) override { return static_cast<uint32_t>(interval(range)); }
  uint16_t bounded16(uint16_t range, Buffer &buffer) override;
  uint8_t bounded8(uint8_t range, Buffer &buffer) override;
  std::vector<int64_t> distinct(int64_t population, int64_t count, bool shuffles) override;

private:
  std::mt19937 bits_;
  std::optional<double> second_; // of the last pair of normal numbers
};

} // namespace lanescope::repl
