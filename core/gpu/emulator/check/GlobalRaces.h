// Races in global memory, within a cluster and between clusters: unordered accesses of the same bytes, at least one of
// which writes. Only releases to and acquires from global memory order clusters (GlobalShadow.h). A write of the bytes
// that are there already is no race.
//
//   A: st.global.b32 [x], 1; st.release.gpu [f], 1;   B: L: ld.acquire.gpu r, [f]; @r==0 bra L; ld.global.b32 q, [x];
//   // no race: the release and the acquire order the two uses of x. Relaxed accesses of f order nothing.
#pragma once

#include "core/gpu/emulator/check/Accessor.h"
#include "core/gpu/emulator/check/GlobalShadow.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lanescope::core::emulator {

/// A stretch of global memory, or rows of equal size at equal distances.
struct GlobalStretch {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t rows = 1, stride = 0;
};

class GlobalRaces {
public:
  explicit GlobalRaces(Ordering &order) : order_(order) {}
  void begin(GlobalShadow &memory, uint32_t cluster, uint32_t blocks);

  /// `addresses`: those of the lanes in `mask`, `bytes` each. `spread`: the access reaches one device's copy by the
  /// address of a multicast object. Writes that may be races are only suspected until settle(), when their values are
  /// known.
  bool access(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes, Access access,
              bool spread = false);
  /// A weak access by all lanes, `bytes` each, to consecutive addresses from `place` on, in the region of Warp::row.
  bool accessRow(Warp &warp, const Instr &i, uint64_t place, uint32_t bytes, Access access);
  /// A weak access by all lanes, `bytes` each. Each group of four lanes (from lanes 0, 4, 8, … on) accesses consecutive
  /// addresses from its place in the region on. The places are multiples of `bytes`.
  bool accessFours(Warp &warp, const Instr &i, const Region &region, std::span<const uint64_t, 8> places,
                   uint32_t bytes, Access access);
  /// The warp executes `fence.proxy.alias`, which orders accesses by a multicast object's address and by an array's
  /// own.
  void aliasFence(const Warp &warp);
  /// True if a strong load by the warp may return the value from before the last write at `address`: that write is
  /// strong, is by a warp of another cluster, and nothing orders it before the load.
  bool mayBeStale(const Warp &warp, uint64_t address);
  /// The releases that a load of the flag at `address` acquires; nothing if the flag has none.
  std::optional<Clock> flagOf(uint64_t address) const;
  /// Sets these releases, and returns the ones before.
  std::optional<Clock> exchangeFlag(uint64_t address, std::optional<Clock> other);
  bool doubtful() const { return !doubts_.empty(); }
  bool settle(Warp &warp, const Instr &i);
  /// A unit's access. A write may be suspected until settleCopy() knows if it changes anything.
  bool asyncAccess(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane,
                   std::span<const GlobalStretch> stretches, Access access);
  bool settleCopy(Warp &warp, const Instr &i, bool changes);

  /// `barrier` orders all that the warps of this cluster have done before all that they do from now on.
  void allOrdered(const View &barrier) {
    // Otherwise other clusters' uses may be among its own.
    bool alone = !order_.grid().program->communicates && !shadow_->manyDevices();
    if (alone && barrier.seen.covers(units_))
      quiet_ = shadow_->next();
  }

private:
  struct Touch;
  /// A suspicion: a write that is a race unless it leaves the bytes as they were.
  struct Doubt {
    const std::byte *at = nullptr;
    size_t old = 0, bytes = 0;      // the bytes before: doubtBytes_ from `old` on
    uint32_t number = 0, other = 0; // the numbers of the write, and of the use before it
    uint64_t address = 0;
    uint32_t lane = 0;
    bool otherWrites = false;
    LaneOrder lanes = LaneOrder::Ordered; // if not Ordered, only the order between lanes is missing
  };
  /// An access and an earlier use that conflict, for reports.
  struct Clash {
    Warp &warp;
    const Instr &i;
    uint32_t lane = 0;
    uint64_t address = 0;
    Access access = Access::Read;
    const GlobalUse &other;
    bool otherWrites = false;
    bool byUnit = false;                  // the access is by a copy
    LaneOrder lanes = LaneOrder::Ordered; // if not Ordered, only the order between lanes is missing
  };
  /// The last numbered use of a warp: later accesses at the same place of the snippet are the same use.
  struct LastUse {
    uint32_t number = kNoUse, sweeps = 0, place = 0;
    GlobalUse use;
    GlobalUse scattered; // the last scattered one (LaneForms.h)
  };
  /// The last weak access by all lanes of a warp in a row, and its effect on whole lines. Other lines with the same
  /// cell are treated the same way.
  struct LastRow {
    uint32_t number = kNoUse, sweeps = 0; // the use, and until when the number is valid
    Cell before, after;
    bool knowsLines = false;
    bool doubts = false, otherWrites = false; // `doubts`: a race unless the bytes stay the same
    uint32_t other = kNoUse;
  };
  /// A byte of a stretch of rows.
  struct RowByte {
    uint64_t row = 0, byte = 0;
  };
  /// A weak access by all lanes of a warp in a row.
  struct RowUse {
    Agent agent = 0;
    Epoch epoch = 0;
    uint32_t lanes = 0, pc = 0; // `lanes`: the form of its row
  };

