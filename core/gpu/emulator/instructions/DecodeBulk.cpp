// Asynchronous copies (PTX ISA 9.7.9.25-27): cp.async, cp.async.bulk, cp.async.bulk.tensor, cp.reduce.async.bulk, their
// groups and waits. Exact; times are the cost model's.
#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/numbers/Reduce.h"
#include "core/gpu/emulator/schedule/Cluster.h"
#include "core/gpu/emulator/schedule/Deadlock.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

// Program::addresses from Instr::imm: [0] shared side, [1] global side or descriptor, [2] mbarrier.
const AddressRef &addressRef(const Warp &warp, const Instr &i, size_t n) {
  return warp.block->grid->program->addresses[i.imm + n];
}

LaneGroups &groupsOf(Warp &warp, uint32_t lane, bool bulk) {
  if (warp.groups.empty())
    warp.groups.resize(64);
  return warp.groups[(bulk ? 0 : 32) + lane];
}

void joinGroup(Warp &warp, AsyncOp &op, bool bulk) {
  LaneGroups &groups = groupsOf(warp, op.lane, bulk);
  ++groups.open.unfinished;
  ++groups.open.reading;
  op.group = groups.openSequence();
  op.grouped = true;
}

/// The window address of address n, whose space says whether it may be another block's; its rank is kept.
bool windowAddress(Warp &warp, const Instr &i, uint32_t lane, size_t n, uint32_t bytes, uint32_t align, Access access,
                   uint32_t &out) {
  const AddressRef &ref = addressRef(warp, i, n);
  return sharedAddress(warp, i, lane, addressIn(warp, ref, lane), out) &&
         resolve(warp, i, lane, out, ref.space, bytes, align, access) != nullptr;
}

/// The rank of the block that a window address is of; its own address remains.
uint32_t takeRank(const Warp &warp, uint32_t &address) {
  uint32_t named = address >> kRankShift;
  address &= (1u << kRankShift) - 1;
  return named ? named - 1 : warp.block->clusterRank;
}

bool sharedSide(Warp &warp, const Instr &i, uint32_t lane, uint32_t bytes, uint32_t align, AsyncOp &op) {
  if (!windowAddress(warp, i, lane, 0, bytes, align, Access::Write, op.shared))
    return false;
  op.target = takeRank(warp, op.shared);
  return true;
}

/// There is an mbarrier at op.mbarrier of block op.signals; false after a fault.
bool checkBarrier(Warp &warp, const Instr &i, uint32_t lane, const AsyncOp &op) {
  Block &target = *blockOfRank(*warp.block, op.signals);
  MbarrierProblem problem;
  if (findMbarrier(target, op.mbarrier, problem))
    return true;
  fault(warp, i, "mbarrier",
        text("there is no initialised mbarrier at ", describeShared(target, op.mbarrier),
             op.signals == warp.block->clusterRank ? text() : text(" of ", target.name()), " for this copy to signal"),
        lane);
  return false;
}

/// The mbarrier, which is in the block that receives the data, or with `.cta_group::2` in one of its pair.
bool barrierSide(Warp &warp, const Instr &i, uint32_t lane, AsyncOp &op, bool ofPair = false) {
  if (!windowAddress(warp, i, lane, 2, 8, 8, Access::Atomic, op.mbarrier))
    return false;
  op.signals = takeRank(warp, op.mbarrier);
  if (ofPair ? op.signals / 2 != op.target / 2 : op.signals != op.target) {
    fault(warp, i, "cluster",
          text("the data goes to ", blockOfRank(*warp.block, op.target)->name(), ", but the mbarrier is in ",
               blockOfRank(*warp.block, op.signals)->name(), "; both must be in one ",
               ofPair ? "pair of blocks" : "block"),
          lane);
    return false;
  }
  return checkBarrier(warp, i, lane, op);
}

