// Races in global memory, within a cluster and between clusters: unordered accesses of the same bytes of which one
// writes. What clusters know of each other comes by releases and acquires of global memory alone (GlobalShadow.h).
// Writes of what is there already are no race.
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

/// A stretch of global memory, or rows of as many bytes each at equal distances.
struct GlobalStretch {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t rows = 1, stride = 0;
};

class GlobalRaces {
public:
  explicit GlobalRaces(Ordering &order) : order_(order) {}
  void begin(GlobalShadow &memory, uint32_t cluster, uint32_t blocks);

  /// Addresses of all lanes in `mask`, `bytes` each; `spread`: of one device's copies, by way of a multicast object.
  /// Writes that may be races are doubtful until settle(), when their values are known.
  bool access(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes, Access access,
              bool spread = false);
  /// A weak access by all lanes, `bytes` each, to consecutive addresses from `place` in the region of Warp::row on.
  bool accessRow(Warp &warp, const Instr &i, uint64_t place, uint32_t bytes, Access access);
  /// A weak access by all lanes, `bytes` each: those of every four lie one behind the other from the `places` in the
  /// region on (of lanes 0, 4, 8, …), which are multiples of `bytes`.
  bool accessFours(Warp &warp, const Instr &i, const Region &region, std::span<const uint64_t, 8> places,
                   uint32_t bytes, Access access);
  /// `fence.proxy.alias`, between accesses by a multicast object's address and by an array's own.
  void aliasFence(const Warp &warp);
  /// Whether a strong load by the warp may give what was at `address` before the last write there: of a warp of another
  /// cluster, a strong one, that nothing orders before it.
  bool mayBeStale(const Warp &warp, uint64_t address);
  bool doubtful() const { return !doubts_.empty(); }
  bool settle(Warp &warp, const Instr &i);
  /// A unit's access. A write may be doubtful, until settleCopy() says whether it changes anything.
  bool asyncAccess(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane,
                   std::span<const GlobalStretch> stretches, Access access);
  bool settleCopy(Warp &warp, const Instr &i, bool changes);

  /// All that the warps of this cluster have done is ordered before all that they do from now on, by `barrier`.
  void allOrdered(const View &barrier) {
    bool alone = !order_.grid().program->communicates && !shadow_->manyDevices(); // else others have uses among its own
    if (alone && barrier.seen.covers(units_))
      quiet_ = shadow_->next();
  }

private:
  struct Touch;
  /// A write that is a race unless it leaves the bytes as they were.
  struct Doubt {
    const std::byte *at = nullptr;
    size_t old = 0, bytes = 0;      // what they were: doubtBytes_ from `old`
    uint32_t number = 0, other = 0; // of its use, and of the one before
    uint64_t address = 0;
    uint32_t lane = 0;
    bool otherWrites = false;
    LaneOrder lanes = LaneOrder::Ordered; // else all that is missing is the order between lanes
  };
  /// The last use of a warp that was numbered: what follows at the same place of the snippet is the same use.
  struct LastUse {
    uint32_t number = kNoUse, sweeps = 0, place = 0;
    GlobalUse use;
    GlobalUse scattered; // the last one that is scattered (LaneForms.h)
  };
  /// The last weak access by all lanes of a warp in a row, and what it made of whole lines: those with the same cell
  /// fare alike.
  struct LastRow {
    uint32_t number = kNoUse, sweeps = 0, place = 0;
    uint32_t stamp = 0, lanes = 0, rest = kNoUse, aliasFences = 0;
    Epoch epoch = 0;
    Cell before, after;
    bool knowsLines = false;
    bool doubts = false, otherWrites = false; // it writes, and is a race with `other` unless the bytes stay
    uint32_t other = kNoUse;
  };
  /// A weak access by all lanes of a warp in a row.
  struct RowUse {
    Agent agent = 0;
    Epoch epoch = 0;
    uint32_t lanes = 0, pc = 0; // the form of its row
  };

