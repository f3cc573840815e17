#include "core/gpu/emulator/instructions/CopyHandlers.h"

#include "core/gpu/emulator/async/Async.h"
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/instructions/Im2col.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/sync/Mbarriers.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr std::string_view kRowEndKind = "row-end";

const AddressRef &addressRef(const Warp &warp, const Instr &i, size_t n) {
  return warp.block->grid->program->addresses[i.imm + n];
}

LaneGroups &groupsOf(Warp &warp, uint32_t lane, bool bulk) {
  if (warp.groups.empty())
    warp.groups.resize(64);
  return warp.laneGroups(lane, bulk);
}

/// Adds an operation to the lane's open group. Returns the group's sequence number.
uint64_t joinGroup(Warp &warp, uint32_t lane, bool bulk) {
  LaneGroups &groups = groupsOf(warp, lane, bulk);
  ++groups.open.unfinished;
  ++groups.open.reading;
  return groups.openSequence();
}

/// Gets the window address in address operand n, which includes the rank. The operand's space determines if it may be
/// in another block.
bool windowAddress(Warp &warp, const Instr &i, uint32_t lane, size_t n, AccessedBytes what, uint32_t &out) {
  const AddressRef &ref = addressRef(warp, i, n);
  return sharedAddress(warp, i, lane, addressIn(warp, ref, lane), out, ref.space) &&
         resolve(warp, i, lane, out, ref.space, what) != nullptr;
}

/// Splits address operand n into its block and the address there. Returns false after a fault.
bool sharedPlaceOf(Warp &warp, const Instr &i, uint32_t lane, size_t n, AccessedBytes what, SharedPlace &out) {
  if (!windowAddress(warp, i, lane, n, what, out.address))
    return false;
  uint32_t named = out.address >> kRankShift;
  out.address &= (1u << kRankShift) - 1;
  out.rank = named ? named - kRankBias : warp.block->clusterRank;
  return true;
}

bool sharedSide(Warp &warp, const Instr &i, uint32_t lane, uint32_t bytes, uint32_t align, SharedPlace &out) {
  return sharedPlaceOf(warp, i, lane, 0, {bytes, align, Access::Write}, out);
}

/// Checks that there is an mbarrier to signal. Returns false after a fault.
bool checkBarrier(Warp &warp, const Instr &i, uint32_t lane, const Signal &signal) {
  Block &target = *blockOfRank(*warp.block, signal.rank);
  MbarrierProblem problem;
  if (findMbarrier(target, signal.mbarrier, problem))
    return true;
  fault(warp, i, "mbarrier",
        Message("there is no initialised mbarrier at {place}{} for this copy to signal",
                describeShared(target, signal.mbarrier),
                signal.rank == warp.block->clusterRank ? text() : text(" of ", target.name())),
        lane);
  return false;
}

/// Finds the block of the mbarrier. This is the block `to` that receives the data or, with `.cta_group::2`, either
/// block of its pair.
bool barrierSide(Warp &warp, const Instr &i, uint32_t lane, uint32_t to, Signal &signal, bool ofPair = false) {
  SharedPlace place;
  if (!sharedPlaceOf(warp, i, lane, 2, {8, 8, Access::Atomic}, place))
    return false;
  signal.rank = place.rank;
  signal.mbarrier = place.address;
  if (ofPair ? signal.rank / 2 != to / 2 : signal.rank != to) {
    fault(warp, i, "cluster",
          Message("the data goes to {}, but the mbarrier is in {}; both must be in one {}",
                  blockOfRank(*warp.block, to)->name(), blockOfRank(*warp.block, signal.rank)->name(),
                  ofPair ? "pair of blocks" : "block"),
          lane);
    return false;
  }
  return checkBarrier(warp, i, lane, signal);
}

