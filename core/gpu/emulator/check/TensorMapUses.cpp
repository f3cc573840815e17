#include "core/gpu/emulator/check/TensorMapUses.h"

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMostFences = 1024; // the most fences that are kept of each kind

} // namespace

void TensorMapUses::begin(GlobalShadow &memory, uint32_t cluster) {
  shadow_ = &memory;
  cluster_ = cluster;
  acquires_.clear();
  forgotten_ = false;
}

void TensorMapUses::released(const Warp &warp, FenceScope scope) {
  auto w = static_cast<Agent>(order_.numberOf(warp));
  const View &view = order_.viewOf(warp);
  std::deque<MapRelease> &releases = shadow_->mapReleases;
  releases.push_back({cluster_, shadow_->releases, w, view.seen[w], scope, view.seen, view.foreign});
  if (releases.size() > kMostFences) {
    releases.pop_front();
    shadow_->mapReleasesForgotten = true;
  }
  order_.advance(w); // the fence does not publish later writes
}

void TensorMapUses::acquired(const Warp &warp, uint64_t address, uint64_t bytes, FenceScope scope) {
  auto w = static_cast<Agent>(order_.numberOf(warp));
  const View &view = order_.viewOf(warp);
  acquires_.push_back({address, bytes, w, view.seen[w], scope, view.seen, view.foreign});
  if (acquires_.size() > kMostFences) {
    acquires_.pop_front();
    forgotten_ = true;
  }
  order_.advance(w);
}

bool TensorMapUses::covers(const MapRelease &release, const GlobalUse &write) const {
  return release.cluster == write.cluster ? release.seen.covers(write.agent, write.epoch)
                                          : shadow_->published(release.foreign, write);
}

bool TensorMapUses::isBefore(const MapRelease &release, const Acquire &acquire) const {
  if (release.cluster == cluster_)
    return acquire.seen.covers(release.agent, release.epoch);
  GlobalUse fence;
  fence.cluster = release.cluster;
  fence.stamp = release.stamp;
  fence.agent = release.agent;
  fence.epoch = release.epoch;
  return shadow_->published(acquire.foreign, fence);
}

bool TensorMapUses::reaches(FenceScope scope, const Warp &user, const GlobalUse &write) const {
  if (write.cluster != cluster_)
    return scope == FenceScope::Gpu;
  bool otherBlock = write.agent / order_.warpsPerBlock() != user.block->clusterRank;
  return scope >= (otherBlock ? FenceScope::Cluster : FenceScope::Block);
}

bool TensorMapUses::used(Warp &warp, const Instr &i, uint32_t lane, uint64_t address) {
  uint64_t offset = 0;
  const Region *region = regionOf(order_.grid(), address, offset);
  if (!region || region->bytes < offset + kTensorMapBytes)
    return true;
  shadow_->descriptors.insert(address);
  uint32_t last = kNoUse;
  for (uint64_t at = offset; at < offset + kTensorMapBytes; at += shadow_->granule()) {
    const GlobalLine &line = shadow_->line(region->shadow, at);
    auto granule = static_cast<uint32_t>((at & (shadow_->lineBytes() - 1)) >> shadow_->granuleShift());
    uint32_t number = shadow_->cellOf(line, granule).write;
    if (number == kNoUse || number == last)
      continue;
    last = number;
    const GlobalUse &write = shadow_->use(number);
    if (write.cluster == cluster_ && order_.kindOf(write.agent) != AsyncUnit::Warp)
      continue;
    const View &view = order_.viewOf(warp);
    auto me = static_cast<Agent>(order_.numberOf(warp));
    bool fenced = std::ranges::any_of(acquires_, [&](const Acquire &acquire) {
      if (acquire.address > address || acquire.address + acquire.bytes < address + kTensorMapBytes ||
          !(acquire.agent == me || view.seen.covers(acquire.agent, acquire.epoch)) ||
          !reaches(acquire.scope, warp, write))
        return false;
      return std::ranges::any_of(shadow_->mapReleases, [&](const MapRelease &release) {
        return reaches(release.scope, warp, write) && covers(release, write) && isBefore(release, acquire);
      });
    });
    if (!fenced && !forgotten_ && !shadow_->mapReleasesForgotten)
      return report(warp, i, lane, address, write);
  }
  return true;
}

bool TensorMapUses::report(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, const GlobalUse &write) {
  const Grid &grid = order_.grid();
  uint64_t offset = 0;
  const Region *region = regionOf(grid, address, offset);
  bool released = false, acquired = false, narrow = false;
  for (const MapRelease &release : shadow_->mapReleases)
    if (covers(release, write)) {
      released = true;
      narrow |= !reaches(release.scope, warp, write);
    }
  const View &view = order_.viewOf(warp);
  auto me = static_cast<Agent>(order_.numberOf(warp));
  for (const Acquire &acquire : acquires_)
    if (acquire.address <= address && acquire.address + acquire.bytes >= address + kTensorMapBytes &&
        (acquire.agent == me || view.seen.covers(acquire.agent, acquire.epoch)) &&
        (write.cluster == cluster_ ? acquire.seen.covers(write.agent, write.epoch)
                                   : shadow_->published(acquire.foreign, write))) {
      acquired = true;
      narrow |= !reaches(acquire.scope, warp, write);
    }
  const Instr &there = grid.program->code[write.pc];
  constexpr std::string_view kRelease = "`fence.proxy.tensormap::generic.release.gpu` after the write, in the thread "
                                        "that wrote or after a barrier";
  constexpr std::string_view kAcquire =
      "`fence.proxy.tensormap::generic.acquire.gpu [descriptor], 128` before the copy, "
      "in the thread that issues it";
  std::vector<Note> notes{
      Note{grid.spanOf(there), text("the descriptor is written here, with `", grid.opcodeOf(there), "`")}};
  std::string missing = !released && !acquired ? text("neither released nor acquired")
                        : !released            ? text("acquired, but not released")
                        : !acquired            ? text("released, but not acquired")
                        : narrow ? text("released and acquired with a scope that does not hold both threads")
                                 : text("released and acquired, but nothing orders the release before the acquire");
  if (!released)
    notes.push_back({grid.spanOf(there), text("the missing fence: ", kRelease)});
  if (!acquired)
    notes.push_back({grid.spanOf(i), text("the missing fence: ", kAcquire)});
  fault(warp, i, "missing-tensormap-fence",
        Message("`{}` reads its descriptor at byte {byte} of {} through the tensormap proxy, and what the kernel wrote "
                "there is {}: the copy may use an older descriptor",
                grid.opcodeOf(i), offset, region->name, missing),
        lane, std::move(notes));
  return false;
}

} // namespace lanescope::core::emulator
