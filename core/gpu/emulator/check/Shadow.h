// Shadow of a block's shared memory: per granule who wrote it last and who has read it since. A granule is 16 bytes, as
// tiles and rows of matrices are moved by, until something is accessed by less (4, 2 or 1).
//
// Both are numbers of `Use`s in a table (UseTable.h), which is swept when it grows large.
//
//   shadow.begin(blocks, bytes); shadow.fit(offset | size);
//   Cell *cells = shadow.cells(rank, offset); cells[n].write …; shadow.use(cells[n].write).agent
#pragma once

#include "core/gpu/emulator/check/Clocks.h"
#include "core/gpu/emulator/check/Lanes.h"
#include "core/gpu/emulator/check/UseTable.h"

#include <bit>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lanescope::core::emulator {

struct Use {
  Agent agent = 0;
  bool asyncProxy = false;
  bool atomic = false;
  bool torn = false; // a copy's write beside another's (`rest`), in no order: nobody may read it
  Epoch epoch = 0;
  uint32_t pc = 0;
  uint32_t rest = kNoUse; // further readers; of a write: the one whose bytes it wrote again (SharedRaces::settle())
  uint32_t lanes = LaneMaps::kUnknown; // a warp's use: which lanes accessed which addresses
};

struct Cell {
  uint32_t write = kNoUse, reads = kNoUse;

  /// One number to compare.
  uint64_t both() const { return std::bit_cast<uint64_t>(*this); }
};

/// Whether all of N cells are `old`; those become `fresh` then.
template <uint32_t N> [[gnu::always_inline]] inline bool replaceAll(Cell *cells, Cell old, Cell fresh) {
  uint64_t odd = 0;
  for (uint32_t n = 0; n < N; ++n)
    odd |= cells[n].both() ^ old.both();
  if (odd)
    return false;
  for (uint32_t n = 0; n < N; ++n)
    cells[n] = fresh;
  return true;
}

/// Whether the numbers in all cells are below `end`, which is less than 2^31, and all writes `leastWrite` or more.
[[gnu::always_inline]] inline bool allBelow(const Cell *cells, uint32_t count, uint32_t end, uint32_t leastWrite) {
  uint32_t n = 0;
#if defined(__SSE2__)
  __m128i last = _mm_set1_epi32(static_cast<int>(end - 1)), wide = _mm_setzero_si128();
  __m128i least = _mm_set1_epi64x(leastWrite); // a cell's write is its lower half
  for (; n + 2 <= count; n += 2) {
    __m128i two = _mm_loadu_si128(reinterpret_cast<const __m128i *>(cells + n));
    wide = _mm_or_si128(wide, _mm_or_si128(_mm_sub_epi32(last, two), _mm_sub_epi32(two, least)));
  }
  if (_mm_movemask_ps(_mm_castsi128_ps(wide)))
    return false;
#endif
  uint32_t odd = 0; // its highest bit
  for (; n < count; ++n) {
    odd |= (end - 1 - cells[n].write) | (cells[n].write - leastWrite);
    odd |= end - 1 - cells[n].reads;
  }
  return odd >> 31 == 0;
}

class Shadow {
public:
  static constexpr uint32_t kLargestGranule = 16; // bytes

  /// Nobody has used any of the memory; granules stay as small as they were.
  void begin(uint32_t blocks, uint32_t bytes);
  /// To be called before an access: makes granules so small that it is of whole ones. `places`: bits of its offset and
  /// its size in bytes.
  void fit(uint32_t places) {
    if (places & (granule() - 1)) [[unlikely]]
      refine(places);
  }
  Cell *cells(uint32_t rank, uint32_t offset) { return cells_.data() + size_t(rank) * perBlock_ + (offset >> shift_); }
  uint32_t count(uint32_t bytes) const { return (bytes + (1u << shift_) - 1) >> shift_; }
  uint32_t granule() const { return 1u << shift_; } // bytes
  uint32_t offsetOf(uint32_t index) const { return index << shift_; }
  const Use &use(uint32_t number) const { return uses_[number]; }
  uint32_t add(const Use &use) { return uses_.add(use); }
  /// The set `reads` with `reader` in it, without those that `seen` covers: who is ordered after the new reader is
  /// ordered after them. An asynchronous reader leaves ordinary ones, which need a fence that it does not.
  /// Uses of the reader's own warp after the epoch `synchronised` stay, because other lanes may have made them.
  uint32_t addReader(uint32_t reads, Use reader, const Clock &seen, Epoch synchronised = UINT32_MAX);
  Use &fresh() { return uses_.fresh(); }
  LaneMaps &lanes() { return lanes_; }
  /// To be called between instructions: drops entries that no cell refers to when there are many. Whether it did:
  /// numbers have changed then.
  bool sweepWhenLarge() {
    if (uses_.size() <= sweepAt_ && !lanes_.areMany()) [[likely]]
      return false;
    sweep();
    return true;
  }
  /// What a copy of it takes.
  size_t memoryBytes() const { return cells_.size() * sizeof(Cell) + uses_.memoryBytes() + lanes_.memoryBytes(); }
  /// The number that the next use gets.
  uint32_t next() const { return uses_.next(); }

private:
  static constexpr size_t kSweepAt = 1 << 19;
  void sweep();
  void refine(uint32_t places);

  std::vector<Cell> cells_;
  UseTable<Use> uses_;
  LaneMaps lanes_;
  size_t perBlock_ = 0, sweepAt_ = kSweepAt;
  uint32_t blocks_ = 0, bytes_ = 0; // of each
  uint32_t shift_ = std::countr_zero(kLargestGranule);
};

} // namespace lanescope::core::emulator
