// Control flow, fences, and instructions that are only hints (PTX ISA 9.7.12, 9.7.13.4, 9.7.19).
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/sync/Divergence.h"
#include "core/gpu/emulator/sync/RegisterPool.h"
#include "core/gpu/emulator/sync/WarpSync.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

bool decodeBra(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  mods.take("uni");
  if (!d.finish(mods, 1))
    return false;
  if (d.operand(0).kind != Operand::Kind::Name)
    return d.fail("`bra` needs a label");
  i.target = d.labelTarget(d.operand(0).name);
  i.cost = cost::kBranch;
  i.run = [](Warp &warp, const Instr &i, uint32_t mask) { return branchLanes(warp, i, mask); };
  return !d.failed();
}

/// brx.idx: each execution splits off the lanes that have one target.
Step branchIndexed(Warp &warp, const Instr &i, uint32_t mask) {
  if (mask == 0)
    return Step::Next;
  const uint32_t *index = warp.reg<uint32_t>(i.a);
  auto first = static_cast<uint32_t>(__builtin_ctz(mask));
  if (index[first] >= i.listSize)
    return fault(warp, i, "branch",
                 Message("`brx.idx` has index {index}, and its list has {} targets", index[first], i.listSize), first);
  uint32_t same = 0;
  forLanes(mask, [&](uint32_t l) { same |= static_cast<uint32_t>(index[l] == index[first]) << l; });
  Instr one = i;
  one.target = warp.block->grid->program->lists[i.list + index[first]];
  uint32_t whole = warp.split().mask;
  if (same == whole)
    return branchLanes(warp, one, same);
  // The other lanes execute this instruction again, because their side of the branch continues at it.
  warp.split().pc -= 1;
  Step step = branchLanes(warp, one, same);
  return step;
}

bool decodeBrx(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("idx"))
    return false;
  mods.take("uni");
  if (!d.finish(mods, 2))
    return false;
  const BranchTargets *targets = d.branchTargets(d.operand(1).name);
  if (!targets || targets->labels.empty())
    return d.fail("`brx.idx` needs a list of targets");
  i.list = static_cast<uint32_t>(d.program().lists.size());
  for (std::string_view label : targets->labels) {
    uint32_t target = d.labelTarget(label);
    d.program().lists.push_back(target);
  }
  i.listSize = static_cast<uint32_t>(targets->labels.size());
  i.target = d.program().lists[i.list];
  i.indexed = true;
  i.a = d.source(d.operand(0), 32);
  i.cost = cost::kBranch;
  i.run = &branchIndexed;
  return !d.failed();
}

bool decodeExit(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  i.ends = true;
  i.run = [](Warp &warp, const Instr &, uint32_t mask) { return exitLanes(warp, mask); };
  return d.finish(mods, 0);
}

/// A trap does not count as a path to the end of the program. So lanes that go round it meet after it.
bool decodeTrap(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  i.run = [](Warp &warp, const Instr &i, uint32_t mask) {
    std::string_view why = warp.block->grid->noteOf(i); // the message that our compiler has recorded
    return fault(warp, i, "trap", Message("the kernel stopped itself with `trap`{}{}", why.empty() ? "" : ": ", why),
                 static_cast<uint32_t>(__builtin_ctz(mask)));
  };
  return d.finish(mods, 0);
}

Step nothing(Warp &, const Instr &, uint32_t) { return Step::Next; }

/// A proxy fence only informs the checker. Accesses run in order here, so the fence changes no result. A fence of one
/// kind of memory does nothing for the other. The checker follows one of the two: shared memory, or global memory with
/// the strict rule for it.
Step proxyFence(Warp &warp, const Instr &i, uint32_t mask) {
  const Grid &grid = *warp.block->grid;
  std::string_view other = grid.form == StrictForm::GlobalProxy ? ".shared" : ".global";
  if (warp.block->checks && grid.opcodeOf(i).find(other) == std::string_view::npos)
    warp.block->checks->order.proxyFence(warp, mask);
  return Step::Next;
}

Step aliasFence(Warp &warp, const Instr &, uint32_t) {
  if (warp.block->checks)
    warp.block->checks->global.aliasFence(warp);
  return Step::Next;
}

enum FenceSub : uint8_t { kFenceScope = 3, kFenceAcquires = 4, kFenceReleases = 8 };

