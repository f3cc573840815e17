// Cluster launch control (PTX ISA, "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel"): a running
// cluster takes over the blocks of a cluster that has not started. The response is determined at the request, in the
// grid's order of clusters. The async proxy writes it to shared memory. The results are exact, but the schedule
// determines whether a cluster is left, as on the hardware.
#include "core/gpu/emulator/async/Async.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/LaunchResponse.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/sync/Mbarriers.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

enum LaunchSub : uint8_t { kToAll = 1 };

/// addresses: the response and the mbarrier, both in the executing block.
Step tryCancel(Warp &warp, const Instr &i, uint32_t mask) {
  Block &block = *warp.block;
  const Program &program = *block.grid->program;
  if (warp.sawRefusal)
    return fault(warp, i, "launch-response",
                 "this warp has seen that no cluster was left to cancel; what another request does is undefined");
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint32_t to = 0, mbarrier = 0;
    if (!sharedAddress(warp, i, l, addressIn(warp, program.addresses[i.imm], l), to, program.addresses[i.imm].space) ||
        !sharedAddress(warp, i, l, addressIn(warp, program.addresses[i.imm + 1], l), mbarrier,
                       program.addresses[i.imm + 1].space) ||
        !resolve(warp, i, l, to, Space::Shared, {kLaunchResponseBytes, kLaunchResponseBytes, Access::Write}) ||
        !resolve(warp, i, l, mbarrier, Space::Shared, {8, 8, Access::Atomic}))
      return Step::Fault;
    uint32_t first = i.sub & kToAll ? 0 : block.clusterRank;
    uint32_t end = i.sub & kToAll ? static_cast<uint32_t>(block.cluster->blocks.size()) : first + 1;
    for (uint32_t rank = first; rank < end; ++rank) {
      Block &target = *blockOfRank(block, rank);
      if (target.liveWarps == 0)
        return fault(warp, i, "cluster",
                     Message("the response goes to all blocks of the cluster, but {target} has ended", target.name()),
                     l);
      MbarrierProblem problem;
      if (!findMbarrier(target, mbarrier, problem))
        return fault(warp, i, "mbarrier",
                     Message("there is no initialised mbarrier at {place}{} for this response to signal",
                             describeShared(target, mbarrier),
                             rank == block.clusterRank ? text() : text(" of ", target.name())),
                     l);
    }
    LaunchAnswer answer;
    answer.value = encode(takeCluster(*block.grid));
    for (uint32_t rank = first; rank < end; ++rank) {
      answer.to = {rank, to};
      answer.signal.rank = rank;
      answer.signal.mbarrier = mbarrier;
      AsyncOp op;
      op.what = answer;
      op.bytes = kLaunchResponseBytes;
      op.instr = &i;
      op.warp = warp.id;
      op.lane = l;
      if (!issueAsync(block, std::move(op), warp.time))
        return Step::Fault;
    }
  }
  return Step::Yield;
}

/// Reads the response from a register of 128 bits. Returns nothing after a fault.
std::optional<LaunchResponse> responseOf(Warp &warp, const Instr &i, uint32_t lane) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list + (i.listSize - 2);
  std::array<std::byte, kLaunchResponseBytes> value;
  for (int half = 0; half < 2; ++half)
    std::memcpy(value.data() + half * 8, warp.reg<uint64_t>(slots[half]) + lane, 8);
  std::optional<LaunchResponse> response = decodeLaunchResponse(value);
  if (!response)
    fault(warp, i, "launch-response",
          "the register holds no response of `clusterlaunchcontrol.try_cancel`: wait for the mbarrier that announces "
          "it before the load",
          lane);
  return response;
}

Step isCanceled(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t out = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    std::optional<LaunchResponse> response = responseOf(warp, i, l);
    if (!response)
      return Step::Fault;
    out |= static_cast<uint32_t>(response->canceled) << l;
    warp.sawRefusal |= !response->canceled;
  }
  commitPredicate(warp, i.d, out, mask);
  return Step::Next;
}

/// list: the destinations, x first (or only dimension `sub`), and then the two slots of the response.
Step firstBlock(Warp &warp, const Instr &i, uint32_t mask) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  alignas(32) uint32_t out[4][kLanes] = {};
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    std::optional<LaunchResponse> response = responseOf(warp, i, l);
    if (!response)
      return Step::Fault;
    if (!response->canceled)
      return fault(
          warp, i, "launch-response",
          "the response says that no cluster was cancelled, so it has no block; ask `query_cancel.is_canceled` first",
          l);
    for (uint32_t n = 0; n < 3; ++n)
      out[n][l] = response->firstBlock[n];
  }
  uint32_t count = i.listSize - 2;
  for (uint32_t n = 0; n < count; ++n)
    commit(warp, slots[n], out[count == 1 ? i.sub : n], mask);
  return Step::Next;
}

bool decodeTryCancel(Decoder &d, Modifiers &mods, Instr &i) {
  if (!mods.take("async") || !mods.take("mbarrier::complete_tx::bytes"))
    return false;
  bool own = mods.take("shared::cta");
  i.sub = mods.take("multicast::cluster::all") ? kToAll : 0;
  if (mods.takeType().bits != 128 || !d.finish(mods, 2))
    return false;
  if (i.sub == kToAll && !hasOwnFeatures(d.program().module->target))
    return d.fail(Message(
        "`.multicast::cluster::all` is for `.target sm_100a` and others that end in `a` or `f`, and this is `{}`",
        d.program().module->target));
  d.program().communicates = true; // clusters take over each other's work, so they have to run in turns
  d.program().cancelsClusters = true;
  i.imm = d.program().addresses.size();
  i.cost = cost::kAsyncIssue;
  i.run = &tryCancel;
  Space space = own ? Space::Shared : Space::Generic;
  return d.addAddress(d.operand(0), space) && d.addAddress(d.operand(1), space) && !d.failed();
}

bool decodeQuery(Decoder &d, Modifiers &mods, Instr &i) {
  if (mods.take("is_canceled")) {
    if (!mods.take("pred") || mods.takeType().bits != 128 || !d.finish(mods, 2))
      return false;
    i.d = d.predicateDest(d.operand(0));
    i.run = &isCanceled;
    return d.addWide(d.operand(1), false, i);
  }
  std::string_view one = mods.takeOne({"get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"});
  bool all = one.empty() && mods.take("get_first_ctaid") && mods.take("v4");
  if ((one.empty() && !all) || mods.takeType().bits != 32 || mods.takeType().bits != 128 || !d.finish(mods, 2))
    return false;
  const Operand &to = d.operand(0);
  if (all && (to.kind != Operand::Kind::Vector || to.parts.size() != 4))
    return d.fail("`get_first_ctaid.v4` writes four registers");
  i.sub = static_cast<uint8_t>(one.empty() ? 0 : one.back() - 'x');
  i.run = &firstBlock;
  return d.destList(to, 32, i) && d.addWide(d.operand(1), false, i);
}

bool decodeLaunchControl(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool asks = mods.take("try_cancel");
  if (!asks && !mods.take("query_cancel"))
    return false;
  if (!d.requireTarget(100, "`clusterlaunchcontrol`"))
    return false;
  return asks ? decodeTryCancel(d, mods, i) : decodeQuery(d, mods, i);
}

} // namespace

const Family &launchControlFamily() {
  static const Family family{{"clusterlaunchcontrol", &decodeLaunchControl}};
  return family;
}

} // namespace lanescope::core::emulator
