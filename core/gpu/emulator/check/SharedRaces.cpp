#include "core/gpu/emulator/check/SharedRaces.h"

#include "core/gpu/emulator/check/LaneAddresses.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/HostVectors.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kSharedFlag = 1ull << 63;

/// The lanes that execute the instruction together.
uint32_t togetherIn(const Warp &warp) { return warp.splits[warp.current].mask; }

const std::byte *granuleAt(const Warp &warp, uint32_t rank, uint32_t address) {
  return blockOfRank(*warp.block, rank)->shared.data() + (address - kSharedBase);
}

using EightCells = uint64_t __attribute__((vector_size(64)));

/// Sets a bit of kOdd in `odd` if a number of a cell is outside the limits of allBelow(). Both numbers of the cell are
/// tested at once: the lower one borrows from the upper one only if the lower one is outside, so the result is still
/// right.
constexpr uint64_t kOdd = 0x8000'0000'8000'0000, kBoth = 0x1'0000'0001;
template <class V>
[[gnu::always_inline]] inline void findOdd(V &odd, const V &both, uint32_t end, uint32_t leastWrite) {
  odd |= ((end - 1) * kBoth - both) | (both - uint64_t{leastWrite});
}

constexpr uint64_t kWrites = std::bit_cast<uint64_t>(Cell{UINT32_MAX, 0}); // the bits of a cell that hold its write

bool isAnyOdd(const EightCells &odd) {
  uint64_t any = 0;
  for (int n = 0; n < 8; ++n)
    any |= odd[n];
  return (any & kOdd) != 0;
}

/// A cell is *quiet* if its write and its reads are ordered before everything that follows (allBelow() compares their
/// numbers). If `count` cells (a multiple of eight) are all quiet, keeps their bits in `kept` and sets the others to
/// `fresh`.
LANESCOPE_WIDE bool replaceQuiet(Cell *cells, uint32_t count, uint32_t end, uint32_t leastWrite, uint64_t kept,
                                 uint64_t fresh) {
  EightCells odd = {}, eight;
  for (uint32_t n = 0; n < count; n += 8) {
    std::memcpy(&eight, cells + n, sizeof eight);
    findOdd(odd, eight, end, leastWrite);
  }
  if (isAnyOdd(odd))
    return false;
  for (uint32_t n = 0; n < count; n += 8) {
    std::memcpy(&eight, cells + n, sizeof eight);
    eight = (eight & kept) | fresh;
    std::memcpy(reinterpret_cast<std::byte *>(cells + n), &eight, sizeof eight);
  }
  return true;
}

/// Does what replaceQuiet() does, for 32 cells that are `step` apart.
LANESCOPE_WIDE bool replaceQuietApart(Cell *cells, int64_t step, uint32_t end, uint32_t leastWrite, bool keepsWrites,
                                      uint32_t number) {
  EightCells odd = {};
  const Cell *at = cells;
  for (int l = 0; l < kLanes; l += 8, at += 8 * step) {
    EightCells eight = {at[0].both(),        at[step].both(),     at[2 * step].both(), at[3 * step].both(),
                        at[4 * step].both(), at[5 * step].both(), at[6 * step].both(), at[7 * step].both()};
    findOdd(odd, eight, end, leastWrite);
  }
  if (isAnyOdd(odd))
    return false;
  if (keepsWrites)
    for (int l = 0; l < kLanes; ++l)
      cells[l * step].reads = number;
  else
    for (int l = 0; l < kLanes; ++l)
      cells[l * step] = {number, kNoUse};
  return true;
}

/// Does what replaceQuiet() does, for the cells of 32 granules.
bool replaceQuietEach(Cell *cells, const uint32_t *granules, uint32_t end, uint32_t leastWrite, bool keepsWrites,
                      uint32_t number) {
  uint64_t odd = 0;
  auto at = [&](uint32_t l) -> Cell & { return cells[granules[l]]; };
  for (uint32_t l = 0; l < kLanes; ++l)
    findOdd(odd, at(l).both(), end, leastWrite);
  if (odd & kOdd)
    return false;
  if (keepsWrites)
    for (uint32_t l = 0; l < kLanes; ++l)
      at(l).reads = number;
  else
    for (uint32_t l = 0; l < kLanes; ++l)
      at(l) = {number, kNoUse};
  return true;
}

/// Sets leading cells that equal `old` to `fresh`, eight at a time, up to the first one that differs. Returns how many
/// it has set.
LANESCOPE_WIDE uint32_t replaceAlike(Cell *cells, uint32_t count, uint64_t old, uint64_t fresh) {
  uint32_t n = 0;
  EightCells eight, others = EightCells{} + fresh;
  for (; n + 8 <= count; n += 8) {
    std::memcpy(&eight, cells + n, sizeof eight);
    eight ^= old;
    if (eight[0] | eight[1] | eight[2] | eight[3] | eight[4] | eight[5] | eight[6] | eight[7])
      break;
    std::memcpy(reinterpret_cast<std::byte *>(cells + n), &others, sizeof others);
  }
  return n;
}

/// Does what replaceQuiet() does, eight cells at a time, up to the first cell that is not quiet. Returns how many cells
/// it has replaced.
LANESCOPE_WIDE uint32_t replaceWhileQuiet(Cell *cells, uint32_t count, uint32_t end, uint32_t leastWrite, uint64_t kept,
                                          uint64_t fresh) {
  uint32_t n = 0;
  for (; n + 8 <= count; n += 8) {
    EightCells odd = {}, eight;
    std::memcpy(&eight, cells + n, sizeof eight);
    findOdd(odd, eight, end, leastWrite);
    if (isAnyOdd(odd))
      break;
    eight = (eight & kept) | fresh;
    std::memcpy(reinterpret_cast<std::byte *>(cells + n), &eight, sizeof eight);
  }
  return n;
}

constexpr uint32_t kFour = 4; // cells of an access of 16 bytes
using FourCells = uint64_t __attribute__((vector_size(32)));
using FourPairs = uint32_t __attribute__((vector_size(32))); // alternately a write and a read

/// If all four cells at each address equal `old`, sets them to `fresh`. Otherwise does nothing.
LANESCOPE_WIDE bool replaceFours(Cell *cells, const uint64_t *addresses, uint32_t count, uint32_t shift, uint64_t old,
                                 uint64_t fresh) {
  FourCells odd = {}, four, others = FourCells{} + fresh;
  auto at = [&](uint32_t l) { return cells + (static_cast<uint32_t>(addresses[l] - kSharedBase) >> shift); };
  for (uint32_t l = 0; l < count; ++l) {
    std::memcpy(&four, at(l), sizeof four);
    odd |= four ^ old;
  }
  if (odd[0] | odd[1] | odd[2] | odd[3])
    return false;
  for (uint32_t l = 0; l < count; ++l)
    std::memcpy(reinterpret_cast<std::byte *>(at(l)), &others, sizeof others);
  return true;
}

