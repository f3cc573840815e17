// One access of global memory by a warp or an asynchronous unit, while GlobalRaces compares it with the granules'
// histories.
#pragma once

#include "core/gpu/emulator/check/GlobalRaces.h"

namespace lanescope::core::emulator {

/// One access by a warp or an asynchronous unit, with the last cells that were compared with it.
struct GlobalRaces::Touch : Accessor {
  GlobalUse me;
  Access access;
  bool reads;
  bool chains = false; // an atomic write in a grid whose clusters communicate (numberBehind())
  uint32_t lane = kNone;
  uint32_t number = kNoUse; // the number of `me` among the uses, if it writes
  uint32_t okWrite = kNoUse, okReads = kNoUse, oldReads = kNoUse, newReads = kNoUse;
  bool doubted = false; // the last conflict() has added a Doubt
  uint64_t rowStart = 0;
  uint32_t rowBytes = 0; // for an access to a row: the bytes of one lane; the lane at an address follows from it
  const std::byte *memory = nullptr; // the host address that device address 0 of the region would have
  uint64_t end = 0;                  // the address after the last byte of the stretch
  const std::byte *kept = nullptr;   // the stretch from here on has been copied to doubtBytes_, from keptAt on
  size_t keptAt = 0;
  uint32_t behind = kNoUse, chained = kNoUse; // numberBehind(): the write before, and the number returned for it
  bool parts = false;                         // set by conflict(): the lanes of the other use have to be compared
  uint32_t partLane = kNone;                  // the lane of the access that the last laneOrder() left unordered
  const uint64_t *addresses = nullptr; // for a scattered access: an address for each lane in `mask`, `bytes` long
  uint32_t mask = 0, bytes = 0;
  uint32_t partedFrom = kNoUse, partedLanes = 0, parted = kNoUse; // touchParted(): the set of readers before, and after
  bool partedBeside = false;

  Touch(Ordering &order, Warp &of, const Instr &instr, const GlobalUse &use, Access what, bool unit)
      : Accessor(order, of, instr, unit), me(use), access(what), reads(what == Access::Read) {}

  /// The number for an atomic that replaces the write `before`. The list `rest` keeps earlier writes, because later
  /// accesses must come after them, too:
  /// - `plain`, the last plain write. Later atomics need no order with this atomic, but they do with the plain write.
  /// - in a grid whose clusters communicate, earlier atomics that are not ordered before this one. A later plain access
  ///   must come after them. In another run this atomic may come first.
  uint32_t numberBehind(GlobalShadow &shadow, uint32_t before, uint32_t plain) {
    constexpr size_t kMost = 2; // in most grids, enough to find an atomic that a reader did not wait for
    if (!me.atomic || before == kNoUse || before == number)
      return number;
    if (before == behind || before == chained)
      return chained;
    uint32_t kept[kMost + 1];
    size_t count = 0;
    for (uint32_t n = before; n && chains && count < kMost; n = shadow.use(n).rest)
      if (const GlobalUse &use = shadow.use(n);
          use.atomic && use.cluster != me.cluster && !shadow.published(view.foreign, use))
        kept[count++] = n;
    if (plain != kNoUse)
      kept[count++] = plain;
    if (count == 0)
      return number;
    GlobalUse mine = me;
    while (count > 0) {
      GlobalUse other = shadow.use(kept[--count]);
      other.rest = mine.rest;
      mine.rest = shadow.add(other);
    }
    behind = before;
    return chained = shadow.add(mine);
  }
};

} // namespace lanescope::core::emulator
