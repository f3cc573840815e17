// Plans moves of values within their warps: which words each shuffle carries, and how they are joined. Private to
// layouts/cost.
#pragma once

#include "layouts/cost/Relayout.h"

#include <span>
#include <vector>

namespace lanescope::layouts {

/// Maps the values of a thread to its 32-bit registers ("words"). A 64-bit value has two parts of 32 bits.
class WordMap {
public:
  WordMap(const ElementMap &map, int bitwidth);
  int words() const { return words_; }
  int partBits() const { return partBits_; }
  int partsPerValue() const { return partsPerValue_; }
  int word(int32_t value, int part) const { return word_[static_cast<size_t>(value) * partsPerValue_ + part]; }
  int bit(int32_t value) const { return bit_[static_cast<size_t>(value)]; }
  /// Values [first, first + count) lie in the word (a 64-bit value lies in two words).
  int32_t firstValue(int word) const { return firstValue_[static_cast<size_t>(word)]; }
  int32_t valueCount(int word) const { return valueCount_[static_cast<size_t>(word)]; }
  /// The part of a 64-bit value that the word holds.
  int part(int word) const { return word % partsPerValue_; }

private:
  int words_, partBits_, partsPerValue_;
  std::vector<int32_t> word_, firstValue_, valueCount_;
  std::vector<uint8_t> bit_;
};

/// The origin of a value of the result.
struct Source {
  int32_t thread; // -1: the slot of the result holds nothing
  int32_t value;  // reg*vector + position in the first layout
};

struct WarpPlan {
  RelayoutCounts counts;
  int64_t shufflesAtLeast = 0;
};

/// Plans one warp. `sources` gives the origin of the values of its lanes, [lane][value]; all lie in the same warp.
WarpPlan planWarp(const ElementMap &from, const ElementMap &to, const WordMap &fromWords, const WordMap &toWords,
                  int warp, std::span<const Source> sources);

/// A conversion that the kernel compiler has.
struct KnownRelayout {
  std::optional<RelayoutCounts> counts; // its instructions; nothing if they equal the plan's
  std::string how;
};
/// Finds a known conversion; nothing for a pair that the kernel compiler does not convert. `wordsPerThread`: the 32-bit
/// registers that a thread's values fill.
std::optional<KnownRelayout> knownRelayout(const Layout &from, const Layout &to, const Shape &shape, int bitwidth,
                                           int64_t wordsPerThread);

} // namespace lanescope::layouts