/// Issues a load: to one block, or with `.multicast::cluster` (c: mask of ranks) to the same addresses in each.
bool issueLoad(Warp &warp, const Instr &i, uint32_t lane, AsyncOp op, bool ofPair = false) {
  if (!barrierSide(warp, i, lane, op, ofPair))
    return false;
  if (i.c == kNone)
    return issueAsync(*warp.block, std::move(op), warp.time);
  uint32_t ranks = warp.reg<uint16_t>(i.c)[lane];
  if (ranks == 0) {
    fault(warp, i, "cluster", "a multicast to no block: its mask is 0", lane);
    return false;
  }
  for (; ranks; ranks &= ranks - 1) {
    AsyncOp copy = op;
    copy.target = static_cast<uint32_t>(__builtin_ctz(ranks));
    copy.signals = ofPair ? (copy.target & ~1u) | (op.signals & 1) : copy.target;
    if (!blockOfRank(*warp.block, copy.target)) {
      fault(
          warp, i, "cluster",
          text("a multicast to rank ", copy.target, " of a cluster of ", warp.block->cluster->blocks.size(), " blocks"),
          lane);
      return false;
    }
    if (!resolve(warp, i, lane, rankedAddress(copy.target, copy.shared), Space::SharedCluster, copy.bytes, 16,
                 Access::Write) ||
        !checkBarrier(warp, i, lane, copy) || !issueAsync(*warp.block, std::move(copy), warp.time))
      return false;
  }
  return true;
}

AsyncOp newOp(AsyncKind kind, Warp &warp, const Instr &i, uint32_t lane) {
  AsyncOp op;
  op.kind = kind;
  op.instr = &i;
  op.warp = warp.id;
  op.lane = lane;
  op.target = op.signals = warp.block->clusterRank;
  return op;
}

enum BulkSub : uint8_t { kToGlobal = 0x80, kFromShared = 0x40, kOfPair = 0x20, kRows = 0x10, kReduceMask = 0xF };

Step bulkCopy(Warp &warp, const Instr &i, uint32_t mask) {
  bool toGlobal = i.sub & kToGlobal;
  const uint32_t *sizes = warp.reg<uint32_t>(i.b);
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint32_t bytes = sizes[l];
    if (bytes % 16 != 0)
      return fault(warp, i, "bulk-copy", text("a bulk copy of ", bytes, " bytes; the size must be a multiple of 16"),
                   l);
    bool fromShared = i.sub & kFromShared;
    AsyncOp op = newOp(toGlobal     ? AsyncKind::BulkStore
                       : fromShared ? AsyncKind::SharedCopy
                                    : AsyncKind::BulkLoad,
                       warp, i, l);
    op.bytes = bytes;
    op.global = addressIn(warp, addressRef(warp, i, 1), l);
    if (uint32_t source = 0; fromShared) {
      if (!windowAddress(warp, i, l, 1, bytes, 16, Access::Read, source))
        return Step::Fault;
      op.global = kSharedWindow + source;
    }
    op.reduce = static_cast<ReduceOp>(i.sub & kReduceMask);
    op.reduceType = static_cast<layouts::Dtype>(i.access);
    if (!sharedSide(warp, i, l, bytes, 16, op) ||
        !resolve(warp, i, l, op.global, Space::Generic, bytes, 16, toGlobal ? Access::Write : Access::Read))
      return Step::Fault;
    if (toGlobal)
      joinGroup(warp, op, true);
    if (!(toGlobal ? issueAsync(*warp.block, std::move(op), warp.time) : issueLoad(warp, i, l, std::move(op))))
      return Step::Fault;
  }
  return Step::Yield;
}

