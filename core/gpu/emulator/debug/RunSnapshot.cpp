#include "core/gpu/emulator/debug/RunSnapshot.h"

#include "core/gpu/emulator/check/Checker.h"

#include <tuple>
#include <type_traits>

namespace lanescope::core::emulator {

namespace {

/// All members of a block except its large memories and its pointers to other objects. If a member is added to Block,
/// this function does not compile until the member is named and kept here.
auto smallPartsOf(Block &block) {
  auto &[grid, cluster, clusterRank, id, linear, sm, start, shared, warps, registers, registersOf, barriers, mbarriers,
         tmem, tensorCore, async, landing, checks, printed, fault, findings, told, executed, work, tensorFree, effects,
         signals, liveWarps, freeRegisters] = block;
  auto &[cells, allocations, owners, requests, relinquished] = tmem;
  return std::tie(clusterRank, id, linear, sm, start, warps, barriers, mbarriers, allocations, owners, requests,
                  relinquished, tensorCore, async, landing, printed, fault, findings, told, executed, work, tensorFree,
                  effects, signals, liveWarps, freeRegisters);
}

template <class... T> std::tuple<std::remove_cvref_t<T>...> copied(const std::tuple<T...> &parts) { return parts; }

std::span<std::byte> bytesOf(std::vector<std::byte> &bytes) { return bytes; }
std::span<std::byte> bytesOf(TensorCells &cells) { return std::as_writable_bytes(std::span(&cells, 1)); }

/// The memories of all devices, without duplicates: an array has a region in the grid of every device.
std::vector<std::span<std::byte>> memoriesOf(std::span<Grid *const> grids) {
  std::vector<std::span<std::byte>> out;
  for (const Grid *grid : grids)
    for (size_t n = 0; n < grid->regions.size(); ++n) {
      const Region &region = grid->regions[n];
      bool array = n >= grid->firstCopy && n < grid->firstCopy + size_t{grid->devices} * grid->copies;
      if (grid->device == 0 || !array)
        out.emplace_back(region.data, region.bytes);
    }
  return out;
}

size_t sizeOf(const Warp &warp) {
  return sizeof warp + warp.local.size() + warp.groups.size() * sizeof(LaneGroups) +
         warp.splits.size() * sizeof(Split) + warp.wgmma.ops.size() * sizeof(WgmmaOp) +
         warp.held.size() * sizeof(AsyncOp) + warp.tmemStores.size() * sizeof(TmemStore);
}

} // namespace

class SavedBlock {
public:
  SavedBlock(Block &block, const SavedBlock *before, PageCount &count)
      : shared_(bytesOf(block.shared), before ? &before->shared_ : nullptr, count),
        registers_(bytesOf(block.registers), before ? &before->registers_ : nullptr, count),
        small_(copied(smallPartsOf(block))) {
    if (block.tmem.cells)
      cells_.emplace(bytesOf(*block.tmem.cells), before && before->cells_ ? &*before->cells_ : nullptr, count);
  }
  void restore(Block &block) const {
    shared_.copyTo(bytesOf(block.shared));
    registers_.copyTo(bytesOf(block.registers));
    smallPartsOf(block) = small_;
    if (!cells_)
      block.tmem.cells.reset();
    else if (!block.tmem.cells)
      block.tmem.cells = std::make_unique<TensorCells>();
    if (cells_)
      cells_->copyTo(bytesOf(*block.tmem.cells));
  }

private:
  PagedBytes shared_, registers_;
  std::optional<PagedBytes> cells_;
  decltype(copied(smallPartsOf(std::declval<Block &>()))) small_;
};

struct Snapshot::SavedCluster {
  size_t number = 0;    // index in the pool
  Grid *grid = nullptr; // the grid of the cluster's device; at restore(), the pool's cluster may be on another device
  bool open = false;
  uint64_t lastArrival = 0, released = 0;
  ClusterRun::Progress progress;
  std::vector<SavedBlock> blocks;
  // The checker's parts refer to the checker from which they were copied, so they must be restored into that one.
  std::unique_ptr<const Checker> checker;
};

Snapshot::Snapshot(const RunParts &run, const Snapshot *before) : turns_(run.turns.state()), leavings_(run.leavings) {
  for (std::span<std::byte> memory : memoriesOf(run.grids))
    regions_.emplace_back(memory, before ? &before->regions_[regions_.size()] : nullptr, run.pages);
  for (const Grid *grid : run.grids)
    heapUsed_.push_back(grid->heapUsed);
  if (run.shadow) {
    shadow_ = std::make_unique<GlobalShadow>(*run.shadow);
    ownBytes_ += run.shadow->memoryBytes();
  }
  if (run.observer)
    observer_ = run.observer->memory();
  if (run.links) {
    links_ = run.links->memory();
    ownBytes_ += links_->size();
  }
  if (run.lateSignals) {
    lateSignals_ = run.lateSignals->memory();
    ownBytes_ += lateSignals_->size();
  }
  for (const Turns::Resident &one : turns_.resident) {
    ClusterRun &cluster = run.turns.cluster(one.cluster);
    const SavedCluster *earlier = nullptr; // the same cluster in the earlier snapshot, much of which may be unchanged
    for (size_t n = 0; before && n < before->clusters_.size(); ++n)
      if (before->clusters_[n].number == one.cluster)
        earlier = &before->clusters_[n];
    SavedCluster &saved = clusters_.emplace_back();
    saved.number = one.cluster;
    saved.grid = cluster.grid;
    saved.open = cluster.open;
    saved.lastArrival = cluster.lastArrival;
    saved.released = cluster.released;
    saved.progress = cluster.progress();
    for (const auto &block : cluster.blocks) {
      saved.blocks.emplace_back(*block, earlier ? &earlier->blocks[block->clusterRank] : nullptr, run.pages);
      ownBytes_ += sizeof(SavedBlock) + block->async.all().size() * sizeof(AsyncOp) +
                   block->tensorCore.ops.size() * sizeof(Tcgen05Op) + block->printed.size();
      for (const Warp &warp : block->warps)
        ownBytes_ += sizeOf(warp);
    }
    if (const Checker *checker = cluster.checker()) {
      saved.checker = std::make_unique<Checker>(*checker);
      ownBytes_ += checker->memoryBytes();
    }
  }
}

Snapshot::~Snapshot() = default;
Snapshot::Snapshot(Snapshot &&) noexcept = default;
Snapshot &Snapshot::operator=(Snapshot &&) noexcept = default;

void Snapshot::restore(const RunParts &run) const {
  std::vector<std::span<std::byte>> memories = memoriesOf(run.grids);
  for (size_t n = 0; n < regions_.size(); ++n)
    regions_[n].copyTo(memories[n]);
  for (size_t device = 0; device < heapUsed_.size(); ++device)
    run.grids[device]->heapUsed = heapUsed_[device];
  run.turns.restore(turns_);
  run.leavings = leavings_;
  if (run.shadow) {
    std::destroy_at(run.shadow);
    std::construct_at(run.shadow, *shadow_);
  }
  if (observer_)
    run.observer->restore(*observer_);
  if (links_)
    run.links->restore(*links_);
  if (lateSignals_)
    run.lateSignals->restore(*lateSignals_);
  for (const SavedCluster &saved : clusters_) {
    ClusterRun &cluster = run.turns.cluster(saved.number);
    cluster.grid = saved.grid;
    cluster.open = saved.open;
    cluster.lastArrival = saved.lastArrival;
    cluster.released = saved.released;
    cluster.restore(saved.progress);
    for (size_t rank = 0; rank < saved.blocks.size(); ++rank) {
      cluster.blocks[rank]->grid = saved.grid;
      saved.blocks[rank].restore(*cluster.blocks[rank]);
    }
    if (Checker *checker = cluster.checker()) {
      std::destroy_at(checker);
      std::construct_at(checker, *saved.checker);
    }
  }
}

} // namespace lanescope::core::emulator