template <class What> bool issue(Warp &warp, const Instr &i, uint32_t lane, uint32_t bytes, What what) {
  AsyncOp op;
  op.what = std::move(what);
  op.bytes = bytes;
  op.instr = &i;
  op.warp = warp.id;
  op.lane = lane;
  return issueAsync(*warp.block, std::move(op), warp.time);
}

ReduceOp reductionOf(const Instr &i) { return static_cast<ReduceOp>(i.sub & kReduceMask); }

/// The innermost coordinate of narrow elements must be a multiple of these numbers (PTX ISA, "Restriction on Tensor
/// Copy instructions"). They correspond to 16 bytes in each memory.
constexpr uint32_t kPaddedStart = 128, kNarrowStart = 32;

/// Issues a load to one block or, with `.multicast::cluster`, to the same addresses in several blocks. c: the mask of
/// their ranks.
template <class Load>
bool issueLoad(Warp &warp, const Instr &i, uint32_t lane, uint32_t bytes, Load load, bool ofPair = false,
               uint32_t extent = 0) {
  if (!barrierSide(warp, i, lane, load.to.rank, load.signal, ofPair))
    return false;
  if (i.c == kNone)
    return issue(warp, i, lane, bytes, load);
  uint32_t ranks = warp.reg<uint16_t>(i.c)[lane];
  if (ranks == 0) {
    fault(warp, i, "cluster", "the multicast reaches no block: its mask is 0", lane);
    return false;
  }
  for (; ranks; ranks &= ranks - 1) {
    Load copy = load;
    copy.to.rank = static_cast<uint32_t>(__builtin_ctz(ranks));
    copy.signal.rank = ofPair ? (copy.to.rank & ~1u) | (load.signal.rank & 1) : copy.to.rank;
    if (!blockOfRank(*warp.block, copy.to.rank)) {
      fault(warp, i, "cluster",
            Message("the multicast goes to rank {rank}, and the cluster has {blocks} blocks", copy.to.rank,
                    warp.block->cluster->blocks.size()),
            lane);
      return false;
    }
    if (!resolve(warp, i, lane, rankedAddress(copy.to.rank, copy.to.address), Space::SharedCluster,
                 {extent ? extent : bytes, 16, Access::Write}) ||
        !checkBarrier(warp, i, lane, copy.signal) || !issue(warp, i, lane, bytes, copy))
      return false;
  }
  return true;
}

} // namespace

Step bulkCopy(Warp &warp, const Instr &i, uint32_t mask) {
  bool toGlobal = i.sub & kToGlobal;
  const uint32_t *sizes = warp.reg<uint32_t>(i.b);
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint32_t bytes = sizes[l];
    if (bytes % 16 != 0)
      return fault(warp, i, "bulk-copy",
                   Message("the bulk copy has {bytes} bytes; the size must be a multiple of 16", bytes), l);
    if (bytes == 0) // an H200 ignores the addresses in this case, and JAX's kernels rely on that
      continue;
    SharedPlace shared;
    uint64_t global = addressIn(warp, addressRef(warp, i, 1), l);
    if (uint32_t source = 0; i.sub & kFromShared) {
      if (!windowAddress(warp, i, l, 1, {bytes, 16, Access::Read}, source))
        return Step::Fault;
      global = kSharedWindow + source;
    }
    Reduction reduction{static_cast<ReduceOp>(i.sub & kReduceMask), static_cast<layouts::Dtype>(i.access)};
    uint64_t offset = 0;
    bool there = i.sub & kSpread ? resolveSpread(warp, i, l, global, bytes, 16, offset) != nullptr
                                 : resolve(warp, i, l, global, Space::Generic,
                                           {bytes, 16, toGlobal ? Access::Write : Access::Read}) != nullptr;
    if (!there || !sharedSide(warp, i, l, bytes, 16, shared))
      return Step::Fault;
    bool fine = toGlobal              ? issue(warp, i, l, bytes,
                                              BulkStore{shared.address,
                                                        global,
                                                        reduction,
                                                        {joinGroup(warp, l, true)},
                                                        i.c == kNone ? uint16_t{0xFFFF} : warp.reg<uint16_t>(i.c)[l]})
                : i.sub & kFromShared ? issueLoad(warp, i, l, bytes, SharedCopy{global, shared, {}, reduction})
                                      : issueLoad(warp, i, l, bytes, BulkLoad{global, shared, {}});
    if (!fine)
      return Step::Fault;
  }
  return Step::Yield;
}