/// Computes the granules at 32 addresses.
LANESCOPE_WIDE void findGranules(const uint64_t *addresses, uint32_t shift, uint32_t *granules) {
  for (uint32_t l = 0; l < kLanes; ++l)
    granules[l] = static_cast<uint32_t>(addresses[l] - kSharedBase) >> shift;
}

/// Does what replaceFours() does, for the cells at(0), at(1), … It uses no wide vectors, because gathers and scatters
/// would take longer than the loads and stores that they replace.
template <class At> [[gnu::always_inline]] inline bool replaceEach(At at, uint32_t count, Cell old, Cell fresh) {
  constexpr uint32_t kAtOnce = 8;
  uint64_t odd = 0;
  uint32_t whole = count & ~(kAtOnce - 1);
  for (uint32_t from = 0; from < whole; from += kAtOnce)
    for (uint32_t l = from; l < from + kAtOnce; ++l)
      odd |= at(l).both() ^ old.both();
  for (uint32_t l = whole; l < count; ++l)
    odd |= at(l).both() ^ old.both();
  if (odd)
    return false;
  for (uint32_t from = 0; from < whole; from += kAtOnce)
    for (uint32_t l = from; l < from + kAtOnce; ++l)
      at(l) = fresh;
  for (uint32_t l = whole; l < count; ++l)
    at(l) = fresh;
  return true;
}

/// Does what replaceQuiet() does, for the four cells at the address of each lane but one.
LANESCOPE_WIDE bool replaceQuietFours(Cell *cells, const uint64_t *addresses, uint32_t shift, uint32_t end,
                                      uint32_t leastWrite, uint64_t kept, uint64_t fresh) {
  constexpr uint32_t count = kLanes - 1;
  FourPairs odd = {}, pairs, last = FourPairs{} + (end - 1),
            least = {leastWrite, 0, leastWrite, 0, leastWrite, 0, leastWrite, 0};
  auto at = [&](uint32_t l) { return cells + (static_cast<uint32_t>(addresses[l] - kSharedBase) >> shift); };
  for (uint32_t l = 0; l < count; ++l) {
    std::memcpy(&pairs, at(l), sizeof pairs);
    odd |= (last - pairs) | (pairs - least);
  }
  uint32_t any = 0;
  for (uint32_t n = 0; n < 2 * kFour; ++n)
    any |= odd[n];
  if (any >> 31)
    return false;
  for (uint32_t l = 0; l < count; ++l) {
    FourCells four;
    std::memcpy(&four, at(l), sizeof four);
    four = (four & kept) | fresh;
    std::memcpy(reinterpret_cast<std::byte *>(at(l)), &four, sizeof four);
  }
  return true;
}

} // namespace

void SharedRaces::begin(uint32_t blocks, uint32_t bytes) {
  shadow_.begin(blocks, bytes);
  quiet_ = fenced_ = kNoUse + 1;
  generic_.clear();
  matrixReads_.assign((size_t(order_.warps()) + 3) / 4 * kMatrixReads, MatrixRead{});
  unwritten_.reset();
  doubts_.clear();
  tears_.clear();
  unfenced_.clear();
  mbarriers_.clear();
}

void SharedRaces::allOrdered(const View &barrier) {
  if (!tears_.empty()) // a reader of torn bytes must always be checked
    return;
  quiet_ = shadow_.next();
  if (barrier.fenced.covers(generic_))
    fenced_ = quiet_;
}

/// One access by a lane or an asynchronous unit, with the last cells that were compared with it. Adjacent cells are
/// usually equal.
struct SharedRaces::Touch : Accessor {
  static constexpr Agent kNoAgent = UINT16_MAX;

  const Ordering &ordering;
  Use me;
  uint32_t rank = 0;    // the block whose memory is accessed
  bool updates = false; // `atom` and `red`: lanes need no order among their updates

  Touch(Ordering &order, Warp &of, const Instr &instr, const Use &use, uint32_t blockRank, bool unit)
      : Accessor(order, of, instr, unit), ordering(order), me(use), rank(blockRank) {
    if (!unit && order.hasCopyWaits(warpAgent))
      waitedCopies = order.unitOf(of, AsyncUnit::CpAsync);
  }

  bool fencesReads = false; // a fence is needed between ordinary reads and this access
  bool notes = true;        // reads of unwritten memory are recorded
  uint32_t number = kNoUse; // the number of `me` among the uses, if it writes
  uint32_t okWrite = kNoUse, okReads = kNoUse, oldReads = kNoUse, newReads = kNoUse;
  // For an access to a row: the bytes of one lane; the lane at an address follows from it.
  uint32_t rowStart = 0, rowBytes = 0;
  const uint32_t *granules = nullptr; // one per lane, if each lane accesses one whole granule
  uint32_t quiet = 0;                 // SharedRaces::quiet_, or fenced_ for a unit's access
  uint32_t quietReads = kNoUse;       // the use that replaces quiet readers (replaceQuiet())
  uint32_t writers = 0;               // number of different writes that readSlowly() has found
  Agent waitedCopies = kNoAgent;      // the warp's own cp.async copies, if a wait for them may not count for all lanes
  // `torn` is the write that replaces `number` in cells whose write was `tornBefore`.
  uint32_t torn = kNoUse, tornBefore = kNoUse;
  uint32_t below = kNoUse, over = kNoUse; // numberOver(): the plain write, and the number of the strong write over it
  uint32_t laneAt(uint32_t lane, uint32_t address) const { return rowBytes ? (address - rowStart) / rowBytes : lane; }
  /// True if a lane that made the use `other` may differ from the lanes that this access is ordered after. `other` is
  /// ordered before the access as a whole.
  bool mayPart(const Use &other) const {
    return other.lanes != LaneMaps::kUnknown &&
           (other.agent == warpAgent ? other.epoch > synchronised
                                     : !view.apart.empty() || other.agent == waitedCopies) &&
           !(me.atomic && other.atomic &&
             (other.agent != warpAgent || byUnit || updates || ordering.isReduction(other.pc)));
  }
  bool ordered(const Use &other) const { return comesAfter(other.agent, other.epoch) || (me.atomic && other.atomic); }
};