Step tensorCopy(Warp &warp, const Instr &i, uint32_t mask) {
  bool toGlobal = i.sub & kToGlobal;
  const uint32_t *coordinates = warp.block->grid->program->lists.data() + i.list;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    AsyncOp op = newOp(toGlobal ? AsyncKind::TensorStore : AsyncKind::TensorLoad, warp, i, l);
    uint64_t at = addressIn(warp, addressRef(warp, i, 1), l);
    const std::byte *descriptor = resolve(warp, i, l, at, Space::Generic, kTensorMapBytes, 64, Access::Read);
    if (!descriptor)
      return Step::Fault;
    auto map = decode(descriptor);
    if (!map)
      return fault(warp, i, "tensor-map", "the address of the tensor map is not that of a TMA descriptor", l);
    op.chosenRows = i.sub & kRows;
    if (op.chosenRows ? map->rank != 2 || map->box[1] != 1 : map->rank != i.listSize)
      return fault(warp, i, "tensor-map",
                   op.chosenRows
                       ? text("rows are chosen through a descriptor of rank 2 whose box has one row, and this "
                              "has rank ",
                              map->rank, map->rank < 2 ? text() : text(" and ", map->box[1], " rows"))
                       : text("a copy with ", i.listSize, " coordinates through a descriptor of rank ", map->rank),
                   l);
    op.map = *map;
    for (uint32_t n = 0; n < i.listSize; ++n)
      op.coordinates[n] = static_cast<int32_t>(warp.reg<uint32_t>(coordinates[n])[l]);
    // Found on an H200, where all other starts raise "illegal instruction"; Triton's guide to TMA has the same rule.
    if (i.listSize > 0 && op.coordinates[0] * int64_t{map->elementBytes} % 16 != 0)
      return fault(warp, i, "misaligned-access",
                   text("the copy starts at element ", op.coordinates[0],
                        " of the innermost dimension; its start is a multiple of 16 bytes there, which is ",
                        16 / map->elementBytes, " elements"),
                   l);
    op.bytes = map->boxBytes() * (op.chosenRows ? kChosenRows : 1);
    op.reduce = static_cast<ReduceOp>(i.sub & kReduceMask);
    if (op.reduce != ReduceOp::None && !canReduce(op.reduce, map->dtype))
      return fault(
          warp, i, "tensor-map",
          text("`", warp.block->grid->opcodeOf(i), "` cannot reduce elements of type ", layouts::name(map->dtype)), l);
    if (!sharedSide(warp, i, l, op.bytes, 128, op))
      return Step::Fault;
    if (toGlobal)
      joinGroup(warp, op, true);
    if (!(toGlobal ? issueAsync(*warp.block, std::move(op), warp.time)
                   : issueLoad(warp, i, l, std::move(op), i.sub & kOfPair)))
      return Step::Fault;
  }
  return Step::Yield;
}

Step copyAsync(Warp &warp, const Instr &i, uint32_t mask) {
  const uint32_t *source = i.b == kNone ? nullptr : warp.reg<uint32_t>(i.b);
  uint32_t ignored = i.c == kNone ? 0 : i.sub ? ~warp.predicate(i.c) : warp.predicate(i.c); // sub: `!p`
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    AsyncOp op = newOp(AsyncKind::CpAsync, warp, i, l);
    op.bytes = i.access;
    op.sourceBytes = ignored >> l & 1 ? 0 : source ? source[l] : i.access;
    op.global = addressIn(warp, addressRef(warp, i, 1), l);
    if (op.sourceBytes > op.bytes)
      return fault(warp, i, "cp-async", text("`cp.async` of ", op.bytes, " bytes from ", op.sourceBytes, " bytes"), l);
    if (!sharedSide(warp, i, l, op.bytes, op.bytes, op) ||
        (op.sourceBytes && !resolve(warp, i, l, op.global, Space::Generic, op.sourceBytes, i.access, Access::Read)))
      return Step::Fault;
    joinGroup(warp, op, false);
    if (!issueAsync(*warp.block, std::move(op), warp.time))
      return Step::Fault;
  }
  return Step::Next;
}

