#include "core/gpu/emulator/check/Releasers.h"

#include <algorithm>
#include <bit>

namespace lanescope::core::emulator {

Agent Releasers::of(uint32_t cluster, uint32_t warp, uint32_t lanes, bool system) {
  constexpr uint32_t kOthers = UINT32_MAX >> 1; // stands for the warps of a cluster without a releaser of their own
  constexpr uint32_t kOfWarp = 33;              // numbers per warp: one for the warp, one for each lane
  uint32_t number = warp * kOfWarp + (lanes == UINT32_MAX ? 0 : 1 + static_cast<uint32_t>(std::countr_zero(lanes)));
  auto key = [&](uint32_t part) { return uint64_t(cluster) << 32 | uint64_t(part) << 1 | (system ? 1u : 0u); };
  auto known = numbers_.find(key(number));
  if (known != numbers_.end())
    return known->second;
  bool own = releasers_.size() < kMost;
  auto [made, fresh] = numbers_.try_emplace(key(own ? number : kOthers), static_cast<Agent>(releasers_.size()));
  if (fresh) {
    releasers_.emplace_back().many = !own;
    ofCluster_[cluster].push_back(made->second);
  }
  return made->second;
}

uint32_t Releasers::release(Agent who, Release release, uint32_t &releases) {
  Releaser &releaser = releasers_[who];
  if (releaser.many)
    release.apart.clear();
  if (!releaser.last.empty()) {
    const Release &last = releaser.last.back();
    if (releaser.many)
      release.known.join(last.known);
    if (last.known.covers(release.known) && last.apart == release.apart) // a warp's knowledge only grows
      return last.stamp;
  }
  haveParts_ |= !release.apart.empty();
  release.stamp = ++releases;
  releaser.last.push_back(std::move(release));
  if (releaser.last.size() > kKept) {
    releaser.last.pop_front();
    releaser.forgot = true;
  }
  return releases;
}

uint32_t Releasers::lanesPublished(const Releaser &releaser, uint32_t acquired, const Done &use) {
  auto after = std::ranges::upper_bound(releaser.last, acquired, {}, &Release::stamp);
  if (after != releaser.last.begin())
    return std::prev(after)->lanesOf(use.agent, use.epoch);
  return releaser.forgot && acquired > use.stamp ? UINT32_MAX : 0;
}

bool Releasers::publish(const Clock &acquired, uint32_t cluster, const Done &use) const {
  auto found = ofCluster_.find(cluster);
  return found != ofCluster_.end() && std::ranges::any_of(found->second, [&](Agent who) {
           return acquired[who] != 0 && lanesPublished(releasers_[who], acquired[who], use) != 0;
         });
}

uint32_t Releasers::lanesPublished(const Clock &acquired, uint32_t cluster, const Done &use) const {
  uint32_t lanes = 0;
  if (auto found = ofCluster_.find(cluster); found != ofCluster_.end())
    for (Agent who : found->second)
      if (acquired[who] != 0)
        lanes |= lanesPublished(releasers_[who], acquired[who], use);
  return lanes;
}

uint32_t Releasers::lastOf(const Clock &acquired, uint32_t cluster) const {
  uint32_t last = 0;
  if (auto found = ofCluster_.find(cluster); found != ofCluster_.end())
    for (Agent who : found->second)
      last = std::max(last, acquired[who]);
  return last;
}

const Releasers::Release *Releasers::shortOf(uint32_t cluster, const Done &use, uint32_t lanes) const {
  auto found = ofCluster_.find(cluster);
  if (found == ofCluster_.end())
    return nullptr;
  for (Agent who : found->second)
    for (const Release &release : releasers_[who].last)
      if (release.stamp > use.stamp && (lanes & ~release.lanesOf(use.agent, use.epoch)))
        return &release;
  return nullptr;
}

size_t Releasers::memoryBytes() const {
  size_t bytes = 0;
  for (const Releaser &releaser : releasers_)
    for (const Release &release : releaser.last)
      bytes += sizeof release + release.known.memoryBytes() + release.apart.size() * sizeof(KnownLanes);
  return bytes;
}

} // namespace lanescope::core::emulator
