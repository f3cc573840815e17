// What is known of the bytes of a buffer: who wrote and read them last, and whether they hold anything. Ranges with the
// same history are one segment, so that a row costs as much as a word.
//
//   shadow.read(0, 64, use, clock)   the first conflicting use, if there is one
//
// Two writes of the same value do not conflict: each of the cores may write the whole of a result.
#pragma once

#include "core/order/Clock.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace lanescope::core::sparsecore {

using order::Clock;
using order::Step;

/// An access: by whom, and where in the program.
struct Use {
  Step step;
  uint32_t place = 0;
  uint32_t copy = UINT32_MAX; // of a copy in flight: which one; else a subcore's own
  bool isCopy() const { return copy != UINT32_MAX; }
};

/// What bytes hold. Above kComputed: 1 + the place where a value nobody wrote was computed with.
using Content = uint32_t;
/// As an argument of a write: the bytes hold what they held.
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
  /// `same`: the bytes already held what is written; kAsBefore goes with it alone. `pastReads`:
  /// reads are no conflicts.
  std::optional<Conflict> write(uint64_t begin, uint64_t end, const Use &use, const Clock &clock, Content content,
                                bool same, bool pastReads = false);

  /// The content of the bytes, the first that is not defined.
  Content content(uint64_t begin, uint64_t end) const;
  void setContent(uint64_t begin, uint64_t end, Content content);
  /// Whether `size` bytes have the same contents as those of `source` from `from`.
  bool sameContent(const Shadow &source, uint64_t from, uint64_t begin, uint64_t size) const;
  /// The same contents as in `source` from `from`, for `size` bytes.
  void copyContent(const Shadow &source, uint64_t from, uint64_t begin, uint64_t size);

private:
  struct Segment {
    std::vector<Use> writes; // of the same value, unordered; usually one
    std::vector<Use> reads;  // since, at most one an agent
    Content content = kUninitialised;
  };
  using Segments = std::map<uint64_t, Segment>;
  Segments::iterator split(uint64_t at);

  Segments segments_; // by first byte; each ends where the next begins
  uint64_t size_ = 0;
};

} // namespace lanescope::core::sparsecore