/// cp.async.mbarrier.arrive: arrives when this lane's cp.async so far are done. sub: `.noinc`.
Step arriveAfterCopies(Warp &warp, const Instr &i, uint32_t mask) {
  Block &block = *warp.block;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    AsyncOp op = newOp(AsyncKind::CpArrive, warp, i, l);
    if (!barrierSide(warp, i, l, op))
      return Step::Fault;
    if (!i.sub) {
      MbarrierProblem problem;
      Mbarrier *barrier = findMbarrier(block, op.mbarrier, problem);
      ++barrier->pending;
      storeImage(block, *barrier);
    }
    op.time = warp.time;
    for (const AsyncOp &other : block.async.all())
      if (other.kind == AsyncKind::CpAsync && other.warp == warp.id && other.lane == l)
        op.time = std::max(op.time, other.time);
    if (!issueAsync(block, std::move(op), warp.time))
      return Step::Fault;
  }
  return Step::Yield;
}

enum GroupSub : uint8_t { kRead = 1, kBulkGroup = 2, kWaitAll = 4 };

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
    bool fine = groupsWaited(warp, i.sub & kBulkGroup, mask, i.imm, i.sub & kWaitAll, i.sub & kRead);
    return fine ? Step::Next : Step::Fault;
  }
  warp.split().state = SplitState::AtGroup;
  warp.split().waitFor = 0;
  return Step::Blocked;
}

// --- decoding ------------------------------------------------------------------------------------------------------

bool groupInstruction(Decoder &d, Modifiers &mods, Instr &i, bool bulk) {
  i.sub = bulk ? kBulkGroup : 0;
  if (mods.take("commit_group")) {
    i.run = &commitGroup;
    return d.finish(mods, 0);
  }
  if (!bulk && mods.take("wait_all")) {
    i.sub |= kWaitAll;
    i.run = &waitGroup;
    return d.finish(mods, 0);
  }
  if (!mods.take("wait_group"))
    return false;
  if (bulk && mods.take("read"))
    i.sub |= kRead;
  i.run = &waitGroup;
  return d.finish(mods, 1) && d.immediate(d.operand(0), i.imm);
}

ReduceOp takeReduce(Modifiers &mods) {
  std::string_view op = mods.takeOne({"add", "min", "max", "and", "or", "xor", "inc", "dec"});
  return op == "add"   ? ReduceOp::Add
         : op == "inc" ? ReduceOp::Inc
         : op == "dec" ? ReduceOp::Dec
         : op == "min" ? ReduceOp::Min
         : op == "max" ? ReduceOp::Max
         : op == "and" ? ReduceOp::And
         : op == "or"  ? ReduceOp::Or
         : op == "xor" ? ReduceOp::Xor
                       : ReduceOp::None;
}

bool decodePrefetch(Decoder &d, Modifiers &mods, Instr &i) {
  while (!mods.takeOne({"tensor", "1d", "2d", "3d", "4d", "5d", "L2", "global", "tile", "L2::cache_hint"}).empty())
    ;
  i.run = [](Warp &, const Instr &, uint32_t) { return Step::Next; };
  return d.finish(mods, 1, 3);
}