/// Extends a store or reduction that reaches the end of a row. Measured on an H200: it continues to the next multiple
/// of 16 bytes with the tile's data, while loads end at the array's end. Bytes after the buffer are left out.
void storeWholeChunks(Warp &warp, const Instr &i, uint32_t lane, Tile &tile) {
  constexpr uint32_t kChunk = 16;
  TensorMap &map = tile.map;
  Block &block = *warp.block;
  uint64_t rowBytes = map.sizes[0] * map.elementBytes, behind = -rowBytes % kChunk, end = rowBytes + behind;
  for (int n = 1; n < map.rank; ++n)
    end += (map.sizes[n] - 1) * map.strides[n];
  uint64_t offset = 0;
  const Region *region = behind ? regionOf(*block.grid, map.global, offset) : nullptr;
  if (!region || region->bytes - offset < end || tile.coordinates[0] + int64_t{map.box[0]} <= int64_t(map.sizes[0]))
    return;
  map.sizes[0] += behind / map.elementBytes;
  if (block.checks && isNews(block, kRowEndKind, block.checks->order.pcOf(i)))
    block.findings.push_back(
        findingAt(warp, i, Severity::Note, std::string(kRowEndKind),
                  Message("`{}` stores whole {limit} bytes: {} past the end of each row of {bytes} bytes, too, in {}",
                          block.grid->opcodeOf(i), kChunk, behind, rowBytes, region->name),
                  lane));
}

/// True if the copy must retry later, because the address holds no valid descriptor yet and a warp may still write it.
/// If a warp does, the checker can say which write is not ordered before the copy.
static bool awaitsDescriptor(Warp &warp) {
  constexpr uint32_t kTries = 256;
  Split &split = warp.split();
  if (!warp.block->checks || ++split.idlePolls > kTries)
    return false;
  warp.time += cost::kPoll;
  return true;
}

