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

#include <cstdint>
#include <vector>

namespace lanescope::repl {

class NumpyStream {
public:
  /// `entropy`: the seed's 32-bit words, lowest first; 0 is one word.
  explicit NumpyStream(const std::vector<uint32_t> &entropy);

  uint64_t next64();
  /// Halves of a 64-bit number: the low one, then the high one.
  uint32_t next32();
  /// In [0, 1), 53 bits; 24 bits.
  double uniform() { return static_cast<double>(next64() >> 11) * 0x1p-53; }
  float uniform32() { return static_cast<float>(next32() >> 8) * 0x1p-24F; }
  double normal();
  float normal32();
  /// From 0 to `range`, both included, without bias (Lemire, arXiv:1805.10941), of so many bits: 64 (any range), 32,
  /// 16, 8. Those of 16 and 8 bits take theirs from `buffer`, of one call of the distribution.
  struct Buffer {
    uint32_t bits = 0;
    int left = 0;
  };
  uint64_t bounded64(uint64_t range);
  uint32_t bounded32(uint32_t range);
  uint16_t bounded16(uint16_t range, Buffer &buffer);
  uint8_t bounded8(uint8_t range, Buffer &buffer);
  bool boolean(Buffer &buffer);
  /// From 0 to `most`, by rejection under a mask: what shuffles draw.
  uint64_t interval(uint64_t most);

private:
  __extension__ using Wide = unsigned __int128;
  Wide state_ = 0, increment_ = 0;
  bool hasHalf_ = false;
  uint32_t half_ = 0;
};

} // namespace lanescope::repl