bool decodeTensor(Decoder &d, Modifiers &mods, Instr &i, ReduceOp reduce) {
  static constexpr std::string_view kRanks[] = {"1d", "2d", "3d", "4d", "5d"};
  uint32_t rank = 0;
  for (uint32_t n = 0; n < 5 && rank == 0; ++n)
    if (mods.take(kRanks[n]))
      rank = n + 1;
  bool toGlobal = mods.take("bulk_group");
  bool fromGlobal = mods.take("mbarrier::complete_tx::bytes");
  bool cluster = mods.take("shared::cluster") && !toGlobal, hasShared = cluster || mods.take("shared::cta");
  bool hasGlobal = mods.take("global");
  bool rows = mods.take(toGlobal ? "tile::scatter4" : "tile::gather4");
  if (!rows)
    mods.take("tile");
  std::string_view group = mods.takeOne({"cta_group::1", "cta_group::2"});
  std::string_view newer = !rows ? "`.cta_group`" : toGlobal ? "`.tile::scatter4`" : "`.tile::gather4`";
  if ((rows || !group.empty()) && !d.requireTarget(100, newer))
    return false;
  bool multicast = mods.take("multicast::cluster"), hint = mods.take("L2::cache_hint");
  if (rank == 0 || (rows && (rank != 2 || reduce != ReduceOp::None)) || (toGlobal && !group.empty()) ||
      toGlobal == fromGlobal || !hasShared || !hasGlobal || (reduce != ReduceOp::None && !toGlobal) ||
      (multicast && !cluster))
    return false;
  if (!d.finish(mods, (toGlobal ? 2u : 3u) + multicast + hint))
    return false;
  const Operand &map = d.operand(toGlobal ? 0 : 1), &shared = d.operand(toGlobal ? 1 : 0);
  if (map.kind != Operand::Kind::Address || map.parts.size() != 2 || map.parts[1].kind != Operand::Kind::Vector ||
      map.parts[1].parts.size() != (rows ? 1 + kChosenRows : rank))
    return d.fail(rows ? "expected `[descriptor, {column, row, row, row, row}]`"
                       : "expected `[descriptor, {coordinates}]` with one coordinate per dimension");
  i.imm = d.program().addresses.size();
  Space where = cluster ? Space::SharedCluster : Space::Shared;
  if (!d.addAddress(shared, where) || !d.addAddress(map, Space::Generic) ||
      !d.addAddress(toGlobal ? shared : d.operand(2), where))
    return false;
  d.sourceList(map.parts[1], Type{TypeKind::Signed, 32, false, "s32"}, i);
  if (multicast)
    i.c = d.source(d.operand(3), 16);
  i.sub = static_cast<uint8_t>((toGlobal ? kToGlobal : 0) | (rows ? kRows : 0) |
                               (group == "cta_group::2" ? kOfPair : 0) | static_cast<uint8_t>(reduce));
  i.cost = cost::kAsyncIssue;
  i.run = &tensorCopy;
  return !d.failed();
}

bool decodeBulk(Decoder &d, Modifiers &mods, Instr &i, ReduceOp reduce) {
  if (mods.take("prefetch"))
    return decodePrefetch(d, mods, i);
  if (mods.take("tensor"))
    return decodeTensor(d, mods, i, reduce);
  if (groupInstruction(d, mods, i, true))
    return true;
  if (d.failed())
    return false;
  bool toGlobal = mods.take("bulk_group"), fromGlobal = mods.take("mbarrier::complete_tx::bytes");
  bool cluster = mods.take("shared::cluster"), own = mods.take("shared::cta"), hasGlobal = mods.take("global");
  bool fromShared = d.current().opcode.find(".shared::cluster.shared::cta") != std::string_view::npos;
  bool multicast = mods.take("multicast::cluster"), hint = mods.take("L2::cache_hint");
  if (toGlobal == fromGlobal || (fromShared ? hasGlobal || toGlobal : !hasGlobal || cluster == own) ||
      (reduce != ReduceOp::None && !toGlobal && !fromShared) || (multicast && (!cluster || fromShared)) ||
      (toGlobal && cluster))
    return false;
  if (reduce != ReduceOp::None) {
    bool noftz = mods.take("noftz");
    Type type = mods.takeType();
    bool logic = reduce == ReduceOp::And || reduce == ReduceOp::Or || reduce == ReduceOp::Xor;
    bool halfSum = reduce == ReduceOp::Add && (type.isF16() || type.isBf16());
    // PTX ISA, cp.reduce.async.bulk: logic on b32 and b64, sums of halves with `.noftz`, shared memory's own types.
    if (logic != (type.kind == TypeKind::Bits) || halfSum != noftz ||
        (reduce == ReduceOp::Add && type.isSigned() && type.bits == 64) ||
        (fromShared && !(type.isInteger() && (type.bits == 32 || (type.bits == 64 && reduce == ReduceOp::Add)))))
      return false;
    using layouts::Dtype;
    Dtype dtype = type.isF16()      ? Dtype::F16
                  : type.isBf16()   ? Dtype::BF16
                  : type.isF32()    ? Dtype::F32
                  : type.isF64()    ? Dtype::F64
                  : type.bits == 64 ? (type.isSigned() ? Dtype::I64 : Dtype::U64)
                                    : (type.isSigned() ? Dtype::I32 : Dtype::U32);
    if (!canReduce(reduce, dtype))
      return false;
    i.access = static_cast<uint8_t>(dtype);
  }
  if (!d.finish(mods, (toGlobal ? 3u : 4u) + multicast + hint))
    return false;
  const Operand &shared = d.operand(toGlobal ? 1 : 0), &global = d.operand(toGlobal ? 0 : 1);
  i.imm = d.program().addresses.size();
  Space where = cluster ? Space::SharedCluster : Space::Shared;
  if (!d.addAddress(shared, where) || !d.addAddress(global, fromShared ? Space::Shared : Space::Generic) ||
      !d.addAddress(toGlobal ? shared : d.operand(3), where))
    return false;
  if (multicast)
    i.c = d.source(d.operand(4), 16);
  i.b = d.source(d.operand(2), 32);
  i.sub =
      static_cast<uint8_t>((toGlobal ? kToGlobal : 0) | (fromShared ? kFromShared : 0) | static_cast<uint8_t>(reduce));
  i.cost = cost::kAsyncIssue;
  i.run = &bulkCopy;
  return !d.failed();
}