Step tensorCopy(Warp &warp, const Instr &i, uint32_t mask) {
  bool toGlobal = i.sub & kToGlobal;
  auto mode = static_cast<TmaMode>(i.access);
  const uint32_t named = coordinatesIn(i, mode, toGlobal);
  const uint32_t *coordinates = warp.block->grid->program->lists.data() + i.list;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    Tile tile;
    uint64_t at = addressIn(warp, addressRef(warp, i, 1), l);
    const std::byte *descriptor = resolve(warp, i, l, at, Space::Generic, {kTensorMapBytes, 64, Access::Read});
    if (!descriptor)
      return Step::Fault;
    auto map = decode(descriptor);
    bool global = at >> 56 == 0;
    if (!map && global && mask >> l == mask >> __builtin_ctz(mask) && awaitsDescriptor(warp))
      return Step::Jump;
    warp.split().idlePolls = 0;
    tile.descriptor = global ? at : 0;
    if (!map)
      return fault(warp, i, "tensor-map", "the address of the tensor map is not that of a TMA descriptor", l);
    tile.chosenRows = i.sub & kRows;
    if (map->mode != mode)
      return fault(
          warp, i, "tensor-map",
          Message("the copy has the mode `.{}`, and its descriptor has the mode `.{}`", name(mode), name(map->mode)),
          l);
    if (tile.chosenRows ? map->rank != 2 || map->box[1] != 1 : map->rank != named)
      return fault(
          warp, i, "tensor-map",
          tile.chosenRows
              ? Message("rows are chosen through a descriptor of rank 2 whose box has one row, and this one has "
                        "rank {rank}{}",
                        map->rank, map->rank < 2 ? text() : text(" and ", map->box[1], " rows"))
              : Message("the copy has {count} coordinates, and its descriptor has rank {rank}", named, map->rank),
          l);
    tile.map = *map;
    for (uint32_t n = 0; n < named; ++n) {
      tile.coordinates[n] = static_cast<int32_t>(warp.reg<uint32_t>(coordinates[n])[l]);
      // Measured on an H200: this raises "illegal instruction". Loads may begin before the array, and both loads and
      // stores may end after it.
      if (toGlobal && !tile.chosenRows && tile.coordinates[n] < 0)
        return fault(warp, i, "tensor-map",
                     Message("coordinate {} of this copy to global memory is {}; only loads may begin before the array",
                             n, tile.coordinates[n]),
                     l);
    }
    if (mode != TmaMode::Tiled) {
      std::array<uint16_t, 3> offsets{};
      for (uint32_t n = named; n < i.listSize; ++n)
        offsets[n - named] = warp.reg<uint16_t>(coordinates[n])[l];
      if (std::string problem = placePixels(tile, offsets, toGlobal); !problem.empty())
        return fault(warp, i, "tensor-map", problem, l);
    }
    uint32_t unit = 1; // the innermost coordinate must be a multiple of it
    if (map->format != TmaFormat::Plain) {
      unit = kTmaSixteen;
      bool padded = sizesOf(map->format).padded();
      if (reductionOf(i) != ReduceOp::None || (toGlobal && padded))
        return fault(warp, i, "tensor-map",
                     Message("`{}` copies through a descriptor of type {}{}", warp.block->grid->opcodeOf(i),
                             name(map->format),
                             toGlobal && reductionOf(i) == ReduceOp::None ? ", whose elements it does not pack again"
                                                                          : ", whose elements are not added up"),
                     l);
      if (uint32_t least = padded ? kPaddedStart : kNarrowStart; tile.coordinates[0] % static_cast<int32_t>(least))
        return fault(
            warp, i, "misaligned-access",
            Message(
                "the copy starts at element {} of the innermost dimension; of type {} its start is a multiple of {}",
                tile.coordinates[0], name(map->format), least),
            l);
      tile.map = map->inSixteens();
      tile.coordinates[0] /= static_cast<int32_t>(unit);
    }
    // Measured on an H200: other starts raise "illegal instruction". Triton's guide to TMA has the same rule.
    if (unit == 1 && tile.coordinates[0] * int64_t{map->elementBytes} % 16 != 0)
      return fault(warp, i, "misaligned-access",
                   Message("the copy starts at element {} of the innermost dimension; its start is a multiple of 16 "
                           "bytes there, which is {elements} elements",
                           tile.coordinates[0], 16 / map->elementBytes),
                   l);
    uint32_t rows = tile.chosenRows ? kChosenRows : 1;
    uint32_t bytes = tile.map.boxBytes() * rows, extent = tile.map.boxExtent() * rows;
    ReduceOp reduction = reductionOf(i);
    if (reduction != ReduceOp::None && !canReduce(reduction, map->dtype))
      return fault(warp, i, "tensor-map",
                   Message("`{}` cannot reduce elements of type {dtype}", warp.block->grid->opcodeOf(i),
                           layouts::name(map->dtype)),
                   l);
    SharedPlace shared;
    if (!sharedSide(warp, i, l, extent, 128, shared))
      return Step::Fault;
    if (toGlobal)
      storeWholeChunks(warp, i, l, tile);
    bool fine = toGlobal
                    ? issue(warp, i, l, bytes, TensorStore{shared.address, tile, reduction, {joinGroup(warp, l, true)}})
                    : issueLoad(warp, i, l, bytes, TensorLoad{tile, shared, {}}, i.sub & kOfPair, extent);
    if (!fine)
      return Step::Fault;
  }
  return Step::Yield;
}

