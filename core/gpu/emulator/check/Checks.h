// The race and synchronisation checker of a cluster of blocks (mostly: of one block).
//
// It follows what is ordered before what with vector clocks (Clocks.h) and keeps, per granule of shared memory, the
// last write and the reads since (Shadow.h). Every access, generic or by an asynchronous unit, is compared with those:
//
//   bar.sync, mbarrier arrive -> wait, cluster barriers, atomics     carry a warp's clock to others
//   mbarrier phase                                                   tells that the copies which signal it have landed
//   cp.async.wait_group, cp.async.bulk.wait_group, wgmma.wait_group  tell that a warp's (warpgroup's) own ones are done
//   fence.proxy.async                                                links generic writes and reads to the async proxy
//
// so a fault is found at the use, whichever way the schedule went. What is decided in the kernel's favour: lanes of a
// warp are ordered by execution, and what one lane has observed or fenced, its warp has; a wgmma that one warp of a
// warpgroup has waited for is done for all four; relaxed operations order like acquire and release.
//
// Global memory has the same (GlobalShadow.h, GlobalChecks.cpp), between the blocks of other clusters as well: those
// are ordered by releases and acquires of global memory alone. Writes of what is there already are no race.
//
// A hook returns false after setting the block's fault. `rank` is the block (of the cluster) whose shared memory an
// address is in.
#pragma once

#include "core/gpu/emulator/async/AsyncData.h"
#include "core/gpu/emulator/check/GlobalShadow.h"
#include "core/gpu/emulator/check/Shadow.h"
#include "core/gpu/emulator/machine/Machine.h"
#include "core/gpu/emulator/memory/Memory.h"

#include <span>
#include <unordered_map>
#include <utility>

namespace lanescope::core::emulator {

/// BulkGroup: stores' reads of shared memory; BulkWrite: their writes of global memory.
enum class AsyncUnit : uint8_t { Warp, CpAsync, BulkGroup, BulkWrite, Wgmma, Mbarrier };
/// Generic: `cp.async`, which is of the generic proxy. Store: st.async, which may be of either. Reduction: others may
/// reduce into the same place at the same time.
enum class AsyncWrite : uint8_t { Generic, Store, Copy, Reduction };

class Checker {
public:
  void begin(const Grid &grid, GlobalShadow &global, uint32_t cluster, uint32_t blocks, uint32_t warpsPerBlock,
             uint32_t sharedBytes);
  /// The first read of shared memory that nothing had written, told when the cluster has ended: until then something
  /// may turn up that should have been waited for, which says more.
  std::optional<Diagnostic> takeUnwritten() { return std::exchange(unwritten_, std::nullopt); }

  // --- accesses of warps ------------------------------------------------------------------------------------------
  /// Shared addresses (window offsets) of all lanes in `mask`, `bytes` each. `strong`: volatile, relaxed, … : orders.
  bool access(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes, Access access,
              uint32_t rank);
  /// A weak access by all lanes, `bytes` each, one behind the other, in the warp's own block.
  bool accessRow(Warp &warp, const Instr &i, uint32_t address, uint32_t bytes, Access access);
  /// The same of global memory. Writes that may be races are doubtful until settle(), when their values are known.
  bool globalAccess(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                    Access access);
  /// A weak access by all lanes to the `all` bytes at `address`, `bytes` each.
  bool globalRow(Warp &warp, const Instr &i, uint64_t address, uint64_t all, uint32_t bytes, Access access);
  bool doubtful() const { return !doubts_.empty(); }
  bool settle(Warp &warp, const Instr &i);