/// sub: FenceScope.
Step publishDescriptors(Warp &warp, const Instr &i, uint32_t) {
  if (warp.block->checks)
    warp.block->checks->maps.released(warp, static_cast<FenceScope>(i.sub));
  return Step::Next;
}
/// The address operand is the descriptor. b: its size in bytes.
Step acquireDescriptors(Warp &warp, const Instr &i, uint32_t mask) {
  if (!warp.block->checks)
    return Step::Next;
  alignas(32) uint64_t addresses[kLanes];
  addressesOf(warp, i, addresses);
  uint64_t last = 0;
  forLanes(mask, [&](uint32_t l) {
    if (addresses[l] != last)
      warp.block->checks->maps.acquired(warp, addresses[l], warp.reg<uint32_t>(i.b)[l], static_cast<FenceScope>(i.sub));
    last = addresses[l];
  });
  return Step::Next;
}

Step memoryFence(Warp &warp, const Instr &i, uint32_t) {
  if (warp.block->checks)
    warp.block->checks->order.fence(warp, {.scope = static_cast<Scope>(i.sub & kFenceScope),
                                           .acquires = (i.sub & kFenceAcquires) != 0,
                                           .releases = (i.sub & kFenceReleases) != 0});
  return Step::Next;
}

Step initFence(Warp &warp, const Instr &, uint32_t) {
  if (warp.block->checks)
    warp.block->checks->order.fenceInits(warp);
  return Step::Next;
}

uint8_t fenceSub(const Modifiers &mods) {
  Scope scope = mods.has({"sys"})         ? Scope::System
                : mods.has({"gpu", "gl"}) ? Scope::Device
                : mods.has({"cluster"})   ? Scope::Cluster
                                          : Scope::Block;
  bool acquires = !mods.has({"release"}), releases = !mods.has({"acquire"});
  return static_cast<uint8_t>(static_cast<int>(scope) | (acquires ? kFenceAcquires : 0) |
                              (releases ? kFenceReleases : 0));
}

/// Takes the parts of a proxy fence (PTX ISA, "membar, fence": `.proxykind`, and the one-directional kinds). Returns
/// false if they make no valid proxy fence.
bool takeProxies(Modifiers &mods, std::string_view async) {
  if (mods.take("alias"))
    return async.empty();
  if (async == "async") {
    mods.takeOne({"global", "shared::cta", "shared::cluster"});
    return true;
  }
  bool releases = mods.take("release");
  if (async == "async::generic")
    return mods.take(releases ? "sync_restrict::shared::cta" : "sync_restrict::shared::cluster") &&
           mods.take("cluster");
  return mods.take("tensormap::generic") && (releases || mods.take("acquire")) &&
         !mods.takeOne({"cta", "cluster", "gpu", "sys"}).empty();
}