  /// How a strong access or an atomic takes part in the order, by the addresses of `mask`.
  enum class Passing : uint8_t { Acquires, Publishes, Releases }; // Publishes: what a fence came after
  void passFlags(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, Passing passing);
  /// True if `other` is the write of the flag that this cluster has acquired from since: a relaxed atomic after a
  /// fence, which publishes what came before the fence, and which is read before what follows the acquire.
  bool isAcquiredFlag(const Touch &t, const GlobalUse &other, uint64_t address) const;
  /// For one address: acquires what other clusters released, or releases to them.
  void acquireFrom(const Warp &warp, const Instr &i, uint64_t key);
  void releaseTo(const Warp &warp, const Instr &i, uint32_t mask, uint64_t key, Passing passing);
  /// Adds what the lanes in `mask` publish to the flag of an address: with `all`, all that they know, otherwise what a
  /// fence of the scope came after. `i` is the releasing instruction.
  void publish(const Warp &warp, const Instr &i, uint32_t mask, GlobalShadow::Flags &flags, uint64_t key, Scope scope,
               bool all);
  bool clustersMeet() const;
  GlobalUse useOf(const Instr &i, Agent agent, Epoch epoch) const;
  uint32_t numberOf(LastUse &last, const GlobalUse &use);
  uint32_t number(LastUse &last, const GlobalUse &use);
  /// True if the row is another part of the use `last`, apart from the readers beside it.
  bool isLast(const LastRow &last, const RowUse &me) const;
  /// Numbers the row's use, with `rest` beside it.
  uint32_t numberRow(LastRow &last, const RowUse &me, uint32_t rest);
  /// Handles lines whose cell equals that of the last lines in the same way.
  void repeatLines(std::span<GlobalLine> lines, const LastRow &last, const Region &region, uint64_t place);
  /// True if only the row's lanes have made the use, and no other use is beside it.
  bool isOwn(uint32_t number, const RowUse &me) const {
    const GlobalUse &use = shadow_->use(number);
    return number == kNoUse ||
           (use.lanes == me.lanes && use.cluster == clusterIndex_ && use.agent == me.agent && use.rest == kNoUse);
  }
  /// The readers that stay beside a row's use of lines with the cell; nothing if the lines need a closer look.
  std::optional<uint32_t> readersBeside(const Cell &old, const RowUse &me, bool reads) const;
  /// Saves the bytes, and returns their place in doubtBytes_.
  size_t keepBytes(const std::byte *at, size_t bytes);
  void forgetDoubts() {
    doubts_.clear();
    doubtEnd_ = 0;
  }
  bool accessLines(std::span<GlobalLine> lines, const RowUse &me, bool reads, const Region &region, uint64_t place);
  void sweep() {
    if (shadow_->sweepWhenLarge()) [[unlikely]]
      own_ = quiet_ = shadow_->next();
  }
  bool isQuiet(uint32_t number) const { return number == kNoUse || number - own_ < quiet_ - own_; }
  /// True if all uses of a granule are by this cluster and ordered before all that its warps do now.
  bool isQuiet(const Cell &cell) const {
    return isQuiet(cell.write) && isQuiet(cell.reads) &&
           (shadow_->use(cell.write).rest | shadow_->use(cell.reads).rest) == kNoUse;
  }
  bool accessStretch(Warp &warp, const Instr &i, const RowUse &me, const Region &region, uint64_t place, uint32_t bytes,
                     Access access);
  uint32_t writeFours(const RowUse &me, const Region &region, std::span<const uint64_t, 8> places, uint32_t bytes);
  bool accessLastFours(Warp &warp, const Instr &i, const RowUse &me, const Region &region,
                       std::span<const uint64_t> places, uint32_t bytes, Access access);
  static bool touchKnown(Touch &touch, GlobalLine &line, uint32_t bits);
  bool touchRange(Touch &touch, uint64_t address, uint64_t bytes);
  bool touchLane(Touch &touch, const Region &region, uint64_t address, uint64_t offset, uint64_t bytes, bool &fine);
  RowByte touchWholeLines(Touch &touch, const Region &region, const GlobalStretch &rows, uint64_t offset, RowByte from);
  bool touchRows(Touch &touch, const GlobalStretch &stretch);
  bool touchEach(Touch &touch, Cell *cells, uint32_t count, uint64_t address);
  bool touchCell(Touch &touch, Cell &cell, uint64_t address, uint64_t bytes);
  /// True if the bytes are what they were before the kernel, and no other write may have changed them: a reader gets
  /// the same bytes before and after the write.
  bool leavesInitial(const GlobalUse &write, uint64_t address, uint64_t bytes) const;
  bool areAtomic(const Touch &touch, const GlobalUse &other) const;
  /// The last plain write at or below the write `number`, if an atomic that replaces `number` must keep it
  /// (Touch::numberBehind()); otherwise kNoUse.
  uint32_t plainBelow(uint32_t number) const {
    while (number != kNoUse && shadow_->use(number).atomic)
      number = shadow_->use(number).rest;
    return clusterCount_ == 1 && isQuiet(number) ? kNoUse : number;
  }
  bool conflict(Touch &touch, uint32_t otherUse, bool otherWrites, uint64_t address, uint64_t bytes);