  // --- asynchronous units -----------------------------------------------------------------------------------------
  /// The unit reads (writes) shared memory from now on, until `epoch` of `agent` is observed.
  bool asyncRead(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane, uint32_t address, uint32_t bytes,
                 uint32_t rank);
  /// Reads of 16 bytes at each address. `matrix` names what all warps of a warpgroup read, for matrixRead(); 0:
  /// nothing.
  bool asyncReadChunks(Warp &warp, const Instr &i, Agent agent, Epoch epoch, std::span<const uint32_t> addresses,
                       uint32_t rank, uint64_t matrix = 0);
  /// Whether another warp of the warpgroup has read the matrix in the same operation, nothing has been written since,
  /// and its reads are right for this warp too.
  bool matrixRead(const Warp &warp, Agent agent, Epoch epoch, uint64_t matrix) const;
  bool asyncWrite(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane, uint32_t address, uint32_t bytes,
                  uint32_t rank, AsyncWrite what);
  /// The unit accesses global memory. A write may be doubtful, until settleCopy() says whether it changes anything.
  bool asyncGlobal(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane,
                   std::span<const GlobalStretch> stretches, Access access);
  bool settleCopy(Warp &warp, const Instr &i, bool changes);
  Agent unitOf(const Warp &warp, AsyncUnit unit) const;
  /// Numbers an operation of the warp's unit.
  Epoch issue(const Warp &warp, AsyncUnit unit);
  Epoch issued(const Warp &warp, AsyncUnit unit) const {
    return unitEpochs_[static_cast<size_t>(unit) * warps_ + globalWarp(warp)];
  }
  /// The warp has waited for the unit's operations up to `epoch`.
  void waited(const Warp &warp, AsyncUnit unit, Epoch epoch);

  // --- wgmma's registers ------------------------------------------------------------------------------------------
  /// Before an ordinary instruction that names registers which some wgmma of the program uses.
  bool registers(Warp &warp, const Instr &i);
  /// At the issue of a wgmma; its reads of shared memory are asyncRead.
  bool wgmma(Warp &warp, const Instr &i);
  /// The number of the wgmma that the warp issued last.
  Epoch wgmmaIssued(const Warp &warp) const { return wgmma_[globalWarp(warp)].issued; }
  void wgmmaFence(const Warp &warp);
  /// wait_group has completed the warp's first `operations` wgmmas.
  void wgmmaWaited(const Warp &warp, Epoch operations);

  // --- synchronisation --------------------------------------------------------------------------------------------
  void proxyFence(const Warp &warp);
  void arriveAt(const Warp &warp, View &barrier);
  void passed(const Warp &warp, const View &barrier);
  void clusterArrive(const Warp &warp) { arriveAt(warp, cluster_); }
  /// A phase of the cluster barrier is over; later waiters still learn of it.
  void clusterDone() {
    clusterDone_.join(cluster_);
    cluster_.clear();
  }
  void clusterPassed(const Warp &warp) { passed(warp, clusterDone_); }
  /// All warps of the block wait at `barrier`, and it has let them go.
  void allMet(const View &barrier);
  View &namedBarrier(uint32_t rank, uint32_t number) { return named_[rank * kNamedBarriers + number]; }

  void mbarrierInit(const Warp &warp, const Instr &i, uint32_t rank, uint32_t address);
  /// Whether the barrier's initialisation is ordered before what `warp` does with it now.
  bool mbarrierReady(Warp &warp, const Instr &i, uint32_t lane, uint32_t rank, uint32_t address);
  void mbarrierArrive(const Warp &warp, uint32_t rank, uint32_t address);
  void mbarrierPhase(uint32_t rank, uint32_t address, uint64_t phase);
  void mbarrierObserved(const Warp &warp, uint32_t rank, uint32_t address);
  /// The agent and epoch of a copy that will signal the barrier's phase `phase`.
  std::pair<Agent, Epoch> mbarrierCopy(uint32_t rank, uint32_t address, uint64_t phase);
  /// Copies of a warp by cp.async up to `epoch` have landed, which `cp.async.mbarrier.arrive` tells the barrier.
  void mbarrierAfterCopies(const Warp &warp, uint32_t rank, uint32_t address, Epoch epoch);

private:
  struct BarrierState {
    uint32_t rank = 0, address = 0;
    Agent agent = 0;
    Epoch base = 0, last = 0; // epochs are base + phase + 1
    Use init;
    View pending, done;
  };
  struct RegisterState {
    Epoch written = 0, read = 0; // the wgmma that does it
    uint32_t fences = 0;         // of the warp, when an ordinary instruction wrote the register
  };
  struct WgmmaState {
    Epoch issued = 0, waited = 0;
    uint32_t fences = 0;
    std::vector<RegisterState> registers;
    std::vector<uint32_t> pcs; // of the operations in flight, from waited + 1
  };