/// Compares the lanes of an access with the lane that issued an earlier `cp.async`. The lane's wait, or its arrival at
/// an mbarrier, counts for its own copies alone (PTX ISA, `cp.async.wait_group`, `cp.async.mbarrier.arrive`).
LaneOrder SharedRaces::compareCopy(const Touch &t, const Use &copy, uint32_t lane, uint32_t address) const {
  const LaneMaps &maps = shadow_.lanes();
  uint32_t by = maps.lanesAt(copy.lanes, address);
  if (copy.agent != t.waitedCopies)
    return (by & ~t.view.lanesBefore(copy.agent, copy.epoch)) == 0 ? LaneOrder::Alike : LaneOrder::Unordered;
  const Ordering::CopyWait *wait = order_.copyWait(t.warpAgent, by, copy.epoch);
  if (!wait)
    return LaneOrder::Alike;
  bool together = maps.isCollective(t.me.lanes);
  uint32_t users = together ? t.warp.live : lane < kLanes ? 1u << lane : 0;
  const WarpLanes &warp = order_.lanesOf(t.warpAgent);
  if ((users & ~by) == 0 || warp.isOrdered(users, by, wait->at))
    return LaneOrder::Ordered;
  return together || warp.inStep(users, by, wait->lanes, wait->at) ? LaneOrder::InStep : LaneOrder::Unordered;
}

LaneOrder SharedRaces::compareLanes(const Touch &t, const Use &other, bool otherWrites, uint32_t lane,
                                    uint32_t address) {
  if (order_.kindOf(other.agent) == AsyncUnit::CpAsync)
    return compareCopy(t, other, lane, address);
  const LaneMaps &maps = shadow_.lanes();
  bool collective = maps.isCollective(other.lanes), mine = other.agent == t.warpAgent;
  const WarpLanes &warp = order_.lanesOf(t.warpAgent);
  bool together = !t.byUnit && maps.isCollective(t.me.lanes);
  // A warp executes `ldmatrix` and `stmatrix` as one. If lanes update one place by atomics, each update counts.
  bool reduces = otherWrites && other.atomic && order_.isReduction(other.pc);
  if (mine && !t.byUnit && ((!reduces && maps.areAlike(other.lanes, t.me.lanes)) || (collective && together)))
    return LaneOrder::Alike;
  uint32_t before = mine ? 0 : t.view.lanesBefore(other.agent, other.epoch);
  if (before == kAllLanes)
    return LaneOrder::Alike;
  uint32_t of = maps.lanesAt(other.lanes, address);
  if (!mine)
    return (of & ~before) == 0          ? LaneOrder::Ordered
           : otherWrites && !collective ? LaneOrder::Unordered
                                        : LaneOrder::InStep;
  // If several lanes wrote one place in one instruction, they wrote the same value, or the value that remained is
  // undefined. If several lanes read it, a write of one of them has to come after all of these reads.
  uint32_t others = lane < kLanes ? of & ~(1u << lane) : of;
  if (!t.byUnit && !collective && others != of && (others == 0 || (otherWrites && !reduces)))
    return LaneOrder::Ordered;
  if (isTmemAllocation(other)) // the warp may read the allocation's result at once
    return LaneOrder::Alike;
  uint32_t by = together ? t.warp.live : lane == kNone ? 0 : 1u << lane;
  if (warp.isOrdered(by, of, other.epoch))
    return LaneOrder::Ordered;
  if (t.byUnit) // either each lane has fenced what it wrote, or one lane has fenced all of it
    return otherWrites && !collective && other.epoch > warp.fenced ? LaneOrder::Unordered : LaneOrder::InStep;
  const bool inStep = collective || together || warp.inStep(by, of, maps.together(other.lanes), other.epoch);
  // Lanes that have parted may signal each other by volatile and relaxed accesses.
  if (t.me.atomic && other.atomic && (!inStep || (of & ~togetherIn(t.warp)) != 0))
    return LaneOrder::Ordered;
  return inStep ? LaneOrder::InStep : LaneOrder::Unordered;
}

/// Handles a few cells at once if all of them have the same history as the last compared cell, or if all are quiet.
template <uint32_t N> [[gnu::always_inline]] inline bool SharedRaces::readEasily(Touch &t, Cell *cells) {
  if (t.okWrite && t.newReads && replaceAll<N>(cells, {t.okWrite, t.oldReads}, {t.okWrite, t.newReads}))
    return true;
  if (!t.quiet || !allBelow(cells, N, t.quiet, kNoUse + 1))
    return false;
  if (!t.quietReads) [[unlikely]]
    t.quietReads = shadow_.add(t.me);
  for (uint32_t n = 0; n < N; ++n)
    cells[n].reads = t.quietReads;
  return true;
}

template <uint32_t N> [[gnu::always_inline]] inline bool SharedRaces::writeEasily(Touch &t, Cell *cells) {
  if (replaceAll<N>(cells, {t.okWrite, t.okReads}, {t.number, kNoUse}))
    return true;
  if (!t.quiet || !allBelow(cells, N, t.quiet, kNoUse))
    return false;
  for (uint32_t n = 0; n < N; ++n)
    cells[n] = {t.number, kNoUse};
  return true;
}

constexpr uint32_t kFew = 8; // how many cells are compared at once

bool SharedRaces::read(Touch &t, uint32_t lane, uint32_t address, uint32_t bytes) {
  Cell *cells = shadow_.cells(t.rank, address - kSharedBase);
  for (uint32_t n = 0, count = shadow_.count(bytes); n < count;) {
    if (t.okWrite && t.newReads)
      n += replaceAlike(cells + n, count - n, Cell{t.okWrite, t.oldReads}.both(), Cell{t.okWrite, t.newReads}.both());
    if (n == count)
      break;
    if (n + kFew <= count && readEasily<kFew>(t, cells + n)) {
      n += kFew;
      if (t.quietReads)
        n += replaceWhileQuiet(cells + n, count - n, t.quiet, kNoUse + 1, kWrites, Cell{0, t.quietReads}.both());
      continue;
    }
    Cell before = cells[n];
    if (!readEasily<1>(t, cells + n) && !readSlowly(t, cells[n], lane, address + shadow_.offsetOf(n)))
      return false;
    Cell now = cells[n];
    bool alike = before.write != kNoUse && (before.write == t.okWrite || before.write < t.quiet);
    for (++n; n < count && alike && cells[n].both() == before.both();) // neighbours with the same history
      cells[n++] = now;
  }
  return true;
}

bool SharedRaces::write(Touch &t, uint32_t lane, uint32_t address, uint32_t bytes) {
  Cell *cells = shadow_.cells(t.rank, address - kSharedBase);
  for (uint32_t n = 0, count = shadow_.count(bytes); n < count;) {
    n += replaceAlike(cells + n, count - n, Cell{t.okWrite, t.okReads}.both(), Cell{t.number, kNoUse}.both());
    if (n + kFew <= count && writeEasily<kFew>(t, cells + n)) {
      n += kFew;
      if (t.quiet)
        n += replaceWhileQuiet(cells + n, count - n, t.quiet, kNoUse, 0, Cell{t.number, kNoUse}.both());
      continue;
    }
    for (uint32_t end = std::min(count, n + kFew); n < end; ++n) {
      if (!writeEasily<1>(t, cells + n) && !writeSlowly(t, cells[n], lane, address + shadow_.offsetOf(n)))
        return false;
      cells[n] = {numberOver(t, cells[n].write), kNoUse};
    }
  }
  return true;
}