  // --- lanes of a warp (GlobalLanes.cpp) --------------------------------------------------------------------------
  /// Finds the form of an access by the lanes in `mask`.
  void lookAtLanes(Touch &touch, uint32_t mask, const uint64_t *addresses, uint32_t bytes);
  void markLanes(const Touch &touch);
  /// Does what accessFours() does for places that are not at equal distances.
  bool accessScattered(Warp &warp, const Instr &i, const Region &region, std::span<const uint64_t, 8> places,
                       uint32_t bytes, Access access);
  /// The lanes that have made a use, which is in the cell of the granule at the address.
  LaneSet lanesOfUse(const GlobalUse &use, bool writes, uint64_t address) const;
  /// The lanes of the current access that access a granule.
  LaneSet lanesOf(const Touch &touch, uint64_t address) const;
  /// One of these lanes, for reports.
  uint32_t laneAt(const Touch &touch, uint64_t address, LaneOrder lanes) const;
  /// True if the use may have been made by other lanes than those that this access comes after. Each granule then has
  /// to be checked.
  bool mayPart(const Touch &touch, const GlobalUse &other) const;
  bool mayPart(const Touch &touch, const Cell &cell) const;
  /// True if the last readers are other lanes of the warp, and not all lanes have met since. touchParted() then handles
  /// the read.
  bool meetsReader(const Touch &touch, uint32_t reads) const;
  /// Reads a granule that other lanes of the warp have read.
  bool touchParted(Touch &touch, Cell &cell, uint64_t address);
  /// The order between this access's lanes and those of a use of the same granule. The use's warp is ordered before.
  LaneOrder laneOrder(Touch &touch, const GlobalUse &other, bool otherWrites, uint64_t address) const;
  bool reportLanes(const Clash &clash);

