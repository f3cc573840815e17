#include "core/gpu/emulator/machine/Block.h"

#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

uint32_t specialValue(const Block &block, const Warp &warp, Special kind, uint32_t lane) {
  const Grid &grid = *block.grid;
  uint32_t thread = warp.id * 32 + lane;
  switch (kind) {
  case Special::TidX: return thread % grid.block[0];
  case Special::TidY: return thread / grid.block[0] % grid.block[1];
  case Special::TidZ: return thread / grid.block[0] / grid.block[1];
  case Special::NtidX: return grid.block[0];
  case Special::NtidY: return grid.block[1];
  case Special::NtidZ: return grid.block[2];
  case Special::CtaidX: return block.id[0];
  case Special::CtaidY: return block.id[1];
  case Special::CtaidZ: return block.id[2];
  case Special::NctaidX: return grid.size[0];
  case Special::NctaidY: return grid.size[1];
  case Special::NctaidZ: return grid.size[2];
  case Special::ClusterX: return block.id[0] / grid.cluster[0];
  case Special::ClusterY: return block.id[1] / grid.cluster[1];
  case Special::ClusterZ: return block.id[2] / grid.cluster[2];
  case Special::NclusterX: return grid.size[0] / grid.cluster[0];
  case Special::NclusterY: return grid.size[1] / grid.cluster[1];
  case Special::NclusterZ: return grid.size[2] / grid.cluster[2];
  case Special::LaneId: return lane;
  case Special::WarpId: return warp.id;
  case Special::NwarpId: return static_cast<uint32_t>(block.warps.size());
  case Special::SmId: return block.sm;
  case Special::NsmId: return static_cast<uint32_t>(grid.program->machine->multiprocessors);
  case Special::LanemaskEq: return 1u << lane;
  case Special::LanemaskLt: return (1u << lane) - 1;
  case Special::LanemaskLe: return lane == 31 ? kAllLanes : (2u << lane) - 1;
  case Special::LanemaskGt: return lane == 31 ? 0 : kAllLanes << (lane + 1);
  case Special::LanemaskGe: return kAllLanes << lane;
  case Special::ClusterRank: return block.clusterRank;
  case Special::ClusterSize: return static_cast<uint32_t>(grid.clusterBlocks());
  case Special::ClusterCtaX: return block.id[0] % grid.cluster[0];
  case Special::ClusterCtaY: return block.id[1] % grid.cluster[1];
  case Special::ClusterCtaZ: return block.id[2] % grid.cluster[2];
  case Special::ClusterNctaX: return grid.cluster[0];
  case Special::ClusterNctaY: return grid.cluster[1];
  case Special::ClusterNctaZ: return grid.cluster[2];
  case Special::DynamicSmemSize: return grid.dynamicSmem;
  case Special::WorkspaceHigh: return static_cast<uint32_t>(grid.workspaceAddress >> 32);
  case Special::WorkspaceLow: return static_cast<uint32_t>(grid.workspaceAddress);
  case Special::TotalSmemSize: return static_cast<uint32_t>(block.shared.size());
  default: return 0;
  }
}

} // namespace

std::string Block::name() const {
  std::string own = text("block (", id[0], ", ", id[1], ", ", id[2], ")");
  return grid->devices > 1 ? text(own, " of device ", grid->device) : own;
}

namespace {

/// True if the special register may differ between the lanes of a warp.
bool variesByLane(Special kind) {
  switch (kind) {
  case Special::TidX:
  case Special::TidY:
  case Special::TidZ:
  case Special::LaneId:
  case Special::LanemaskEq:
  case Special::LanemaskLt:
  case Special::LanemaskLe:
  case Special::LanemaskGt:
  case Special::LanemaskGe: return true;
  default: return false;
  }
}

void writeSpecial(const Block &block, Warp &warp, const SpecialSlot &special) {
  std::array<uint32_t, 32> values;
  bool varies = variesByLane(special.kind);
  for (uint32_t lane = 0; lane < 32; ++lane)
    values[lane] = lane == 0 || varies ? specialValue(block, warp, special.kind, lane) : values[0];
  std::byte *to = warp.regs + special.slot;
  if (special.laneBytes == sizeof values[0]) {
    std::memcpy(to, values.data(), sizeof values);
    return;
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint64_t value = values[lane]; // little endian, as every host is
    std::memcpy(to + lane * special.laneBytes, &value, special.laneBytes);
  }
}

} // namespace