uint32_t SharedRaces::numberOver(Touch &t, uint32_t before) {
  if (t.torn && before == t.tornBefore)
    return t.torn;
  if (!t.me.atomic || before < t.quiet)
    return t.number;
  uint32_t below = plainOf(before);
  if (below == kNoUse)
    return t.number;
  if (below != t.below) {
    Use use = t.me;
    use.rest = below;
    t.below = below;
    t.over = shadow_.add(use);
  }
  return t.over;
}

/// Handles one granule as read() or write() does, after readEasily() or writeEasily() has failed.
template <bool kReads> bool SharedRaces::accessOne(Touch &t, uint32_t lane, uint32_t address) {
  Cell &cell = *shadow_.cells(t.rank, address - kSharedBase);
  if (kReads)
    return readSlowly(t, cell, lane, address);
  if (!writeSlowly(t, cell, lane, address))
    return false;
  cell = {numberOver(t, cell.write), kNoUse};
  return true;
}

[[gnu::always_inline]] inline void SharedRaces::addQuiet(const Warp &warp, const Instr &i, uint32_t lanes, bool reads) {
  auto w = static_cast<Agent>(order_.numberOf(warp));
  Epoch epoch = order_.touchAll(w);
  Use &me = shadow_.fresh();
  me.agent = w;
  me.epoch = epoch;
  me.pc = order_.pcOf(i);
  me.lanes = lanes;
  generic_.raise(w, epoch);
  writes_ += !reads;
}

/// An access in which each lane accesses one granule. If all cells are quiet, gives the granules the number of the next
/// use. Otherwise does nothing and returns false.
bool SharedRaces::accessQuietGranules(uint32_t rank, const uint32_t *granules, bool reads) {
  Cell *cells = shadow_.cells(rank, 0);
  // The other cells usually equal the first one, so a test of the first one fails early.
  const Cell &first = cells[granules[0]];
  uint32_t number = shadow_.next();
  return first.write < quiet_ && first.reads < quiet_ &&
         replaceQuietEach(cells, granules, quiet_, reads ? kNoUse + 1 : kNoUse, reads, number);
}

/// N: the number of cells per lane; 0: not known at compile time.
template <uint32_t N, bool kReads>
bool SharedRaces::accessLanes(Touch &t, uint32_t mask, const uint64_t *addresses, uint32_t bytes) {
  for (uint32_t left = mask; left; left &= left - 1) {
    auto l = static_cast<uint32_t>(std::countr_zero(left));
    auto address = static_cast<uint32_t>(addresses[l]);
    bool easy = false;
    if constexpr (N > 0) {
      Cell *cells = shadow_.cells(t.rank, address - kSharedBase);
      easy = kReads ? readEasily<N>(t, cells) : writeEasily<N>(t, cells);
    }
    if (!easy && !(N == 1   ? accessOne<kReads>(t, l, address)
                   : kReads ? read(t, l, address, bytes)
                            : write(t, l, address, bytes)))
      return false;
    if ((N == kFour || N == 1) && l == 0 && mask == kAllLanes && restIsAlike<N, kReads>(t, addresses))
      return true; // the other lanes' cells have been set, as the first lane's
  }
  return true;
}

/// Handles the lanes after the first one, N cells each, if their cells have the same history as the first lane's cells
/// had.
template <uint32_t N, bool kReads> bool SharedRaces::restIsAlike(Touch &t, const uint64_t *addresses) {
  auto both = [](uint32_t write, uint32_t readers) { return Cell{write, readers}.both(); };
  auto shift = static_cast<uint32_t>(std::countr_zero(shadow_.granule()));
  Cell *cells = shadow_.cells(t.rank, 0);
  bool alike = kReads ? t.okWrite && t.newReads : t.okWrite || t.okReads;
  if (alike) {
    Cell old{t.okWrite, kReads ? t.oldReads : t.okReads};
    Cell fresh = kReads ? Cell{t.okWrite, t.newReads} : Cell{t.number, kNoUse};
    if (N != 1)
      return replaceFours(cells, addresses + 1, kLanes - 1, shift, old.both(), fresh.both());
    Cell &first = cells[t.granules[0]];
    first = old; // comparing all 32 takes fewer steps than comparing 31
    if (replaceEach([&](uint32_t l) -> Cell & { return cells[t.granules[l]]; }, kLanes, old, fresh))
      return true;
    first = fresh;
    return false;
  }
  if (N == 1 || !t.quiet || (kReads && !t.quietReads)) // quiet cells, one per lane, have already been handled
    return false;
  return replaceQuietFours(cells, addresses + 1, shift, t.quiet, kReads ? kNoUse + 1 : kNoUse, kReads ? kWrites : 0,
                           both(kReads ? 0 : t.number, kReads ? t.quietReads : kNoUse));
}

