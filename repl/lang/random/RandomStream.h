// What numpy.random's methods draw from, whichever generator it is: a stream of bits, and how it makes numbers of them.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope::repl {

class RandomStream {
public:
  RandomStream() = default;
  RandomStream(const RandomStream &) = default;
  RandomStream &operator=(const RandomStream &) = default;
  virtual ~RandomStream() = default;

  virtual uint32_t next32() = 0;
  virtual uint64_t next64() = 0;
  /// In [0, 1), 53 bits.
  virtual double uniform() = 0;
  virtual double normal() = 0;
  /// From 0 to `range`, both included, without bias, of so many bits: 64 (any range), 32, 16, 8. Those of 16 and 8 bits
  /// take theirs from `buffer`, of one call of the distribution.
  struct Buffer {
    uint32_t bits = 0;
    int left = 0;
  };
  virtual uint64_t bounded64(uint64_t range) = 0;
  virtual uint32_t bounded32(uint32_t range) = 0;
  virtual uint16_t bounded16(uint16_t range, Buffer &buffer) = 0;
  virtual uint8_t bounded8(uint8_t range, Buffer &buffer) = 0;
  bool boolean(Buffer &buffer) { return drawn(buffer, 1) & 1; }
  /// From 0 to `most`, by rejection under a mask: what shuffles draw.
  uint64_t interval(uint64_t most);
  /// The ints below `count` in a random order.
  std::vector<int64_t> shuffled(int64_t count);
  /// `count` different ints below `population`; without `shuffles`, in no order that matters.
  virtual std::vector<int64_t> distinct(int64_t population, int64_t count, bool shuffles) = 0;

protected:
  /// The next `width` bits of a word of 32, lowest first; those above them are not cleared.
  uint32_t drawn(Buffer &buffer, int width);
};

} // namespace lanescope::repl
