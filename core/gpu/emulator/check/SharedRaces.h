// Races in shared memory. For each granule the last write and the reads since are kept (Shadow.h); every access,
// generic or by an asynchronous unit, is compared with those.
//
// A read of what nothing has written is told when the cluster has ended.
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

/// `cp.async`, `st.async` and `red.async` write through the generic proxy (PTX ISA says so at each), the others through
/// the async proxy. Others may reduce into the same place at the same time.
enum class AsyncWrite : uint8_t { Generic, GenericReduction, Copy, Reduction };

inline constexpr std::string_view kUnreadCopyKind = "unread-copy";

class SharedRaces {
public:
  SharedRaces(Ordering &order, RemoteUses &remote) : order_(order), remote_(remote) {}
  void begin(uint32_t blocks, uint32_t bytes);
  /// The first read of shared memory that nothing had written, told when the cluster has ended: until then something
  /// may turn up that should have been waited for, which says more.
  std::optional<Diagnostic> takeUnwritten() { return std::exchange(unwritten_, std::nullopt); }
  /// Copies that have filled the same place without an order between them, which nobody has read: told then, too.
  std::optional<Diagnostic> takeUnread();

  // --- accesses of warps ------------------------------------------------------------------------------------------
  /// Shared addresses (window offsets) of all lanes in `mask`, `bytes` each. `strong`: volatile, relaxed, … : orders.
  bool access(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes, Access access,
              uint32_t rank);
  /// A weak access by all lanes in the warp's own block, `bytes` each at the equal distances of Warp::row.
  bool accessRow(Warp &warp, const Instr &i, uint32_t address, uint32_t bytes, Access access);

  // --- asynchronous units -----------------------------------------------------------------------------------------
  /// The unit reads (writes) shared memory from now on, until `epoch` of `agent` is observed.
  /// `whole`: all of it counts, so that none may be unwritten; what does of a part, sent() is told.
  bool asyncRead(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane, uint32_t address, uint32_t bytes,
                 uint32_t rank, bool whole = true);
  void sent(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, uint32_t bytes, uint32_t rank);
  /// Reads of 16 bytes at each address. `matrix` names what all warps of a warpgroup read, for matrixRead(); 0:
  /// nothing.
  bool asyncReadChunks(Warp &warp, const Instr &i, Agent agent, Epoch epoch, std::span<const uint32_t> addresses,
                       uint32_t rank, uint64_t matrix = 0);
  /// Whether another warp of the warpgroup has read the matrix in the same operation, nothing has been written since,
  /// and its reads are right for this warp too.
  bool matrixRead(const Warp &warp, Agent agent, Epoch epoch, uint64_t matrix) const;
  bool asyncWrite(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane, uint32_t address, uint32_t bytes,
                  uint32_t rank, AsyncWrite what);

  /// mbarrier.init and .inval: in between other writes there are told.
  void mbarrierBegins(uint32_t rank, uint32_t address) { mbarriers_.add(rank, address); }
  void mbarrierEnds(uint32_t rank, uint32_t address) { mbarriers_.remove(rank, address); }

  /// A copy signals the mbarrier: a hazard where its initialisation is not fenced. False in a strict run.
  bool reportUnfencedInit(Warp &warp, const Instr &i, uint32_t lane, uint32_t rank, uint32_t address);

  /// Who wrote the granule at a shared address of the block last; null: nobody has.
  const Use *writerOf(uint32_t rank, uint32_t address) {
    uint32_t number = shadow_.cells(rank, address - kSharedBase)->write;
    return number == kNoUse ? nullptr : &shadow_.use(number);
  }
  uint32_t granule() const { return shadow_.granule(); }
  /// What a copy of it takes.
  size_t memoryBytes() const { return shadow_.memoryBytes() + matrixReads_.size() * sizeof(MatrixRead); }

  /// The warp issues its part of its warpgroup's wgmma `epoch`: what it wrote for the other warps' parts is fenced now,
  /// or never. False after a fault.
  bool issueWgmma(Warp &warp, Epoch epoch);

  /// Whether settle() has to look at what the last access wrote: writes of what is there already are no race.
  bool doubtful() const { return !doubts_.empty(); }
  bool settle(Warp &warp, const Instr &i);