bool SharedRaces::readSlowly(Touch &t, Cell &cell, uint32_t lane, uint32_t address) {
  lane = t.laneAt(lane, address);
  t.writers += cell.write == kNoUse || cell.write != t.okWrite;
  if (cell.write == kNoUse) {
    if (t.notes)
      noteUnwritten(t.warp, t.i, lane, address);
  } else if (cell.write != t.okWrite) {
    // If several writes left the same bytes, it is enough to be ordered after one of them.
    const Use *write = &shadow_.use(cell.write);
    if (t.me.atomic && write->atomic && !t.mayPart(*write)) // strong accesses need no order among themselves
      if (uint32_t below = plainOf(cell.write); below != kNoUse)
        write = &shadow_.use(below);
    if (write->torn)
      return (!t.byUnit && isDeadRead(order_.pcOf(t.i))) || reportTorn(cell.write);
    auto isFenced = [&] {
      return !t.byUnit || write->asyncProxy || t.view.fenced.covers(write->agent, write->epoch) ||
             order_.isStrict(StrictForm::GlobalProxy); // the strict form GlobalProxy checks only global memory
    };
    auto lanesOf = [&] { return t.mayPart(*write) ? compareLanes(t, *write, true, lane, address) : LaneOrder::Alike; };
    while (write->rest && !write->atomic && !(t.ordered(*write) && isFenced() && lanesOf() <= LaneOrder::Ordered))
      write = &shadow_.use(write->rest);
    const Use &other = *write;
    bool ordered = t.ordered(other), fenced = isFenced();
    LaneOrder lanes = ordered ? lanesOf() : LaneOrder::Alike;
    if ((!ordered || lanes > LaneOrder::Ordered) && !t.byUnit && isDeadRead(order_.pcOf(t.i)))
      return true;
    // If the fence is missing as well, only the fence is reported. It needs a barrier after it, and that barrier then
    // also orders the lanes.
    if (lanes > LaneOrder::Ordered && (lanes == LaneOrder::Unordered || fenced) &&
        !reportLanes({.warp = t.warp,
                      .i = t.i,
                      .lane = lane,
                      .address = address,
                      .other = other,
                      .otherWrites = true,
                      .lanes = lanes}))
      return false;
    if (ordered && !fenced && isCopyForTensorCore(t.me, other)) {
      if (!reportUnfencedCopy(t.warp, t.i, other))
        return false;
    } else if (std::optional<bool> together = ordered ? std::nullopt : inWarpgroup(t.warp, t.me, other, address)) {
      if (!*together)
        return false;
    } else if (std::optional<bool> narrow =
                   ordered ? std::nullopt : behindNarrow(t, lane, address, Access::Read, other, true)) {
      if (!*narrow)
        return false;
    } else if (ordered && !fenced && isTmemAddress(cell)) { // only tcgen05.alloc has written the word
      noteUnwritten(t.warp, t.i, lane, address);
    } else if (!ordered || !fenced) {
      return report({.warp = t.warp,
                     .i = t.i,
                     .lane = lane,
                     .address = address,
                     .other = other,
                     .otherWrites = true,
                     .byUnit = t.byUnit,
                     .fenceOnly = ordered});
    }
    if (lanes == LaneOrder::Alike)
      t.okWrite = cell.write;
  }
  if (cell.reads != t.oldReads || !t.newReads) {
    if (cell.reads == t.newReads && t.newReads)
      return true;
    t.oldReads = cell.reads;
    t.newReads = shadow_.addReader(cell.reads, t.me, t.view.seen, t.synchronised);
  }
  cell.reads = t.newReads;
  return true;
}

bool SharedRaces::writeSlowly(Touch &t, Cell &cell, uint32_t lane, uint32_t address) {
  lane = t.laneAt(lane, address);
  // A warp's plain write: its bytes can be compared right after the instruction.
  bool mayDoubt = !t.byUnit && !t.me.atomic;
  auto doubt = [&](const Use &other, bool otherWrites, LaneOrder lanes = LaneOrder::Alike) {
    Doubt one{t.rank, address, lane, {}, other, otherWrites, lanes, cell};
    std::memcpy(one.old.data(), granuleAt(t.warp, t.rank, address), shadow_.granule());
    doubts_.push_back(one);
  };
  auto clash = [&](const Use &other, bool otherWrites, LaneOrder lanes = LaneOrder::Alike) {
    return Clash{t.warp, t.i, lane, address, Access::Write, other, otherWrites, t.byUnit, false, lanes};
  };
  if (cell.write != t.okWrite && cell.write != t.number) {
    const Use *other = &shadow_.use(cell.write); // the first write that is not ordered before this one
    const bool keepsBelow = t.me.atomic && plainOf(cell.write) != kNoUse; // numberOver() differs from t.number
    auto lanesOf = [&] { return t.mayPart(*other) ? compareLanes(t, *other, true, lane, address) : LaneOrder::Alike; };
    while (other->rest && t.ordered(*other) && lanesOf() <= LaneOrder::Ordered)
      other = &shadow_.use(other->rest);
    LaneOrder lanes = cell.write != kNoUse && t.ordered(*other) ? lanesOf() : LaneOrder::Alike;
    if (lanes > LaneOrder::Ordered) {
      if (mayDoubt) {
        doubt(*other, true, lanes);
        return true;
      }
      if (!reportLanes(clash(*other, true, lanes)))
        return false;
    } else if (cell.write != kNoUse && !t.ordered(*other)) {
      bool bothCopies = t.fencesReads && other->asyncProxy && !other->atomic &&
                        order_.kindOf(t.me.agent) == AsyncUnit::Mbarrier &&
                        order_.kindOf(other->agent) == AsyncUnit::Mbarrier;
      if (std::optional<bool> narrow = behindNarrow(t, lane, address, Access::Write, *other, true)) {
        if (!*narrow)
          return false;
        if (!keepsBelow)
          t.okWrite = cell.write;
      } else if (bothCopies) {
        tear(t, cell.write, lane, address, *other);
      } else if (!mayDoubt || order_.kindOf(other->agent) != AsyncUnit::Warp) {
        return report(clash(*other, true));
      } else {
        doubt(*other, true);
        return true; // the readers before it have read the same bytes, or there is a race in any case
      }
    } else if (lanes == LaneOrder::Alike && !keepsBelow) {
      t.okWrite = cell.write;
    }
  }
  if (cell.reads != t.okReads) {
    bool alike = true; // true as long as the order is the same for all lanes of the readers
    for (uint32_t r = cell.reads; r; r = shadow_.use(r).rest) {
      const Use &other = shadow_.use(r);
      if (t.ordered(other)) {
        if (t.fencesReads && !other.asyncProxy && !t.view.fenced.covers(other.agent, other.epoch) &&
            !isTmemAddress(cell) && !reportUnfencedOverwrite(t.warp, t.i, lane, address, other))
          return false;
        LaneOrder lanes = t.mayPart(other) ? compareLanes(t, other, false, lane, address) : LaneOrder::Alike;
        alike = alike && lanes == LaneOrder::Alike;
        if (lanes <= LaneOrder::Ordered || isDeadRead(other.pc))
          continue;
        if (mayDoubt && cell.write != kNoUse)
          doubt(other, false, lanes);
        else if (!reportLanes(clash(other, false, lanes)))
          return false;
        continue;
      }
      AsyncUnit unit = order_.kindOf(other.agent);
      if (unit == AsyncUnit::Warp && isDeadRead(other.pc))
        continue;
      if (std::optional<bool> narrow = behindNarrow(t, lane, address, Access::Write, other, false)) {
        if (!*narrow)
          return false;
        continue;
      }
      if (std::optional<bool> together =
              other.epoch > t.warp.wgmma.issued ? inWarpgroup(t.warp, other, t.me, address) : std::nullopt) {
        if (!*together)
          return false;
        if (unwritten_ && unwrittenPc_ == other.pc) // the reader waits for this write
          unwritten_.reset();
        continue;
      }
      if (cell.write == kNoUse && t.byUnit &&
          (unit == AsyncUnit::Warp || unit == AsyncUnit::Wgmma || unit == AsyncUnit::Tensor))
        return reportEarlyRead(t.warp, address, other, t.me);
      if (!mayDoubt || cell.write == kNoUse)
        return report(clash(other, false));
      doubt(other, false);
      return true;
    }
    if (alike)
      t.okReads = cell.reads;
  }
  return true;
}

