// NumPy's stream of random numbers: PCG64 (PCG XSL RR 128/64) seeded by SeedSequence, and the distributions of
// numpy.random.Generator, to the bit.
//
//   NumpyStream stream({42});
//   stream.uniform()      0.7739560485559633, as np.random.default_rng(42).random()
//
// Sources: O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
// Generation"; NumPy's bit_generator.pyx and distributions.c for seeding and for what a distribution draws, in which
// order.
#pragma once

#include "repl/lang/random/RandomStream.h"

namespace lanescope::repl {

class NumpyStream final : public RandomStream {
public:
  /// `entropy`: the seed's 32-bit words, lowest first; 0 is one word.
  explicit NumpyStream(const std::vector<uint32_t> &entropy);

  uint64_t next64() override;
  /// Halves of a 64-bit number: the low one, then the high one.
  uint32_t next32() override;
  double uniform() override { return static_cast<double>(next64() >> 11) * 0x1p-53; }
  /// In [0, 1), 24 bits.
  float uniform32() { return static_cast<float>(next32() >> 8) * 0x1p-24F; }
  double normal() override;
  float normal32();
  /// By multiplication (Lemire, arXiv:1805.10941).
  uint64_t bounded64(uint64_t range) override;
  uint32_t bounded32(uint32_t range) override;
  uint16_t bounded16(uint16_t range, Buffer &buffer) override;
  uint8_t bounded8(uint8_t range, Buffer &buffer) override;
  /// Floyd's algorithm where few are chosen of many, else the end of a shuffle.
  std::vector<int64_t> distinct(int64_t population, int64_t count, bool shuffles) override;

private:
  __extension__ using Wide = unsigned __int128;
  Wide state_ = 0, increment_ = 0;
  bool hasHalf_ = false;
  uint32_t half_ = 0;
};

} // namespace lanescope::repl
