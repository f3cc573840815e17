// The shadow memory of a buffer: the last writers and readers of its bytes, and whether the bytes hold defined values.
// Bytes with the same history form one segment, so that an access to a row takes as long as an access to a word.
//
//   shadow.read(0, 64, use, clock)   the first conflicting use, if there is one
//
// Two writes of the same value do not conflict, so that each core may write a whole result.
#pragma once

#include "core/order/Clock.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace lanescope::core::sparsecore {

using order::Clock;
using order::Step;

/// An access: its agent, and its place in the program.
struct Use {
  Step step;
  uint32_t place = 0;
  uint32_t copy = UINT32_MAX; // the copy in flight; UINT32_MAX if a subcore itself accesses
  bool isCopy() const { return copy != UINT32_MAX; }
};

/// The state of bytes: one of the constants below, or kComputed plus the place where an unwritten value entered a
/// computation.
using Content = uint32_t;
/// An argument of a write that keeps the contents of the bytes.
inline constexpr Content kAsBefore = UINT32_MAX;
inline constexpr Content kDefined = 0, kUninitialised = 1, kUndefined = 2, kComputed = 3;

class Shadow {
public:
  /// `size` bytes that hold `content`.
  explicit Shadow(uint64_t size = 0, Content content = kUninitialised);

  struct Conflict {
    Use other;
    bool otherWrites = false;
  };
  std::optional<Conflict> read(uint64_t begin, uint64_t end, const Use &use, const Clock &clock);
  struct Written {
    Content content = kDefined;
    bool same = false;      // the bytes already hold the written value; true if `content` is kAsBefore
    bool pastReads = false; // reads that happened earlier in the run are no conflicts
  };
  std::optional<Conflict> write(uint64_t begin, uint64_t end, const Use &use, const Clock &clock,
                                const Written &written);

  /// The content of the first undefined byte. If all are defined, the content of all bytes.
  Content content(uint64_t begin, uint64_t end) const;
  void setContent(uint64_t begin, uint64_t end, Content content);
  /// True if the `size` bytes from `begin` have the same contents as the bytes of `source` from `from`.
  bool sameContent(const Shadow &source, uint64_t from, uint64_t begin, uint64_t size) const;
  /// Gives the `size` bytes from `begin` the contents of the bytes of `source` from `from`.
  void copyContent(const Shadow &source, uint64_t from, uint64_t begin, uint64_t size);

private:
  struct Segment {
    std::vector<Use> writes; // unordered writes of the same value; usually one
    std::vector<Use> reads;  // reads since then, at most one per agent
    Content content = kUninitialised;
  };
  using Segments = std::map<uint64_t, Segment>;
  Segments::iterator split(uint64_t at);

  Segments segments_; // keyed by first byte; each ends where the next begins
  uint64_t size_ = 0;
};

} // namespace lanescope::core::sparsecore
