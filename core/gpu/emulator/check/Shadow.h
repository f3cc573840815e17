// Shadow memory of a block's shared memory. For each granule, it records the last write and the reads since that write.
// A granule has 16 bytes, the unit in which tiles and rows of matrices move. When an instruction accesses fewer bytes,
// granules shrink to 4, 2 or 1.
//
// A cell holds the numbers of both in a table of `Use`s (UseTable.h). The table is swept when it grows large.
//
//   shadow.begin(blocks, bytes); shadow.fit(offset | size);
//   Cell *cells = shadow.cells(rank, offset); cells[n].write …; shadow.use(cells[n].write).agent
#pragma once

#include "core/gpu/emulator/check/Clocks.h"
#include "core/gpu/emulator/check/UseTable.h"
#include "core/gpu/emulator/check/WarpLanes.h"

#include <bit>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lanescope::core::emulator {

struct Use {
  Agent agent = 0;
  bool asyncProxy = false;
  bool atomic = false;
  // A copy's write that is not ordered with an earlier copy's write (`rest`): nothing may read the bytes.
  bool torn = false;
  Epoch epoch = 0;
  uint32_t pc = 0;
  // Further readers. For a plain write: an earlier write of the same bytes (SharedRaces::settle()). For a strong write:
  // the plain write before it.
  uint32_t rest = kNoUse;
  uint32_t lanes = LaneMaps::kUnknown; // for a warp's use: which lanes accessed which addresses
};

struct Cell {
  uint32_t write = kNoUse, reads = kNoUse;

  /// Both numbers in one word, for comparisons.
  uint64_t both() const { return std::bit_cast<uint64_t>(*this); }
};

/// If all N cells equal `old`, sets them to `fresh` and returns true.
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

/// True if all numbers in the cells are below `end`, and no write is below `leastWrite`. `end` is less than 2^31.
[[gnu::always_inline]] inline bool allBelow(const Cell *cells, uint32_t count, uint32_t end, uint32_t leastWrite) {
  uint32_t n = 0;
#if defined(__SSE2__)
  __m128i last = _mm_set1_epi32(static_cast<int>(end - 1)), wide = _mm_setzero_si128();
  __m128i least = _mm_set1_epi64x(leastWrite); // the lower half of a cell is its write
  for (; n + 2 <= count; n += 2) {
    __m128i two = _mm_loadu_si128(reinterpret_cast<const __m128i *>(cells + n));
    wide = _mm_or_si128(wide, _mm_or_si128(_mm_sub_epi32(last, two), _mm_sub_epi32(two, least)));
  }
  if (_mm_movemask_ps(_mm_castsi128_ps(wide)))
    return false;
#endif
  uint32_t odd = 0; // only its highest bit counts
  for (; n < count; ++n) {
    odd |= (end - 1 - cells[n].write) | (cells[n].write - leastWrite);
    odd |= end - 1 - cells[n].reads;
  }
  return odd >> 31 == 0;
}

class Shadow {
public:
  static constexpr uint32_t kLargestGranule = 16; // bytes

  /// Forgets all uses. Granules stay as small as they were.
  void begin(uint32_t blocks, uint32_t bytes);
  /// Makes granules so small that an access covers whole granules. Call this before the access. `places`: the bitwise
  /// or of the access's offset and its size in bytes.
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
  /// Returns the set `reads` with `reader` added. Readers that `seen` covers are dropped: an access that is ordered
  /// after the new reader is ordered after them, too. An asynchronous reader does not replace ordinary readers, because
  /// a later copy needs a fence after those. Uses of the reader's own warp after the epoch `synchronised` stay, because
  /// other lanes may have made them.
  uint32_t addReader(uint32_t reads, Use reader, const Clock &seen, Epoch synchronised = UINT32_MAX);
  Use &fresh() { return uses_.fresh(); }
  LaneMaps &lanes() { return lanes_; }
  const LaneMaps &lanes() const { return lanes_; }
  /// If there are many entries, drops those that no cell refers to. Call this between instructions. Returns true if
  /// entries were dropped. The numbers of uses have changed then.
  bool sweepWhenLarge() {
    if (uses_.size() <= sweepAt_ && !lanes_.areMany()) [[likely]]
      return false;
    sweep();
    return true;
  }
  /// The bytes that a copy of the shadow takes.
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
  uint32_t blocks_ = 0, bytes_ = 0; // bytes per block
  uint32_t shift_ = std::countr_zero(kLargestGranule);
};

} // namespace lanescope::core::emulator
