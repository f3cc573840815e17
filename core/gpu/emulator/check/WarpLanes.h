// The happens-before order between the lanes of one warp.
//
// Accesses of two lanes are ordered by `bar.warp.sync`, by barriers, and by any release and acquire (an mbarrier, a
// flag). `shfl.sync`, `vote.sync`, `match.sync` and `redux.sync` wait for their lanes and order no memory.
//
//   st.shared [s + 4 * lane]; bar.warp.sync -1;   // `all` is the store's epoch: it is ordered for every lane
//   st.shared [s + 4 * lane]; ld.shared [s];      // the store's epoch is above `all`: it is ordered for lane 0 only
//
// Most uses that an access is compared with are not newer than `all`, or were made by the same lane. Then the checks
// below are not needed. Lanes that are at the same instruction are *in step*. Hardware keeps them in step, but the PTX
// ISA does not promise it.
#pragma once

#include "core/gpu/emulator/check/Clocks.h"
#include "core/gpu/emulator/machine/Program.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

/// The order between the lanes of one warp.
struct WarpLanes {
  /// The lanes `knowers` are ordered after what the lanes `lanes` did up to `epoch`.
  struct Known {
    uint32_t knowers = 0, lanes = 0;
    Epoch epoch = 0;
  };

  Epoch now = 1;        // the epoch of the warp's next access
  Epoch all = 0;        // every lane is ordered after what all lanes did up to this epoch
  Epoch last = 0;       // the epoch of the last access
  Epoch fenced = 0;     // the epoch of the last `fence.proxy.async` that all lanes executed together
  uint32_t touched = 0; // lanes with accesses after `all`
  std::vector<Known> known;
  std::vector<Known> met; // `lanes` were at the same instruction after `epoch`

  void touch(uint32_t lanes, Epoch epoch) {
    touched |= lanes;
    last = epoch;
  }
  void learn(uint32_t knowers, uint32_t lanes, Epoch epoch, uint32_t live) {
    if (epoch > all)
      learnMore(knowers, lanes, epoch, live);
  }
  /// Every live lane is ordered after what all lanes did up to `epoch`.
  void learnAll(Epoch epoch, uint32_t live) {
    if (!known.empty() || !met.empty() || epoch <= all)
      return learn(live, kAllLanes, epoch, live);
    all = epoch;
    if (last <= all)
      touched = 0;
  }
  /// `lanes` execute `bar.warp.sync`; their last access before it was in `epoch`.
  void synchronise(uint32_t lanes, Epoch epoch, uint32_t live);
  void meet(uint32_t lanes, Epoch epoch);
  /// True if each lane in `by` is ordered after what the other lanes in `of` did in `epoch`.
  bool isOrdered(uint32_t by, uint32_t of, Epoch epoch) const;
  /// True if, since the lanes `of` did something in `epoch`, each lane in `by` has been at the same instruction as all
  /// of them. The lanes `together` were at one instruction in that epoch.
  bool inStep(uint32_t by, uint32_t of, uint32_t together, Epoch epoch) const;

private:
  void learnMore(uint32_t knowers, uint32_t lanes, Epoch epoch, uint32_t live);
};

/// Records which lanes accessed which shared addresses in one instruction.
class LaneMaps {
public:
  static constexpr uint32_t kUnknown = 0;

  void begin();
  /// All lanes access `bytes` each, `stride` apart. `together`: the lanes that execute the instruction.
  uint32_t addRow(uint32_t together, uint32_t first, int64_t stride, uint32_t bytes) {
    Map &map = maps_.emplace_back(); // built in place: copying a struct that was just stored field by field stalls
    map.mask = kAllLanes;
    map.together = together;
    map.first = first;
    map.bytes = bytes;
    map.stride = static_cast<int32_t>(stride);
    return static_cast<uint32_t>(maps_.size() - 1);
  }
  /// `collective`: every lane takes part in the access to each address (`ldmatrix`, `stmatrix`).
  uint32_t add(uint32_t mask, uint32_t together, const uint64_t *addresses, uint32_t bytes, bool collective) {
    Map &map = maps_.emplace_back(); // built in place, as in addRow()
    map.mask = mask;
    map.together = together;
    map.bytes = bytes;
    map.collective = collective;
    if (collective || std::has_single_bit(mask))
      map.first = static_cast<uint32_t>(addresses[std::countr_zero(mask)]);
    else
      map.list = addList(addresses);
    return static_cast<uint32_t>(maps_.size() - 1);
  }
  /// One lane accesses `bytes`.
  uint32_t addLane(uint32_t lane, uint32_t address, uint32_t bytes) {
    Map &map = maps_.emplace_back(); // built in place, as in addRow()
    map.mask = map.together = 1u << lane;
    map.first = address;
    map.bytes = bytes;
    return static_cast<uint32_t>(maps_.size() - 1);
  }
  /// The lanes of map `n` that access the byte at `address`.
  uint32_t lanesAt(uint32_t n, uint32_t address) const;
  uint32_t together(uint32_t n) const { return maps_[n].together; }
  bool isCollective(uint32_t n) const { return maps_[n].collective; }
  /// True if each address that occurs in both maps belongs to the same lane in both.
  bool areAlike(uint32_t one, uint32_t other) const;
  bool areMany() const { return lists_.size() > sweepAt_; }
  size_t memoryBytes() const { return maps_.size() * sizeof(Map) + lists_.size() * sizeof(List); }
  /// Forgets the maps that `visit` does not name. `visit` calls its argument with each number in use. The result is the
  /// map's new number.
  template <class F> void keep(F visit) {
    std::vector<Map> maps(1);
    std::vector<List> lists;
    std::vector<uint32_t> fresh(maps_.size(), kUnknown);
    visit([&](uint32_t n) {
      if (n != kUnknown && fresh[n] == kUnknown) {
        fresh[n] = static_cast<uint32_t>(maps.size());
        Map &map = maps.emplace_back(maps_[n]);
        if (map.list != kNoList) {
          lists.push_back(lists_[map.list]);
          map.list = static_cast<uint32_t>(lists.size() - 1);
        }
      }
      return fresh[n];
    });
    maps_ = std::move(maps);
    lists_ = std::move(lists);
    sweepAt_ = std::max(kSweepAt, 2 * lists_.size());
  }

private:
  uint32_t addList(const uint64_t *addresses);
  using List = std::array<uint32_t, 32>;
  static constexpr uint32_t kNoList = UINT32_MAX;
  static constexpr size_t kSweepAt = 1 << 16;
  struct Map {
    uint32_t mask = 0, together = 0;
    uint32_t first = 0, bytes = 0;
    int32_t stride = 0;
    uint32_t list = kNoList;
    bool collective = false;
  };

  std::vector<Map> maps_{1};
  std::vector<List> lists_;
  size_t sweepAt_ = kSweepAt;
};

} // namespace lanescope::core::emulator