  /// What strong accesses and atomics carry from warp to warp, by the addresses of `mask`.
  enum class Passing : uint8_t { Acquires, Publishes, Releases }; // Publishes: relaxed, what a fence came behind
  void passFlags(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, Passing passing);
  /// Whether `other` is the flag itself that this cluster has acquired from since: a relaxed atomic behind a fence,
  /// which publishes what the fence came behind, and is read before what comes behind the acquire.
  bool isAcquiredFlag(const Touch &t, const GlobalUse &other, uint64_t address) const;
  /// Of one address: what a strong read gets of other clusters, and what a strong write gives them.
  void acquireFrom(const Warp &warp, const Instr &i, uint64_t key);
  void releaseTo(const Warp &warp, const Instr &i, uint32_t mask, uint64_t key, Passing passing);
  /// Adds to the flag of an address what the lanes in `mask` publish: with a release all that they know, else what a
  /// fence of the scope came after. Its place in the code is `i`.
  void publish(const Warp &warp, const Instr &i, uint32_t mask, GlobalShadow::Flags &flags, uint64_t key, Scope scope,
               bool all);
  bool clustersMeet() const;
  GlobalUse useOf(const Instr &i, Agent agent, Epoch epoch) const;
  uint32_t numberOf(LastUse &last, const GlobalUse &use);
  uint32_t number(LastUse &last, const GlobalUse &use);
  /// Whether the row is another part of the use `last`, but for the readers beside it.
  bool isLast(const LastRow &last, const RowUse &me) const;
  /// Numbers the row's use, with `rest` beside it.
  uint32_t numberRow(LastRow &last, const RowUse &me, uint32_t rest);
  /// Lines whose cell is that of the last ones: does the same.
  void repeatLines(std::span<GlobalLine> lines, const LastRow &last, const Region &region, uint64_t place);
  /// Whether the row's lanes alone have made the use, which no other stands beside.
  bool isOwn(uint32_t number, const RowUse &me) const {
    const GlobalUse &use = shadow_->use(number);
    return number == kNoUse ||
           (use.lanes == me.lanes && use.cluster == clusterIndex_ && use.agent == me.agent && use.rest == kNoUse);
  }
  /// The readers that stay beside a row's use of lines with the cell; none: the lines want a closer look.
  std::optional<uint32_t> readersBeside(const Cell &old, const RowUse &me, bool reads) const;
  /// Keeps what the bytes are, and gives their place in doubtBytes_.
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
  /// Whether all uses of a granule are of this cluster and ordered before all that its warps do now.
  bool isQuiet(const Cell &cell) const {
    return isQuiet(cell.write) && isQuiet(cell.reads) &&
           (shadow_->use(cell.write).rest | shadow_->use(cell.reads).rest) == kNoUse;
  }
  bool accessStretch(Warp &warp, const Instr &i, const RowUse &me, const Region &region, uint64_t place, uint32_t bytes,
                     Access access);
  uint32_t writeFours(const RowUse &me, const Region &region, std::span<const uint64_t, 8> places, uint32_t bytes);
  bool accessFoursFrom(uint32_t done, Warp &warp, const Instr &i, const RowUse &me, const Region &region,
                       std::span<const uint64_t, 8> places, uint32_t bytes, Access access);
  static bool touchKnown(Touch &touch, GlobalLine &line, uint32_t bits);
  bool touchRange(Touch &touch, uint64_t address, uint64_t bytes);
  bool touchLane(Touch &touch, const Region &region, uint64_t address, uint64_t offset, uint64_t bytes, bool &fine);
  void touchWholeLines(Touch &touch, const Region &region, const GlobalStretch &rows, uint64_t offset, uint64_t &row,
                       uint64_t &done);
  bool touchRows(Touch &touch, const GlobalStretch &stretch);
  bool touchEach(Touch &touch, Cell *cells, uint32_t count, uint64_t address);
  bool touchCell(Touch &touch, Cell &cell, uint64_t address, uint64_t bytes);
  /// Whether the bytes are what they were before the kernel, and the write is the only one that may have changed them:
  /// who reads them gets the same before and behind it.
  bool leavesInitial(const GlobalUse &write, uint64_t address, uint64_t bytes) const;
  bool areAtomic(const Touch &touch, const GlobalUse &other) const;
  bool conflict(Touch &touch, uint32_t otherUse, bool otherWrites, uint64_t address, uint64_t bytes);

  // --- lanes of a warp (GlobalLanes.cpp) --------------------------------------------------------------------------
  /// Finds the form of an access by `mask`.
  void lookAtLanes(Touch &touch, uint32_t mask, const uint64_t *addresses, uint32_t bytes);
  void markLanes(const Touch &touch);
  /// accessFours() at places that are not at equal distances.
  bool accessScattered(Warp &warp, const Instr &i, const Region &region, std::span<const uint64_t, 8> places,
                       uint32_t bytes, Access access);
  /// The lanes that have made a use, which is in the cell of the granule at the address.
  LaneSet lanesOfUse(const GlobalUse &use, bool writes, uint64_t address) const;
  /// The lanes that access a granule.
  LaneSet lanesOf(const Touch &touch, uint64_t address) const;
  /// One of them, for reports.
  uint32_t laneAt(const Touch &touch, uint64_t address, LaneOrder lanes) const;
  /// Whether other lanes may have made the use than those that this access comes after: each granule has to be looked
  /// at then.
  bool mayPart(const Touch &touch, const GlobalUse &other) const;
  bool mayPart(const Touch &touch, const Cell &cell) const;
  /// Whether other lanes of the warp are the last readers, and all lanes have not met since. Then touchParted() reads.
  bool meetsReader(const Touch &touch, uint32_t reads) const;
  /// Reads a granule that they have read.
  bool touchParted(Touch &touch, Cell &cell, uint64_t address);
  /// The order between this access's lanes and those of a use of the same granule; the use's warp is ordered before.
  LaneOrder laneOrder(Touch &touch, const GlobalUse &other, bool otherWrites, uint64_t address) const;
  bool reportLanes(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, Access access, const GlobalUse &other,
                   bool otherWrites, bool byUnit, LaneOrder lanes);