std::optional<bool> SharedRaces::inWarpgroup(Warp &warp, const Use &reader, const Use &write, uint32_t address) {
  AsyncUnit unit = order_.kindOf(write.agent);
  if (order_.kindOf(reader.agent) != AsyncUnit::Wgmma || (unit != AsyncUnit::Warp && unit != AsyncUnit::CpAsync))
    return std::nullopt;
  uint32_t first = order_.ownerOf(reader.agent), writer = order_.ownerOf(write.agent);
  if (writer < first || writer >= first + 4)
    return std::nullopt;
  const WgmmaQueue &queue =
      blockOfRank(*warp.block, writer / order_.warpsPerBlock())->warps[writer % order_.warpsPerBlock()].wgmma;
  if (queue.issued < reader.epoch) {
    unfenced_.push_back({reader, write, &warp, address});
    return true;
  }
  uint64_t over = queue.issued - queue.ops.size();
  if (reader.epoch <= over)
    return std::nullopt;
  const WgmmaOp &part = queue.ops[reader.epoch - over - 1];
  if ((unit == AsyncUnit::Warp ? part.fenced : part.copied) < write.epoch)
    return std::nullopt;
  return reportWarpgroupOrder(warp, address, reader, write);
}

bool SharedRaces::issueWgmma(Warp &warp, Epoch epoch) {
  const View &view = order_.viewOf(warp);
  bool fine = true;
  std::erase_if(unfenced_, [&](const Unfenced &one) {
    bool mine = order_.ownerOf(one.write.agent) == order_.numberOf(warp) && one.reader.epoch == epoch;
    const Clock &done = order_.kindOf(one.write.agent) == AsyncUnit::Warp ? view.fenced : view.seen;
    if (mine && fine)
      fine = done.covers(one.write.agent, one.write.epoch)
                 ? reportWarpgroupOrder(*one.warp, one.address, one.reader, one.write)
                 : report({.warp = *one.warp,
                           .i = order_.grid().program->code[one.reader.pc],
                           .lane = kNone,
                           .address = one.address,
                           .other = one.write,
                           .otherWrites = true,
                           .byUnit = true,
                           .fenceOnly = true});
    return mine;
  });
  return fine;
}

std::optional<bool> SharedRaces::behindNarrow(const Touch &t, uint32_t lane, uint32_t address, Access access,
                                              const Use &other, bool otherWrites) {
  bool told = access == Access::Read && otherWrites && order_.kindOf(other.agent) == AsyncUnit::Warp;
  if (told || !t.view.narrow.covers(other.agent, other.epoch))
    return std::nullopt;
  return reportNarrowScope(t.warp, t.i, lane, address, access, other, otherWrites);
}

void SharedRaces::tear(Touch &t, uint32_t before, uint32_t lane, uint32_t address, const Use &other) {
  if (t.torn && t.tornBefore == before)
    return;
  const Use &last = shadow_.use(before);
  // `same`: an access that is ordered after this copy is also ordered after `last`.
  bool same = last.agent == t.me.agent && last.epoch <= t.me.epoch;
  Use use = t.me;
  use.torn = true;
  use.rest = same ? last.rest : before;
  tears_.try_emplace(order_.pcOf(t.i), &t.warp, &t.i, lane, address, other);
  t.torn = shadow_.add(use);
  t.tornBefore = before;
}

bool SharedRaces::reportTorn(uint32_t write) {
  const Tear &tear = tears_.at(shadow_.use(write).pc);
  return report({.warp = *tear.warp,
                 .i = *tear.instr,
                 .lane = tear.lane,
                 .address = tear.address,
                 .access = Access::Write,
                 .other = tear.other,
                 .otherWrites = true,
                 .byUnit = true});
}

/// True if the tensor core (`wgmma`, `tcgen05`) reads what `cp.async` wrote.
bool SharedRaces::isCopyForTensorCore(const Use &reader, const Use &write) const {
  AsyncUnit unit = order_.kindOf(reader.agent);
  return order_.kindOf(write.agent) == AsyncUnit::CpAsync && (unit == AsyncUnit::Wgmma || unit == AsyncUnit::Tensor);
}

/// True if the granule holds an address that tcgen05.alloc has written. After the address was read, a copy may
/// overwrite it without a proxy fence: Triton puts tiles there at once, and documents that no fence is needed
/// (facebookexperimental/triton, pull request 1553).
bool SharedRaces::isTmemAddress(const Cell &cell) const {
  return cell.write != kNoUse && !order_.isStrict(StrictForm::AllocatedAddress) &&
         isTmemAllocation(shadow_.use(cell.write));
}

bool SharedRaces::isTmemAllocation(const Use &write) const {
  const Grid &grid = order_.grid();
  return grid.program->tensorMemory && grid.opcodeOf(grid.program->code[write.pc]).starts_with("tcgen05.alloc");
}

uint32_t SharedRaces::again(uint32_t number, uint32_t before) {
  constexpr size_t kMost = 64; // two per warp of a block; beyond that, a missing wait for an older write is not found
  Use use = shadow_.use(number);
  // For each agent, keep its last write, which other writes must be ordered after, and its first write, which readers
  // must be ordered after.
  std::vector<uint32_t> kept;
  uint32_t first = kNoUse;
  size_t own = 0;
  for (uint32_t n = before; n; n = shadow_.use(n).atomic ? kNoUse : shadow_.use(n).rest)
    if (shadow_.use(n).agent != use.agent)
      kept.push_back(n);
    else
      first = n, ++own;
  if (own > 0)
    kept.push_back(first);
  if (kept.size() > kMost)
    return number;
  use.rest = before;
  if (own > 1) {
    use.rest = kNoUse;
    for (size_t n = kept.size(); n-- > 0;) {
      Use copy = shadow_.use(kept[n]);
      copy.rest = use.rest;
      use.rest = shadow_.add(copy);
    }
  }
  return shadow_.add(use);
}

bool SharedRaces::settle(Warp &warp, const Instr &i) {
  bool fine = true;
  uint32_t from = kNoUse, before = kNoUse, now = kNoUse; // adjacent granules are usually equal
  for (const Doubt &doubt : doubts_) {
    const std::byte *bytes = granuleAt(warp, doubt.rank, doubt.address);
    auto differs =
        static_cast<uint32_t>(std::mismatch(bytes, bytes + shadow_.granule(), doubt.old.begin()).first - bytes);
    if (differs < shadow_.granule() || order_.isStrict(StrictForm::EqualWrite)) {
      uint32_t at = doubt.address + (differs < shadow_.granule() ? differs / 4 * 4 : 0);
      const Clash clash{.warp = warp,
                        .i = i,
                        .lane = doubt.lane,
                        .address = at,
                        .access = Access::Write,
                        .other = doubt.other,
                        .otherWrites = doubt.otherWrites,
                        .lanes = doubt.lanes};
      fine = fine && (doubt.lanes == LaneOrder::Alike ? report(clash) : reportLanes(clash));
      continue;
    }
    order_.passEqualWrite();
    // A reader sees the same bytes whichever store came last. A different store must be ordered after both, and after
    // the readers.
    Cell &cell = *shadow_.cells(doubt.rank, doubt.address - kSharedBase);
    if (now == kNoUse || cell.write != from || doubt.before.write != before) {
      from = cell.write;
      before = doubt.before.write;
      now = again(from, before);
    }
    cell = {now, doubt.before.reads};
  }
  doubts_.clear();
  return fine;
}

