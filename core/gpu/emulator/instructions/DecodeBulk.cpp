// Asynchronous copies (PTX ISA 9.7.9.25-27): cp.async, cp.async.bulk, cp.async.bulk.tensor, cp.reduce.async.bulk, their
// groups and waits. Data are exact. Times come from the cost model.
#include "core/gpu/emulator/instructions/CopyHandlers.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/AsyncOp.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kLeastImageRank = 3;

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

/// True if the target has the features of copies that `sm_100a` and `sm_100f` add. Baseline targets and sm_120 do not
/// have them.
bool requirePairs(Decoder &d, std::string_view what) {
  if (!d.requireTarget(100, what))
    return false;
  return d.program().machine->pairedCopies ||
         d.fail(Message("{} is for `.target sm_100a`, `sm_100f` and their kin, and this is `{}`", what,
                        d.program().module->target));
}

/// Takes the load mode, which is `.tile` by default. `stored`: the copy goes to global memory and has no offsets.
TmaMode takeMode(Decoder &d, Modifiers &mods, bool stored) {
  if (mods.take(stored ? "im2col_no_offs" : "im2col"))
    return TmaMode::Im2col;
  // Every target since sm_100 loads `.im2col::w` to its own block.
  const bool hasOwn = mods.has({"im2col::w"}) && d.current().opcode.find(".shared::cta") != std::string_view::npos;
  for (TmaMode wide : {TmaMode::Im2colW, TmaMode::Im2colW128})
    if (!stored && mods.take(name(wide)) &&
        (hasOwn ? d.requireTarget(100, text("`.", name(wide), '`')) : requirePairs(d, text("`.", name(wide), '`'))))
      return wide;
  mods.take("tile");
  return TmaMode::Tiled;
}

/// Decodes the offsets of an im2col load. They follow the coordinates in the instruction's list.
bool addOffsets(Decoder &d, TmaMode mode, uint32_t rank, Instr &i) {
  const Operand &offsets = d.operand(3);
  uint32_t wanted = mode == TmaMode::Im2col ? rank - 2 : 2;
  if (offsets.kind != Operand::Kind::Vector || offsets.parts.size() != wanted)
    return d.fail(mode == TmaMode::Im2col ? Message("expected a vector of {} offsets after the mbarrier", wanted)
                                          : "expected `{halo, offset}` after the mbarrier");
  for (const Operand &part : offsets.parts)
    d.program().lists.push_back(d.source(part, 16));
  i.listSize += wanted;
  return !d.failed();
}

constexpr std::string_view kRanks[] = {"1d", "2d", "3d", "4d", "5d"};

uint32_t takeRank(Modifiers &mods) {
  for (uint32_t n = 0; n < std::size(kRanks); ++n)
    if (mods.take(kRanks[n]))
      return n + 1;
  return 0;
}

bool decodePrefetch(Decoder &d, Modifiers &mods, Instr &i) {
  bool tensor = mods.take("tensor"), rows = tensor && mods.take("tile::gather4"), hint = mods.take("L2::cache_hint");
  if (!mods.take("L2") || !mods.take("global"))
    return false;
  i.run = [](Warp &, const Instr &, uint32_t) { return Step::Next; };
  if (!tensor)
    return d.finish(mods, hint ? 3 : 2);
  TmaMode mode = rows ? TmaMode::Tiled : takeMode(d, mods, false);
  uint32_t rank = takeRank(mods);
  if (rank == 0 || (rows && rank != 2) || (rows && !requirePairs(d, "`.tile::gather4`")))
    return false;
  if (mode != TmaMode::Tiled && rank < kLeastImageRank)
    return d.fail("an image has 3 to 5 dimensions");
  return d.finish(mods, 1u + (mode != TmaMode::Tiled) + hint);
}