  /// Of a strong load and a strong write of another cluster, of one device.
  bool isUnordered(const View &view, const GlobalUse &write) const;
  void noteStaleRead(Touch &touch, const GlobalUse &write, uint64_t address);
  /// Of a write and what is ordered behind it: whether they have one address, or an alias fence lies between them; else
  /// a hazard.
  bool checkAlias(Touch &touch, const GlobalUse &other, uint64_t address);
  /// In the strict form: checks that a proxy fence lies between a thread's write and a later copy of the same cluster.
  /// False after a fault.
  bool checkProxy(Touch &touch, const GlobalUse &write, uint64_t address);
  bool report(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, Access access, uint32_t otherUse,
              bool otherWrites, bool byUnit, LaneOrder lanes);
  bool isBehindReadOf(const Warp &warp, const GlobalUse &store) const;
  std::string describeAccess(const Instr &i, uint64_t address, Access access) const;
  /// Two uses that race, of which one is a load that replays look at.
  struct RacingPair {
    uint32_t warp = UINT32_MAX, pc = 0; // the second access
    uint32_t cluster = 0, otherPc = 0;  // the first access
    Agent agent = 0;
    bool reads = false;
    bool operator==(const RacingPair &) const = default;
  };
  /// Whether a race of two warps is a plain load whose value a replay can vary. The load is then recorded for the
  /// replays. False: the race is a fault.
  bool isRacingRead(const Warp &warp, const Instr &i, Access access, const GlobalUse &other, bool otherWrites,
                    bool byUnit);
  bool addRacingRead(const Warp &warp, const Instr &i, bool reads, const GlobalUse &other,
                     std::optional<RacingReads> &racing);
  /// Reports the load as a note of that kind, which its replays settle. Always true.
  bool noteRacingRead(Warp &warp, const Instr &i, uint32_t lane, std::string_view kind, std::string what,
                      std::vector<Note> notes);
  bool reportOfCluster(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, Access access,
                       const GlobalUse &other, bool otherWrites, bool byUnit, LaneOrder lanes);
  /// The number of a cluster's block.
  uint32_t blockNumber(uint32_t cluster, uint32_t rank) const;
  /// Whether a relaxed access has seen a release that publishes the use, and a fence is all that lacks.
  bool hasObserved(const View &view, Scope scope, const GlobalUse &use) const;
  /// The fence or release that is missing between accesses of two clusters of a device, with its place.
  Note missingBetweenClusters(const Warp &warp, const Instr &i, const GlobalUse &other, const LaneSet &theirs) const;
  /// What is missing between accesses of two devices.
  std::string missingBetweenDevices(const Warp &warp, const Instr &i, const GlobalUse &other) const;
  std::string blocksOf(uint32_t cluster) const;

  Ordering &order_;
  GlobalShadow *shadow_ = nullptr;
  uint32_t clusterIndex_ = 0;
  uint64_t clusterCount_ = 1;
  std::unordered_map<uint64_t, uint32_t> acquiredAt_; // flags, and shadow_->releases when they were read last
  Clock unordered_; // several devices, by cluster: the order if every scope were `.sys` and every operation acquired
                    // and released
  Clock aliased_;   // several devices, by releaser: the order before an alias fence of any of its warps
  uint32_t aliasFences_ = 0; // executed by its warps
  // Uses from `own_` on are of this cluster; those below `quiet_` are ordered before all that its warps do now. None
  // where other clusters run in turns with this one.
  uint32_t own_ = kNoUse + 1, quiet_ = kNoUse + 1;
  Clock units_;                             // the last use of each unit
  std::vector<LastUse> lastUses_;           // per warp: of reads, of writes
  std::vector<LastRow> lastRows_;           // likewise
  std::array<RacingPair, 256> racingPairs_; // the last ones: mostly the same are found again
  std::vector<Doubt> doubts_;
  std::vector<std::byte> doubtBytes_; // what they were, up to doubtEnd_
  size_t doubtEnd_ = 0;
};

} // namespace lanescope::core::emulator