Step copyAsync(Warp &warp, const Instr &i, uint32_t mask) {
  const uint32_t *source = i.b == kNone ? nullptr : warp.reg<uint32_t>(i.b);
  // sub: the predicate is negated (`!p`)
  uint32_t ignored = i.c == kNone ? 0 : i.sub ? ~warp.predicate(i.c) : warp.predicate(i.c);
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    CpAsync copy;
    uint32_t bytes = i.access;
    copy.sourceBytes = ignored >> l & 1 ? 0 : source ? source[l] : bytes;
    copy.global = addressIn(warp, addressRef(warp, i, 1), l);
    if (copy.sourceBytes > bytes)
      return fault(
          warp, i, "cp-async",
          Message("`cp.async` copies {bytes} bytes, and its source has {other_bytes}", bytes, copy.sourceBytes), l);
    SharedPlace shared;
    if (!sharedSide(warp, i, l, bytes, bytes, shared) ||
        (copy.sourceBytes &&
         !resolve(warp, i, l, copy.global, Space::Generic, {copy.sourceBytes, bytes, Access::Read})))
      return Step::Fault;
    copy.to = shared.address;
    copy.group = joinGroup(warp, l, false);
    if (!issue(warp, i, l, bytes, copy))
      return Step::Fault;
  }
  return Step::Next;
}

Step arriveAfterCopies(Warp &warp, const Instr &i, uint32_t mask) {
  Block &block = *warp.block;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    CpArrive arrive;
    if (!barrierSide(warp, i, l, block.clusterRank, arrive.signal))
      return Step::Fault;
    if (!i.sub) {
      MbarrierProblem problem;
      Mbarrier *barrier = findMbarrier(block, arrive.signal.mbarrier, problem);
      ++barrier->pending;
      storeImage(block, *barrier);
    }
    AsyncOp op;
    op.what = arrive;
    op.instr = &i;
    op.warp = warp.id;
    op.lane = l;
    op.time = warp.time;
    for (const AsyncOp &other : block.async.all())
      if (std::holds_alternative<CpAsync>(other.what) && other.warp == warp.id && other.lane == l)
        op.time = std::max(op.time, other.time);
    if (!issueAsync(block, std::move(op), warp.time))
      return Step::Fault;
  }
  return Step::Yield;
}

Step commitGroup(Warp &warp, const Instr &i, uint32_t mask) {
  forLanes(mask, [&](uint32_t l) { groupsOf(warp, l, i.sub & kBulkGroup).commit(); });
  return Step::Next;
}

Step waitGroup(Warp &warp, const Instr &i, uint32_t mask) {
  if (warp.groups.empty())
    return Step::Next;
  bool waiting = false;
  forLanes(mask, [&](uint32_t l) {
    LaneGroups &lane = groupsOf(warp, l, i.sub & kBulkGroup);
    auto busy = [&](const LaneGroups::Group &g) { return i.sub & kRead ? g.reading != 0 : g.unfinished != 0; };
    size_t count = lane.groups.size() > i.imm ? lane.groups.size() - i.imm : 0;
    waiting |= std::any_of(lane.groups.begin(), lane.groups.begin() + static_cast<long>(count), busy);
    if (i.sub & kWaitAll)
      waiting |= busy(lane.open);
  });
  if (!waiting) {
    bool fine = groupsWaited(warp, mask,
                             {.bulk = (i.sub & kBulkGroup) != 0,
                              .but = i.imm,
                              .open = (i.sub & kWaitAll) != 0,
                              .read = (i.sub & kRead) != 0});
    return fine ? Step::Next : Step::Fault;
  }
  warp.split().state = SplitState::AtGroup;
  warp.split().waitFor = 0;
  return Step::Blocked;
}

} // namespace lanescope::core::emulator