void Block::begin(Cluster &theCluster, uint32_t rank, std::array<uint32_t, 3> theId, uint32_t theSm,
                  uint64_t theStart) {
  cluster = &theCluster;
  clusterRank = rank;
  grid = theCluster.grid;
  const Program &program = *grid->program;
  id = theId;
  linear = id[0] + grid->size[0] * (id[1] + grid->size[1] * id[2]);
  sm = theSm;
  start = theStart;
  shared.assign(program.dynamicBase + grid->dynamicSmem, grid->unwritten);
  uint32_t threads = grid->block[0] * grid->block[1] * grid->block[2];
  uint32_t warpCount = (threads + 31) / 32;
  size_t file = program.registerImage.size();
  bool known = registersOf == &program && registers.size() == file * warpCount + 64;
  registersOf = &program;
  registers.resize(file * warpCount + 64);
  auto *aligned = reinterpret_cast<std::byte *>((reinterpret_cast<uintptr_t>(registers.data()) + 63) / 64 * 64);
  barriers = {};
  mbarriers = {};
  tmem.clear();
  tensorCore.clear();
  async = {};
  landing.clear();
  printed.clear();
  fault.reset();
  findings.clear();
  told.clear();
  executed = effects = signals = tensorFree = 0;
  work = {};
  liveWarps = warpCount;
  freeRegisters = 0;
  warps.resize(warpCount);
  for (uint32_t w = 0; w < warpCount; ++w) {
    Warp &warp = warps[w];
    warp.block = this;
    warp.id = w;
    warp.regs = aligned + file * w;
    if (known)
      for (const Program::Stretch &part : program.fresh)
        std::copy(program.registerImage.begin() + part.begin, program.registerImage.begin() + part.end,
                  warp.regs + part.begin);
    else
      std::copy(program.registerImage.begin(), program.registerImage.end(),
                warp.regs); // none: a program without registers
    // Kernels for pairs of blocks clear a bit of their own addresses to get the even block's address (CUTLASS' leader).
    if (program.pairs && rank % 2 == 1)
      for (const AddressSlot &address : program.sharedAddresses)
        for (uint32_t lane = 0; lane < 32; ++lane)
          *warp.reg<uint32_t>(address.slot + lane * address.bytes) |= rankedAddress(rank, 0);
    warp.time = start + w;
    warp.loadsReady = 0;
    uint32_t left = threads - w * 32;
    warp.ownRegisters = program.launchRegisters;
    warp.live = left >= 32 ? kAllLanes : (1u << left) - 1;
    warp.current = warp.turn = 0;
    warp.row = {};
    warp.runnable = true;
    warp.apart = false;
    warp.sawRefusal = false;
    for (LaneGroups &lane : warp.groups)
      lane.reset();
    warp.wgmma = {};
    warp.tmemStores.clear();
    warp.held.clear();
    warp.clusterArrived = warp.clusterPending = 0;
    warp.localBytes = program.localBytes;
    warp.local.assign(static_cast<size_t>(warp.localBytes) * 32, std::byte{0});
    warp.frames.clear();
    warp.splits.assign(1, Split{});
    warp.splits[0].state = SplitState::Ready;
    warp.splits[0].mask = warp.live;
    for (const SpecialSlot &special : program.specials)
      if (special.kind == Special::IsExplicitCluster)
        warp.predicate(special.slot) = grid->explicitCluster ? kAllLanes : 0;
      else
        writeSpecial(*this, warp, special);
  }
}

uint64_t Block::endTime() const {
  uint64_t end = start;
  for (const Warp &warp : warps)
    end = std::max(end, warp.time);
  return end;
}

uint64_t Block::nextTime() const {
  uint64_t time = liveWarps ? async.nextTime() : 0; // a block that has ended still has to report it
  for (const Warp &warp : warps)
    if (warp.runnable && warp.live)
      time = std::min(time, warp.time);
  return time;
}

} // namespace lanescope::core::emulator