  /// True if nothing orders a strong write of another cluster on this device before a strong load.
  bool isUnordered(const View &view, const GlobalUse &write) const;
  void noteStaleRead(Touch &touch, const GlobalUse &write, uint64_t address);
  /// Checks a write and an access that is ordered after it: both use the same kind of address, or an alias fence lies
  /// between them. Otherwise reports a hazard.
  bool checkAlias(Touch &touch, const GlobalUse &other, uint64_t address);
  /// Checks that the touch is no load through the read-only cache (`ld.global.nc`) of bytes that `write` changed.
  /// Returns false after a fault.
  bool checkCoherence(Touch &touch, const GlobalUse &write, uint64_t address, uint64_t bytes);
  /// In the strict form: checks that a proxy fence lies between a thread's write and a later copy of the same cluster.
  /// Returns false after a fault.
  bool checkProxy(Touch &touch, const GlobalUse &write, uint64_t address);
  bool report(const Clash &clash);
  bool isBehindReadOf(const Warp &warp, const GlobalUse &store) const;
  std::string describeAccess(const Instr &i, uint64_t address, Access access) const;
  /// Instructions whose uses race. One of them is a load that replays vary.
  struct RacingPair {
    uint32_t pc = 0, otherPc = 0; // the second access, and the first one
    uint32_t warp = UINT32_MAX;   // the warp that loads, in its cluster
    uint32_t cluster = 0;         // if the second access loads, 1 for a write of its own cluster, else 0;
                                  // otherwise the cluster that loads
    bool reads = false;           // the second access loads
    bool operator==(const RacingPair &) const = default;
  };
  /// The place of a pair among those found before.
  RacingPair &racingPairOf(const RacingPair &pair);
  /// True if a race of two warps is by a plain load whose value a replay can vary. The load is then recorded for the
  /// replays. False: the race is a fault.
  bool isRacingRead(const Clash &clash);
  bool addRacingRead(const Warp &warp, const Instr &i, bool reads, const GlobalUse &other,
                     std::optional<RacingReads> &racing);
  /// Reports the load as a note of that kind, which replays decide. Always returns true.
  bool noteRacingRead(Warp &warp, const Instr &i, uint32_t lane, std::string_view kind, std::string what,
                      std::vector<Note> notes);
  bool reportOfCluster(const Clash &clash);
  /// The number in the grid of a cluster's block.
  uint32_t blockNumber(uint32_t cluster, uint32_t rank) const;
  /// True if a relaxed access has observed a release that publishes the use, so that only a fence is missing.
  bool hasObserved(const View &view, Scope scope, const GlobalUse &use) const;
  /// The missing fence or release between accesses of two clusters of a device, with its place.
  Note missingBetweenClusters(const Warp &warp, const Instr &i, const GlobalUse &other, const LaneSet &theirs) const;
  /// Names what is missing between accesses of two devices.
  std::string missingBetweenDevices(const Warp &warp, const Instr &i, const GlobalUse &other) const;
  std::string blocksOf(uint32_t cluster) const;

  Ordering &order_;
  GlobalShadow *shadow_ = nullptr;
  uint32_t clusterIndex_ = 0;
  uint64_t clusterCount_ = 1;
  std::unordered_map<uint64_t, uint32_t> acquiredAt_; // per flag: the value of shadow_->releases when it was last read
  Clock unordered_; // with several devices, by cluster: the order if every scope were `.sys` and every operation
                    // acquired and released
  Clock aliased_;   // with several devices, by releaser: the order before an alias fence of any of its warps
  uint32_t aliasFences_ = 0; // executed by the cluster's warps
  // Uses from number `own_` on are by this cluster. Those of them below `quiet_` are ordered before all that its warps
  // do now. If other clusters run alternately with this one, there are none.
  uint32_t own_ = kNoUse + 1, quiet_ = kNoUse + 1;
  Clock units_;                         // per unit: its last use
  std::vector<LastUse> lastUses_;       // per warp: for reads, for writes
  std::vector<LastRow> lastRows_;       // likewise
  RacingPair lastLoad_;                 // the last racing load of a value of another cluster, which was reported
  std::vector<RacingPair> racingPairs_; // pairs that were found before, by their hash; empty: there are none
  std::vector<Doubt> doubts_;
  std::vector<std::byte> doubtBytes_; // the bytes before suspected writes, up to doubtEnd_
  size_t doubtEnd_ = 0;
};

} // namespace lanescope::core::emulator
