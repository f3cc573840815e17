// Races in shared memory. The shadow keeps, for each granule, the last write and the reads since that write (Shadow.h).
// Each access, by a warp or by an asynchronous unit, is compared with them:
//
//   A: st.shared.b32 [x], 1;  B: ld.shared.b32 r, [x];      // a race, unless a barrier or another order lies between
//
// A read of bytes that nothing has written is reported when the cluster has ended.
#pragma once

#include "core/gpu/emulator/check/Accessor.h"
#include "core/gpu/emulator/check/MbarrierPlaces.h"
#include "core/gpu/emulator/check/RemoteUses.h"
#include "core/gpu/emulator/check/Shadow.h"
#include "core/gpu/emulator/machine/Addresses.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

/// The writes of asynchronous units. `cp.async`, `st.async` and `red.async` write through the generic proxy (stated in
/// the PTX ISA at each of them), and all others through the async proxy. Reductions may update one place at the same
/// time.
enum class AsyncWrite : uint8_t { Generic, GenericReduction, Copy, Reduction };

/// One operation of an asynchronous unit, and the lane that started it.
struct UnitUse {
  Agent agent = 0;
  Epoch epoch = 0;
  uint32_t lane = 0;
};
/// Bytes of a block's shared memory.
struct SharedStretch {
  uint32_t rank = 0, address = 0, bytes = 0;
};

inline constexpr std::string_view kUnreadCopyKind = "unread-copy";

class SharedRaces {
public:
  SharedRaces(Ordering &order, RemoteUses &remote) : order_(order), remote_(remote) {}
  void begin(uint32_t blocks, uint32_t bytes);
  /// The first read of shared memory that nothing had written. It is reported at the end of the cluster, and only if no
  /// missing wait was found: a missing wait would explain it.
  std::optional<Diagnostic> takeUnwritten() { return std::exchange(unwritten_, std::nullopt); }
  /// Unordered copies into one place whose bytes nothing has read. They are reported at the end of the cluster, too.
  std::optional<Diagnostic> takeUnread();

  // --- accesses of warps ------------------------------------------------------------------------------------------
  /// `addresses`: shared addresses (window offsets) of the lanes in `mask`, `bytes` each. A strong access (volatile,
  /// relaxed, …) also acquires or releases.
  bool access(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes, Access access,
              uint32_t rank);
  /// A weak access by all lanes in the warp's own block, `bytes` each, at the equal distances in Warp::row.
  bool accessRow(Warp &warp, const Instr &i, uint32_t address, uint32_t bytes, Access access);

  // --- asynchronous units -----------------------------------------------------------------------------------------
  /// The unit reads (writes) shared memory until a warp observes `epoch` of `agent`. `whole`: all bytes count, so each
  /// must have been written. Otherwise the caller passes the bytes that count to sent().
  bool asyncRead(Warp &warp, const Instr &i, const UnitUse &unit, const SharedStretch &place, bool whole = true);
  void sent(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, uint32_t bytes, uint32_t rank);
  /// Reads 16 bytes at each address. `matrix` identifies the matrix that all warps of a warpgroup read, for
  /// matrixRead(); 0 if there is none.
  bool asyncReadChunks(Warp &warp, const Instr &i, Agent agent, Epoch epoch, std::span<const uint32_t> addresses,
                       uint32_t rank, uint64_t matrix = 0);
  /// True if another warp of the warpgroup has read the matrix in the same operation, nothing has been written since
  /// then, and the writes that it read are ordered before this warp's read, too.
  bool matrixRead(const Warp &warp, Agent agent, Epoch epoch, uint64_t matrix) const;
  bool asyncWrite(Warp &warp, const Instr &i, const UnitUse &unit, const SharedStretch &place, AsyncWrite what);

  /// `mbarrier.init` and `mbarrier.inval`. Other writes to the mbarrier between the two are reported.
  void mbarrierBegins(uint32_t rank, uint32_t address) { mbarriers_.add(rank, address); }
  void mbarrierEnds(uint32_t rank, uint32_t address) { mbarriers_.remove(rank, address); }

  /// A copy signals the mbarrier. Reports a hazard if the mbarrier's initialisation is not fenced. Returns false in a
  /// strict run.
  bool reportUnfencedInit(Warp &warp, const Instr &i, uint32_t lane, uint32_t rank, uint32_t address);

  /// The last write of the granule at a shared address of the block; null if there was none.
  const Use *writerOf(uint32_t rank, uint32_t address) {
    uint32_t number = shadow_.cells(rank, address - kSharedBase)->write;
    return number == kNoUse ? nullptr : &shadow_.use(number);
  }
  uint32_t granule() const { return shadow_.granule(); }
  /// The bytes that a copy of this object takes.
  size_t memoryBytes() const { return shadow_.memoryBytes() + matrixReads_.size() * sizeof(MatrixRead); }

  /// The warp issues its part of its warpgroup's wgmma `epoch`. Reports a fault if the warp has not yet fenced what it
  /// wrote for the other warps' parts. Returns false after a fault.
  bool issueWgmma(Warp &warp, Epoch epoch);