  /// All uses so far are ordered before all that warps do from now on, by `barrier`.
  void allOrdered(const View &barrier);

private:
  struct Touch;
  /// `lane` accesses the granule at `address`, as `other` did before (Touch::mayPart()).
  LaneOrder compareLanes(const Touch &t, const Use &other, bool otherWrites, uint32_t lane, uint32_t address);
  /// A hazard or a fault; false where the run ends.
  bool reportLanes(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, Access access, const Use &other,
                   bool otherWrites, LaneOrder lanes);
  /// Records the use of a weak access by all lanes of the warp, which accessQuietRow() or accessQuietGranules() has
  /// numbered. `lanes`: which lanes accessed which addresses.
  void addQuiet(const Warp &warp, const Instr &i, uint32_t lanes, bool reads);
  bool accessQuietGranules(uint32_t rank, const uint32_t *granules, bool reads);
  /// The same if all uses of these places are ordered before it, as behind a barrier. False if not: nothing is done
  /// then.
  bool accessQuietRow(Warp &warp, const Instr &i, uint32_t address, int64_t stride, uint32_t bytes, bool reads);
  bool accessRowSlowly(Warp &warp, const Instr &i, uint32_t address, int64_t stride, uint32_t bytes, Access access);
  /// A write that is a race unless it leaves the granule as it was.
  struct Doubt {
    uint32_t rank = 0, address = 0, lane = 0;
    std::array<std::byte, Shadow::kLargestGranule> old{};
    Use other;
    bool otherWrites = false;
    LaneOrder lanes = LaneOrder::Alike; // else `other` is ordered before, but not all lanes of its warp
    Cell before;                        // the granule's
  };
  /// The number of the write `number` that left what `before` had written.
  uint32_t again(uint32_t number, uint32_t before);
  bool report(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, Access access, const Use &other,
              bool otherWrites, bool byUnit, bool fenceOnly);
  /// Whether the run goes on behind a warp's read that races.
  bool addRacing(const Warp &warp, const Use &read);
  bool read(Touch &touch, uint32_t lane, uint32_t address, uint32_t bytes);
  bool write(Touch &touch, uint32_t lane, uint32_t address, uint32_t bytes);
  template <uint32_t N> bool readEasily(Touch &touch, Cell *cells);
  template <uint32_t N> bool writeEasily(Touch &touch, Cell *cells);
  template <uint32_t N, bool kReads>
  bool accessLanes(Touch &touch, uint32_t mask, const uint64_t *addresses, uint32_t bytes);
  template <bool kReads> bool accessOne(Touch &touch, uint32_t lane, uint32_t address);
  template <uint32_t N, bool kReads> bool restIsAlike(Touch &touch, const uint64_t *addresses);
  bool readSlowly(Touch &touch, Cell &cell, uint32_t lane, uint32_t address);
  bool writeSlowly(Touch &touch, Cell &cell, uint32_t lane, uint32_t address);
  /// A wgmma reads what another warp of its warpgroup has written and fenced, or copied by `cp.async` and waited for,
  /// before that warp issued its own part: a hazard, false in a strict run. Where that part is to come, issueWgmma()
  /// tells it. Nothing: it is something else.
  std::optional<bool> inWarpgroup(Warp &warp, const Use &reader, const Use &write, uint32_t address);
  bool reportWarpgroupOrder(Warp &warp, uint32_t address, const Use &reader, const Use &write);
  /// A copy fills what another one still fills: no fault until somebody reads it.
  void tear(Touch &touch, uint32_t before, uint32_t lane, uint32_t address, const Use &other);
  bool reportTorn(uint32_t write);
  bool isCopyForTensorCore(const Use &reader, const Use &write) const;
  bool isDeadRead(uint32_t pc);
  bool isUsedRead(uint32_t pc);
  /// Whether `i`, which reads, or the read `other` before it is a load whose value `atom.cas` verifies (Guesses.h).
  bool isGuess(const Instr &i, Access access, const Use &other, bool otherWrites);
  /// Reports such a load as a note. Always true.
  bool noteGuess(Warp &warp, const Instr &i, uint32_t lane, std::string what, std::vector<Note> notes);
  // Hazards: docs/checks.md says on what they rest. False in a strict run.
  bool reportUnfencedOverwrite(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, const Use &reader);
  bool reportUnfencedCopy(Warp &warp, const Instr &i, const Use &write);
  bool reportNarrowScope(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, Access access, const Use &other,
                         bool otherWrites);
  /// The only order between the two has the scope of a block, and they are in two blocks: a hazard, false in a strict
  /// run, unless a thread reads what another one wrote. Nothing: that is not so.
  std::optional<bool> behindNarrow(const Touch &touch, uint32_t lane, uint32_t address, Access access, const Use &other,
                                   bool otherWrites);
  /// Whether one of the lanes' accesses may be of the memory that mbarriers are in.
  bool mayMeetMbarriers(uint32_t rank, uint32_t mask, const uint64_t *addresses, uint32_t bytes) const;
  /// An ordinary write, or a copy's, to memory that may be an mbarrier's.
  bool writeMbarrier(Warp &warp, const Instr &i, uint32_t lane, uint32_t rank, uint64_t address, uint64_t bytes);
  /// What has been released at each address of the lanes in `mask`, and how many those are; at most 32.
  size_t findFlags(uint32_t rank, uint32_t mask, const uint64_t *addresses, Released **flags);
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

  /// The last matrices that warpgroups have read.
  struct MatrixRead {
    uint64_t matrix = 0, writes = 0; // writes_ then
    Agent agent = 0;
    Epoch epoch = 0;
    uint32_t write = kNoUse; // all of it is from this one; kNoUse: from such as are below fenced_
  };
  static constexpr size_t kMatrixReads = 8; // of a warpgroup: a warp often issues some before the next one does

  Ordering &order_;
  RemoteUses &remote_;
  Shadow shadow_;
  uint64_t writes_ = 0; // to shared memory so far, and sweeps of its shadow
  std::vector<MatrixRead> matrixReads_;
  uint32_t quiet_ = kNoUse + 1;  // uses of shared memory below this number are ordered before all that warps do now
  uint32_t fenced_ = kNoUse + 1; // uses below this one before all that units do now, too
  Clock generic_;                // by agent: the last use of shared memory through the generic proxy
  std::optional<Diagnostic> unwritten_;
  uint32_t unwrittenPc_ = 0; // of the read that it tells of
  std::vector<Doubt> doubts_;
  MbarrierPlaces mbarriers_;
  /// The first copy at an instruction that filled what another one still filled.
  struct Tear {
    Warp *warp = nullptr;
    const Instr *instr = nullptr;
    uint32_t lane = 0, address = 0;
    Use other;
  };
  std::map<uint32_t, Tear> tears_; // by pc
  /// What a warp wrote for a wgmma of its warpgroup whose own part it has not issued yet.
  struct Unfenced {
    Use reader, write;
    Warp *warp = nullptr; // at whose turn it was found
    uint32_t address = 0;
  };
  std::vector<Unfenced> unfenced_;
  /// What was asked about a load.
  struct Load {
    std::optional<bool> used, guess;
  };
  std::unordered_map<uint32_t, Load> loads_; // by pc
};

} // namespace lanescope::core::emulator
