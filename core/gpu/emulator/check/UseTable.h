// A table of the uses of one memory: the last write of each place, and the reads since that write. The memory's cells
// refer to uses by number. The shadows of shared, global and tensor memory all use this table.
//
// Equal uses of many places share one entry. A set of readers is a list linked through `rest`, and sets share their
// tails. If eight warps read a tile, the tile costs eight entries altogether, not eight per place.
//
//   UseTable<Use> uses;
//   cell.write = uses.add(use);                                             // 1
//   cell.reads = uses.addReader(cell.reads, reader, [](const Use &) { return true; });
//   uses[cell.reads].rest                                                   // the reader before this one, or kNoUse
#pragma once

#include "core/data/Bytes.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

inline constexpr uint32_t kNoUse = 0;

/// An entry of type `Use` has a member `rest`: the number of the next entry in its list. Entry number kNoUse is
/// `Use{}`.
template <class Use> class UseTable {
public:
  void clear() { uses_.assign(1, Use{}); }
  const Use &operator[](uint32_t number) const { return uses_[number]; }
  Use &operator[](uint32_t number) { return uses_[number]; }
  size_t size() const { return uses_.size(); }
  size_t memoryBytes() const { return uses_.size() * sizeof(Use); }
  /// The number that the next entry gets.
  uint32_t next() const { return static_cast<uint32_t>(uses_.size()); }
  uint32_t add(const Use &use) {
    uses_.push_back(use);
    return static_cast<uint32_t>(uses_.size() - 1);
  }
  /// Adds an entry that the caller fills in place, because copying a struct right after storing it field by field
  /// stalls.
  Use &fresh() { return uses_.emplace_back(); }

  /// Returns the list `reads` with `reader` added at the front. Drops the entries for which `stays` returns false.
  /// `stays` is called once per entry, from the latest reader to the earliest.
  template <class Stays> uint32_t addReader(uint32_t reads, Use reader, Stays stays) {
    kept_.clear();
    for (uint32_t n = reads; n; n = uses_[n].rest)
      if (stays(std::as_const(uses_[n])))
        kept_.push_back(n);
    uint32_t rest = kNoUse;
    for (size_t n = kept_.size(); n-- > 0;) {
      if (uses_[kept_[n]].rest == rest) { // the tail is unchanged, so it stays shared
        rest = kept_[n];
        continue;
      }
      Use copy = uses_[kept_[n]];
      copy.rest = rest;
      rest = add(copy);
    }
    reader.rest = rest;
    return add(reader);
  }

  /// Drops the entries that nothing refers to. `visit` calls its argument with each number in use, and replaces the
  /// number by the result.
  template <class Visit> void sweep(Visit visit) {
    std::vector<uint32_t, PagedAllocator<uint32_t>> moved(uses_.size(), kNoUse);
    Uses left;
    left.reserve(uses_.capacity());
    left.emplace_back();
    auto move = [&](uint32_t number) {
      moved[number] = static_cast<uint32_t>(left.size());
      left.push_back(uses_[number]);
      left.back().rest = moved[left.back().rest];
    };
    visit([&](uint32_t number) -> uint32_t {
      if (!number || moved[number])
        return moved[number];
      if (uint32_t rest = uses_[number].rest; rest && !moved[rest]) {
        kept_.clear(); // a list's entries refer to older entries, so those move first
        for (uint32_t n = rest; n && !moved[n]; n = uses_[n].rest)
          kept_.push_back(n);
        for (size_t n = kept_.size(); n-- > 0;)
          move(kept_[n]);
      }
      move(number);
      return moved[number];
    });
    uses_ = std::move(left);
  }
  /// Calls visit(use) for each entry.
  template <class Visit> void forEach(Visit visit) {
    for (Use &use : uses_)
      visit(use);
  }

private:
  using Uses = std::vector<Use, PagedAllocator<Use>>;

  Uses uses_ = Uses(1);
  std::vector<uint32_t> kept_; // scratch memory for one call
};

} // namespace lanescope::core::emulator