  /// True if settle() has to check what the last access wrote. A write that leaves the bytes as they were is no race.
  bool doubtful() const { return !doubts_.empty(); }
  bool settle(Warp &warp, const Instr &i);

  /// `barrier` orders all uses so far before everything that warps do from now on.
  void allOrdered(const View &barrier);

private:
  struct Touch;
  /// An access and an earlier use that conflict, for reports.
  struct Clash {
    Warp &warp;
    const Instr &i;
    uint32_t lane = 0, address = 0;
    Access access = Access::Read;
    const Use &other;
    bool otherWrites = false;
    bool byUnit = false;    // the access is by an asynchronous unit
    bool fenceOnly = false; // the two are ordered, but a proxy fence is missing
    LaneOrder lanes = LaneOrder::Alike;
  };
  /// The order between `lane`, which accesses the granule at `address`, and the lanes of `other`. Call this only if
  /// Touch::mayPart() is true.
  LaneOrder compareLanes(const Touch &t, const Use &other, bool otherWrites, uint32_t lane, uint32_t address);
  LaneOrder compareCopy(const Touch &t, const Use &copy, uint32_t lane, uint32_t address) const;
  /// Reports a hazard or a fault. Returns false if the run ends.
  bool reportCopyLanes(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, Access access, const Use &copy,
                       LaneOrder lanes);
  bool reportLanes(const Clash &clash);
  /// Records the use of a weak access by all lanes of the warp. accessQuietRow() or accessQuietGranules() has already
  /// written the use's number into the cells. `lanes`: which lanes accessed which addresses.
  void addQuiet(const Warp &warp, const Instr &i, uint32_t lanes, bool reads);
  bool accessQuietGranules(uint32_t rank, const uint32_t *granules, bool reads);
  /// Does what accessQuietGranules() does, for a row. It succeeds if all uses of the row's bytes are ordered before it,
  /// as after a barrier. Otherwise it does nothing and returns false.
  bool accessQuietRow(Warp &warp, const Instr &i, uint32_t address, int64_t stride, uint32_t bytes, bool reads);
  bool accessRowSlowly(Warp &warp, const Instr &i, uint32_t address, int64_t stride, uint32_t bytes, Access access);
  /// A suspicion: a write that is a race unless it leaves the granule as it was.
  struct Doubt {
    uint32_t rank = 0, address = 0, lane = 0;
    std::array<std::byte, Shadow::kLargestGranule> old{};
    Use other;
    bool otherWrites = false;
    LaneOrder lanes = LaneOrder::Alike; // if not Alike, `other` is ordered before, but not for all lanes of its warp
    Cell before;                        // the granule's cell before the write
  };
  /// A number for the write `number`, which wrote the same bytes as the earlier write `before`. The new use stands for
  /// both writes.
  uint32_t again(uint32_t number, uint32_t before);
  bool report(const Clash &clash);
  /// Records a racing read of a warp for the replays. Returns true if the run continues after it.
  bool addRacing(const Warp &warp, const Use &read, uint32_t lanes);
  bool read(Touch &touch, uint32_t lane, uint32_t address, uint32_t bytes);
  bool write(Touch &touch, uint32_t lane, uint32_t address, uint32_t bytes);
  template <uint32_t N> bool readEasily(Touch &touch, Cell *cells);
  template <uint32_t N> bool writeEasily(Touch &touch, Cell *cells);
  template <uint32_t N, bool kReads>
  bool accessLanes(Touch &touch, uint32_t mask, const uint64_t *addresses, uint32_t bytes);
  template <bool kReads> bool accessOne(Touch &touch, uint32_t lane, uint32_t address);
  template <uint32_t N, bool kReads> bool restIsAlike(Touch &touch, const uint64_t *addresses);
  /// The number for a write that replaces the write `before`. A strong write keeps the plain write below it (`rest`),
  /// because strong accesses of other warps must come after the plain write, although they need no order among
  /// themselves.
  uint32_t numberOver(Touch &touch, uint32_t before);
  /// The last plain write at or below the write `number`; kNoUse if there is none.
  uint32_t plainOf(uint32_t number) const {
    while (number != kNoUse && shadow_.use(number).atomic)
      number = shadow_.use(number).rest;
    return number;
  }
  bool readSlowly(Touch &touch, Cell &cell, uint32_t lane, uint32_t address);
  bool writeSlowly(Touch &touch, Cell &cell, uint32_t lane, uint32_t address);
  /// Handles the case in which a wgmma reads bytes of another warp of its warpgroup. That warp has stored and fenced
  /// the bytes, or copied them by `cp.async` and waited, before it issued its own part of the wgmma. This is a hazard.
  /// Returns false in a strict run. If that part is not issued yet, issueWgmma() reports it. Returns nothing in all
  /// other cases.
  std::optional<bool> inWarpgroup(Warp &warp, const Use &reader, const Use &write, uint32_t address);
  bool reportWarpgroupOrder(Warp &warp, uint32_t address, const Use &reader, const Use &write);
  /// A copy writes bytes that another copy in flight writes, too. This is a fault only if something reads the bytes.
  void tear(Touch &touch, uint32_t before, uint32_t lane, uint32_t address, const Use &other);
  bool reportTorn(uint32_t write);
  bool isCopyForTensorCore(const Use &reader, const Use &write) const;
  bool isDeadRead(uint32_t pc);
  bool isUsedRead(uint32_t pc);
  /// True if `atom.cas` verifies the value of the load (Guesses.h). The load is `i` if `i` reads, and otherwise the
  /// earlier read `other`.
  bool isGuess(const Instr &i, Access access, const Use &other, bool otherWrites);
  /// Reports a load for which isGuess() is true, as a note. Always returns true.
  bool noteGuess(Warp &warp, const Instr &i, uint32_t lane, std::string what, std::vector<Note> notes);
  /// True if each use of the read's value may discard it.
  bool isDiscardable(uint32_t pc);
  bool noteDeadRead(Warp &warp, const Instr &i, uint32_t lane, std::string what, std::vector<Note> notes);
  /// The lanes of the warp that are not ordered after what its lanes `with` did in `epoch`.
  uint32_t lanesUnordered(const Warp &warp, uint32_t with, Epoch epoch) const;
  // The next functions report hazards. docs/checks.md explains them. They return false in a strict run.
  bool reportUnfencedOverwrite(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, const Use &reader);
  bool reportUnfencedCopy(Warp &warp, const Instr &i, const Use &write);
  bool reportNarrowScope(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, Access access, const Use &other,
                         bool otherWrites);
  /// Handles the case in which only a synchronisation of block scope orders two accesses of different blocks. This is a
  /// hazard, unless a thread reads what another thread wrote. Returns false in a strict run, and nothing in all other
  /// cases.
  std::optional<bool> behindNarrow(const Touch &touch, uint32_t lane, uint32_t address, Access access, const Use &other,
                                   bool otherWrites);
  /// True if one of the lanes may access the memory of an mbarrier.
  bool mayMeetMbarriers(uint32_t rank, uint32_t mask, const uint64_t *addresses, uint32_t bytes) const;
  /// A store or a copy writes memory that may hold an mbarrier.
  bool writeMbarrier(Warp &warp, const Instr &i, uint32_t lane, uint32_t rank, uint64_t address, uint64_t bytes);
  struct LaneFlag {
    Released *flag = nullptr;
    uint32_t lanes = 0; // that access its address
  };
  /// Finds the flags at the different addresses of the lanes in `mask`. Returns how many there are, at most 32.
  size_t findFlags(uint32_t rank, uint32_t mask, const uint64_t *addresses, LaneFlag *flags);
  bool isTmemAddress(const Cell &cell) const;
  bool isTmemAllocation(const Use &write) const;
  bool reportEarlyCopy(Warp &warp, const Instr &i, uint32_t address, Access access, const Use &copy);
  bool reportEarlyRead(Warp &warp, uint32_t address, const Use &reader, const Use &copy);
  void noteUnwritten(Warp &warp, const Instr &i, uint32_t lane, uint32_t address);
  void sweepShadow() {
    if (!shadow_.sweepWhenLarge())
      return;
    quiet_ = fenced_ = kNoUse + 1;
    ++writes_;
  }