/// Takes the parts of a memory fence. Returns false if they make no valid memory fence.
bool takeFence(Modifiers &mods, bool membar) {
  if (membar)
    return !mods.takeOne({"cta", "gl", "sys"}).empty();
  if (mods.take("mbarrier_init"))
    return mods.take("release") && mods.take("cluster");
  std::string_view order = mods.takeOne({"sc", "acq_rel", "acquire", "release"});
  std::string_view part = mods.takeOne({"sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
  std::string_view scope = mods.takeOne({"cta", "cluster", "gpu", "sys"});
  if (!part.empty())
    return order == (part.ends_with("cta") ? "release" : "acquire") && scope == "cluster";
  return !scope.empty();
}

bool decodeFence(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool proxy = mods.take("proxy");
  std::string_view async = proxy ? mods.takeOne({"async", "async::generic"}) : std::string_view();
  // A one-directional acquire fence orders only what another thread has released.
  bool half = async == "async::generic" && mods.take("acquire");
  i.system = mods.has({"sys"});
  i.sub = fenceSub(mods);
  bool inits = mods.has({"mbarrier_init"});
  bool wide = mods.has({"gpu", "sys", "gl"}), acquired = proxy && mods.has({"acquire"});
  d.program().communicates |= wide && !proxy;
  bool exists = proxy ? takeProxies(mods, async) : takeFence(mods, d.current().opcode.starts_with("membar"));
  i.cost = cost::kFence;
  if (exists && d.current().opcode.starts_with("fence.proxy.tensormap")) {
    i.sub = static_cast<uint8_t>(wide                                       ? FenceScope::Gpu
                                 : d.current().opcode.ends_with(".cluster") ? FenceScope::Cluster
                                                                            : FenceScope::Block);
    i.run = acquired ? &acquireDescriptors : &publishDescriptors;
    if (!d.finish(mods, acquired ? 2 : 0))
      return false;
    if (acquired) {
      uint64_t bytes = 0;
      if (!d.immediate(d.operand(1), bytes))
        return false;
      if (bytes != 128)
        return d.fail(
            Message("`{instruction}` is for the 128 bytes of a descriptor, not {bytes}", d.current().opcode, bytes));
      i.b = d.constant(bytes, 32);
      return d.address(d.operand(0), i, Space::Generic) && !d.failed();
    }
    return true;
  }
  bool alias = d.current().opcode == "fence.proxy.alias";
  i.run = alias                              ? &aliasFence
          : proxy && !async.empty() && !half ? &proxyFence
          : inits                            ? &initFence
          : !proxy                           ? &memoryFence
                                             : &nothing;
  return exists && d.finish(mods, acquired ? 2 : 0); // the address and the size of a tensor map
}

bool decodeNanosleep(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.bits != 32 || !d.finish(mods, 1))
    return false;
  i.a = d.source(d.operand(0), 32);
  i.run = [](Warp &warp, const Instr &i, uint32_t mask) {
    const uint32_t *t = warp.reg<uint32_t>(i.a);
    uint32_t longest = 0;
    forLanes(mask, [&](uint32_t l) { longest = t[l] > longest ? t[l] : longest; });
    warp.time += longest;
    return Step::Yield;
  };
  return !d.failed();
}

constexpr uint32_t kRegisterUnit = 8, kMostRegisters = 256;

/// The number of registers per thread that ptxas gives a kernel with setmaxnreg: as many as the kernel's bounds allow.
/// 0 if the kernel has no bounds: the instruction is ignored then.
uint32_t launchRegisters(const Function &function, const GpuTarget &machine) {
  if (function.maxRegisters)
    return std::min(function.maxRegisters / kRegisterUnit * kRegisterUnit, kMostRegisters);
  if (!function.maxThreads || !function.minBlocks)
    return 0;
  uint64_t threads = (static_cast<uint64_t>(function.maxThreads) + 31) / 32 * 32 * function.minBlocks;
  auto all = static_cast<uint64_t>(machine.registersPerMultiprocessor);
  return static_cast<uint32_t>(std::min<uint64_t>(all / threads / kRegisterUnit * kRegisterUnit, kMostRegisters));
}

/// PTX ISA 9.7.19.5, `setmaxnreg`.
bool decodeSetmaxnreg(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view action = mods.takeOne({"inc", "dec"});
  if (action.empty() || !mods.take("sync") || !mods.take("aligned") || mods.takeType().bits != 32)
    return false;
  uint64_t count = 0;
  if (!d.finish(mods, 1) || !d.immediate(d.operand(0), count))
    return false;
  if (count < 24 || count > 256 || count % 8 != 0)
    return d.fail("`setmaxnreg` takes a multiple of 8 from 24 to 256");
  i.imm = count;
  i.run = action == "inc" ? &takeRegisters : &giveRegisters;
  d.program().launchRegisters = launchRegisters(*d.program().function, *d.program().machine);
  if (d.program().launchRegisters == 0)
    d.ignored();
  return true;
}

bool decodeGriddepcontrol(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (mods.takeOne({"wait", "launch_dependents"}).empty())
    return false;
  i.run = &nothing;
  d.ignored();
  return d.finish(mods, 0);
}

bool decodePmevent(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  mods.take("mask");
  i.run = &nothing;
  d.ignored();
  uint64_t event = 0;
  return d.finish(mods, 1) && d.immediate(d.operand(0), event);
}

} // namespace

const Family &controlFamily() {
  static const Family family{{"bra", &decodeBra},
                             {"brx", &decodeBrx},
                             {"exit", &decodeExit},
                             {"trap", &decodeTrap},
                             {"brkpt", &decodeTrap},
                             {"fence", &decodeFence},
                             {"membar", &decodeFence},
                             {"nanosleep", &decodeNanosleep},
                             {"setmaxnreg", &decodeSetmaxnreg},
                             {"griddepcontrol", &decodeGriddepcontrol},
                             {"pmevent", &decodePmevent}};
  return family;
}

} // namespace lanescope::core::emulator