bool decodeTensor(Decoder &d, Modifiers &mods, Instr &i, ReduceOp reduce) {
  uint32_t rank = takeRank(mods);
  bool toGlobal = mods.take("bulk_group");
  bool fromGlobal = mods.take("mbarrier::complete_tx::bytes");
  bool cluster = mods.take("shared::cluster") && !toGlobal, hasShared = cluster || mods.take("shared::cta");
  bool hasGlobal = mods.take("global");
  bool rows = mods.take(toGlobal ? "tile::scatter4" : "tile::gather4");
  TmaMode mode = rows ? TmaMode::Tiled : takeMode(d, mods, toGlobal);
  bool offsets = mode != TmaMode::Tiled && !toGlobal;
  std::string_view group = mods.takeOne({"cta_group::1", "cta_group::2"});
  std::string_view newer = !rows ? "`.cta_group`" : toGlobal ? "`.tile::scatter4`" : "`.tile::gather4`";
  bool gathersHere = rows && !toGlobal && !cluster && group.empty(); // every target since sm_100 has this form
  if (gathersHere ? !d.requireTarget(100, newer) : (rows || !group.empty()) && !requirePairs(d, newer))
    return false;
  bool multicast = mods.take("multicast::cluster"), hint = mods.take("L2::cache_hint");
  if (rank == 0 || (rows && (rank != 2 || reduce != ReduceOp::None)) || (toGlobal && !group.empty()) ||
      toGlobal == fromGlobal || !hasShared || !hasGlobal || (reduce != ReduceOp::None && !toGlobal) ||
      (multicast && !cluster))
    return false;
  if (!d.finish(mods, (toGlobal ? 2u : 3u) + offsets + multicast + hint))
    return false;
  const Operand &map = d.operand(toGlobal ? 0 : 1), &shared = d.operand(toGlobal ? 1 : 0);
  if (map.kind != Operand::Kind::Address || map.parts.size() != 2 || map.parts[1].kind != Operand::Kind::Vector ||
      map.parts[1].parts.size() != (rows ? 1 + kChosenRows : rank))
    return d.fail(rows ? "expected `[descriptor, {column, row, row, row, row}]`"
                       : "expected `[descriptor, {coordinates}]` with one coordinate per dimension");
  i.imm = d.program().addresses.size();
  Space where = cluster ? Space::SharedCluster : Space::Shared;
  if (!d.addAddress(shared, where) || !d.addAddress(map, Space::Generic) ||
      !d.addAddress(toGlobal ? shared : d.operand(2), group == "cta_group::2" ? Space::SharedCluster : where))
    return false;
  d.sourceList(map.parts[1], Type{TypeKind::Signed, 32, false, "s32"}, i);
  i.access = static_cast<uint8_t>(mode);
  if (mode != TmaMode::Tiled && rank < kLeastImageRank)
    return d.fail("an image has 3 to 5 dimensions");
  if (offsets && !addOffsets(d, mode, rank, i))
    return false;
  if (multicast)
    i.c = d.source(d.operand(3 + offsets), 16);
  i.sub = static_cast<uint8_t>((toGlobal ? kToGlobal : 0) | (rows ? kRows : 0) |
                               (group == "cta_group::2" ? kOfPair : 0) | static_cast<uint8_t>(reduce));
  d.program().pairs |= group == "cta_group::2";
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
  bool masked = mods.take("cp_mask");
  if (masked && (!toGlobal || reduce != ReduceOp::None || !d.requireTarget(100, "`.cp_mask`")))
    return false;
  if (toGlobal == fromGlobal || (fromShared ? hasGlobal || toGlobal : !hasGlobal || cluster == own) ||
      (reduce != ReduceOp::None && !toGlobal && !fromShared) || (multicast && (!cluster || fromShared)) ||
      (toGlobal && cluster))
    return false;
  if (reduce != ReduceOp::None) {
    bool noftz = mods.take("noftz");
    Type type = mods.takeType();
    bool logic = reduce == ReduceOp::And || reduce == ReduceOp::Or || reduce == ReduceOp::Xor;
    bool halfSum = reduce == ReduceOp::Add && (type.isF16() || type.isBf16());
    // PTX ISA, cp.reduce.async.bulk: logic needs b32 or b64, and sums of halves need `.noftz`. Shared memory as the
    // target has a smaller set of types.
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
  if (!d.finish(mods, (toGlobal ? 3u : 4u) + multicast + hint + masked))
    return false;
  const Operand &shared = d.operand(toGlobal ? 1 : 0), &global = d.operand(toGlobal ? 0 : 1);
  i.imm = d.program().addresses.size();
  Space where = cluster ? Space::SharedCluster : Space::Shared;
  if (!d.addAddress(shared, where) || !d.addAddress(global, fromShared ? Space::Shared : Space::Generic) ||
      !d.addAddress(toGlobal ? shared : d.operand(3), where))
    return false;
  if (multicast)
    i.c = d.source(d.operand(4), 16);
  if (masked)
    i.c = d.source(d.operand(3 + hint), 16);
  i.b = d.source(d.operand(2), 32);
  i.sub =
      static_cast<uint8_t>((toGlobal ? kToGlobal : 0) | (fromShared ? kFromShared : 0) | static_cast<uint8_t>(reduce));
  i.cost = cost::kAsyncIssue;
  i.run = &bulkCopy;
  return !d.failed();
}

/// multimem.cp.async.bulk and multimem.cp.reduce.async.bulk, which write the copies of all devices (PTX ISA 9.1).
bool decodeMultimemCopy(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("cp"))
    return false;
  bool reduces = mods.take("reduce");
  if (!mods.take("async") || !mods.take("bulk") || mods.has({"tensor", "prefetch", "commit_group", "wait_group"}) ||
      !mods.has({"bulk_group"}))
    return false;
  ReduceOp op = reduces ? takeReduce(mods) : ReduceOp::None;
  d.program().communicates = true;
  if ((reduces && op == ReduceOp::None) || !decodeBulk(d, mods, i, op))
    return false;
  i.sub |= kSpread;
  return true;
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
    for (int n = 0; n < 3; ++n) // only the third operand is read, which is the barrier
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
  if (d.operandCount() == 4u + hint) { // the size of the source, or a predicate that ignores the source
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
  static const Family family{{"cp", &decodeCp}, {"multimem", &decodeMultimemCopy}};
  return family;
}

} // namespace lanescope::core::emulator