bool SharedRaces::mayMeetMbarriers(uint32_t rank, uint32_t mask, const uint64_t *addresses, uint32_t bytes) const {
  if (mask != kAllLanes)
    return true;
  Bounds bounds = boundsOf(addresses);
  return mbarriers_.mayBeIn(rank, bounds.lowest, bounds.highest - bounds.lowest + bytes);
}

size_t SharedRaces::findFlags(uint32_t rank, uint32_t mask, const uint64_t *addresses, LaneFlag *flags) {
  size_t count = 0;
  for (uint32_t left = mask; left;) {
    uint64_t address = addresses[std::countr_zero(left)];
    uint32_t lanes = lanesWith(addresses, address);
    flags[count++] = {
        &order_.flagOrVague(kSharedFlag | static_cast<uint64_t>(rank) << 32 | static_cast<uint32_t>(address)),
        lanes & mask};
    left &= ~lanes;
  }
  return count;
}

bool SharedRaces::access(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                         Access access, uint32_t rank) {
  sweepShadow();
  shadow_.fit(bytes); // addresses are multiples of `bytes`
  if (access != Access::Read && !mbarriers_.empty() && mayMeetMbarriers(rank, mask, addresses, bytes))
    for (uint32_t left = mask; left; left &= left - 1)
      if (auto l = static_cast<uint32_t>(std::countr_zero(left));
          mbarriers_.mayBeIn(rank, addresses[l], bytes) && !writeMbarrier(warp, i, l, rank, addresses[l], bytes))
        return false;
  auto w = static_cast<Agent>(order_.numberOf(warp));
  bool orders = access == Access::Atomic || i.strong, reads = access == Access::Read;
  bool collective = i.access == 0; // rows of matrices; the whole warp accesses a single address (`tcgen05.alloc`)
  bool whole = mask == kAllLanes && shadow_.count(bytes) == 1, quiet = false;
  alignas(64) uint32_t granules[kLanes];
  if (whole) {
    findGranules(addresses, static_cast<uint32_t>(std::countr_zero(shadow_.granule())), granules);
    quiet = accessQuietGranules(rank, granules, reads);
  }
  if (quiet && !orders && rank == warp.block->clusterRank) {
    addQuiet(warp, i, shadow_.lanes().add(mask, togetherIn(warp), addresses, bytes, collective), reads);
    return true;
  }
  LaneFlag flags[kLanes]; // one for each different address of the lanes
  size_t flagCount = orders ? findFlags(rank, mask, addresses, flags) : 0;
  std::span<const LaneFlag> known(flags, flagCount);
  Scope scope = i.inBlock ? Scope::Block : Scope::Cluster;
  if (access != Access::Write)
    for (const LaneFlag &one : known)
      order_.acquire(warp, *one.flag, {!i.acquires, scope, true, &i});
  Touch touch(order_, warp, i, order_.useOf(warp, i), rank, false);
  if (rank != warp.block->clusterRank)
    remote_.add(rank, touch.me);
  touch.me.atomic = orders;
  touch.updates = access == Access::Atomic;
  const uint32_t lanes = collective && std::has_single_bit(mask)
                             ? LaneMaps::kUnknown
                             : shadow_.lanes().add(mask, togetherIn(warp), addresses, bytes, collective);
  touch.me.lanes = lanes;
  order_.touch(w, mask);
  touch.quiet = quiet_;
  touch.granules = granules;
  generic_.raise(w, touch.me.epoch);
  writes_ += !reads;
  if (!reads || quiet) { // `touch.me`, built in place as in addQuiet()
    touch.number = shadow_.next();
    Use &me = shadow_.fresh();
    me.agent = w;
    me.atomic = orders;
    me.epoch = order_.lanesOf(w).now;
    me.pc = order_.pcOf(i);
    me.lanes = lanes;
  }
  auto accessLanesOf = [&]<bool kReads>() {
    uint32_t count = shadow_.count(bytes);
    return count == 1   ? accessLanes<1, kReads>(touch, mask, addresses, bytes)
           : count == 4 ? accessLanes<4, kReads>(touch, mask, addresses, bytes)
                        : accessLanes<0, kReads>(touch, mask, addresses, bytes);
  };
  if (!quiet && !(reads ? accessLanesOf.operator()<true>() : accessLanesOf.operator()<false>()))
    return false;
  if (orders && !reads) {
    for (const LaneFlag &one : known)
      order_.release(warp, mask, *one.flag, {!i.releases, scope, true, &i});
    order_.advance(w);
    if (access == Access::Atomic && i.d != kNone)
      for (const LaneFlag &one : known)
        order_.followReleases(warp, one.lanes, *one.flag);
  }
  return true;
}

[[gnu::always_inline]] inline bool SharedRaces::accessQuietRow(Warp &warp, const Instr &i, uint32_t address,
                                                               int64_t stride, uint32_t bytes, bool reads) {
  auto shift = static_cast<uint32_t>(std::countr_zero(shadow_.granule()));
  Cell *cells = shadow_.cells(warp.block->clusterRank, address - kSharedBase);
  uint32_t least = reads ? kNoUse + 1 : kNoUse, number = shadow_.next();
  bool quiet = false;
  if (stride == bytes)
    quiet = replaceQuiet(cells, kLanes * bytes >> shift, quiet_, least, reads ? kWrites : 0,
                         (reads ? Cell{0, number} : Cell{number, kNoUse}).both());
  else if (bytes >> shift == 1)
    quiet = replaceQuietApart(cells, stride >> shift, quiet_, least, reads, number);
  if (!quiet)
    return false;
  addQuiet(warp, i, shadow_.lanes().addRow(togetherIn(warp), address, stride, bytes), reads);
  return true;
}