  /// One of the matrices that warpgroups have read last.
  struct MatrixRead {
    uint64_t matrix = 0, writes = 0; // the value of writes_ at that time
    Agent agent = 0;
    Epoch epoch = 0;
    uint32_t write = kNoUse; // the write of all bytes of the matrix; kNoUse: all bytes are from writes below fenced_
  };
  static constexpr size_t kMatrixReads = 8; // per warpgroup: its warps may be several wgmmas apart

  Ordering &order_;
  RemoteUses &remote_;
  Shadow shadow_;
  uint64_t writes_ = 0; // writes of shared memory so far, plus sweeps of its shadow
  std::vector<MatrixRead> matrixReads_;
  // Uses of shared memory below this number are ordered before everything that warps do from now on.
  uint32_t quiet_ = kNoUse + 1;
  // Uses below this number are also ordered before everything that asynchronous units do from now on.
  uint32_t fenced_ = kNoUse + 1;
  Clock generic_; // per agent: its last use of shared memory through the generic proxy
  std::optional<Diagnostic> unwritten_;
  uint32_t unwrittenPc_ = 0; // pc of the read that unwritten_ reports
  std::vector<Doubt> doubts_;
  MbarrierPlaces mbarriers_;
  /// For each copy instruction, its first copy into bytes that another copy in flight writes, too.
  struct Tear {
    Warp *warp = nullptr;
    const Instr *instr = nullptr;
    uint32_t lane = 0, address = 0;
    Use other;
  };
  std::map<uint32_t, Tear> tears_; // by pc
  /// A warp's write for a wgmma of its warpgroup. The warp has not issued its own part of the wgmma yet.
  struct Unfenced {
    Use reader, write;
    Warp *warp = nullptr; // the warp that was running when the write was found
    uint32_t address = 0;
  };
  std::vector<Unfenced> unfenced_;
  /// Cached facts about a load.
  struct Load {
    std::optional<bool> used, guess, discardable;
  };
  std::unordered_map<uint32_t, Load> loads_; // by pc
};

} // namespace lanescope::core::emulator