bool decodeCp(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool reduces = mods.take("reduce");
  if (!mods.take("async"))
    return false;
  if (mods.take("bulk")) {
    ReduceOp op = reduces ? takeReduce(mods) : ReduceOp::None;
    d.program().communicates |= reduces;
    return (!reduces || op != ReduceOp::None) && decodeBulk(d, mods, i, op);
  }
  if (reduces)
    return false;
  if (mods.take("mbarrier")) {
    bool noinc = mods.take("arrive") && mods.take("noinc");
    mods.takeOne({"shared", "shared::cta"});
    if (mods.takeType().bits != 64 || !d.finish(mods, 1))
      return false;
    i.sub = noinc;
    i.imm = d.program().addresses.size();
    i.run = &arriveAfterCopies;
    for (int n = 0; n < 3; ++n) // only the third, the barrier, is read
      if (!d.addAddress(d.operand(0), Space::Shared))
        return false;
    return true;
  }
  if (groupInstruction(d, mods, i, false))
    return true;
  std::string_view level = mods.takeOne({"ca", "cg"});
  if (d.failed() || level.empty() || mods.takeOne({"shared", "shared::cta"}).empty() || !mods.take("global"))
    return false;
  mods.takeOne({"L2::64B", "L2::128B", "L2::256B"});
  bool hint = mods.take("L2::cache_hint");
  uint64_t bytes = 0;
  if (!d.finish(mods, 3u + hint, 4u + hint) || !d.immediate(d.operand(2), bytes))
    return false;
  if (level == "cg" ? bytes != 16 : bytes != 4 && bytes != 8 && bytes != 16)
    return d.fail("`cp.async.ca` copies 4, 8 or 16 bytes, `cp.async.cg` 16");
  i.access = static_cast<uint8_t>(bytes);
  i.imm = d.program().addresses.size();
  if (!d.addAddress(d.operand(0), Space::Shared) || !d.addAddress(d.operand(1), Space::Generic))
    return false;
  if (d.operandCount() == 4u + hint) { // the source's bytes, or a predicate that ignores it
    bool negated = false;
    if (const Operand &last = d.operand(3); last.negated || d.widthOf(last) == 1)
      i.c = d.predicate(last, negated);
    else
      i.b = d.source(last, 32);
    i.sub = negated;
  }
  i.cost = cost::kMemoryIssue;
  i.run = &copyAsync;
  return !d.failed();
}

} // namespace

const Family &bulkFamily() {
  static const Family family{{"cp", &decodeCp}};
  return family;
}

} // namespace lanescope::core::emulator