[[gnu::noinline]] bool SharedRaces::accessRowSlowly(Warp &warp, const Instr &i, uint32_t address, int64_t stride,
                                                    uint32_t bytes, Access access) {
  uint32_t rank = warp.block->clusterRank;
  if (stride != bytes) {
    alignas(64) uint64_t addresses[kLanes];
    for (uint32_t l = 0; l < kLanes; ++l)
      addresses[l] = address + static_cast<uint64_t>(stride) * l;
    return this->access(warp, i, kAllLanes, addresses, bytes, access, rank);
  }
  Touch touch(order_, warp, i, order_.useOf(warp, i), rank, false);
  touch.me.lanes = shadow_.lanes().addRow(togetherIn(warp), address, stride, bytes);
  order_.touch(touch.me.agent, kAllLanes);
  touch.rowStart = address;
  touch.rowBytes = bytes;
  touch.quiet = quiet_;
  generic_.raise(touch.me.agent, touch.me.epoch);
  if (access == Access::Read)
    return read(touch, 0, address, bytes * kLanes);
  ++writes_;
  touch.number = shadow_.add(touch.me);
  return write(touch, 0, address, bytes * kLanes);
}

bool SharedRaces::accessRow(Warp &warp, const Instr &i, uint32_t address, uint32_t bytes, Access access) {
  int64_t stride = warp.row.stride;
  sweepShadow();
  shadow_.fit(bytes);
  if (access != Access::Read && stride != 0 && !mbarriers_.empty()) {
    uint32_t rank = warp.block->clusterRank;
    int64_t span = stride * (kLanes - 1);
    uint64_t from = address + static_cast<uint64_t>(std::min<int64_t>(span, 0)),
             extent = static_cast<uint64_t>(std::abs(span)) + bytes;
    if (mbarriers_.mayBeIn(rank, from, extent) && mbarriers_.in(rank, from, extent))
      for (uint32_t l = 0; l < kLanes; ++l)
        if (!writeMbarrier(warp, i, l, rank, address + static_cast<uint64_t>(stride * l), bytes))
          return false;
  }
  return accessQuietRow(warp, i, address, stride, bytes, access == Access::Read) ||
         accessRowSlowly(warp, i, address, stride, bytes, access);
}

bool SharedRaces::asyncRead(Warp &warp, const Instr &i, const UnitUse &unit, const SharedStretch &place, bool whole) {
  auto [agent, epoch, lane] = unit;
  auto [rank, address, bytes] = place;
  sweepShadow();
  shadow_.fit((address - kSharedBase) | bytes);
  Touch touch(order_, warp, i, order_.useOf(i, agent, epoch), rank, true);
  touch.me.asyncProxy = true;
  touch.notes = whole;
  touch.quiet = fenced_;
  return read(touch, lane, address, bytes);
}

void SharedRaces::sent(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, uint32_t bytes, uint32_t rank) {
  const Cell *cells = shadow_.cells(rank, address - kSharedBase);
  if (!unwritten_ && std::any_of(cells, cells + shadow_.count(bytes), [](const Cell &c) { return c.write == kNoUse; }))
    noteUnwritten(warp, i, lane, address);
}

bool SharedRaces::asyncReadChunks(Warp &warp, const Instr &i, Agent agent, Epoch epoch,
                                  std::span<const uint32_t> addresses, uint32_t rank, uint64_t matrix) {
  sweepShadow();
  Touch touch(order_, warp, i, order_.useOf(i, agent, epoch), rank, true);
  touch.me.asyncProxy = true;
  touch.quiet = fenced_;
  uint32_t count = shadow_.count(16);
  auto readChunk = [&](uint32_t address) {
    Cell *cells = shadow_.cells(rank, address - kSharedBase);
    return (count == 1 && readEasily<1>(touch, cells)) || (count == kFour && readEasily<kFour>(touch, cells)) ||
           read(touch, kNone, address, 16);
  };
  bool fine = addresses.empty() || readChunk(addresses.front());
  if (fine && addresses.size() > 1) {
    std::span<const uint32_t> rest = addresses.subspan(1); // usually the same as for the first one
    auto shift = static_cast<uint32_t>(std::countr_zero(shadow_.granule()));
    Cell *cells = shadow_.cells(rank, 0);
    bool alike = count == 1 && touch.okWrite && touch.newReads &&
                 replaceEach([&](uint32_t n) -> Cell & { return cells[(rest[n] - kSharedBase) >> shift]; },
                             static_cast<uint32_t>(rest.size()), {touch.okWrite, touch.oldReads},
                             {touch.okWrite, touch.newReads});
    fine = alike || std::ranges::all_of(rest, readChunk);
  }
  bool oneWriter = touch.writers == 1 && touch.okWrite && !touch.quietReads, allFenced = touch.writers == 0;
  if (matrix && fine && (oneWriter || allFenced))
    matrixReads_[order_.numberOf(warp) / 4 * kMatrixReads + epoch % kMatrixReads] = {matrix, writes_, agent, epoch,
                                                                                     touch.okWrite};
  return fine;
}

bool SharedRaces::matrixRead(const Warp &warp, Agent agent, Epoch epoch, uint64_t matrix) const {
  const MatrixRead &last = matrixReads_[order_.numberOf(warp) / 4 * kMatrixReads + epoch % kMatrixReads];
  if (last.matrix != matrix || last.writes != writes_ || last.agent != agent || last.epoch != epoch)
    return false;
  if (last.write == kNoUse)
    return true;
  const View &view = order_.viewOf(warp);
  const Use &write = shadow_.use(last.write);
  return view.seen.covers(write.agent, write.epoch) &&
         (write.asyncProxy || view.fenced.covers(write.agent, write.epoch));
}

bool SharedRaces::asyncWrite(Warp &warp, const Instr &i, const UnitUse &unit, const SharedStretch &place,
                             AsyncWrite what) {
  auto [agent, epoch, lane] = unit;
  auto [rank, address, bytes] = place;
  sweepShadow();
  shadow_.fit((address - kSharedBase) | bytes);
  Touch touch(order_, warp, i, order_.useOf(i, agent, epoch), rank, true);
  bool generic = what == AsyncWrite::Generic || what == AsyncWrite::GenericReduction;
  touch.me.atomic = what == AsyncWrite::Reduction || what == AsyncWrite::GenericReduction;
  if (!mbarriers_.empty() && mbarriers_.mayBeIn(rank, address, bytes) &&
      !writeMbarrier(warp, i, lane, rank, address, bytes))
    return false;
  touch.fencesReads = what == AsyncWrite::Copy;
  touch.me.asyncProxy = !generic;
  touch.quiet = fenced_;
  if (generic)
    generic_.raise(agent, epoch);
  if (order_.kindOf(agent) == AsyncUnit::CpAsync)
    touch.me.lanes = shadow_.lanes().addLane(lane, address, bytes);
  if (rank != warp.block->clusterRank)
    remote_.add(rank, touch.me);
  ++writes_;
  touch.number = shadow_.add(touch.me);
  return write(touch, lane, address, bytes);
}

} // namespace lanescope::core::emulator