  uint32_t globalWarp(const Warp &warp) const { return warp.block->clusterRank * warpsPerBlock_ + warp.id; }
  BarrierState &barrier(uint32_t rank, uint32_t address);
  Use useOf(const Warp &warp, const Instr &i, Agent agent, Epoch epoch) const;
  bool report(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, Access access, const Use &other,
              bool otherWrites, bool byUnit, bool fenceOnly);
  struct Touch;
  struct GlobalTouch;
  /// A write that is a race unless it leaves the bytes as they were.
  struct Doubt {
    const std::byte *at = nullptr;
    size_t old = 0, bytes = 0; // what they were: doubtBytes_ from `old`
    uint32_t other = 0;        // number of the use
    uint64_t address = 0;
    uint32_t lane = 0;
    bool otherWrites = false;
  };
  void globalFlag(Warp &warp, uint32_t mask, const uint64_t *addresses, bool acquires, bool releases);
  bool clustersMeet() const;
  GlobalUse globalUse(const Instr &i, Agent agent, Epoch epoch) const;
  std::string blocksOf(uint32_t cluster) const;
  bool globalRange(GlobalTouch &touch, uint64_t address, uint64_t bytes);
  bool globalCell(GlobalTouch &touch, Cell &cell, uint64_t address, uint64_t bytes);
  bool globalConflict(GlobalTouch &touch, uint32_t otherUse, bool otherWrites, uint64_t address, uint64_t bytes);
  bool reportGlobal(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, Access access, uint32_t otherUse,
                    bool otherWrites, bool byUnit);
  bool read(Touch &touch, uint32_t lane, uint32_t address, uint32_t bytes);
  bool write(Touch &touch, uint32_t lane, uint32_t address, uint32_t bytes);
  template <uint32_t N> bool readEasily(Touch &touch, Cell *cells);
  template <uint32_t N> bool writeEasily(Touch &touch, Cell *cells);
  template <uint32_t N>
  bool accessLanes(Touch &touch, uint32_t mask, const uint64_t *addresses, uint32_t bytes, bool reads);
  bool readSlowly(Touch &touch, Cell &cell, uint32_t lane, uint32_t address);
  bool writeSlowly(Touch &touch, Cell &cell, uint32_t lane, uint32_t address);
  bool reportEarlyRead(Warp &warp, uint32_t address, const Use &reader, const Use &copy);
  void noteUnwritten(Warp &warp, const Instr &i, uint32_t lane, uint32_t address);
  /// The warp (over the cluster) whose unit it is; the first of a warpgroup.
  uint32_t ownerOf(Agent agent) const;
  AsyncUnit unitKind(Agent agent) const;
  std::string warpName(uint32_t globalWarp) const;
  Note noteOf(const Use &other, bool otherWrites) const;
  std::string missing(const Warp &warp, const Use &use) const;

  const Grid *grid_ = nullptr;
  uint32_t warps_ = 0, warpsPerBlock_ = 0;
  void sweepShadow() {
    if (!shadow_.sweepWhenLarge())
      return;
    quiet_ = kNoUse + 1;
    ++writes_;
  }

  /// The last matrices that warpgroups have read.
  struct MatrixRead {
    uint64_t matrix = 0, writes = 0; // writes_ then
    Agent agent = 0;
    Epoch epoch = 0;
    uint32_t write = kNoUse; // all of it is from this one
  };
  static constexpr size_t kMatrixReads = 8; // of a warpgroup: a warp often issues some before the next one does

  Shadow shadow_;
  uint64_t writes_ = 0; // to shared memory so far, and sweeps of its shadow
  std::vector<MatrixRead> matrixReads_;
  uint32_t quiet_ = kNoUse + 1; // uses of shared memory below this number are ordered before all that warps do now
  std::vector<View> views_;     // per warp
  std::vector<Epoch> unitEpochs_;
  std::vector<View> named_;
  View cluster_, clusterDone_;
  std::vector<BarrierState> barriers_;
  std::vector<WgmmaState> wgmma_;
  std::unordered_map<uint64_t, View> flags_; // atomics and strong accesses, by address
  size_t lastBarrier_ = 0;
  std::optional<Diagnostic> unwritten_;
  GlobalShadow *global_ = nullptr;
  uint32_t clusterIndex_ = 0;
  uint64_t clusterCount_ = 1;
  /// The last use of a warp that was numbered: what follows at the same place of the snippet is the same use.
  struct LastUse {
    uint32_t number = kNoUse, sweeps = 0, loc = 0;
    GlobalUse use;
    Handler run = nullptr;
  };
  uint32_t numberOf(LastUse &last, const Instr &i, const GlobalUse &use);
  std::vector<LastUse> lastUses_; // per warp: of reads, of writes
  std::vector<Doubt> doubts_;
  std::vector<std::byte> doubtBytes_;
};

} // namespace lanescope::core::emulator
